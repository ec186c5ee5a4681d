# canary bee2712d-1b31-4d04-8ce3-c5858d5475aa
"""The hidden side of a task.

The spec directory of a task holds `spec.json` and `hidden/`: `hidden/baseline` is the start repo's rules and
Alertmanager configuration, and beside it lies the file of reference SLI records that the spec names.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Final

from alertforge.alertmanager.config import Config
from alertforge.grader import workspace as loading
from alertforge.grader.spec import Spec, SpecError, load
from alertforge.prometheus import rules
from alertforge.prometheus.rules import RuleFile

REFERENCE_PATH: Final = "!reference-records"  # sorts before every rule file


@dataclass(frozen=True)
class Task:
    """The hidden side of a task, loaded."""

    spec: Spec
    baseline_files: tuple[RuleFile, ...]
    baseline_config: Config
    reference: RuleFile | None


def load_task(spec_dir: Path) -> Task:
    """Load the hidden side of a task. Raises SpecError: it is ours and must be right.

    A task that is graded again is not read again, as long as no byte of it has changed.
    """
    digest = hashlib.sha256()
    try:
        for path in [spec_dir / "spec.json", *sorted(p for p in (spec_dir / "hidden").rglob("*") if p.is_file())]:
            content = path.read_bytes()
            digest.update(f"{path.relative_to(spec_dir).as_posix()}\0{len(content)}\0".encode())
            digest.update(content)
    except OSError as error:
        raise SpecError(f"{error.filename}: {error.strerror}") from None
    return _load_task(spec_dir, digest.digest())


@lru_cache(maxsize=2)
def _load_task(spec_dir: Path, digest: bytes) -> Task:
    """The task with these bytes; `digest` only tells one state of the directory from another."""
    spec = load(spec_dir / "spec.json")
    hidden = spec_dir / "hidden"
    baseline = loading.load(hidden / "baseline")
    if baseline.alertmanager is None:
        raise SpecError(f"baseline: {'; '.join(map(str, baseline.problems))}")
    reference = None
    if spec.reference_records is not None:
        try:
            text = (hidden / spec.reference_records).read_text("utf-8")
        except (OSError, ValueError) as error:
            raise SpecError(f"{spec.reference_records}: {error}") from None
        reference = replace(rules.read(spec.reference_records, text), path=REFERENCE_PATH)
        if reference.problems:
            raise SpecError(str(reference.problems[0]))
    return Task(spec, baseline.rule_files, baseline.alertmanager, reference)
