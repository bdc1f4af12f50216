"""The diagnostics: versions, settings, row counts, the schema and a redacted log, but no user content."""

import json
import logging
import stat
import zipfile
from datetime import UTC, datetime
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.cli import command_line
from app.data.atomic_file import DataFileError
from app.data.diagnostics import REDACTED, list_values, redact, write_diagnostics
from app.data.log_file import open_log
from app.data.preferences import Preferences, save_preferences
from app.session import Session
from scheduler.engine.repair.fixer_config import FixerConfig, FixerKind
from scheduler.store.opening import close_store, open_store
from tests.app.window.sample_data import create_workflows, publish


@pytest.fixture
def folder(qtbot: QtBot, tmp_path: Path) -> Path:
    """With workflows, events, connections, history and a log full of private data."""
    made = Session(tmp_path)
    create_workflows(made, 2)
    publish(made, "chore-0", 3)
    made.runtime.close()
    made.close()
    with open_log(tmp_path):
        try:
            raise ValueError("Receipt 2 of anna@example.org in " + str(tmp_path / "expenses.csv"))
        except ValueError:
            logging.getLogger("app.engine_thread").exception("The tick failed over %s", tmp_path / "expenses.csv")
    fixer = FixerConfig(kind=FixerKind.SERVER, url="http://models.anna.example/v1", model="m")
    save_preferences(tmp_path, Preferences(concurrency=7, fixer=fixer))
    return tmp_path


def read(path: Path) -> dict[str, str]:
    with zipfile.ZipFile(path) as bundle:
        return {name: bundle.read(name).decode() for name in bundle.namelist()}


def test_it_contains_versions_settings_counts_and_the_log(folder: Path) -> None:
    write_diagnostics(folder, folder / "out.zip")
    files = read(folder / "out.zip")
    assert set(files) == {"README.txt", "versions.json", "settings.json", "schema.sql", "store.json", "log.txt"}
    assert json.loads(files["versions.json"])["dayhand"]
    assert json.loads(files["settings.json"])["concurrency"] == 7
    assert json.loads(files["settings.json"])["fixer"] == "server"
    assert "anna" not in files["settings.json"]
    store = json.loads(files["store.json"])
    assert store["rows"]["workflows"] == 2 and store["rows"]["events"] == 3
    assert store["groups"]["events"] == {"pending": 3}
    assert store["kinds"] == {"files": 1, "table": 1}
    assert "CREATE TABLE workflows" in files["schema.sql"]
    assert "The tick failed" in files["log.txt"] and "ValueError" in files["log.txt"]


def test_it_contains_nothing_about_the_content_of_workflows(folder: Path) -> None:
    write_diagnostics(folder, folder / "out.zip")
    everything = "\n".join(read(folder / "out.zip").values())
    for private in ("flow = dayhand", "Receipt 2", "Corner Bakery", "Filed 3", "expenses.csv", "example.org", "Tidy"):
        assert private not in everything
    assert str(folder) not in everything.replace(str(folder / "out.zip"), "")


def test_only_the_user_can_read_it(folder: Path) -> None:
    write_diagnostics(folder, folder / "out.zip")
    assert stat.S_IMODE((folder / "out.zip").stat().st_mode) == 0o600


def test_a_damaged_store_is_reported_inside(tmp_path: Path) -> None:
    (tmp_path / "dayhand.db").write_bytes(b"not a database" * 1000)
    write_diagnostics(tmp_path, tmp_path / "out.zip")
    files = read(tmp_path / "out.zip")
    assert "error" in json.loads(files["store.json"])
    assert "versions.json" in files


def test_a_long_log_is_cut_at_a_line_break(tmp_path: Path) -> None:
    close_store(open_store(tmp_path, datetime.now(UTC)).database)
    with open_log(tmp_path):
        for number in range(6_000):
            logging.getLogger("app").info("Line %s of many, each as long as the others are", number)
    write_diagnostics(tmp_path, tmp_path / "out.zip")
    lines = read(tmp_path / "out.zip")["log.txt"].splitlines()
    assert 1_000 < len(lines) < 6_000
    assert lines[0].startswith("20") and "Line 5999" in lines[-1]


def test_a_failed_write_is_reported_and_leaves_nothing_behind(folder: Path) -> None:
    (folder / "out.zip").mkdir()
    with pytest.raises(DataFileError, match="could not be written"):
        write_diagnostics(folder, folder / "out.zip")
    assert not list(folder.glob(".out*"))


def test_the_command_writes_it_but_never_over_a_file(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = folder / "out.zip"
    assert command_line.run(["diagnostics", str(target), "--data-dir", str(folder)]) == 0
    assert f"Written to {target}" in capsys.readouterr().out
    before = target.read_bytes()
    assert command_line.run(["diagnostics", str(target), "--data-dir", str(folder)]) == 1
    assert "already exists" in capsys.readouterr().err
    assert target.read_bytes() == before


@pytest.mark.parametrize(
    "private",
    [
        "https://me:pw@mail.example.org/inbox?key=1",
        "anna.b+x@example.org",
        "password=hunter2",
        "Authorization: Bearer abc",
        "api_key: 12ab",
        "token = qwertz",
        "sk-1234567890abcdefghijklmnop",
        "could not open 'Corner Bakery'",
        'row "Nuts & Bolts" is gone',
    ],
)
def test_private_values_are_hidden(private: str) -> None:
    redacted = redact(f"2026-11-16 12:00:00 ERROR app.engine_thread: {private} was not expected")
    assert REDACTED in redacted and "was not expected" in redacted
    for word in ("example", "hunter2", "abc", "12ab", "qwertz", "1234567890", "Bakery", "Bolts"):
        assert word not in redacted.removeprefix("2026-11-16 12:00:00 ERROR app.engine_thread")


def test_code_lines_and_error_types_are_kept_but_not_messages() -> None:
    text = (
        "Traceback (most recent call last):\n"
        '  File "/opt/dayhand/app/host.py", line 12, in _tick\n'
        "    wake = self._recovered().tick(now)\n"
        "ValueError: could not convert string to float: Corner Bakery\n"
    )
    redacted = redact(text)
    assert 'File "/opt/dayhand/app/host.py", line 12, in _tick' in redacted
    assert f"ValueError: {REDACTED}" in redacted
    assert "Bakery" not in redacted


def test_known_values_are_hidden_everywhere_longest_first() -> None:
    redacted = redact("Cannot read /srv/tax/2026 nor /srv/tax of anna", ["/srv/tax", "/srv/tax/2026", "anna", "of"])
    assert redacted == f"Cannot read {REDACTED} nor {REDACTED} of {REDACTED}"


def test_the_home_folder_is_abbreviated() -> None:
    assert redact("In /home/anna/notes", home=Path("/home/anna")) == "In ~/notes"


def test_ordinary_lines_are_unchanged() -> None:
    line = "2026-11-16 12:00:00,123 INFO app.lifecycle.desktop_ui: Dayhand 0.1.0 starts"
    assert redact(line) == line


def test_the_values_of_settings_are_found_at_any_depth() -> None:
    values = set(list_values({"path": "/a", "port": 993, "tls": True, "more": [{"x": "y"}, None]}))
    assert values == {"/a", "993", "y"}
