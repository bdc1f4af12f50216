"""Connecting from the command line: secrets are prompted for or read from stdin, and never an argument."""

import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from app.session import Session
from scheduler.connections.errors import SecretMissingError, VaultLockedError
from scheduler.connections.secrets import SecretStore
from scheduler.engine.clock import SystemClock
from tests.app.cli.live_cli import CommandLine
from tests.connections.keyring_fixtures import vault_of
from tests.connections.password_server import PasswordServer, door
from tests.connections.secret_service import SecretService
from tests.connections.waiting import collecting_garbage

SECRET = "correct horse ✓"


def from_stdin(monkeypatch: pytest.MonkeyPatch, given: Any) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(given if isinstance(given, str) else json.dumps(given)))


def read_folder(folder: Path) -> bytes:
    return b"".join(file.read_bytes() for file in folder.rglob("*") if file.is_file())


def test_a_secret_from_stdin_goes_to_the_keyring_when_no_app_runs(
    cli: CommandLine, keyring: SecretService, monkeypatch: pytest.MonkeyPatch
) -> None:
    from_stdin(monkeypatch, {"secret": SECRET})
    assert cli.run_json("connect", "restic:home", "--secrets-from-stdin")["sentence"] == "restic:home is connected."
    assert vault_of(cli.folder).get("restic:home") == {"secret": SECRET}
    [one] = cli.run_json("connections")["connections"]
    assert (one["connection"], one["settings"], one["is_connected"]) == ("restic:home", {}, True)
    assert SECRET.encode() not in read_folder(cli.folder)
    cli.run_json("disconnect", "restic:home")
    with pytest.raises(SecretMissingError):
        vault_of(cli.folder).get("restic:home")
    assert cli.run_refused("disconnect", "restic:home")[0] == "unknown"


@pytest.mark.parametrize("words", [("--secret", SECRET), (f"--secret={SECRET}",), ("--set", f"secret={SECRET}")])
def test_a_secret_among_the_arguments_is_refused_and_not_repeated(cli: CommandLine, words: tuple[str, ...]) -> None:
    code, sentence = cli.run_refused("connect", "restic:home", *words)
    assert code == "secret"
    assert "never type it in a command" in sentence
    assert SECRET not in sentence
    assert not cli.folder.exists() or SECRET.encode() not in read_folder(cli.folder)


@pytest.mark.parametrize("given", ["", "not json " + SECRET, json.dumps([SECRET]), json.dumps(SECRET)])
def test_stdin_that_is_not_a_json_object_is_refused_and_not_repeated(
    cli: CommandLine, monkeypatch: pytest.MonkeyPatch, given: str
) -> None:
    from_stdin(monkeypatch, given)
    code, _, err = cli.run("connect", "restic:home", "--secrets-from-stdin")
    assert code == 2
    assert "JSON object" in err and SECRET not in err


