"""Deleting what Dayhand keeps of a person: shown, asked for, and then really gone, from a real keyring too."""

import io
import os
import subprocess
import sys
from pathlib import Path

import pytest

from app.life.installation import Installation
from app.platform.desktop_entry import DesktopEntry
from scheduler.connections.vault_errors import NotInVaultError
from tests.app.verbs.served import Line
from tests.connections.kept import vault_of
from tests.connections.secret_service import SecretService


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Nothing of the person who runs the tests is in reach."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path / "home"


@pytest.fixture
def filled(line: Line, tmp_path: Path) -> Line:
    line.ask("connect", "table:expenses", "--path", str(tmp_path / "expenses.csv"))
    (line.folder / "backups").mkdir(exist_ok=True)
    (line.folder / "backups" / "one.db").write_bytes(b"x" * 200_000)
    return line


def connect_restic(line: Line, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO('{"secret": "hidden"}'))
    line.ask("connect", "restic:home", "--secrets-from-stdin")


def test_data_is_gone_and_so_is_its_folder(filled: Line) -> None:
    answer = filled.ask("uninstall-data", "--yes")
    assert not filled.folder.exists()
    assert answer["sentence"] == f"Dayhand's data in {filled.folder} is deleted."
    assert {"dayhand.db", "dayhand.lock", "backups"} <= set(answer["files"])
    assert answer["files"]["backups"] == 200_000


def test_what_is_not_dayhands_stays_and_is_named(filled: Line) -> None:
    (filled.folder / "taxes.ods").write_text("mine")
    (filled.folder / "photos").mkdir()
    assert filled.ask("uninstall-data", "--yes")["stays"] == ["photos", "taxes.ods"]
    assert sorted(path.name for path in filled.folder.iterdir()) == ["photos", "taxes.ods"]


def test_a_link_is_removed_and_not_followed(filled: Line, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "kept").touch()
    (filled.folder / "logs").symlink_to(elsewhere)
    filled.ask("uninstall-data", "--yes")
    assert (elsewhere / "kept").exists()
    assert not filled.folder.exists()


def test_passwords_leave_the_keyring_with_the_data(
    filled: Line, keyring: SecretService, monkeypatch: pytest.MonkeyPatch
) -> None:
    connect_restic(filled, monkeypatch)
    kept = vault_of(filled.folder)
    assert filled.ask("uninstall-data", "--yes")["keyring"] == ["restic:home"]
    with pytest.raises(NotInVaultError):
        kept.get("restic:home")


def test_passwords_of_data_that_an_import_set_aside_leave_with_it(
    filled: Line, keyring: SecretService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    connect_restic(filled, monkeypatch)
    kept = vault_of(filled.folder)
    filled.ask("export", str(tmp_path / "all.zip"))
    filled.ask("import", str(tmp_path / "all.zip"), "--replace")
    with pytest.raises(NotInVaultError):
        vault_of(filled.folder).get("restic:home")
    assert kept.get("restic:home") == {"secret": "hidden"}, "the data that was set aside still has it"
    assert filled.ask("uninstall-data", "--yes")["keyring"] == ["restic:home"]
    with pytest.raises(NotInVaultError):
        kept.get("restic:home", again=True)


def test_passwords_may_be_kept(filled: Line, keyring: SecretService, monkeypatch: pytest.MonkeyPatch) -> None:
    connect_restic(filled, monkeypatch)
    kept = vault_of(filled.folder)
    assert filled.ask("uninstall-data", "--yes", "--keep-keyring")["keyring"] == []
    assert kept.get("restic:home") == {"secret": "hidden"}


def test_a_store_that_cannot_be_read_is_not_deleted_before_its_passwords_are(filled: Line) -> None:
    (filled.folder / "dayhand.db").write_bytes(b"no database at all" * 100)
    code, sentence = filled.refuse("uninstall-data", "--yes")
    assert code == "store"
    assert "--keep-keyring" in sentence
    assert (filled.folder / "dayhand.db").exists()
    filled.ask("uninstall-data", "--yes", "--keep-keyring")
    assert not filled.folder.exists()


def test_where_nobody_can_be_asked_nothing_is_deleted(filled: Line, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("yes\n"))
    assert filled.refuse("uninstall-data")[0] == "asks"
    assert (filled.folder / "dayhand.db").exists()


def test_a_folder_without_data_is_left_as_it_is(line: Line) -> None:
    line.folder.mkdir()
    (line.folder / "letter.txt").touch()
    assert line.refuse("uninstall-data", "--yes")[0] == "nothing"
    assert (line.folder / "letter.txt").exists()


def test_while_it_runs_it_must_be_ended_first(line: Line, app: Installation) -> None:
    code, sentence = line.refuse("uninstall-data", "--yes")
    assert code == "store"
    assert "already running" in sentence
    assert (line.folder / "dayhand.db").exists()


@pytest.mark.parametrize(("answer", "is_deleted"), [("yes\n", True), ("no\n", False), ("\n", False)])
def test_it_shows_what_will_go_and_only_yes_means_yes(
    filled: Line, terminal: tuple[int, int], answer: str, *, is_deleted: bool
) -> None:
    ours, theirs = terminal
    command = [sys.executable, "-m", "app.main", "uninstall-data", "--data-dir", str(filled.folder)]
    os.write(ours, answer.encode())
    done = subprocess.run(command, stdin=theirs, capture_output=True, text=True, timeout=60, check=False)
    assert "backups  (0.2 MB)" in done.stdout
    assert filled.folder.exists() is not is_deleted
    assert (done.returncode, done.stderr) == ((0, "") if is_deleted else (1, "Nothing was deleted.\n"))


def test_the_start_at_login_goes_with_the_usual_folder(home: Path) -> None:
    entry = DesktopEntry([sys.executable, "start"], {"HOME": str(home)})
    entry.turn_on()
    data = home / ".local" / "share" / "dayhand"
    data.mkdir(parents=True)
    command = [sys.executable, "-m", "app.main"]
    surroundings = {**os.environ, "HOME": str(home)}
    surroundings.pop("DISPLAY", None)
    subprocess.run([*command, "--headless", "--seconds", "0"], env=surroundings, timeout=60, check=True)
    done = subprocess.run([*command, "uninstall-data", "--yes"], env=surroundings, timeout=60, check=False)
    assert done.returncode == 0
    assert not entry.is_on()
    assert not data.exists()
