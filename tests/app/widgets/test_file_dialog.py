"""File dialogs fit the screen, and cancelling chooses nothing."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QSize
from PySide6.QtWidgets import QFileDialog, QWidget
from pytestqt.qtbot import QtBot

from app.widgets import fit_to_screen
from app.widgets.file_dialog import choose_file, choose_folder, choose_save_path

Dialogs = list[QFileDialog]


@pytest.fixture
def parent(qtbot: QtBot) -> QWidget:
    made = QWidget()
    qtbot.addWidget(made)
    return made


@pytest.fixture
def answer(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Dialogs]:
    """Make the user choose this path, or cancel if empty; returns the dialogs shown."""

    def prepare(chosen: str) -> Dialogs:
        dialogs: Dialogs = []
        monkeypatch.setattr(QFileDialog, "exec", lambda dialog: dialogs.append(dialog) or int(bool(chosen)))
        monkeypatch.setattr(QFileDialog, "selectedFiles", lambda _: [chosen])
        return dialogs

    return prepare


CHOOSERS: dict[str, Callable[[QWidget, str], str]] = {
    "file": lambda parent, _: choose_file(parent, "Import", "Exports (*.zip)"),
    "target": lambda parent, begin: choose_save_path(parent, "Save as", begin),
    "folder": lambda parent, begin: choose_folder(parent, "Choose a folder", begin),
}
EACH = pytest.mark.parametrize("choose", CHOOSERS.values(), ids=CHOOSERS)


@EACH
def test_the_chosen_path_is_returned_and_nothing_if_cancelled(
    parent: QWidget, answer: Callable[[str], Dialogs], choose: Callable[[QWidget, str], str], tmp_path: Path
) -> None:
    answer("/there")
    assert choose(parent, str(tmp_path / "here")) == "/there"
    answer("")
    assert choose(parent, str(tmp_path / "here")) == ""


@EACH
def test_it_fits_a_small_screen_at_200_percent(
    parent: QWidget,
    answer: Callable[[str], Dialogs],
    choose: Callable[[QWidget, str], str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(fit_to_screen, "find_room", lambda _: QSize(632, 352))
    dialogs = answer("/there")
    choose(parent, str(tmp_path))
    [dialog] = dialogs
    assert dialog.size() == dialog.size().boundedTo(QSize(632, 352))


@pytest.mark.parametrize("warns", [True, False])
def test_the_save_dialog_starts_at_the_proposed_path(
    parent: QWidget, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, warns: bool
) -> None:
    shown: list[tuple[Any, ...]] = []

    def fake_exec(dialog: QFileDialog) -> int:
        overwrites_silently = dialog.testOption(QFileDialog.Option.DontConfirmOverwrite)
        shown.append((dialog.acceptMode(), dialog.selectedFiles(), overwrites_silently))
        return 0

    monkeypatch.setattr(QFileDialog, "exec", fake_exec)
    choose_save_path(parent, "Save as", str(tmp_path / "all.zip"), confirm_overwrite=warns)
    assert shown == [(QFileDialog.AcceptMode.AcceptSave, [str(tmp_path / "all.zip")], not warns)]
