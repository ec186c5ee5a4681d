"""Run tasks under the real Harbor and hold every result against the local grader; `harbor_e2e` starts this."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, Final

import click

from alertforge.errors import AlertForgeError
from alertforge.grader.grade import grade
from alertforge.grader.score import KEYS
from alertforge.harbor.directory import WORKSPACE
from alertforge.tools import find

HERE: Final = Path(__file__).resolve().parent
DATASET: Final = "3ambench-mini"
MARKS: Final = ("<!-- results of scripts/harbor_e2e -->\n", "<!-- end of results -->\n")  # in a file for --table
OUTPUT: Final = frozenset({"reward.json", "details.json", "test-stdout.txt", "test-stderr.txt"})  # of a verifier


@dataclass(frozen=True)
class Trial:
    """What one agent did to one task, under Harbor and here."""

    agent: str
    task: str
    result: Mapping[str, Any]
    folder: Path
    expected: Mapping[str, float]  # the local grader's rewards

    @property
    def rewards(self) -> dict[str, float]:
        """What Harbor says the verifier said; empty when it said nothing."""
        return dict((self.result.get("verifier_result") or {}).get("rewards") or {})

    @property
    def seconds(self) -> float:
        """From start to finish, images included."""
        begin, end = (datetime.fromisoformat(self.result[key]) for key in ("started_at", "finished_at"))
        return (end - begin).total_seconds()

    @property
    def said(self) -> str:
        """What the agent's script printed."""
        log = self.folder / "agent" / "oracle.txt"
        return log.read_text("utf-8", "replace") if log.is_file() else ""


Check = Callable[[Trial], Iterator[str]]


def _nothing_more(_: Trial) -> Iterator[str]:
    yield from ()


@dataclass(frozen=True)
class Agent:
    """A way of doing a task. A scripted one is the reference solution's runner with another script in its place."""

    name: str
    runner: str = "oracle"  # Harbor's name
    reward: float | None = None  # where it is known beforehand
    script: str = ""  # in harbor_agents/; the task's own script is then beside it as work.sh
    settings: Mapping[str, str] = field(
        default_factory=dict
    )  # lines of task.toml that are changed: start -> whole line
    check: Check = _nothing_more


def _traps_stayed_shut(trial: Trial) -> Iterator[str]:
    """Programs were left that say so when they run: the agent ran one itself, nobody else ran any."""
    if "trap sprung" not in trial.said:
        yield "the traps do not work"
    if "trap sprung" in (trial.folder / "verifier" / "test-stdout.txt").read_text("utf-8", "replace"):
        yield "something that the agent left was executed"


def _tools_were_replaced(trial: Trial) -> Iterator[str]:
    yield from _traps_stayed_shut(trial)
    if "promtool is mine" not in trial.said:
        yield "promtool was not replaced in the agent's container"


def _was_everywhere(trial: Trial) -> Iterator[str]:
    yield from _traps_stayed_shut(trial)
    for place in ("/logs/verifier", "/tests", "/solution"):
        if f"wrote to {place}" not in trial.said:
            yield f"nothing was written to {place}"


def _reached(trial: Trial) -> tuple[list[str], list[str]]:
    lines = [line.split(" ", 1) for line in trial.said.splitlines()]
    return tuple([line[1] for line in lines if line[0] == word] for word in ("reached", "blocked"))  # type: ignore[return-value]


def _is_offline(trial: Trial) -> Iterator[str]:
    reached, blocked = _reached(trial)
    yield from (f"the network is off, and yet {what} was reached" for what in reached)
    if len(blocked) < 6:
        yield f"only {len(blocked)} places were tried"


def _is_online(trial: Trial) -> Iterator[str]:
    """The control: where the network is on, the same script reaches this machine both ways."""
    reached, _ = _reached(trial)
    for protocol in ("tcp", "udp"):
        if not any(what.startswith(protocol) for what in reached):
            yield f"the network is on, and yet nothing was reached by {protocol}"


