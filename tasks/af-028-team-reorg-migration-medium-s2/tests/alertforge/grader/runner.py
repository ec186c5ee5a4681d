# canary b9acb061-399b-42bf-b2bc-7da3e2e224a0
"""Run scenarios in promtool, many in a process, over a few workers, and get every one of them to an end.

A rule that kills promtool, by memory or time, is found by halving and set aside like one that fails.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

from alertforge.grader.job import Job
from alertforge.grader.reach import Placed
from alertforge.prometheus.promtool import TestFile, TestResult, run_tests

MAX_KILLERS: Final = 4  # rules per scenario that may kill promtool before the scenario is given up
MAX_BATCH: Final = 40  # scenarios a process
LEAST_SECONDS: Final = 0.25  # estimated work that is worth a process of its own
BATCH_SECONDS: Final = 20.0  # estimated work a process, also bounds its output
PATIENCE: Final = 15.0  # a process may compute for so many times its estimate ...
GRACE_SECONDS: Final = 8.0  # ... and this much more; a rule is not to blame for a machine that is busy
BUSY: Final = 10.0  # processes that want the same processor: how much longer computing may take by the clock


class Runner:
    """Runs jobs to their end within a deadline."""

    def __init__(self, binary: Path, workers: int, deadline_s: float, *, shared: bool) -> None:
        self._binary = binary
        self._workers = max(1, workers)
        self._deadline = time.monotonic() + deadline_s
        self._shared = shared  # several scenarios a process, thrifty Go settings
        self._killers: list[Placed] = []

    def run(self, jobs: Sequence[Job]) -> None:
        """Give every job a result."""
        while open_jobs := [job for job in jobs if job.seen is None]:
            dead: list[Job] = []
            for batch, lived in self._in_parallel(self._run_batch, self._batches(open_jobs)):
                if not lived:
                    dead += batch
            # alone each: who shares a process must not change what a scenario shows
            dying = [batch[0] for batch, lived in self._in_parallel(self._run_batch, [[j] for j in dead]) if not lived]
            for job in sorted(dying, key=jobs.index):
                self._rescue(job)

    def _in_parallel(
        self, work: Callable[[list[Job]], bool], batches: Sequence[list[Job]]
    ) -> list[tuple[list[Job], bool]]:
        if len(batches) <= 1 or self._workers == 1:
            return [(batch, work(batch)) for batch in batches]
        with ThreadPoolExecutor(self._workers) as pool:
            return list(zip(batches, pool.map(work, batches), strict=True))

    def _batches(self, jobs: Sequence[Job]) -> list[list[Job]]:
        """Split so that the processes end at about the same time: the largest first, each to the emptiest."""
        if not self._shared:
            return [[job] for job in jobs]
        work = {id(job): job.estimate() for job in jobs}
        total = sum(work.values())
        worthwhile = min(self._workers, math.ceil(total / LEAST_SECONDS))
        count = max(worthwhile, -(-len(jobs) // MAX_BATCH), math.ceil(total / BATCH_SECONDS))
        batches: list[list[Job]] = [[] for _ in range(min(count, len(jobs)))]
        loads = [0.0] * len(batches)
        for job in sorted(jobs, key=lambda job: -work[id(job)]):
            at = loads.index(min(loads))
            batches[at].append(job)
            loads[at] += work[id(job)]
        return batches

    def _run_batch(self, batch: list[Job]) -> bool:
        """Run jobs in one process and hand them their results; False where some job needs a rescue."""
        results = self._test(batch, [job.file() for job in batch])
        if results is None:
            return any(job.seen is not None for job in batch)  # given up: no time is left
        if len(batch) > 1 and any(result.problem for result in results):
            return False
        if results[0].problem:
            return False
        for job, result in zip(batch, results, strict=True):
            job.absorb(result)
        return True

    def _test(self, jobs: Sequence[Job], files: Sequence[TestFile]) -> list[TestResult] | None:
        """Results, or None where the process died; out of time, the jobs are given up."""
        patience = PATIENCE * sum(job.estimate() for job in jobs) + GRACE_SECONDS
        seconds = min(BUSY * patience, self._deadline - time.monotonic())
        results = None
        if seconds > 0:
            results, reason = run_tests(
                files, self._binary, seconds=seconds, processor_seconds=patience, thrifty=self._shared
            )
            if len(jobs) == 1:
                jobs[0].complaint = f"promtool {reason}" if results is None else results[0].problem or jobs[0].complaint
        if results is None and time.monotonic() >= self._deadline:
            for job in jobs:
                job.give_up("scenario not replayed: out of time")
        return results

    def _rescue(self, job: Job) -> None:
        """Find the rule that kills promtool and set it aside; rules that did so before are tried first."""
        job.lasting = False
        for _ in range(MAX_KILLERS):
            why = job.complaint
            known = [p for p in job.live if p in self._killers]
            if known and self._lives(job, [p for p in job.live if p not in known]):
                job.set_aside(known, why)
                return
            culprit = self._halve(job)
            if job.seen is not None:
                return
            if culprit is None:
                job.give_up(f"scenario given up: {job.complaint}")
                return
            self._killers.append(culprit)
            job.set_aside([culprit], why)
            if self._lives(job, job.live) or job.seen is not None:
                return
        job.give_up(f"scenario given up: more than {MAX_KILLERS} rules that promtool does not survive")

    def _halve(self, job: Job) -> Placed | None:
        """The last rule of the shortest run of rules that dies; None where it dies without any."""
        lives, dies = -1, len(job.live)
        while dies - lives > 1 and job.seen is None:
            middle = (lives + dies) // 2
            if self._lives(job, job.live[:middle]):
                lives = middle
            else:
                dies = middle
        return job.live[dies - 1] if dies > 0 and job.seen is None else None

    def _lives(self, job: Job, live: Sequence[Placed]) -> bool:
        results = self._test([job], [job.file(live)])
        return results is not None and not results[0].problem
