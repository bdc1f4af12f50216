"""A path may be chosen instead of typed. The dialogs belong to the system, so a stand-in answers for them."""

import pytest
from PySide6.QtWidgets import QLineEdit
from pytestqt.qtbot import QtBot

from app.window import path_choice
from app.window.path_choice import make_choose


@pytest.mark.parametrize(
    ("is_folder", "dialog", "answer", "line"),
    [
        (True, "choose_folder", "/new", "/new"),
        (True, "choose_folder", "", "/old"),
        (False, "choose_target", "/new.csv", "/new.csv"),
        (False, "choose_target", "", "/old"),
    ],
)
def test_what_was_chosen_stands_in_the_line_and_what_was_given_up_changes_nothing(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, *, is_folder: bool, dialog: str, answer: str, line: str
) -> None:
    """Of a file that is there nobody is warned: a table that grows may be meant."""
    field = QLineEdit("/old")
    qtbot.addWidget(field)
    begun: list[object] = []
    monkeypatch.setattr(path_choice, dialog, lambda *given, **how: begun.append((given[2], how)) or answer)
    button = make_choose(field, "Choose: Which folder?", is_folder=is_folder)
    qtbot.addWidget(button)
    button.click()
    assert (field.text(), button.accessibleName()) == (line, "Choose: Which folder?")
    assert begun == [("/old", {} if is_folder else {"warns": False})]