AS_ROOT: Final = {"user = ": 'user = "root"'}
AGENTS: Final = {
    agent.name: agent
    for agent in (
        Agent("oracle", reward=1.0),
        Agent("nop", "nop", reward=0.0),
        Agent("partial"),
        Agent("vandal", script="vandal.sh", check=_traps_stayed_shut),
        Agent("impostor", script="impostor.sh", settings=AS_ROOT, check=_tools_were_replaced),
        Agent("intruder", script="intruder.sh", settings=AS_ROOT, check=_was_everywhere),
        Agent("offline", reward=0.0, script="network.sh", check=_is_offline),
        Agent(
            "online",
            reward=0.0,
            script="network.sh",
            settings={"network_mode = ": 'network_mode = "public"'},
            check=_is_online,
        ),
    )
}


# --- what is run -----------------------------------------------------------------------------------------------------


def stage(agent: Agent, tasks: Sequence[Path], root: Path, port: int) -> None:
    """Copy tasks to `<root>/tasks/`, changed for this agent; the tasks themselves stay as they are."""
    for task in tasks:
        copy = Path(shutil.copytree(task, root / "tasks" / task.name))
        solution = copy / "solution"
        if agent.name == "partial":
            shutil.copy2(_partial(task), solution / "solve.sh")
        if agent.script:
            (solution / "solve.sh").rename(solution / "work.sh")
            shutil.copy2(HERE / "harbor_agents" / agent.script, solution / "solve.sh")
            shutil.copy2(HERE / "harbor_agents" / "traps.sh", solution)
            (solution / "listener").write_text(f"{_own_address()} {port}\n", "utf-8")
        if agent.settings:
            file = copy / "task.toml"
            text = file.read_text("utf-8")
            for start, line in agent.settings.items():
                text, count = re.subn(rf"^{re.escape(start)}.*$", line, text, flags=re.MULTILINE)
                if count != 1:
                    raise AlertForgeError(f"{task / 'task.toml'} has {count} lines that start with {start!r}")
            file.write_text(text, "utf-8")


def _partial(task: Path) -> Path:
    script = task.parent.parent / "partial" / task.name / "solve.sh"
    if not script.is_file():
        raise AlertForgeError(f"{task} has no script for half of it: {script} is missing")
    return script


def local_rewards(agent: Agent, task: Path, scratch: Path, cache: Path) -> dict[str, float]:
    """What the grader on this machine says of a staged task after the agent's script.

    The script gets the repo in AF_WORKSPACE; what the scripts in harbor_agents/ do beside that they do only where
    AF_WORKSPACE is not set, in a container.
    """
    workspace = Path(shutil.copytree(task / WORKSPACE, scratch / "monitoring"))
    try:
        if agent.runner == "oracle":
            environment = {"PATH": os.environ["PATH"], "AF_WORKSPACE": str(workspace)}
            script = task / "solution" / "solve.sh"
            done = subprocess.run(["bash", script], env=environment, capture_output=True, text=True, timeout=300)
            if done.returncode:
                raise AlertForgeError(f"{agent.name} on {task.name}: {done.stderr.strip()}")
        result = grade(
            task / "tests", workspace, promtool=find("promtool"), amtool=find("amtool"), workers=2, cache=cache
        )
        return dict(result.rewards)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


@contextlib.contextmanager
def listener() -> Iterator[int]:
    """A port of this machine at which TCP and UDP are answered: what a container may reach or not."""
    with socket.socket() as tcp, socket.socket(type=socket.SOCK_DGRAM) as udp:
        tcp.bind(("", 0))
        tcp.listen()
        port = tcp.getsockname()[1]
        udp.bind(("", port))

        def answer_tcp() -> None:
            with contextlib.suppress(OSError):
                while True:
                    connection, _ = tcp.accept()
                    with connection, contextlib.suppress(OSError):
                        connection.sendall(b"hello\n")

        def answer_udp() -> None:
            with contextlib.suppress(OSError):
                while True:
                    _, sender = udp.recvfrom(100)
                    udp.sendto(b"hello\n", sender)

        for answer in (answer_tcp, answer_udp):
            threading.Thread(target=answer, daemon=True).start()
        yield port


