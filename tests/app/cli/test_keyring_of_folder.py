"""Each data folder has keyring entries of its own: a trial beside the real one takes nothing from it."""

import io
import json
import shutil
import sys
from pathlib import Path

import pytest

from scheduler.connections.entries import SERVICE
from scheduler.connections.keyrings import find_keyring
from scheduler.connections.vault import Vault
from scheduler.connections.vault_errors import NotInVaultError
from scheduler.store import facts
from scheduler.store.backups import back_up
from scheduler.store.health import close_store, open_store
from tests.app.verbs.served import Line
from tests.connections.kept import vault_of
from tests.connections.secret_service import SecretService
from tests.engine.harness import MovedClock

NAME = "restic:home"


@pytest.fixture
def usual(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that is taken where none is named."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "share"))
    return tmp_path / "share" / "dayhand"


@pytest.fixture
def real(usual: Path, capsys: pytest.CaptureFixture[str]) -> Line:
    return Line(usual, capsys)


def connect(line: Line, secret: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(json.dumps({"secret": secret})))
    line.ask("connect", NAME, "--secrets-from-stdin")


def make_old(line: Line, monkeypatch: pytest.MonkeyPatch, secret: str = "old") -> None:
    """As a Dayhand without identities left it: one entry for all folders, and nothing in the store."""
    connect(line, secret, monkeypatch)
    vault_of(line.folder).remove(NAME)
    database = open_store(line.folder, MovedClock().wall).database
    with database.write() as db:
        facts.forget(db, "keyring identity", "keyring inherited")
    close_store(database)
    Vault().put(NAME, {"secret": secret})


def test_a_trial_folder_neither_replaces_nor_deletes_what_the_real_one_has(
    real: Line, line: Line, keyring: SecretService, monkeypatch: pytest.MonkeyPatch
) -> None:
    connect(real, "real", monkeypatch)
    connect(line, "trial", monkeypatch)
    assert vault_of(real.folder).get(NAME) == {"secret": "real"}
    assert vault_of(line.folder).get(NAME) == {"secret": "trial"}
    line.ask("disconnect", NAME)
    assert vault_of(real.folder).get(NAME) == {"secret": "real"}


def test_a_folder_that_is_moved_keeps_its_entries(
    line: Line, keyring: SecretService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    connect(line, "mine", monkeypatch)
    shutil.move(line.folder, tmp_path / "moved")
    assert vault_of(tmp_path / "moved").get(NAME) == {"secret": "mine"}


def test_old_entries_move_into_the_usual_folder_once(
    real: Line, keyring: SecretService, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_old(real, monkeypatch)
    real.type("fixer")  # whatever opens the store for writing
    assert vault_of(real.folder).get(NAME) == {"secret": "old"}
    assert find_keyring().get_password(SERVICE, NAME) is None
    real.ask("disconnect", NAME)
    with pytest.raises(NotInVaultError):
        vault_of(real.folder).get(NAME)


def test_another_old_folder_takes_a_copy_and_leaves_the_rest_to_the_usual_one(
    real: Line, line: Line, keyring: SecretService, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_old(real, monkeypatch)
    make_old(line, monkeypatch)
    line.type("fixer")
    assert vault_of(line.folder).get(NAME) == {"secret": "old"}
    line.ask("disconnect", NAME)
    real.type("fixer")
    assert vault_of(real.folder).get(NAME) == {"secret": "old"}


def test_a_new_folder_inherits_nothing(line: Line, keyring: SecretService, monkeypatch: pytest.MonkeyPatch) -> None:
    Vault().put(NAME, {"secret": "of another"})
    line.ask("connect", "table:x", "--path", "x.csv")
    with pytest.raises(NotInVaultError):
        vault_of(line.folder).get(NAME)
    assert Vault().get(NAME) == {"secret": "of another"}


def test_a_backup_from_before_goes_on_with_the_entries_of_the_folder(
    line: Line, keyring: SecretService, monkeypatch: pytest.MonkeyPatch
) -> None:
    connect(line, "mine", monkeypatch)
    database = open_store(line.folder, MovedClock().wall).database
    kept = dict(facts.beginning_with(database.read(), "keyring"))
    with database.write() as db:
        facts.forget(db, *kept)
    close_store(database)
    back_up(line.folder, MovedClock().wall)
    database = open_store(line.folder, MovedClock().wall).database
    with database.write() as db:
        for name, value in kept.items():
            facts.write(db, name, value)
    close_store(database)
    line.type("restore")
    assert vault_of(line.folder).get(NAME) == {"secret": "mine"}


def test_an_import_does_not_get_at_the_entries_of_what_it_replaces(
    line: Line, keyring: SecretService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its connection of the same name may lead to another server."""
    connect(line, "mine", monkeypatch)
    line.ask("export", str(tmp_path / "all.zip"))
    line.ask("import", str(tmp_path / "all.zip"), "--replace")
    line.type("fixer")
    with pytest.raises(NotInVaultError):
        vault_of(line.folder).get(NAME)
