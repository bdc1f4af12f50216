"""A row that goes on in the next line where it does not fit."""

import pytest
from PySide6.QtCore import QSize
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from app.widgets.flow import Flow

SPACE = 10


class Block(QWidget):
    """Always of one size."""

    def __init__(self, width: int = 100) -> None:
        super().__init__()
        self.setMinimumSize(width, 30)

    def sizeHint(self) -> QSize:  # noqa: N802  # Qt's name
        return self.minimumSize()


@pytest.fixture
def whole(qtbot: QtBot) -> QWidget:
    made = QWidget()
    qtbot.addWidget(made)
    return made


def show(whole: QWidget, flow: Flow, width: int) -> None:
    whole.setLayout(flow)
    whole.resize(width, flow.heightForWidth(width))
    whole.show()


def places(*blocks: QWidget) -> list[tuple[int, int]]:
    return [(one.x(), one.y()) for one in blocks]


def test_in_one_line_what_comes_after_the_gap_stands_at_the_right(whole: QWidget) -> None:
    flow, first, second, third = Flow(SPACE), Block(), Block(), Block()
    flow.addWidget(first)
    flow.add_after_gap(second, third)
    show(whole, flow, 500)
    assert places(first, second, third) == [(0, 0), (290, 0), (400, 0)]


def test_what_does_not_fit_begins_a_line_and_the_row_is_as_high_as_its_lines(whole: QWidget) -> None:
    flow, first, second, third = Flow(SPACE), Block(), Block(), Block()
    flow.addWidget(first)
    flow.add_after_gap(second, third)
    show(whole, flow, 250)
    assert places(first, second, third) == [(0, 0), (110, 0), (0, 40)]
    assert whole.height() == 70
    assert flow.minimumSize().width() == 100


def test_what_is_hidden_takes_no_room(whole: QWidget) -> None:
    flow, first, second, third = Flow(SPACE), Block(), Block(), Block()
    for block in (first, second, third):
        flow.addWidget(block)
    second.hide()
    show(whole, flow, 250)
    assert places(first, third) == [(0, 0), (110, 0)]
    assert flow.heightForWidth(250) == 30


def test_the_one_that_grows_takes_what_is_left_of_its_line(whole: QWidget) -> None:
    flow, field, first, second = Flow(SPACE), Block(), Block(), Block()
    flow.add_growing(field)
    flow.addWidget(first)
    flow.addWidget(second)
    show(whole, flow, 500)
    assert field.width() == 280
    assert places(first, second) == [(290, 0), (400, 0)]


def test_nothing_is_wider_than_the_row(whole: QWidget) -> None:
    flow, wide = Flow(SPACE), Block(50)
    wide.sizeHint = lambda: QSize(400, 30)  # type: ignore[method-assign]
    flow.addWidget(wide)
    show(whole, flow, 200)
    assert wide.width() == 200


def test_one_can_be_put_in_front(whole: QWidget) -> None:
    flow, first, late = Flow(SPACE), Block(), Block(60)
    flow.addWidget(first)
    show(whole, flow, 500)
    flow.put_first(late)
    late.show()
    flow.activate()
    assert places(late, first) == [(0, 0), (70, 0)]
