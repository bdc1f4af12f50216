"""A row layout that wraps."""

import pytest
from PySide6.QtCore import QSize
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from app.widgets.flow_layout import FlowLayout

SPACE = 10


class Block(QWidget):
    """A widget of fixed size."""

    def __init__(self, width: int = 100) -> None:
        super().__init__()
        self.setMinimumSize(width, 30)

    def sizeHint(self) -> QSize:  # noqa: N802  # Qt's name
        return self.minimumSize()


@pytest.fixture
def window(qtbot: QtBot) -> QWidget:
    made = QWidget()
    qtbot.addWidget(made)
    return made


def show(window: QWidget, flow: FlowLayout, width: int) -> None:
    window.setLayout(flow)
    window.resize(width, flow.heightForWidth(width))
    window.show()


def positions(*blocks: QWidget) -> list[tuple[int, int]]:
    return [(one.x(), one.y()) for one in blocks]


def test_on_one_line_widgets_after_the_gap_are_right_aligned(window: QWidget) -> None:
    flow, first, second, third = FlowLayout(SPACE), Block(), Block(), Block()
    flow.addWidget(first)
    flow.add_right_aligned(second, third)
    show(window, flow, 500)
    assert positions(first, second, third) == [(0, 0), (290, 0), (400, 0)]


def test_widgets_are_right_aligned_even_if_the_first_of_them_is_hidden(window: QWidget) -> None:
    flow, first, second, third = FlowLayout(SPACE), Block(), Block(), Block()
    flow.addWidget(first)
    flow.add_right_aligned(second, third)
    second.hide()
    show(window, flow, 500)
    assert positions(first, third) == [(0, 0), (400, 0)]


def test_what_does_not_fit_wraps_and_the_height_follows(window: QWidget) -> None:
    flow, first, second, third = FlowLayout(SPACE), Block(), Block(), Block()
    flow.addWidget(first)
    flow.add_right_aligned(second, third)
    show(window, flow, 250)
    assert positions(first, second, third) == [(0, 0), (110, 0), (0, 40)]
    assert window.height() == 70
    assert flow.minimumSize().width() == 100


def test_hidden_widgets_take_no_space(window: QWidget) -> None:
    flow, first, second, third = FlowLayout(SPACE), Block(), Block(), Block()
    for block in (first, second, third):
        flow.addWidget(block)
    second.hide()
    show(window, flow, 250)
    assert positions(first, third) == [(0, 0), (110, 0)]
    assert flow.heightForWidth(250) == 30


def test_the_expanding_widget_takes_the_spare_width(window: QWidget) -> None:
    flow, field, first, second = FlowLayout(SPACE), Block(), Block(), Block()
    flow.add_expanding(field)
    flow.addWidget(first)
    flow.addWidget(second)
    show(window, flow, 500)
    assert field.width() == 280
    assert positions(first, second) == [(290, 0), (400, 0)]


def test_nothing_is_wider_than_the_row(window: QWidget) -> None:
    flow, wide = FlowLayout(SPACE), Block(50)
    wide.sizeHint = lambda: QSize(400, 30)  # type: ignore[method-assign]
    flow.addWidget(wide)
    show(window, flow, 200)
    assert wide.width() == 200
