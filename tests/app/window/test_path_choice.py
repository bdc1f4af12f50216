"""A path may be chosen instead of typed. The dialogs belong to the system, so a stand-in answers for them."""

import pytest
from PySide6.QtWidgets import QFileDialog, QLineEdit
from pytestqt.qtbot import QtBot

from app.window.path_choice import make_choose


@pytest.mark.parametrize(
    ("is_folder", "dialog", "answer", "line"),
    [
        (True, "getExistingDirectory", "/new", "/new"),
        (True, "getExistingDirectory", "", "/old"),
        (False, "getSaveFileName", ("/new.csv", "All"), "/new.csv"),
        (False, "getSaveFileName", ("", ""), "/old"),
    ],
)
def test_what_was_chosen_stands_in_the_line_and_what_was_given_up_changes_nothing(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, *, is_folder: bool, dialog: str, answer: object, line: str
) -> None:
    field = QLineEdit("/old")
    qtbot.addWidget(field)
    begun: list[object] = []
    monkeypatch.setattr(QFileDialog, dialog, lambda *given, **_: begun.append(given[2]) or answer)
    button = make_choose(field, "Choose: Which folder?", is_folder=is_folder)
    qtbot.addWidget(button)
    button.click()
    assert (field.text(), begun, button.accessibleName()) == (line, ["/old"], "Choose: Which folder?")


def test_a_file_that_is_there_may_be_meant(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    """A table that grows, say: a warning that it would be replaced would be wrong."""
    options: list[QFileDialog.Option] = []
    monkeypatch.setattr(
        QFileDialog, "getSaveFileName", lambda *_, **given: options.append(given["options"]) or ("", "")
    )
    field = QLineEdit()
    qtbot.addWidget(field)
    button = make_choose(field, "Choose", is_folder=False)
    qtbot.addWidget(button)
    button.click()
    assert options == [QFileDialog.Option.DontConfirmOverwrite]
