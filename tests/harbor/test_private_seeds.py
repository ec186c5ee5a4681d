"""A secret master seed, and what is made of it on the way, stand in nothing that is written."""

from __future__ import annotations

import base64
import hashlib
import re
import uuid
from pathlib import Path

import pytest
from click.testing import CliRunner

from alertforge import cli
from alertforge.build import scripts
from alertforge.create import create, draft
from alertforge.harbor.directory import Measured, read_tree, render
from alertforge.seeds import Seed
from alertforge.task import Task
from alertforge.tools import find

TASK = "af-001-slo-onboarding-easy-s1"
SECRETS = {"text": "s3cret-Vogelhaus-3141592653589793", "number": "271828182845904523536"}
DIGESTS = ("md5", "sha1", "sha224", "sha256", "sha384", "sha512", "sha3_256", "blake2b", "blake2s")


def base64_forms(data: bytes) -> set[str]:
    """What stays the same in base64 wherever the data stands in a longer text; both alphabets."""
    forms = {base64.b64encode(data).decode().rstrip("=")[:-1]}
    for before in (1, 2):
        forms.add(base64.b64encode(b"\0" * before + data).decode()[4:].rstrip("=")[:-1])
    return forms | {form.translate(str.maketrans("+/", "-_")) for form in forms}


def forms(data: bytes) -> set[str]:
    """Ways of writing bytes as text: hex, numbers, base64, base32, escapes."""
    return {
        data.hex(),
        data[::-1].hex(),
        str(int.from_bytes(data, "big")),
        str(int.from_bytes(data, "little")),
        base64.b32encode(data).decode().rstrip("=")[:-1].lower(),
        repr(data)[2:-1],
        ", ".join(map(str, data)),
        *base64_forms(data),
    }


def forms_of_a_secret(secret: str) -> set[str]:
    """The secret, encodings of it, and digests of it."""
    raw = secret.encode()
    found = {secret, secret[::-1], secret.upper(), secret.lower(), secret.encode("utf-16-le").hex(), *forms(raw)}
    for name in DIGESTS:
        found |= forms(hashlib.new(name, raw).digest())
    if secret.isdigit():
        found |= {hex(int(secret))[2:], oct(int(secret))[2:]}
    return found


def forms_of_a_key(key: bytes) -> set[str]:
    """Ways of writing a key; half of it would be too much as well."""
    halves = key[:16], key[16:]
    return {form for part in (key, *halves) for form in forms(part)} | {str(uuid.UUID(bytes=half)) for half in halves}


class Haystack:
    """Everything that was written, names of files included, and a quick search in it."""

    def __init__(self, files: dict[str, bytes], more: str = "") -> None:
        self.text = "\n".join([*files, *(data.decode("latin-1") for data in files.values()), more])
        self.lower = self.text.lower()
        runs = re.findall(r"[A-Za-z0-9+/_-]{15,}", self.text) + re.findall(r"[a-z0-9-]{15,}", self.lower)
        self.pieces = {run[i : i + 15] for run in runs for i in range(len(run) - 14)}

    def holds(self, form: str) -> bool:
        """Whether the form stands somewhere. Long ones are looked up by their first signs before they are searched."""
        if re.fullmatch(r"[A-Za-z0-9+/_-]{15,}", form) and form[:15] not in self.pieces:
            return False
        return form in self.text or form.lower() in self.lower


class Streams:
    """The random streams that are used from now on."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.keys: set[bytes] = set()
        self.drawn_from: set[bytes] = set()  # keys of which others or numbers are made
        child = Seed.child

        def watched(seed: Seed, *names: str | int) -> Seed:
            made = child(seed, *names)
            self.keys |= {seed.key, made.key}
            self.drawn_from.add(seed.key)
            return made

        monkeypatch.setattr(Seed, "child", watched)

    def written_in(self, haystack: Haystack) -> list[str]:
        """Forms of keys that stand in what was written."""
        return [form for key in sorted(self.keys) for form in forms_of_a_key(key) if haystack.holds(form)]


def files_of(task: Task) -> dict[str, bytes]:
    """Everything that is written of a task but for the scores of its start state."""
    files = render(Measured(task, task.spec, 0))
    files |= {f"{name}/solve.sh": text for name, text in scripts(task).items()}
    return {path: text.encode() for path, text in files.items()}


@pytest.mark.parametrize("kind", SECRETS)
def test_a_secret_leaves_no_trace_in_a_task(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The canary is most of one stream's key. That is a digest, and nothing is made of that stream."""
    streams = Streams(monkeypatch)
    task = create("slo-onboarding", "easy", 1, SECRETS[kind])
    written = Haystack(files_of(task))
    assert Seed.master(SECRETS[kind]).key in streams.keys and len(streams.keys) > 100, "the streams were not watched"
    assert [form for form in forms_of_a_secret(SECRETS[kind]) if written.holds(form)] == []
    assert streams.written_in(written) == []
    canary = [key for key in streams.keys if str(uuid.UUID(bytes=key[:16], version=4)) == task.canary]
    assert len(canary) == 1 and canary[0] not in streams.drawn_from


@pytest.mark.slow
def test_a_secret_leaves_no_trace_in_a_dataset(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("promtool", "amtool"):
        monkeypatch.setenv(f"AF_{name.upper()}", str(find(name)))
    streams = Streams(monkeypatch)
    arguments = ["build", "--out", str(tmp_path), "--only", TASK, "--no-gate", "--master-seed", SECRETS["text"]]
    result = CliRunner().invoke(cli.main, arguments)
    assert result.exit_code == 0, result.output
    assert (tmp_path / "tasks" / TASK / "task.toml").is_file() and len(streams.keys) > 100
    written = Haystack(read_tree(tmp_path), result.output)
    assert [form for form in forms_of_a_secret(SECRETS["text"]) if written.holds(form)] == []
    assert streams.written_in(written) == []


def test_another_secret_makes_another_task() -> None:
    one, other = (draft("slo-onboarding", "easy", 1, secret) for secret in SECRETS.values())
    assert one.canary != other.canary
    assert one.start != other.start


@pytest.mark.parametrize("secret", SECRETS.values())
def test_the_search_finds_every_form(secret: str) -> None:
    """A control: each form that is looked for is found where it stands."""
    key = Seed.master(secret).key
    for form in forms_of_a_secret(secret) | forms_of_a_key(key):
        assert Haystack({"a.yml": f"x: '{form}'\n".encode("latin-1")}).holds(form), form
        assert Haystack({f"{form.replace('/', '_')}.yml": b""}).holds(form.replace("/", "_")), form
    assert not Haystack({"a.yml": b"groups: []\n" * 100}).holds(key.hex())