def test_without_a_terminal_the_error_says_how_to_give_a_secret(
    cli: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    from_stdin(monkeypatch, "")
    code, sentence = cli.run_refused("connect", "restic:home")
    assert code == "secret"
    assert "--secrets-from-stdin" in sentence


def test_a_locked_keyring_is_reported_and_nothing_is_connected(
    cli: CommandLine, service: SecretService, monkeypatch: pytest.MonkeyPatch
) -> None:
    with service.keyring("pw"):
        SecretStore(SystemClock().now).keep("door:x", {"password": "x"})
    from_stdin(monkeypatch, {"secret": SECRET})
    with service.keyring(None), collecting_garbage():
        code, sentence = cli.run_refused("connect", "restic:home", "--secrets-from-stdin")
    assert (code, sentence) == ("away", VaultLockedError().sentence)
    assert cli.run_json("connections") == {"connections": []}


def test_in_a_terminal_secrets_are_prompted_for_without_echo(
    cli: CommandLine, keyring: SecretService, terminal: tuple[int, int]
) -> None:
    """A real terminal echoes what is typed unless echo is turned off."""
    user_end, program_end = terminal
    command = [sys.executable, "-m", "app.main", "connect", "restic:home", "--data-dir", str(cli.folder)]
    with subprocess.Popen(
        ["setsid", "--ctty", "--wait", *command], stdin=program_end, stdout=program_end, stderr=program_end
    ) as run:
        shown = read_until(user_end, b"Password: ")
        os.write(user_end, f"{SECRET}\n".encode())
        shown += read_until(user_end, b"is connected.")
        assert run.wait(60) == 0
    assert SECRET.encode() not in shown
    assert vault_of(cli.folder).get("restic:home") == {"secret": SECRET}


@pytest.mark.parametrize(("login", "expected_prompts"), [("none", []), ("basic", ["Password or token (optional): "])])
def test_only_secrets_that_the_login_needs_are_prompted_for(
    cli: CommandLine, keyring: SecretService, monkeypatch: pytest.MonkeyPatch, login: str, expected_prompts: list[str]
) -> None:
    """And a browser is mentioned only if one opens."""
    prompts: list[str] = []

    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    def type_secret(prompt: str) -> str:
        prompts.append(prompt)
        return SECRET

    monkeypatch.setattr(sys, "stdin", Terminal())
    monkeypatch.setattr("getpass.getpass", type_secret)
    words = ("connect", "http:api", "--base-url", "https://example.org", "--auth", login, "--no-test")
    assert cli.run_text(*words) == "http:api is connected.\n"
    assert prompts == expected_prompts


def test_in_a_terminal_missing_required_fields_are_prompted_for(
    cli: CommandLine, keyring: SecretService, terminal: tuple[int, int]
) -> None:
    """A required field is prompted for again; one that depends on another is skipped without it."""
    user_end, program_end = terminal
    command = [sys.executable, "-m", "app.main", "connect", "smtp:mail", "--no-test", "--data-dir", str(cli.folder)]
    with subprocess.Popen(
        ["setsid", "--ctty", "--wait", *command], stdin=program_end, stdout=program_end, stderr=program_end
    ) as run:
        shown = b""
        for expected_prompts, typed in (
            ("Server (For example smtp.example.org): ", ""),
            ("Server (For example smtp.example.org): ", "smtp.example.org"),
            ("empty if the server requires no login): ", "me"),
            ("From (Sender of the mails, for example Anna <anna@example.org>): ", "me@example.org"),
            ("checks it if sending is unclear): ", ""),
            ("Password (optional): ", SECRET),
        ):
            shown += read_until(user_end, expected_prompts.encode())
            os.write(user_end, f"{typed}\n".encode())
        shown += read_until(user_end, b"is connected.")
        assert run.wait(60) == 0
    assert b"IMAP port" not in shown
    [one] = cli.run_json("connections")["connections"]
    assert one["settings"]["host"] == "smtp.example.org" and one["settings"]["from"] == "me@example.org"
    assert vault_of(cli.folder).get("smtp:mail") == {"password": SECRET}


def read_until(terminal: int, expected: bytes) -> bytes:
    shown = b""
    while expected not in shown:
        shown += os.read(terminal, 4096)
    return shown


@pytest.fixture
def server(app: Session, keyring: SecretService) -> Any:
    app._runtime.registry._connectors["door"] = door
    with PasswordServer().working() as server:
        yield server


def test_a_running_app_tests_and_saves_the_connection(
    app: Session, cli: CommandLine, server: PasswordServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    from_stdin(monkeypatch, {"password": "wrong"})
    code, sentence = cli.run_refused("connect", "door:home", "--url", server.url, "--secrets-from-stdin")
    assert (code, sentence) == ("login", "The doorman did not let door:home in with •••.")
    assert cli.run_json("connections") == {"connections": []}
    from_stdin(monkeypatch, {"password": "hunter2"})
    cli.run_json("connect", "door:home", "--url", server.url, "--secrets-from-stdin")
    assert (server.seen, server.let_in) == (["wrong", "hunter2"], ["/test"])
    assert app._runtime.connection_setup.test("door:home") == "The doorman knows you."
    assert b"hunter2" not in read_folder(cli.folder)


def test_connecting_again_needs_only_the_changed_fields(
    app: Session, cli: CommandLine, server: PasswordServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    from_stdin(monkeypatch, {"password": "wrong"})
    cli.run_json("connect", "door:home", "--url", server.url, "--secrets-from-stdin", "--no-test")
    assert server.seen == []
    from_stdin(monkeypatch, {"password": "hunter2"})
    cli.run_json("connect", "door:home", "--secrets-from-stdin")
    from_stdin(monkeypatch, "")
    cli.run_json("connect", "door:home", "--url", f"{server.url}/")
    [one] = cli.run_json("connections")["connections"]
    assert one["settings"] == {"url": f"{server.url}/", "badge": None}
    assert server.let_in == ["/test", "/test"]


def test_a_malformed_secret_does_not_appear_in_the_error(app: Session) -> None:
    given = {"name": "restic:home", "settings": {}, "secrets": SECRET}
    [message] = app.api.dispatch("connect", given)
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


def test_connecting_again_resumes_every_waiting_workflow(
    app: Session, cli: CommandLine, server: PasswordServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One request for two workflows, and each continues once."""
    from_stdin(monkeypatch, {"password": "hunter2"})
    cli.run_json("connect", "door:home", "--url", server.url, "--secrets-from-stdin")
    server.password = "hunter3"
    for name in ("a", "b"):
        cli.deploy(READS.replace("NAME", name), "--grant", name=f"{name}.py")
        cli.run_json("run", name)
    cli.wait_for(lambda: [one["workflows"] for one in cli.run_json("attention")["requests"]] == [["a", "b"]])
    [request] = cli.run_json("attention")["requests"]
    assert request["how"] == ["dayhand connect door:home"]
    assert "did not let door:home in" in cli.run_text("connections")
    from_stdin(monkeypatch, {"password": "hunter3"})
    assert cli.run_text("connect", "door:home", "--secrets-from-stdin") == "door:home is connected.\n"
    cli.wait_for(lambda: server.let_in.count("/look") == 2)
    cli.wait_for(lambda: all(cli.run_json("show", name)["recent"][0]["status"] == "committed" for name in "ab"))
    assert cli.run_json("attention")["requests"] == []
    assert server.let_in.count("/look") == 2


def test_a_given_token_needs_no_sign_in_in_the_browser(
    cli: CommandLine, keyring: SecretService, monkeypatch: pytest.MonkeyPatch
) -> None:
    from_stdin(monkeypatch, {"access_token": SECRET})
    code, out, err = cli.run("connect", "slack:team", "--secrets-from-stdin", "--no-test")
    assert (code, err) == (0, "")
    assert "slack:team" in out
