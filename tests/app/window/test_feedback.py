"""A path can be chosen in a dialog instead of typed. The system's dialogs are replaced by fakes."""

import pytest
from PySide6.QtWidgets import QLineEdit
from pytestqt.qtbot import QtBot

from app.window import feedback
from app.window.feedback import make_path_button


@pytest.mark.parametrize(
    ("is_folder", "dialog", "answer", "line"),
    [
        (True, "choose_folder", "/new", "/new"),
        (True, "choose_folder", "", "/old"),
        (False, "choose_save_path", "/new.csv", "/new.csv"),
        (False, "choose_save_path", "", "/old"),
    ],
)
def test_a_chosen_path_fills_the_line_and_cancelling_changes_nothing(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, *, is_folder: bool, dialog: str, answer: str, line: str
) -> None:
    """An existing file causes no warning: a table that is appended to may be intended."""
    field = QLineEdit("/old")
    qtbot.addWidget(field)
    calls: list[object] = []
    monkeypatch.setattr(feedback, dialog, lambda *given, **how: calls.append((given[2], how)) or answer)
    button = make_path_button(field, "Choose: Folder", is_folder=is_folder)
    qtbot.addWidget(button)
    button.click()
    assert (field.text(), button.accessibleName()) == (line, "Choose: Folder")
    assert calls == [("/old", {} if is_folder else {"confirm_overwrite": False})]
