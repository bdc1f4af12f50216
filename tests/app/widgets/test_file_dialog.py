"""Files and folders are chosen in a dialog that fits the screen, and nothing is chosen by giving up."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QSize
from PySide6.QtWidgets import QFileDialog, QWidget
from pytestqt.qtbot import QtBot

from app.widgets import fitting
from app.widgets.file_dialog import choose_file, choose_folder, choose_target

Seen = list[QFileDialog]


@pytest.fixture
def parent(qtbot: QtBot) -> QWidget:
    made = QWidget()
    qtbot.addWidget(made)
    return made


@pytest.fixture
def answer(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Seen]:
    """The person chooses this in the dialogs that come, or gives up: those dialogs."""

    def prepare(chosen: str) -> Seen:
        seen: Seen = []
        monkeypatch.setattr(QFileDialog, "exec", lambda dialog: seen.append(dialog) or int(bool(chosen)))
        monkeypatch.setattr(QFileDialog, "selectedFiles", lambda _: [chosen])
        return seen

    return prepare


WAYS: dict[str, Callable[[QWidget, str], str]] = {
    "file": lambda parent, _: choose_file(parent, "Import", "Exports (*.zip)"),
    "target": lambda parent, begin: choose_target(parent, "Save as", begin),
    "folder": lambda parent, begin: choose_folder(parent, "Choose a folder", begin),
}
EACH = pytest.mark.parametrize("choose", WAYS.values(), ids=WAYS)


@EACH
def test_what_was_chosen_comes_back_and_nothing_from_who_gives_up(
    parent: QWidget, answer: Callable[[str], Seen], choose: Callable[[QWidget, str], str], tmp_path: Path
) -> None:
    answer("/there")
    assert choose(parent, str(tmp_path / "here")) == "/there"
    answer("")
    assert choose(parent, str(tmp_path / "here")) == ""


@EACH
def test_it_is_no_larger_than_a_small_screen_at_twice_the_size(
    parent: QWidget,
    answer: Callable[[str], Seen],
    choose: Callable[[QWidget, str], str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(fitting, "find_room", lambda _: QSize(632, 352))
    seen = answer("/there")
    choose(parent, str(tmp_path))
    [dialog] = seen
    assert dialog.size() == dialog.size().boundedTo(QSize(632, 352))


@pytest.mark.parametrize("warns", [True, False])
def test_where_to_write_begins_at_what_is_proposed(
    parent: QWidget, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, warns: bool
) -> None:
    shown: list[tuple[Any, ...]] = []

    def look(dialog: QFileDialog) -> int:
        quiet = dialog.testOption(QFileDialog.Option.DontConfirmOverwrite)
        shown.append((dialog.acceptMode(), dialog.selectedFiles(), quiet))
        return 0

    monkeypatch.setattr(QFileDialog, "exec", look)
    choose_target(parent, "Save as", str(tmp_path / "all.zip"), warns=warns)
    assert shown == [(QFileDialog.AcceptMode.AcceptSave, [str(tmp_path / "all.zip")], not warns)]
