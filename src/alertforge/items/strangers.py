"""Label values that nothing in a world has, as they come in real life: other in every task, so nobody can know them."""

from __future__ import annotations

from typing import Final

from alertforge.seeds import Seed

_FIRST: Final = ("amber", "basalt", "cedar", "delta", "ember", "fjord", "garnet", "heron", "indigo", "juniper", "kelp")
_SECOND: Final = ("archive", "bridge", "dispatch", "export", "gateway", "ledger", "mirror", "relay", "sync", "vault")
_ADDRESSES: Final = ("instance", "node", "host")


def stranger(seed: Seed, label: str) -> str:
    """A value for a label: an address where the label holds one, else two words."""
    rng = seed.rng("stranger", label)
    if label in _ADDRESSES:
        return f"10.{rng.between(16, 250)}.{rng.between(0, 250)}.{rng.between(2, 250)}:9100"
    return f"{rng.choice(_FIRST)}-{rng.choice(_SECOND)}"
