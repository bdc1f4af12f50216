"""`fixer`: what is chosen is kept with the settings, and the key of a server in a real keyring and nowhere else."""

import io
import sys
from pathlib import Path

import pytest

from app.keeping.preferences import FILE, read_preferences
from app.life.installation import Installation
from scheduler.connections.vault_errors import NotInVaultError
from scheduler.engine.fixing.choice import KEY, FixerKind
from tests.app.verbs.served import Line
from tests.connections.kept import vault_of
from tests.connections.secret_service import SecretService

SERVER = ("fixer", "server", "http://localhost:11434/v1", "--model", "small")


def from_stdin(monkeypatch: pytest.MonkeyPatch, key: str) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(f"{key}\n"))


def test_nobody_repairs_until_somebody_is_chosen(line: Line) -> None:
    assert line.ask("fixer")["kind"] == "off"
    assert "Nobody repairs" in line.read("fixer")
    assert not (line.folder / FILE).exists()


def test_a_choice_is_kept_without_an_app_and_only_what_is_given_changes(line: Line) -> None:
    line.ask("fixer", "command", "llm -m small", "--seconds", "60", "--automatic")
    line.ask(*SERVER)
    kept = read_preferences(line.folder).fixer
    assert (kept.kind, kept.command, kept.model, kept.seconds, kept.applies) == (
        FixerKind.SERVER,
        "llm -m small",
        "small",
        60,
        True,
    )
    line.ask("fixer", "off", "--ask")
    kept = read_preferences(line.folder).fixer
    assert (kept.kind, kept.model, kept.applies) == (FixerKind.OFF, "small", False)


def test_the_app_that_runs_follows_at_once(line: Line, app: Installation) -> None:
    line.ask("fixer", "command", "llm", "--tokens", "5000", "--look-first")
    followed = app.house.engine.context.settings.fixer
    assert (followed.kind, followed.tokens, followed.shows) == (FixerKind.COMMAND, 5_000, True)
    assert "Nothing is sent before" in line.read("fixer")
    assert not line.ask("fixer", "--at-once")["shows"]
    assert "llm" in line.read("fixer") and "waits for your yes" in line.read("fixer")


def test_a_key_goes_to_the_keyring_alone_and_is_never_repeated(
    line: Line, keyring: SecretService, monkeypatch: pytest.MonkeyPatch
) -> None:
    from_stdin(monkeypatch, "k3y-hidden")
    code, out, err = line.type(*SERVER, "--key-from-stdin", "--json")
    assert (code, err, "k3y-hidden" in out) == (0, "", False)
    assert vault_of(line.folder).get(KEY) == {"key": "k3y-hidden"}
    assert "with a key" in line.read("fixer")
    assert not [path for path in line.folder.rglob("*") if path.is_file() and b"k3y-hidden" in path.read_bytes()]
    line.ask("fixer", "--no-key")
    assert not read_preferences(line.folder).fixer.has_key
    with pytest.raises(NotInVaultError):
        vault_of(line.folder).get(KEY)


def test_another_server_never_gets_the_key_of_the_one_before(
    line: Line, keyring: SecretService, monkeypatch: pytest.MonkeyPatch
) -> None:
    from_stdin(monkeypatch, "k3y-hidden")
    line.ask(*SERVER, "--key-from-stdin")
    assert line.ask("fixer", "server", "http://localhost:11434/v2")["has_key"]
    assert not line.ask("fixer", "server", "https://elsewhere.example/v1")["has_key"]
    with pytest.raises(NotInVaultError):
        vault_of(line.folder).get(KEY)


def test_uninstalling_leaves_nothing_of_the_key(
    line: Line, keyring: SecretService, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    from_stdin(monkeypatch, "k3y-hidden")
    line.ask(*SERVER, "--key-from-stdin")
    kept = vault_of(line.folder)
    assert line.ask("uninstall-data", "--yes")["keyring"] == [KEY]
    with pytest.raises(NotInVaultError):
        kept.get(KEY)


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
def test_what_cannot_be_is_said_and_changes_nothing(
    line: Line, words: tuple[str, ...], code: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from_stdin(monkeypatch, "")
    assert line.refuse("fixer", *words)[0] == code
    assert line.ask("fixer")["kind"] == "off"
    assert not (line.folder / FILE).exists()


def test_what_was_not_meant_is_a_wrong_command(line: Line) -> None:
    for words in (("off", "x"), ("somebody",), ("--automatic", "--ask"), ("--key", "--no-key"), ("--tokens", "many")):
        assert line.type("fixer", *words)[0] == 2
