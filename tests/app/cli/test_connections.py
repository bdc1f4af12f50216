"""Connecting from the command line: what is secret is asked for unseen or read from stdin, and never an argument."""

import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from app.life.installation import Installation
from scheduler.connections.keeper import Keeper
from scheduler.connections.vault_errors import NotInVaultError, VaultLockedError
from scheduler.engine.clock import SystemClock
from tests.app.verbs.served import Line
from tests.connections.doorman import Doorman, door
from tests.connections.kept import vault_of
from tests.connections.secret_service import SecretService
from tests.connections.waiting import gathering

SECRET = "correct horse ✓"


def from_stdin(monkeypatch: pytest.MonkeyPatch, given: Any) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(given if isinstance(given, str) else json.dumps(given)))


def read_folder(folder: Path) -> bytes:
    return b"".join(file.read_bytes() for file in folder.rglob("*") if file.is_file())


def test_a_secret_from_stdin_goes_to_the_keyring_when_no_app_runs(
    line: Line, keyring: SecretService, monkeypatch: pytest.MonkeyPatch
) -> None:
    from_stdin(monkeypatch, {"secret": SECRET})
    assert line.ask("connect", "restic:home", "--secrets-from-stdin")["sentence"] == "restic:home is connected."
    assert vault_of(line.folder).get("restic:home") == {"secret": SECRET}
    [one] = line.ask("connections")["connections"]
    assert (one["connection"], one["settings"], one["is_connected"]) == ("restic:home", {}, True)
    assert SECRET.encode() not in read_folder(line.folder)
    line.ask("disconnect", "restic:home")
    with pytest.raises(NotInVaultError):
        vault_of(line.folder).get("restic:home")
    assert line.refuse("disconnect", "restic:home")[0] == "unknown"


@pytest.mark.parametrize("words", [("--secret", SECRET), (f"--secret={SECRET}",), ("--set", f"secret={SECRET}")])
def test_a_secret_among_the_arguments_is_refused_and_not_repeated(line: Line, words: tuple[str, ...]) -> None:
    code, sentence = line.refuse("connect", "restic:home", *words)
    assert code == "secret"
    assert "never type it in a command" in sentence
    assert SECRET not in sentence
    assert not line.folder.exists() or SECRET.encode() not in read_folder(line.folder)


@pytest.mark.parametrize("given", ["", "not json " + SECRET, json.dumps([SECRET]), json.dumps(SECRET)])
def test_what_is_no_object_is_refused_and_not_repeated(line: Line, monkeypatch: pytest.MonkeyPatch, given: str) -> None:
    from_stdin(monkeypatch, given)
    code, _, err = line.type("connect", "restic:home", "--secrets-from-stdin")
    assert code == 2
    assert "JSON object" in err and SECRET not in err


def test_without_a_terminal_it_says_how_to_give_a_secret(line: Line, monkeypatch: pytest.MonkeyPatch) -> None:
    from_stdin(monkeypatch, "")
    code, sentence = line.refuse("connect", "restic:home")
    assert code == "secret"
    assert "--secrets-from-stdin" in sentence


def test_a_locked_keyring_is_said_and_nothing_is_connected(
    line: Line, service: SecretService, monkeypatch: pytest.MonkeyPatch
) -> None:
    """U9"""
    with service.keyring("pw"):
        Keeper(SystemClock().now).keep("door:x", {"password": "x"})
    from_stdin(monkeypatch, {"secret": SECRET})
    with service.keyring(None), gathering():
        code, sentence = line.refuse("connect", "restic:home", "--secrets-from-stdin")
    assert (code, sentence) == ("away", VaultLockedError().sentence)
    assert line.ask("connections") == {"connections": []}


def test_at_a_terminal_it_asks_unseen(line: Line, keyring: SecretService, terminal: tuple[int, int]) -> None:
    """A real terminal shows what was typed unless it was told not to."""
    ours, theirs = terminal
    command = [sys.executable, "-m", "app.main", "connect", "restic:home", "--data-dir", str(line.folder)]
    with subprocess.Popen(["setsid", "--ctty", "--wait", *command], stdin=theirs, stdout=theirs, stderr=theirs) as run:
        shown = read_until(ours, b"Password: ")
        os.write(ours, f"{SECRET}\n".encode())
        shown += read_until(ours, b"is connected.")
        assert run.wait(60) == 0
    assert SECRET.encode() not in shown
    assert vault_of(line.folder).get("restic:home") == {"secret": SECRET}


@pytest.mark.parametrize(("login", "asked"), [("none", []), ("basic", ["Password or token (if there is one): "])])
def test_it_asks_only_for_what_the_chosen_login_needs(
    line: Line, keyring: SecretService, monkeypatch: pytest.MonkeyPatch, login: str, asked: list[str]
) -> None:
    """And speaks of a browser only where one opens."""
    prompts: list[str] = []

    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    def type_unseen(prompt: str) -> str:
        prompts.append(prompt)
        return SECRET

    monkeypatch.setattr(sys, "stdin", Terminal())
    monkeypatch.setattr("getpass.getpass", type_unseen)
    words = ("connect", "http:api", "--base-url", "https://example.org", "--auth", login, "--no-test")
    assert line.read(*words) == "http:api is connected.\n"
    assert prompts == asked


