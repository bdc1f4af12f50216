"""Every data folder has its own keyring entries, so that a test folder does not touch those of the real one."""

import io
import json
import shutil
import sys
from pathlib import Path

import pytest

from scheduler.connections.errors import SecretMissingError
from scheduler.connections.keyring_backend import find_keyring
from scheduler.connections.keyring_entries import SERVICE
from scheduler.connections.vault import Vault
from scheduler.store import key_values
from scheduler.store.backups import back_up
from scheduler.store.opening import close_store, open_store
from tests.app.cli.live_cli import CommandLine
from tests.clocks import ManualClock
from tests.connections.keyring_fixtures import vault_of
from tests.connections.secret_service import SecretService

NAME = "restic:home"


@pytest.fixture
def default(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The default data folder."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "share"))
    return tmp_path / "share" / "dayhand"


@pytest.fixture
def real(default: Path, capsys: pytest.CaptureFixture[str]) -> CommandLine:
    return CommandLine(default, capsys)


def connect(cli: CommandLine, secret: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(json.dumps({"secret": secret})))
    cli.run_json("connect", NAME, "--secrets-from-stdin")


def make_old(cli: CommandLine, monkeypatch: pytest.MonkeyPatch, secret: str = "old") -> None:
    """As left by a version without identities: one entry for all folders, and nothing in the store."""
    connect(cli, secret, monkeypatch)
    vault_of(cli.folder).remove(NAME)
    database = open_store(cli.folder, ManualClock().wall).database
    with database.write() as db:
        key_values.delete(db, "keyring identity", "keyring inherited")
    close_store(database)
    Vault().save(NAME, {"secret": secret})


def test_a_second_folder_does_not_touch_the_entries_of_the_first(
    real: CommandLine, cli: CommandLine, keyring: SecretService, monkeypatch: pytest.MonkeyPatch
) -> None:
    connect(real, "real", monkeypatch)
    connect(cli, "trial", monkeypatch)
    assert vault_of(real.folder).get(NAME) == {"secret": "real"}
    assert vault_of(cli.folder).get(NAME) == {"secret": "trial"}
    cli.run_json("disconnect", NAME)
    assert vault_of(real.folder).get(NAME) == {"secret": "real"}


def test_a_moved_folder_keeps_its_entries(
    cli: CommandLine, keyring: SecretService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    connect(cli, "mine", monkeypatch)
    shutil.move(cli.folder, tmp_path / "moved")
    assert vault_of(tmp_path / "moved").get(NAME) == {"secret": "mine"}


def test_entries_without_identity_move_into_the_default_folder_once(
    real: CommandLine, keyring: SecretService, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_old(real, monkeypatch)
    real.run("fixer")  # any command that opens the store for writing
    assert vault_of(real.folder).get(NAME) == {"secret": "old"}
    assert find_keyring().get_password(SERVICE, NAME) is None
    real.run_json("disconnect", NAME)
    with pytest.raises(SecretMissingError):
        vault_of(real.folder).get(NAME)


def test_another_old_folder_copies_its_entries_and_leaves_the_originals(
    real: CommandLine, cli: CommandLine, keyring: SecretService, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_old(real, monkeypatch)
    make_old(cli, monkeypatch)
    cli.run("fixer")
    assert vault_of(cli.folder).get(NAME) == {"secret": "old"}
    cli.run_json("disconnect", NAME)
    real.run("fixer")
    assert vault_of(real.folder).get(NAME) == {"secret": "old"}


def test_a_new_folder_inherits_nothing(
    cli: CommandLine, keyring: SecretService, monkeypatch: pytest.MonkeyPatch
) -> None:
    Vault().save(NAME, {"secret": "of another"})
    cli.run_json("connect", "table:x", "--path", "x.csv")
    with pytest.raises(SecretMissingError):
        vault_of(cli.folder).get(NAME)
    assert Vault().get(NAME) == {"secret": "of another"}


def test_a_backup_from_before_identities_keeps_the_entries_of_the_folder(
    cli: CommandLine, keyring: SecretService, monkeypatch: pytest.MonkeyPatch
) -> None:
    connect(cli, "mine", monkeypatch)
    database = open_store(cli.folder, ManualClock().wall).database
    kept = dict(key_values.read_prefix(database.read(), "keyring"))
    with database.write() as db:
        key_values.delete(db, *kept)
    close_store(database)
    back_up(cli.folder, ManualClock().wall)
    database = open_store(cli.folder, ManualClock().wall).database
    with database.write() as db:
        for name, value in kept.items():
            key_values.write(db, name, value)
    close_store(database)
    cli.run("restore")
    assert vault_of(cli.folder).get(NAME) == {"secret": "mine"}


def test_an_import_cannot_read_the_entries_of_the_data_it_replaces(
    cli: CommandLine, keyring: SecretService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its connection of the same name may point to another server."""
    connect(cli, "mine", monkeypatch)
    cli.run_json("export", str(tmp_path / "all.zip"))
    cli.run_json("import", str(tmp_path / "all.zip"), "--replace")
    cli.run("fixer")
    with pytest.raises(SecretMissingError):
        vault_of(cli.folder).get(NAME)
