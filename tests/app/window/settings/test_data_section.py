"""The data itself, from the settings: exporting, importing after a question, diagnostics, a backup."""

import zipfile
from pathlib import Path

import pytest
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from app.keeping.export import check_export, write_export
from app.life.installation import Installation
from app.window import settings_data
from app.window.settings_data import DataSection, say_taken
from scheduler.engine.moving import TakenIn
from tests.app.living import Wait


@pytest.fixture
def section(qtbot: QtBot, installation: Installation) -> DataSection:
    return show(qtbot, installation)


def show(qtbot: QtBot, installation: Installation) -> DataSection:
    made = DataSection(installation)
    qtbot.addWidget(made)
    made.show()
    return made


def press(section: DataSection, label: str) -> None:
    assert section.question is not None
    button = next(one for one in section.question.findChildren(QPushButton) if one.text() == label)
    button.click()


def choose(monkeypatch: pytest.MonkeyPatch, path: Path | str) -> None:
    """The system's own dialog is not ours to test: the person chose this."""
    for name in ("choose_file", "choose_target"):
        monkeypatch.setattr(settings_data, name, lambda *_: str(path))


def test_everything_is_exported_while_it_runs(
    section: DataSection, tmp_path: Path, wait: Wait, monkeypatch: pytest.MonkeyPatch
) -> None:
    choose(monkeypatch, tmp_path / "all.zip")
    section.export.click()
    wait(lambda: section.saying.sentence.startswith("Exported to"))
    assert check_export(tmp_path, tmp_path / "all.zip").has_history


def test_that_it_cannot_be_written_there_is_said(section: DataSection, tmp_path: Path, wait: Wait) -> None:
    section.write_export(tmp_path / "no" / "such" / "all.zip")
    wait(lambda: "could not be written" in section.saying.sentence)


def test_diagnostics_are_written(
    section: DataSection, tmp_path: Path, wait: Wait, monkeypatch: pytest.MonkeyPatch
) -> None:
    choose(monkeypatch, tmp_path / "out.zip")
    section.diagnose.click()
    wait(lambda: section.saying.sentence.startswith("Written to"))
    with zipfile.ZipFile(tmp_path / "out.zip") as bundle:
        assert "store.json" in bundle.namelist()


def test_one_who_chooses_no_file_changes_their_mind(
    section: DataSection, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    choose(monkeypatch, "")
    for button in (section.export, section.take_in, section.diagnose):
        button.click()
    assert section.saying.sentence == "" and section.question is None


def test_an_import_asks_first_and_says_what_becomes_of_the_data_here(
    qtbot: QtBot,
    section: DataSection,
    installation: Installation,
    tmp_path: Path,
    wait: Wait,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = installation.house.engine.context.clock.now()
    write_export(installation.folder, tmp_path / "all.zip", now)
    choose(monkeypatch, tmp_path / "all.zip")
    section.take_in.click()
    question = wait(lambda: section.question)
    assert "set aside" in question.informativeText() and "paused" in question.informativeText()
    with qtbot.waitSignal(section.import_wanted, timeout=30_000) as wanted:
        press(section, "Import")
    assert wanted.args == [str(tmp_path / "all.zip")]


def test_an_import_that_is_not_wanted_after_all_changes_nothing(
    qtbot: QtBot, section: DataSection, installation: Installation, tmp_path: Path, wait: Wait
) -> None:
    write_export(installation.folder, tmp_path / "all.zip", installation.house.engine.context.clock.now())
    heard: list[str] = []
    section.import_wanted.connect(heard.append)
    section.look_at_import(tmp_path / "all.zip")
    wait(lambda: section.question)
    press(section, "Cancel")
    wait(lambda: section.question is None)
    assert heard == []


def test_a_wrong_file_gets_a_sentence_and_no_question(section: DataSection, tmp_path: Path, wait: Wait) -> None:
    (tmp_path / "photo.zip").write_bytes(b"no zip")
    section.look_at_import(tmp_path / "photo.zip")
    wait(lambda: "is not an export of Dayhand" in section.saying.sentence)
    assert section.question is None


@pytest.mark.parametrize(
    ("taken", "said"),
    [
        (TakenIn(workflows=1), "1 workflow arrived, paused: look at it and resume it."),
        (
            TakenIn(workflows=3, connections=("imap:home", "http:shop")),
            "3 workflows arrived, paused: look at each and resume it. Connect again: imap:home, http:shop.",
        ),
    ],
)
def test_what_arrived_is_said_with_what_is_to_be_done(taken: TakenIn, said: str) -> None:
    assert say_taken(taken) == said
