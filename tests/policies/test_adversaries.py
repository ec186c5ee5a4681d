"""What each attack changes, and what it leaves as it was given."""

import pytest

from alertforge.create import draft
from alertforge.policies.adversaries import ADVERSARIES


@pytest.mark.parametrize(("workflow", "tier"), [("latency-slo", "medium"), ("team-reorg-migration", "hard")])
def test_a_catch_all_route_comes_without_any_right_answer_that_would_hide_what_it_earns(
    workflow: str, tier: str
) -> None:
    """Records and inhibitions that were right beside it once earned more than its band."""
    made = draft(workflow, tier, 106, "3ambench-public-1")
    (attack,) = [one.attack for one in ADVERSARIES if one.name == "catch-all-route"]
    repo, start = attack(made), made.start
    assert repo is not None
    assert repo.rule_files == start.rule_files
    assert repo.config.inhibit_rules == start.config.inhibit_rules
    first = repo.config.route.routes[0]
    assert not first.matchers
    assert first.receiver in {one.name for one in repo.config.receivers}
