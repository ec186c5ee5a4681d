"""How names and windows are spelt wherever people write them: in addresses, in records, in sentences."""

from __future__ import annotations


def slug(alert: str) -> str:
    """`ChatGwDown` as it stands in an address: `chat-gw-down`."""
    out = ""
    for char in alert.replace("_", "-"):
        out += f"-{char.lower()}" if char.isupper() and out and out[-1] != "-" else char.lower()
    return out


def window_text(minutes: int) -> str:
    """`5m`, `1h`, `90m`: a window as people write it."""
    return f"{minutes // 60}h" if minutes % 60 == 0 else f"{minutes}m"
