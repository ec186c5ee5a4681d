# canary 4ac28a1b-9ae5-452b-a883-c66050e7f31d
"""Replay outages through the rules: scenarios and rule files in, every firing alert minute by minute out.

What makes it fast, with the same result as the plain way (`plain_replay`):

- per scenario only the rules run that can yield anything on its series and that someone asks about (`reach.py`);
- many scenarios share a process, balanced over a few workers;
- annotations are rendered only where they are asked for, and static labels are put on afterwards: promtool takes
  each for a template, at every tick of every active alert;
- of the series those are left out that no running rule can see;
- what is known already does not run: a scenario falls into parts whose rules cannot see each other, and a part whose
  rules, series and questions are unchanged comes out of the cache. Only parts of scenarios in which nothing failed are
  kept by themselves; where something fails the whole scenario runs, as it would without a cache.

What runs is a job (`job.py`), and the runner (`runner.py`) gets it to its end, whatever its rules do.

Group `interval`, `query_offset` and `limit` are cleared: promtool ignores the first, and changing them is judged
elsewhere. Files run in order of their paths, rules in the order in which they stand.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from alertforge.grader import store
from alertforge.grader.job import Job, PlainJob, Setting, running_names, static_labels, visible
from alertforge.grader.reach import Reach, independent, place
from alertforge.grader.runner import Runner
from alertforge.grader.store import Store
from alertforge.grader.timeline import Ask, Seen, Timeline
from alertforge.prometheus.rules import RuleFile

CACHE_VERSION: Final = 3


def replay(
    files: Sequence[RuleFile],
    asks: Sequence[Ask],
    *,
    promtool: Path,
    workers: int = 2,
    cache: Cache | None = None,
    deadline_s: float = 600.0,
) -> Timeline:
    """Run every scenario and report what fired. At most one ask per scenario.

    `deadline_s` bounds the whole call, whatever the rules do: scenarios that did not make it come back empty, with a
    failure that says so. With a cache, scenarios that nothing changed for start no process.
    """
    placed = place(files)
    reach, names = Reach(placed), running_names(placed)
    jobs: dict[str, Job] = {}
    for ask in asks:
        needed = ask.needed(reach)
        later = static_labels(needed, reach.of(series.series for series in ask.scenario.series))
        records = [name for name, _ in ask.records]
        jobs[ask.scenario.id] = Job(ask, needed, needed, Setting(visible(ask, needed, records, reach), names, later))
    kept, tool = cache or Cache(None), store.tool_identity(promtool)
    divided = [one for job in jobs.values() if job.seen is None and (one := _divide(job, reach, kept, tool))]
    runner = Runner(promtool, workers, deadline_s, shared=True)
    runner.run([one.rest for one in divided])
    for one in divided:
        one.join()
    runner.run([one.job for one in divided])
    for one in divided:
        one.keep(kept)
    return _timeline(jobs)


def plain_replay(
    files: Sequence[RuleFile], asks: Sequence[Ask], *, promtool: Path, deadline_s: float = 3600.0
) -> Timeline:
    """The plain way to an equal timeline: every rule in every scenario, a process each, default Go settings.

    For benchmarks and for the proof that `replay` changes nothing.
    """
    placed = place(files)
    reach, names = Reach(placed), running_names(placed)
    jobs = {
        ask.scenario.id: PlainJob(ask, ask.needed(reach), placed, Setting(ask.scenario.series, names, {}))
        for ask in asks
    }
    Runner(promtool, 1, deadline_s, shared=False).run(list(jobs.values()))
    return _timeline(jobs)


def _timeline(jobs: Mapping[str, Job]) -> Timeline:
    return Timeline({name: job.seen for name, job in jobs.items() if job.seen is not None})


@dataclass
class _Divided:
    """A job, and which of its parts are known and which have to run."""

    job: Job
    key: str  # of the whole job
    known: Seen
    missing: Mapping[str, Job]  # by key
    rest: Job  # what has to run: the missing parts together, or the whole job

    def join(self) -> None:
        """Put the parts together. Where something failed the whole job has to run: what failed may not be all."""
        if self.rest is self.job:
            return
        if self.rest.smooth and self.rest.seen is not None:
            self.job.seen = self.known.beside(self.rest.seen)
        else:
            self.rest = self.job

    def keep(self, cache: Cache) -> None:
        """Remember what was learnt."""
        assert self.rest.seen is not None
        if self.rest.smooth:
            for key, part in self.missing.items():
                cache.put(key, part.share(self.rest.seen))
        elif self.rest.lasting:
            cache.put(self.key, self.rest.seen)


def _divide(job: Job, reach: Reach, cache: Cache, tool: Sequence[object]) -> _Divided | None:
    """Look up a job and its parts; None where all is known, and the job has its result."""
    parts: dict[str, Job] = {}
    for rules, records in independent(job.live, (name for name, _ in job.ask.records)):
        part = job.part(rules, records, reach)
        parts[_cache_key(part, tool)] = part
    found = {key: seen for key in parts if (seen := cache.get(key)) is not None}
    known = Seen()
    for seen in found.values():
        known = known.beside(seen)
    missing = {key: part for key, part in parts.items() if key not in found}
    whole = _cache_key(job, tool, [p.path for p in job.live])  # paths are named in failures
    job.seen = cache.get(whole) if missing else known
    if job.seen is not None:
        return None
    rest = job
    if found:
        rules = sorted((p for part in missing.values() for p in part.live), key=lambda p: p.number)
        rest = job.part(rules, [name for part in missing.values() for name, _ in part.ask.records], reach)
    return _Divided(job, whole, known, missing, rest)


# --- cache -----------------------------------------------------------------------------------------------------------


class Cache:
    """What parts of scenarios showed, also on disk where there is a folder; an entry that cannot be read is none."""

    def __init__(self, folder: Path | None) -> None:
        self._store = Store(folder)
        self._known: dict[str, Seen] = {}

    def get(self, key: str) -> Seen | None:
        """The result stored under a key."""
        if key not in self._known:
            found = self._read(key)
            if found is None:
                return None
            self._known[key] = found
        return self._known[key]

    def put(self, key: str, seen: Seen) -> None:
        """Store a result."""
        self._known[key] = seen
        self._store.put(key, seen.to_plain())

    def _read(self, key: str) -> Seen | None:
        try:
            return Seen.from_plain(self._store.get(key))
        except (ValueError, TypeError, KeyError, IndexError, AttributeError):
            return None


def _cache_key(job: Job, tool: Sequence[object], paths: Sequence[str] | None = None) -> str:
    """Key of all that decides a result: the tool, the rules, the series they can see, the questions.

    Which annotations are asked for shows in the rules: the others are not in there.
    """
    return store.key(CACHE_VERSION, tool, paths, job.content())
