"""What the end-to-end script finds wrong with a trial; `test_containers.py` runs it."""

from __future__ import annotations

import importlib.util
import json
import math
import socket
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from alertforge.errors import AlertForgeError
from alertforge.grader.score import KEYS

SCRIPT = Path(__file__).parents[2] / "scripts" / "harbor_e2e.py"
REWARDS = dict.fromkeys(KEYS, 0.0) | {"reward": 0.153333, "progress": 0.3833325}


@pytest.fixture(scope="module")
def e2e() -> ModuleType:
    specification = importlib.util.spec_from_file_location("harbor_e2e", SCRIPT)
    assert specification and specification.loader
    module = importlib.util.module_from_spec(specification)
    sys.modules["harbor_e2e"] = module
    specification.loader.exec_module(module)
    return module


@pytest.fixture()
def job(tmp_path: Path) -> Path:
    """A trial as Harbor leaves it."""
    for name in ("agent/oracle.txt", "verifier/reward.json", "verifier/details.json", "verifier/test-stdout.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("")
    return tmp_path


def result(**changes: Any) -> dict[str, Any]:
    return {
        "task_name": "alertforge/af-001",
        "exception_info": None,
        "verifier_environment_mode": "separate",
        "verifier_result": {"rewards": dict(REWARDS)},
        "started_at": "2026-01-01T10:00:00.000000Z",
        "finished_at": "2026-01-01T10:00:20.500000Z",
    } | changes


def rewarded(**changes: float) -> dict[str, Any]:
    return result(verifier_result={"rewards": REWARDS | changes})


def problems(e2e: ModuleType, job: Path, found: dict[str, Any] | None = None, agent: str = "partial") -> list[str]:
    return list(e2e.problems(e2e.Trial(agent, "af-001", found or result(), job, REWARDS)))


def test_a_trial_as_it_must_be_has_no_problem(e2e: ModuleType, job: Path) -> None:
    assert problems(e2e, job) == []
    assert e2e.Trial("partial", "af-001", result(), job, REWARDS).seconds == 20.5


def test_the_last_digit_counts(e2e: ModuleType, job: Path) -> None:
    near = math.nextafter(REWARDS["progress"], 1.0)
    assert problems(e2e, job, rewarded(progress=near)) == [f"progress is {near!r}, here 0.3833325"]


def test_known_rewards_are_not_taken_from_the_local_grader(e2e: ModuleType, job: Path) -> None:
    for agent, reward in (("oracle", "1.0"), ("nop", "0.0")):
        assert problems(e2e, job, agent=agent) == [f"the reward is 0.153333, not {reward}"]


def test_a_key_less_or_more_is_a_problem(e2e: ModuleType, job: Path) -> None:
    for keys in (KEYS[1:], (*KEYS, "bonus")):
        found = problems(e2e, job, result(verifier_result={"rewards": dict.fromkeys(keys, 0.0)}))
        assert len(found) == 1 and found[0].startswith("the reward has the keys")


def test_no_verdict_is_a_problem(e2e: ModuleType, job: Path) -> None:
    assert problems(e2e, job, result(verifier_result=None)) == ["the reward has the keys []"]


def test_an_exception_is_a_problem(e2e: ModuleType, job: Path) -> None:
    info = {"exception_type": "RuntimeError", "exception_message": "no such image"}
    assert problems(e2e, job, result(exception_info=info)) == ["exception: no such image"]


def test_a_script_that_failed_is_a_problem(e2e: ModuleType, job: Path) -> None:
    (job / "agent" / "exit-code.txt").write_text("1")
    (job / "agent" / "oracle.txt").write_text("no such file")
    assert problems(e2e, job) == ["the script failed: no such file"]


def test_a_shared_verifier_is_a_problem(e2e: ModuleType, job: Path) -> None:
    found = problems(e2e, job, result(verifier_environment_mode="shared"))
    assert found == ["the verifier did not run in a container of its own"]


def test_what_a_trap_leaves_is_a_problem(e2e: ModuleType, job: Path) -> None:
    (job / "agent" / "oracle.txt").write_text("trap sprung: ./test.sh\n")
    assert problems(e2e, job, agent="vandal") == []
    (job / "verifier" / "sprung").write_text("")
    assert problems(e2e, job, agent="vandal") == ["the verifier left sprung"]
    (job / "verifier" / "test-stdout.txt").write_text("trap sprung: yaml.py\n")
    assert "something that the agent left was executed" in problems(e2e, job, agent="vandal")


def test_traps_that_do_not_work_show_nothing(e2e: ModuleType, job: Path) -> None:
    assert problems(e2e, job, agent="vandal") == ["the traps do not work"]


def test_a_place_that_is_reached_offline_is_a_problem(e2e: ModuleType, job: Path) -> None:
    log = job / "agent" / "oracle.txt"
    log.write_text("blocked tcp 192.0.2.1 80\n" * 6)
    assert list(e2e.AGENTS["offline"].check(e2e.Trial("offline", "af-001", result(), job, REWARDS))) == []
    log.write_text("blocked tcp 192.0.2.1 80\n" * 6 + "reached udp 192.0.2.1 53\n")
    trial = e2e.Trial("offline", "af-001", result(), job, REWARDS)
    assert list(e2e.AGENTS["offline"].check(trial)) == ["the network is off, and yet udp 192.0.2.1 53 was reached"]
    assert list(e2e.AGENTS["online"].check(trial)) == ["the network is on, and yet nothing was reached by tcp"]


def test_nothing_tried_is_a_problem(e2e: ModuleType, job: Path) -> None:
    trial = e2e.Trial("offline", "af-001", result(), job, REWARDS)
    assert list(e2e.AGENTS["offline"].check(trial)) == ["only 0 places were tried"]


def test_the_listener_answers_both_ways(e2e: ModuleType) -> None:
    with e2e.listener() as port:
        with socket.create_connection(("127.0.0.1", port), timeout=5) as connection:
            assert connection.recv(10) == b"hello\n"
        with socket.socket(type=socket.SOCK_DGRAM) as sender:
            sender.settimeout(5)
            sender.sendto(b"hello", ("127.0.0.1", port))
            assert sender.recv(10) == b"hello\n"


def test_a_staged_task_is_changed_and_the_task_is_not(e2e: ModuleType, tmp_path: Path, folder: Path) -> None:
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    e2e.stage(e2e.AGENTS["impostor"], [folder], tmp_path / "run", 1234)
    staged = tmp_path / "run" / "tasks" / folder.name
    assert 'user = "root"' in (staged / "task.toml").read_text("utf-8")
    assert "impostor" not in (staged / "solution" / "work.sh").read_text("utf-8")
    assert (staged / "solution" / "work.sh").read_bytes() == before[folder / "solution" / "solve.sh"]
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before


def test_a_setting_that_is_not_there_is_an_error(e2e: ModuleType, tmp_path: Path, folder: Path) -> None:
    agent = e2e.Agent("odd", settings={"no_such_key = ": "no_such_key = 1"})
    with pytest.raises(AlertForgeError, match="has 0 lines that start with"):
        e2e.stage(agent, [folder], tmp_path / "run", 1234)


def test_half_of_a_task_needs_its_script(e2e: ModuleType, tmp_path: Path, folder: Path) -> None:
    with pytest.raises(AlertForgeError, match="no script for half of it"):
        e2e.stage(e2e.AGENTS["partial"], [folder], tmp_path / "run", 1234)


def test_a_registry_without_the_dataset_is_an_error(e2e: ModuleType, tmp_path: Path) -> None:
    registry = tmp_path / "registry.json"
    registry.write_text(json.dumps([{"name": "3ambench", "version": "1.0.0", "tasks": []}]))
    with pytest.raises(AlertForgeError, match="lists no 3ambench-mini"):
        e2e._versioned(registry)


def test_the_table_has_a_row_a_task_and_every_digit(e2e: ModuleType, job: Path) -> None:
    trials = [e2e.Trial(agent, "af-001", result(), job, REWARDS) for agent in ("oracle", "partial")]
    assert e2e.table(trials, ["oracle", "partial"]).splitlines()[2:] == ["| `af-001` | 0.153333 | 0.153333 | 20 / 20 |"]


def test_a_table_replaces_the_one_between_the_marks(e2e: ModuleType, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# Page\n\n" + "old\n".join(e2e.MARKS) + "after\n")
    for _ in range(2):
        e2e.report(page, "scripts/harbor_e2e x", "| new |\n")
    block = "```bash\nscripts/harbor_e2e x\n```\n\n| new |\n"
    assert page.read_text() == f"# Page\n\n{e2e.MARKS[0]}\n{block}\n{e2e.MARKS[1]}after\n"
    e2e.report(tmp_path / "new.md", "scripts/harbor_e2e x", "| new |\n")
    assert (tmp_path / "new.md").read_text() == block


def test_all_tasks_of_a_folder_are_named_by_a_pattern(e2e: ModuleType, tmp_path: Path) -> None:
    tasks = [tmp_path / name for name in ("a", "b", "c")]
    for task in tasks:
        task.mkdir()
    agents = [e2e.AGENTS["oracle"], e2e.AGENTS["nop"]]
    assert e2e.typed(agents, None, tasks) == f"scripts/harbor_e2e --agents oracle,nop {tmp_path}/*"
    assert e2e.typed(agents, None, tasks[:2]) == f"scripts/harbor_e2e --agents oracle,nop {tasks[0]} {tasks[1]}"
    assert e2e.typed(agents, tmp_path, tasks) == f"scripts/harbor_e2e --agents oracle,nop --registry {tmp_path}"
