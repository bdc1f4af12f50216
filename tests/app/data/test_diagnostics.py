"""The diagnostics: versions, settings, numbers, the schema and a redacted log; nothing of what workflows do."""

import json
import logging
import stat
import zipfile
from datetime import UTC, datetime
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app import cli
from app.keeping.bundle import BundleError
from app.keeping.diagnostics import write_diagnostics
from app.keeping.logbook import keep_log
from app.keeping.preferences import Preferences, keep_preferences
from app.life.installation import Installation
from scheduler.engine.fixing.choice import FixerChoice, FixerKind
from scheduler.store.health import close_store, open_store
from tests.app.window.filling import fill, publish


@pytest.fixture
def folder(qtbot: QtBot, tmp_path: Path) -> Path:
    """With workflows, events, connections, a past and a log that says too much."""
    made = Installation(tmp_path)
    fill(made, 2)
    publish(made, "chore-0", 3)
    made.house.close()
    made.close()
    with keep_log(tmp_path):
        try:
            raise ValueError("Receipt 2 of anna@example.org in " + str(tmp_path / "expenses.csv"))
        except ValueError:
            logging.getLogger("app.host").exception("The tick failed over %s", tmp_path / "expenses.csv")
    fixer = FixerChoice(kind=FixerKind.SERVER, url="http://models.anna.example/v1", model="m")
    keep_preferences(tmp_path, Preferences(concurrency=7, fixer=fixer))
    return tmp_path


def read(path: Path) -> dict[str, str]:
    with zipfile.ZipFile(path) as bundle:
        return {name: bundle.read(name).decode() for name in bundle.namelist()}


def test_it_says_what_helps(folder: Path) -> None:
    write_diagnostics(folder, folder / "out.zip")
    found = read(folder / "out.zip")
    assert set(found) == {"README.txt", "versions.json", "settings.json", "schema.sql", "store.json", "log.txt"}
    assert json.loads(found["versions.json"])["dayhand"]
    assert json.loads(found["settings.json"])["concurrency"] == 7
    assert json.loads(found["settings.json"])["fixer"] == "server"
    assert "anna" not in found["settings.json"]
    store = json.loads(found["store.json"])
    assert store["rows"]["workflows"] == 2 and store["rows"]["events"] == 3
    assert store["groups"]["events"] == {"pending": 3}
    assert store["kinds"] == {"files": 1, "table": 1}
    assert "CREATE TABLE workflows" in found["schema.sql"]
    assert "The tick failed" in found["log.txt"] and "ValueError" in found["log.txt"]


def test_it_says_nothing_of_what_workflows_do(folder: Path) -> None:
    write_diagnostics(folder, folder / "out.zip")
    everything = "\n".join(read(folder / "out.zip").values())
    for private in ("flow = dayhand", "Receipt 2", "Corner Bakery", "Filed 3", "expenses.csv", "example.org", "Tidy"):
        assert private not in everything
    assert str(folder) not in everything.replace(str(folder / "out.zip"), "")


def test_only_its_person_can_read_it(folder: Path) -> None:
    write_diagnostics(folder, folder / "out.zip")
    assert stat.S_IMODE((folder / "out.zip").stat().st_mode) == 0o600


def test_a_damaged_store_is_what_it_says(tmp_path: Path) -> None:
    (tmp_path / "dayhand.db").write_bytes(b"not a database" * 1000)
    write_diagnostics(tmp_path, tmp_path / "out.zip")
    found = read(tmp_path / "out.zip")
    assert "error" in json.loads(found["store.json"])
    assert "versions.json" in found


def test_a_long_log_is_cut_at_the_beginning_of_a_line(tmp_path: Path) -> None:
    close_store(open_store(tmp_path, datetime.now(UTC)).database)
    with keep_log(tmp_path):
        for number in range(6_000):
            logging.getLogger("app").info("Line %s of many, each as long as the others are", number)
    write_diagnostics(tmp_path, tmp_path / "out.zip")
    lines = read(tmp_path / "out.zip")["log.txt"].splitlines()
    assert 1_000 < len(lines) < 6_000
    assert lines[0].startswith("20") and "Line 5999" in lines[-1]


def test_a_place_that_cannot_be_written_to_is_said_and_nothing_is_left(folder: Path) -> None:
    (folder / "out.zip").mkdir()
    with pytest.raises(BundleError, match="could not be written"):
        write_diagnostics(folder, folder / "out.zip")
    assert not list(folder.glob(".out*"))


def test_the_command_writes_it_and_overwrites_nothing(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = folder / "out.zip"
    assert cli.run(["diagnostics", str(target), "--data-dir", str(folder)]) == 0
    assert f"Written to {target}" in capsys.readouterr().out
    before = target.read_bytes()
    assert cli.run(["diagnostics", str(target), "--data-dir", str(folder)]) == 1
    assert "is there already" in capsys.readouterr().err
    assert target.read_bytes() == before