def _own_address() -> str:
    """The address from which this machine reaches others; nothing is sent."""
    with socket.socket(type=socket.SOCK_DGRAM) as probe, contextlib.suppress(OSError):
        probe.connect(("192.0.2.1", 9))
        return str(probe.getsockname()[0])
    return "127.0.0.1"


# --- Harbor ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Harbor:
    """The engine and the command line that `harbor_engine` has set up."""

    settings: Path  # a file to source

    @classmethod
    def start(cls, tasks: Sequence[Path]) -> Harbor:
        """Set up what these tasks need. Leaves with the code of `harbor_engine` where that fails."""
        images = sorted({image for task in tasks for image in _images(task)})
        with subprocess.Popen([HERE / "harbor_engine", "start", *images], stdout=subprocess.PIPE, text=True) as process:
            last = ""
            for line in process.stdout or ():
                if last:
                    click.echo(last, err=True)
                last = line.rstrip("\n")
        if process.returncode:
            sys.exit(process.returncode)
        return cls(Path(last))

    def run(self, arguments: Sequence[str | Path], root: Path, report: Callable[[Path], None]) -> list[Path]:
        """`harbor run` in a folder; `report` hears of each trial as it ends. Returns the folders of all trials."""
        jobs = root / "jobs"
        command = ["bash", "-c", '. "$0" && exec harbor run "$@"', str(self.settings), *map(str, arguments)]
        command += ["--jobs-dir", str(jobs), "--job-name", "job", "--quiet", "--yes"]
        ended: set[Path] = set()
        with (root / "harbor.log").open("wb") as log:
            process = subprocess.Popen(command, cwd=root, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
            try:
                while True:
                    running = process.poll() is None
                    for folder in sorted(set(_trials(jobs / "job")) - ended):
                        ended.add(folder)
                        report(folder)
                    if not running:
                        break
                    time.sleep(0.5)
            finally:
                if process.poll() is None:
                    process.terminate()
                    process.wait(60)
        if process.returncode:
            raise AlertForgeError(f"harbor failed: {(root / 'harbor.log').read_text('utf-8', 'replace')[-2000:]}")
        return sorted(ended)


def _images(task: Path) -> Iterator[str]:
    """What a task's images are built from."""
    for folder in ("environment", "tests"):
        text = (task / folder / "Dockerfile").read_text("utf-8")
        yield from re.findall(r"^(?:FROM |COPY --from=)(\S+)", text, re.MULTILINE)


def _trials(job: Path) -> Iterator[Path]:
    """Folders of the trials that have ended."""
    for path in job.glob("*/result.json"):
        with contextlib.suppress(ValueError):
            if json.loads(path.read_text("utf-8")).get("finished_at"):
                yield path.parent


# --- what is wrong ---------------------------------------------------------------------------------------------------


def problems(trial: Trial) -> Iterator[str]:
    """Everything about a trial that is not as it must be."""
    agent = AGENTS[trial.agent]
    if trial.result.get("exception_info") is not None:
        yield f"exception: {trial.result['exception_info'].get('exception_message')}"
        return
    if (trial.folder / "agent" / "exit-code.txt").exists():
        yield f"the script failed: {trial.said[-300:]}"
    if sorted(trial.rewards) != sorted(KEYS):
        yield f"the reward has the keys {sorted(trial.rewards)}"
        return
    for key in KEYS:
        if trial.rewards[key] != trial.expected[key]:
            yield f"{key} is {trial.rewards[key]!r}, here {trial.expected[key]!r}"
    if agent.reward is not None and trial.rewards["reward"] != agent.reward:
        yield f"the reward is {trial.rewards['reward']!r}, not {agent.reward!r}"
    for stray in sorted({path.name for path in (trial.folder / "verifier").iterdir()} - OUTPUT):
        yield f"the verifier left {stray}"
    if trial.result.get("verifier_environment_mode") != "separate":
        yield "the verifier did not run in a container of its own"
    yield from agent.check(trial)


@dataclass
class Run:
    """All agents on all tasks."""

    harbor: Harbor
    tasks: Sequence[Path]
    scratch: Path
    jobs: int
    registry: Path | None
    trials: list[Trial] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)

    def agent(self, agent: Agent, port: int) -> None:
        """One `harbor run` with all tasks."""
        root = self.scratch / agent.name
        stage(agent, self.tasks, root, port)
        expected = {
            task.name: local_rewards(agent, root / "tasks" / task.name, root / "local", self.scratch / "cache")
            for task in self.tasks
        }
        arguments: list[str | Path] = ["--agent", agent.runner, "--n-concurrent", str(self.jobs)]
        if self.registry:
            shutil.copy(self.registry, root / "registry.json")
            arguments += ["--registry-path", "registry.json", "--dataset", _versioned(self.registry)]
        else:
            arguments += ["--path", "tasks"]
        folders = self.harbor.run(arguments, root, lambda folder: self._ended(agent, folder, expected))
        seen = sorted(trial.task for trial in self.trials if trial.agent == agent.name)
        if seen != sorted(expected):
            self._fault(f"{agent.name}: {len(folders)} trials for {len(expected)} tasks")

    def _ended(self, agent: Agent, folder: Path, expected: Mapping[str, Mapping[str, float]]) -> None:
        result = json.loads((folder / "result.json").read_text("utf-8"))
        name = result["task_name"].partition("/")[2]
        trial = Trial(agent.name, name, result, folder, expected.get(name, {}))
        self.trials.append(trial)
        found = list(problems(trial))
        reward = trial.rewards.get("reward")
        click.echo(f"{name}  {agent.name}  {reward!r}  {trial.seconds:.0f} s  {'WRONG' if found else 'ok'}", err=True)
        for one in found:
            self._fault(f"{name}, {agent.name}: {one}")

    def _fault(self, text: str) -> None:
        self.faults.append(text)
        click.echo(f"  {text}", err=True)


