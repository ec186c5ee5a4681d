#!/usr/bin/env bash
# canary 3a11e2d3-aa95-451a-8fd1-85ed33005f0d
#
# Grades the workspace and writes reward.json and details.json. Whatever goes wrong, a reward is written: zeros where
# the grader has been changed or dies. For a run outside the image: AF_TESTS is this folder, AF_LOGS takes the results,
# AF_WORKSPACE is the repo to grade; AF_PROMTOOL and AF_AMTOOL name the tools, AF_PYTHON the interpreter.
set -uo pipefail
umask 022

tests=${AF_TESTS:-/tests}
logs=${AF_LOGS:-/logs/verifier}
workspace=${AF_WORKSPACE:-/workspace/monitoring}

# fail REASON: every key of the reward is 0
fail() {
  printf '%s\n' '{"reward": 0.0, "solved": 0.0, "outcome": 0.0, "progress": 0.0, "preservation": 0.0, "req_alerts": 0.0, "req_repairs": 0.0, "req_recording": 0.0, "req_routing": 0.0, "req_inhibit": 0.0, "fire_rate": 0.0, "silent_rate": 0.0, "label_rate": 0.0, "check_pass_rate": 0.0, "syntax_ok": 0.0, "tamper": 0.0}' > "$logs/reward.json"
  printf '{"rewards": %s, "requirements": [], "checks": [], "grader_error": "%s"}\n' '{"reward": 0.0, "solved": 0.0, "outcome": 0.0, "progress": 0.0, "preservation": 0.0, "req_alerts": 0.0, "req_repairs": 0.0, "req_recording": 0.0, "req_routing": 0.0, "req_inhibit": 0.0, "fire_rate": 0.0, "silent_rate": 0.0, "label_rate": 0.0, "check_pass_rate": 0.0, "syntax_ok": 0.0, "tamper": 0.0}' "$1" > "$logs/details.json"
  echo "$1; the reward is 0" >&2
  exit 1
}

mkdir -p -- "$logs"
rm -rf -- "$logs/reward.json" "$logs/reward.txt" "$logs/details.json"

(cd -- "$tests" && sha256sum --check --strict --quiet checksums.sha256) \
  || fail "the grader or the contract is not as it was built"

timeout --kill-after=10 330 "${AF_PYTHON:-python3}" -I -B "$tests/grade.py" \
  --spec "$tests" --workspace "$workspace" --reward "$logs/reward.json" --details "$logs/details.json"
[ -s "$logs/reward.json" ] || fail "the grader died"
