# canary 68cf5144-25e7-4e78-a451-f9b6e7d7ae7c
"""Answers of tools, kept between grades: a small JSON file per key, its digest on top. A damaged one is not there."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any


class Store:
    """A folder of answers; without a folder nothing is kept."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder

    def get(self, key: str) -> Any:
        """The answer stored under a key; None where there is none."""
        if self._folder is None:
            return None
        try:
            digest, _, text = (self._folder / f"{key}.json").read_text("utf-8").partition("\n")
            return json.loads(text) if digest == _digest(text) else None
        except (OSError, ValueError, RecursionError):
            return None

    def put(self, key: str, answer: Any) -> None:
        """Store an answer, whole or not at all; a full disk costs the entry, not the grade."""
        if self._folder is None:
            return
        text, temporary = json.dumps(answer, separators=(",", ":")), None
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            handle, temporary = tempfile.mkstemp(dir=self._folder, prefix=".new-")
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(f"{_digest(text)}\n{text}")
            Path(temporary).replace(self._folder / f"{key}.json")
        except OSError:
            if temporary is not None:
                Path(temporary).unlink(missing_ok=True)


def key(*parts: object) -> str:
    """A key for everything that decides an answer."""
    return _digest(json.dumps(parts, sort_keys=True, default=str))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def tool_identity(binary: Path) -> Sequence[object]:
    """What tells one build of a tool from another."""
    try:
        status = binary.resolve().stat()
    except OSError:
        return [str(binary)]
    return [str(binary.resolve()), status.st_size, status.st_mtime_ns]
