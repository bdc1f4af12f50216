"""The data section of the settings: export, import with confirmation, and diagnostics."""

import json
import zipfile
from pathlib import Path

import pytest
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from app.data.export import check_export, write_export
from app.session import Session
from app.window.settings import data_section
from app.window.settings.data_section import DataSection, describe_import
from scheduler.engine.data_import import ImportSummary
from tests.app.app_fixture import Wait


@pytest.fixture
def section(qtbot: QtBot, installation: Session) -> DataSection:
    return show(qtbot, installation)


def show(qtbot: QtBot, installation: Session) -> DataSection:
    made = DataSection(installation)
    qtbot.addWidget(made)
    made.show()
    return made


def press(section: DataSection, label: str) -> None:
    assert section.question is not None
    button = next(one for one in section.question.findChildren(QPushButton) if one.text() == label)
    button.click()


def choose(monkeypatch: pytest.MonkeyPatch, path: Path | str) -> None:
    """Replaces the system's file dialog: the user chose this."""
    for name in ("choose_file", "choose_save_path"):
        monkeypatch.setattr(data_section, name, lambda *_: str(path))


def test_everything_can_be_exported_while_the_session_runs(
    section: DataSection, tmp_path: Path, wait: Wait, monkeypatch: pytest.MonkeyPatch
) -> None:
    choose(monkeypatch, tmp_path / "all.zip")
    section.export_button.click()
    wait(lambda: section.status_line.message.startswith("Exported to"))
    check_export(tmp_path, tmp_path / "all.zip")
    with zipfile.ZipFile(tmp_path / "all.zip") as bundle:
        assert json.loads(bundle.read("export.json"))["history"]


def test_a_failed_export_is_reported(section: DataSection, tmp_path: Path, wait: Wait) -> None:
    section.write_export(tmp_path / "no" / "such" / "all.zip")
    wait(lambda: "could not be written" in section.status_line.message)


def test_diagnostics_are_saved(
    section: DataSection, tmp_path: Path, wait: Wait, monkeypatch: pytest.MonkeyPatch
) -> None:
    choose(monkeypatch, tmp_path / "out.zip")
    section.diagnostics_button.click()
    wait(lambda: section.status_line.message.startswith("Saved to"))
    with zipfile.ZipFile(tmp_path / "out.zip") as bundle:
        assert "store.json" in bundle.namelist()


def test_cancelling_the_file_dialog_does_nothing(
    section: DataSection, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    choose(monkeypatch, "")
    for button in (section.export_button, section.import_button, section.diagnostics_button):
        button.click()
    assert section.status_line.message == "" and section.question is None


def test_an_import_asks_first_and_says_what_happens_to_the_current_data(
    qtbot: QtBot,
    section: DataSection,
    installation: Session,
    tmp_path: Path,
    wait: Wait,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = installation.now()
    write_export(installation.folder, tmp_path / "all.zip", now)
    choose(monkeypatch, tmp_path / "all.zip")
    section.import_button.click()
    question = wait(lambda: section.question)
    assert "set aside" in question.informativeText() and "paused" in question.informativeText()
    with qtbot.waitSignal(section.import_requested, timeout=30_000) as requested:
        press(section, "Import")
    assert requested.args == [str(tmp_path / "all.zip")]


def test_a_cancelled_import_changes_nothing(
    qtbot: QtBot, section: DataSection, installation: Session, tmp_path: Path, wait: Wait
) -> None:
    write_export(installation.folder, tmp_path / "all.zip", installation.now())
    received: list[str] = []
    section.import_requested.connect(received.append)
    section.check_import(tmp_path / "all.zip")
    wait(lambda: section.question)
    press(section, "Cancel")
    wait(lambda: section.question is None)
    assert received == []


def test_a_wrong_file_is_reported_without_a_question(section: DataSection, tmp_path: Path, wait: Wait) -> None:
    (tmp_path / "photo.zip").write_bytes(b"no zip")
    section.check_import(tmp_path / "photo.zip")
    wait(lambda: "is not a Dayhand export" in section.status_line.message)
    assert section.question is None


@pytest.mark.parametrize(
    ("taken", "expected"),
    [
        (ImportSummary(workflows=1), "1 workflow imported, paused. Check it, then resume it."),
        (
            ImportSummary(workflows=3, connections=("imap:home", "http:shop")),
            "3 workflows imported, paused. Check each one, then resume it. Reconnect: imap:home, http:shop.",
        ),
    ],
)
def test_the_import_message_says_what_to_do_next(taken: ImportSummary, expected: str) -> None:
    assert describe_import(taken) == expected
