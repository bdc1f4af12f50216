"""Deleting the user's data: listed, confirmed, and then really deleted, from a real keyring too."""

import io
import os
import subprocess
import sys
from pathlib import Path

import pytest

from app.platform.linux_autostart import DesktopEntry
from app.session import Session
from scheduler.connections.errors import SecretMissingError
from tests.app.cli.live_cli import CommandLine
from tests.connections.keyring_fixtures import vault_of
from tests.connections.secret_service import SecretService


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Keeps the test away from the real home folder."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path / "home"


@pytest.fixture
def filled(cli: CommandLine, tmp_path: Path) -> CommandLine:
    cli.run_json("connect", "table:expenses", "--path", str(tmp_path / "expenses.csv"))
    (cli.folder / "backups").mkdir(exist_ok=True)
    (cli.folder / "backups" / "one.db").write_bytes(b"x" * 200_000)
    return cli


def connect_restic(cli: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO('{"secret": "hidden"}'))
    cli.run_json("connect", "restic:home", "--secrets-from-stdin")


def test_the_data_and_its_folder_are_deleted(filled: CommandLine) -> None:
    answer = filled.run_json("uninstall-data", "--yes")
    assert not filled.folder.exists()
    assert answer["sentence"] == f"Dayhand's data in {filled.folder} is deleted."
    assert {"dayhand.db", "dayhand.lock", "backups"} <= set(answer["files"])
    assert answer["files"]["backups"] == 200_000


def test_other_files_are_kept_and_listed(filled: CommandLine) -> None:
    (filled.folder / "taxes.ods").write_text("mine")
    (filled.folder / "photos").mkdir()
    assert filled.run_json("uninstall-data", "--yes")["stays"] == ["photos", "taxes.ods"]
    assert sorted(path.name for path in filled.folder.iterdir()) == ["photos", "taxes.ods"]


def test_a_link_is_removed_and_not_followed(filled: CommandLine, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "kept").touch()
    (filled.folder / "logs").symlink_to(elsewhere)
    filled.run_json("uninstall-data", "--yes")
    assert (elsewhere / "kept").exists()
    assert not filled.folder.exists()


def test_passwords_are_deleted_from_the_keyring(
    filled: CommandLine, keyring: SecretService, monkeypatch: pytest.MonkeyPatch
) -> None:
    connect_restic(filled, monkeypatch)
    kept = vault_of(filled.folder)
    assert filled.run_json("uninstall-data", "--yes")["keyring"] == ["restic:home"]
    with pytest.raises(SecretMissingError):
        kept.get("restic:home")


def test_passwords_of_data_set_aside_by_an_import_are_deleted(
    filled: CommandLine, keyring: SecretService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    connect_restic(filled, monkeypatch)
    kept = vault_of(filled.folder)
    filled.run_json("export", str(tmp_path / "all.zip"))
    filled.run_json("import", str(tmp_path / "all.zip"), "--replace")
    with pytest.raises(SecretMissingError):
        vault_of(filled.folder).get("restic:home")
    assert kept.get("restic:home") == {"secret": "hidden"}, "the data that was set aside still uses it"
    assert filled.run_json("uninstall-data", "--yes")["keyring"] == ["restic:home"]
    with pytest.raises(SecretMissingError):
        kept.get("restic:home", again=True)


def test_passwords_can_be_kept(filled: CommandLine, keyring: SecretService, monkeypatch: pytest.MonkeyPatch) -> None:
    connect_restic(filled, monkeypatch)
    kept = vault_of(filled.folder)
    assert filled.run_json("uninstall-data", "--yes", "--keep-keyring")["keyring"] == []
    assert kept.get("restic:home") == {"secret": "hidden"}


def test_an_unreadable_store_is_deleted_only_if_passwords_are_kept(filled: CommandLine) -> None:
    (filled.folder / "dayhand.db").write_bytes(b"no database at all" * 100)
    code, sentence = filled.run_refused("uninstall-data", "--yes")
    assert code == "store"
    assert "--keep-keyring" in sentence
    assert (filled.folder / "dayhand.db").exists()
    filled.run_json("uninstall-data", "--yes", "--keep-keyring")
    assert not filled.folder.exists()


def test_without_a_terminal_nothing_is_deleted(filled: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("yes\n"))
    assert filled.run_refused("uninstall-data")[0] == "asks"
    assert (filled.folder / "dayhand.db").exists()


def test_a_folder_without_data_is_not_touched(cli: CommandLine) -> None:
    cli.folder.mkdir()
    (cli.folder / "letter.txt").touch()
    assert cli.run_refused("uninstall-data", "--yes")[0] == "nothing"
    assert (cli.folder / "letter.txt").exists()


def test_it_is_refused_while_the_app_runs(cli: CommandLine, app: Session) -> None:
    code, sentence = cli.run_refused("uninstall-data", "--yes")
    assert code == "store"
    assert "already running" in sentence
    assert (cli.folder / "dayhand.db").exists()


@pytest.mark.parametrize(("answer", "is_deleted"), [("yes\n", True), ("no\n", False), ("\n", False)])
def test_it_lists_what_will_be_deleted_and_needs_a_yes(
    filled: CommandLine, terminal: tuple[int, int], answer: str, *, is_deleted: bool
) -> None:
    user_end, program_end = terminal
    command = [sys.executable, "-m", "app.main", "uninstall-data", "--data-dir", str(filled.folder)]
    os.write(user_end, answer.encode())
    done = subprocess.run(command, stdin=program_end, capture_output=True, text=True, timeout=60, check=False)
    assert "backups  (0.2 MB)" in done.stdout
    assert filled.folder.exists() is not is_deleted
    assert (done.returncode, done.stderr) == ((0, "") if is_deleted else (1, "Nothing was deleted.\n"))


def test_the_autostart_entry_is_deleted_with_the_default_folder(home: Path) -> None:
    entry = DesktopEntry([sys.executable, "start"], {"HOME": str(home)})
    entry.turn_on()
    data = home / ".local" / "share" / "dayhand"
    data.mkdir(parents=True)
    command = [sys.executable, "-m", "app.main"]
    environment = {**os.environ, "HOME": str(home)}
    environment.pop("DISPLAY", None)
    subprocess.run([*command, "--headless", "--seconds", "0"], env=environment, timeout=60, check=True)
    done = subprocess.run([*command, "uninstall-data", "--yes"], env=environment, timeout=60, check=False)
    assert done.returncode == 0
    assert not entry.is_on()
    assert not data.exists()
