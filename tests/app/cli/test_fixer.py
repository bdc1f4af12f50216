"""`fixer`: the choice is saved in the preferences, and the key of a server only in a real keyring."""

import io
import sys
from pathlib import Path

import pytest

from app.data.preferences import FILE, read_preferences
from app.session import Session
from scheduler.connections.errors import SecretMissingError
from scheduler.engine.fixer_config import KEYRING_ENTRY, FixerKind
from tests.app.cli.live_cli import CommandLine
from tests.connections.keyring_fixtures import vault_of
from tests.connections.secret_service import SecretService

SERVER = ("fixer", "server", "http://localhost:11434/v1", "--model", "small")


def from_stdin(monkeypatch: pytest.MonkeyPatch, key: str) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(f"{key}\n"))


def test_no_fixer_is_chosen_by_default(cli: CommandLine) -> None:
    assert cli.run_json("fixer")["kind"] == "off"
    assert "Failed scripts are not repaired" in cli.run_text("fixer")
    assert not (cli.folder / FILE).exists()


def test_a_choice_is_saved_without_an_app_and_changes_only_what_is_given(cli: CommandLine) -> None:
    cli.run_json("fixer", "command", "llm -m small", "--seconds", "60", "--automatic")
    cli.run_json(*SERVER)
    kept = read_preferences(cli.folder).fixer
    assert (kept.kind, kept.command, kept.model, kept.seconds, kept.applies) == (
        FixerKind.SERVER,
        "llm -m small",
        "small",
        60,
        True,
    )
    cli.run_json("fixer", "off", "--ask")
    kept = read_preferences(cli.folder).fixer
    assert (kept.kind, kept.model, kept.applies) == (FixerKind.OFF, "small", False)


def test_a_running_app_applies_the_choice_immediately(cli: CommandLine, app: Session) -> None:
    cli.run_json("fixer", "command", "llm", "--tokens", "5000", "--look-first")
    applied = app._runtime.engine.context.settings.fixer
    assert (applied.kind, applied.tokens, applied.shows) == (FixerKind.COMMAND, 5_000, True)
    assert "Nothing is sent before" in cli.run_text("fixer")
    assert not cli.run_json("fixer", "--at-once")["shows"]
    assert "llm" in cli.run_text("fixer") and "waits for your approval" in cli.run_text("fixer")


def test_a_key_is_stored_only_in_the_keyring_and_never_printed(
    cli: CommandLine, keyring: SecretService, monkeypatch: pytest.MonkeyPatch
) -> None:
    from_stdin(monkeypatch, "k3y-hidden")
    code, out, err = cli.run(*SERVER, "--key-from-stdin", "--json")
    assert (code, err, "k3y-hidden" in out) == (0, "", False)
    assert vault_of(cli.folder).get(KEYRING_ENTRY) == {"key": "k3y-hidden"}
    assert "with a key" in cli.run_text("fixer")
    assert not [path for path in cli.folder.rglob("*") if path.is_file() and b"k3y-hidden" in path.read_bytes()]
    cli.run_json("fixer", "--no-key")
    assert not read_preferences(cli.folder).fixer.has_key
    with pytest.raises(SecretMissingError):
        vault_of(cli.folder).get(KEYRING_ENTRY)


def test_another_server_never_gets_the_key_of_the_previous_one(
    cli: CommandLine, keyring: SecretService, monkeypatch: pytest.MonkeyPatch
) -> None:
    from_stdin(monkeypatch, "k3y-hidden")
    cli.run_json(*SERVER, "--key-from-stdin")
    assert cli.run_json("fixer", "server", "http://localhost:11434/v2")["has_key"]
    assert not cli.run_json("fixer", "server", "https://elsewhere.example/v1")["has_key"]
    with pytest.raises(SecretMissingError):
        vault_of(cli.folder).get(KEYRING_ENTRY)


def test_uninstalling_deletes_the_key(
    cli: CommandLine, keyring: SecretService, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    from_stdin(monkeypatch, "k3y-hidden")
    cli.run_json(*SERVER, "--key-from-stdin")
    kept = vault_of(cli.folder)
    assert cli.run_json("uninstall-data", "--yes")["keyring"] == [KEYRING_ENTRY]
    with pytest.raises(SecretMissingError):
        kept.get(KEYRING_ENTRY)


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("server", "localhost:1", "--model", "m"), "url"),
        (("server", "http://localhost:1/v1"), "model"),
        (("command",), "command"),
        (("command", "llm 'a"), "command"),
        (("--tokens", "5"), "tokens"),
        (("--seconds", "999999"), "seconds"),
        (("--key",), "secret"),
        (("--key-from-stdin",), "secret"),
    ],
)
def test_an_invalid_choice_is_refused_and_changes_nothing(
    cli: CommandLine, words: tuple[str, ...], code: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from_stdin(monkeypatch, "")
    assert cli.run_refused("fixer", *words)[0] == code
    assert cli.run_json("fixer")["kind"] == "off"
    assert not (cli.folder / FILE).exists()


def test_contradictory_arguments_are_a_usage_error(cli: CommandLine) -> None:
    for words in (("off", "x"), ("unknown",), ("--automatic", "--ask"), ("--key", "--no-key"), ("--tokens", "many")):
        assert cli.run("fixer", *words)[0] == 2
