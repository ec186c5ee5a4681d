# canary e12578a9-ede8-4272-9d5f-88c49c7430a3
"""What a receiver does when it notifies, free of how it is written."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from alertforge.alertmanager.config import Receiver

# What Alertmanager 0.28 takes where nothing is written, for the integration that houses use.
_DEFAULTS: Final[Mapping[str, Mapping[str, Any]]] = {
    "webhook_configs": {"send_resolved": True, "max_alerts": "0", "timeout": "0s"}
}
_TRUE: Final = frozenset({"y", "yes", "true", "on"})  # yaml.v2's words, in lower, upper and title case
_FALSE: Final = frozenset({"n", "no", "false", "off"})


def canonical(receiver: Receiver) -> tuple[str, ...]:
    """Its integrations, each as one text: kind and settings in a fixed order, defaults left out.

    Two receivers with equal texts notify alike; one without any notifies nobody.
    """
    return tuple(
        sorted(
            json.dumps([kind, _settings(kind, one)], ensure_ascii=False, sort_keys=True)
            for kind, entries in receiver.body.items()
            if kind.endswith("_configs") and isinstance(entries, list)
            for one in entries
        )
    )


def _settings(kind: str, entry: Any) -> Any:
    if not isinstance(entry, Mapping):
        return _plain(entry)
    defaults = _DEFAULTS.get(kind, {})
    given = {str(key): _plain(value, switch=key == "send_resolved") for key, value in entry.items()}
    return {key: value for key, value in given.items() if value is not None and defaults.get(key) != value}


def _plain(value: Any, *, switch: bool = False) -> Any:
    """Plain JSON values; a switch is a truth value in whichever of YAML's words."""
    if isinstance(value, Mapping):
        return {str(key): _plain(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_plain(one) for one in value]
    if switch and str(value).lower() in _TRUE | _FALSE:
        return str(value).lower() in _TRUE
    return value if value is None or isinstance(value, bool | int | float) else str(value)
