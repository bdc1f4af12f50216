"""The label wraps where there is no room for it, and nothing of it is lost."""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QCheckBox
from pytestqt.qtbot import QtBot

from app.widgets.wrapping_check_box import WrappingCheckBox

LABEL = "Update whenever the &file is saved"


@pytest.fixture
def box(qtbot: QtBot) -> WrappingCheckBox:
    box = WrappingCheckBox(LABEL)
    qtbot.addWidget(box)
    box.show()
    return box


def test_with_enough_room_it_is_one_line_as_any_check_box(qtbot: QtBot, box: WrappingCheckBox) -> None:
    plain = QCheckBox(LABEL)
    qtbot.addWidget(plain)
    assert box.sizeHint() == plain.sizeHint()
    assert box.wrap(box.sizeHint().width()) == [LABEL]
    assert box.heightForWidth(box.sizeHint().width()) == plain.sizeHint().height()


@pytest.mark.parametrize("share", [0.9, 0.6, 0.4])
def test_where_it_is_narrow_the_words_continue_on_further_lines(box: WrappingCheckBox, share: float) -> None:
    width = round(box.sizeHint().width() * share)
    lines = box.wrap(width)
    assert len(lines) > 1
    assert " ".join(lines) == LABEL
    assert box.heightForWidth(width) > box.sizeHint().height()


def test_it_needs_no_more_width_than_its_longest_word(box: WrappingCheckBox) -> None:
    least = box.minimumSizeHint().width()
    assert least < 0.6 * box.sizeHint().width()
    assert "whenever" in box.wrap(least)


def test_a_click_on_any_line_checks_it(qtbot: QtBot, box: WrappingCheckBox) -> None:
    width = box.sizeHint().width() // 2
    box.resize(width, box.heightForWidth(width))
    qtbot.mouseClick(box, Qt.MouseButton.LeftButton, pos=QPoint(box.width() // 2, box.height() - 4))
    assert box.isChecked()