def _datasets(registry: Path) -> dict[str, Any]:
    found = {one["name"]: one for one in json.loads(registry.read_text("utf-8"))}
    if DATASET not in found:
        raise AlertForgeError(f"{registry} lists no {DATASET}")
    return dict(found[DATASET])


def _versioned(registry: Path) -> str:
    return f"{DATASET}@{_datasets(registry)['version']}"


def table(trials: Sequence[Trial], agents: Sequence[str]) -> str:
    """Rewards as Markdown: a row a task, a column an agent, and the seconds that each trial took."""
    found = {(trial.task, trial.agent): trial for trial in trials}
    names = sorted({trial.task for trial in trials})
    lines = [["task", *agents, "seconds"], ["---", *("---:" for _ in agents), "---:"]]
    for name in names:
        row = [found.get((name, agent)) for agent in agents]
        rewards = [repr(trial.rewards.get("reward")) if trial else "" for trial in row]
        lines.append([f"`{name}`", *rewards, " / ".join(f"{trial.seconds:.0f}" for trial in row if trial)])
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def report(file: Path, command: str, text: str) -> None:
    """Write a table and its command to a file: between its two marks where it has them, else as the whole of it."""
    block = f"```bash\n{command}\n```\n\n{text}\n"
    old = file.read_text("utf-8") if file.is_file() else ""
    before, begin, rest = old.partition(MARKS[0])
    _, end, after = rest.partition(MARKS[1])
    new = f"{before}{begin}\n{block}{end}{after}" if begin and end else block.rstrip("\n") + "\n"
    beside = file.with_name(f".{file.name}.new")
    beside.write_text(new, "utf-8")
    beside.replace(file)