def test_at_a_terminal_it_asks_for_what_is_needed_and_not_given(
    line: Line, keyring: SecretService, terminal: tuple[int, int]
) -> None:
    """One that is needed is asked for again, and what counts only with another is not asked for without it."""
    ours, theirs = terminal
    command = [sys.executable, "-m", "app.main", "connect", "smtp:mail", "--no-test", "--data-dir", str(line.folder)]
    with subprocess.Popen(["setsid", "--ctty", "--wait", *command], stdin=theirs, stdout=theirs, stderr=theirs) as run:
        shown = b""
        for asked, typed in (
            ("Server (As in smtp.example.org): ", ""),
            ("Server (As in smtp.example.org): ", "smtp.example.org"),
            ("empty if the server wants no login): ", "me"),
            ("From (The address that mails come from: Anna <anna@example.org>): ", "me@example.org"),
            ("finds out in doubt): ", ""),
            ("Password (if there is one): ", SECRET),
        ):
            shown += read_until(ours, asked.encode())
            os.write(ours, f"{typed}\n".encode())
        shown += read_until(ours, b"is connected.")
        assert run.wait(60) == 0
    assert b"Its" not in shown
    [one] = line.ask("connections")["connections"]
    assert one["settings"]["host"] == "smtp.example.org" and one["settings"]["from"] == "me@example.org"
    assert vault_of(line.folder).get("smtp:mail") == {"password": SECRET}


def read_until(terminal: int, wanted: bytes) -> bytes:
    shown = b""
    while wanted not in shown:
        shown += os.read(terminal, 4096)
    return shown


@pytest.fixture
def doorman(app: Installation, keyring: SecretService) -> Any:
    app.house.registry._connectors["door"] = door
    with Doorman().working() as doorman:
        yield doorman


def test_the_app_that_runs_tries_it_and_keeps_it(
    app: Installation, line: Line, doorman: Doorman, monkeypatch: pytest.MonkeyPatch
) -> None:
    from_stdin(monkeypatch, {"password": "wrong"})
    code, sentence = line.refuse("connect", "door:home", "--url", doorman.url, "--secrets-from-stdin")
    assert (code, sentence) == ("connection", "The doorman did not let door:home in with •••.")
    assert line.ask("connections") == {"connections": []}
    from_stdin(monkeypatch, {"password": "hunter2"})
    line.ask("connect", "door:home", "--url", doorman.url, "--secrets-from-stdin")
    assert (doorman.seen, doorman.let_in) == (["wrong", "hunter2"], ["/test"])
    assert app.house.connecting.test("door:home") == "The doorman knows you."
    assert b"hunter2" not in read_folder(line.folder)


def test_connecting_again_needs_only_what_changed(
    app: Installation, line: Line, doorman: Doorman, monkeypatch: pytest.MonkeyPatch
) -> None:
    from_stdin(monkeypatch, {"password": "wrong"})
    line.ask("connect", "door:home", "--url", doorman.url, "--secrets-from-stdin", "--no-test")
    assert doorman.seen == []
    from_stdin(monkeypatch, {"password": "hunter2"})
    line.ask("connect", "door:home", "--secrets-from-stdin")
    from_stdin(monkeypatch, "")
    line.ask("connect", "door:home", "--url", f"{doorman.url}/")
    [one] = line.ask("connections")["connections"]
    assert one["settings"] == {"url": f"{doorman.url}/", "badge": None}
    assert doorman.let_in == ["/test", "/test"]


def test_what_is_no_secret_in_the_request_is_not_repeated(app: Installation) -> None:
    given = {"name": "restic:home", "settings": {}, "secrets": SECRET}
    [message] = app.desk.answer("connect", given)
    assert message is not None
    assert message["error"]["code"] == "arguments"
    assert SECRET not in json.dumps(message, ensure_ascii=False)


READS = """
import dayhand
flow = dayhand.Workflow("NAME", connections=["door:home"])

@flow.job(cron="0 4 1 1 *")
def read(ctx):
    ctx.call("door:home", "look")
    ctx.done("read")
"""


def test_connecting_again_lets_everything_go_on_that_waited(
    app: Installation, line: Line, doorman: Doorman, monkeypatch: pytest.MonkeyPatch
) -> None:
    """F3, from the command line: one request for two workflows, and each goes on once."""
    from_stdin(monkeypatch, {"password": "hunter2"})
    line.ask("connect", "door:home", "--url", doorman.url, "--secrets-from-stdin")
    doorman.password = "hunter3"
    for name in ("a", "b"):
        line.deploy(READS.replace("NAME", name), "--grant", name=f"{name}.py")
        line.ask("run", name)
    line.wait_for(lambda: [one["workflows"] for one in line.ask("attention")["requests"]] == [["a", "b"]])
    [request] = line.ask("attention")["requests"]
    assert request["how"] == ["dayhand connect door:home"]
    assert "did not let door:home in" in line.read("connections")
    from_stdin(monkeypatch, {"password": "hunter3"})
    assert line.read("connect", "door:home", "--secrets-from-stdin") == "door:home is connected.\n"
    line.wait_for(lambda: doorman.let_in.count("/look") == 2)
    line.wait_for(lambda: all(line.ask("show", name)["recent"][0]["status"] == "committed" for name in "ab"))
    assert line.ask("attention")["requests"] == []
    assert doorman.let_in.count("/look") == 2


def test_one_who_gives_a_token_is_not_told_to_sign_in(
    line: Line, keyring: SecretService, monkeypatch: pytest.MonkeyPatch
) -> None:
    from_stdin(monkeypatch, {"access_token": SECRET})
    code, out, err = line.type("connect", "slack:team", "--secrets-from-stdin", "--no-test")
    assert (code, err) == (0, "")
    assert "slack:team" in out