def typed(agents: Sequence[Agent], registry: Path | None, tasks: Sequence[Path]) -> str:
    """The command for these results; all tasks of a folder as a pattern."""
    command = f"scripts/harbor_e2e --agents {','.join(agent.name for agent in agents)}"
    if registry:
        return f"{command} --registry {registry}"
    folder = tasks[0].parent
    if len(tasks) > 1 and sorted(folder.iterdir()) == sorted(tasks):
        return f"{command} {folder}/*"
    return f"{command} {' '.join(map(str, tasks))}"


# --- command line ----------------------------------------------------------------------------------------------------


@contextlib.contextmanager
def _scratch() -> Iterator[Path]:
    """The folder of a run, which the next one replaces; one run at a time."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "alertforge"
    home = Path(os.environ.get("AF_CACHE") or cache) / "harbor-e2e"
    home.mkdir(parents=True, exist_ok=True)
    with (home / ".lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise AlertForgeError(f"another run is using {home}") from None
        folder = home / "trials"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        yield folder


def _chosen(_: click.Context, __: click.Parameter, value: str) -> list[Agent]:
    names = value.split(",")
    unknown = [name for name in names if name not in AGENTS]
    if unknown:
        raise click.BadParameter(f"{', '.join(unknown)}: choose from {', '.join(AGENTS)}")
    return [AGENTS[name] for name in names]


@click.command()
@click.option("--agents", default="oracle,nop,partial", show_default=True, callback=_chosen, help=", ".join(AGENTS))
@click.option(
    "--registry",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help=f"Run {DATASET} of this dataset by name, as its registry.json lists it.",
)
@click.option("--jobs", default=2, show_default=True, help="Trials at a time.")
@click.option(
    "--table", "table_file", type=click.Path(dir_okay=False, path_type=Path), help="Write the results as Markdown."
)
@click.argument("tasks", nargs=-1, type=click.Path(exists=True, file_okay=False, path_type=Path))
def main(
    agents: list[Agent], registry: Path | None, jobs: int, table_file: Path | None, tasks: tuple[Path, ...]
) -> None:
    """Run each TASK directory with each agent under Harbor, and compare the rewards with the local grader's.

    oracle, nop and partial do the work, nothing, and half of it. vandal does it and leaves the repo in a mess, impostor
    replaces the tools, intruder writes where the verifier keeps its files; offline tries to leave its container,
    online does the same where that is allowed. `--stop`, alone, stops the engine.
    """
    if bool(tasks) == bool(registry):
        raise click.UsageError("name tasks, or a dataset with --registry")
    begin = time.monotonic()
    try:
        if registry:
            tasks = tuple(registry / entry["path"] for entry in _datasets(registry / "registry.json")["tasks"])
        for task in tasks:
            if not (task / "task.toml").is_file():
                raise AlertForgeError(f"{task} is not a task directory")
        with _scratch() as scratch, listener() as port:
            run = Run(
                Harbor.start(tasks),
                [task.resolve() for task in tasks],
                scratch,
                jobs,
                registry and registry / "registry.json",
            )
            for agent in agents:
                run.agent(agent, port)
    except AlertForgeError as error:
        click.echo(f"harbor_e2e: {error}", err=True)
        sys.exit(1)
    if table_file:
        report(table_file, typed(agents, registry, tasks), table(run.trials, [one.name for one in agents]))
    click.echo(
        f"{'FAILED' if run.faults else 'passed'}: {len(run.trials)} trials of {len(tasks)} tasks with "
        f"{', '.join(agent.name for agent in agents)}; {len(run.faults)} faults; {time.monotonic() - begin:.0f} s"
    )
    sys.exit(bool(run.faults))


if __name__ == "__main__":
    main()
