"""Adjustments to Qt's own form controls: combo boxes, the mouse wheel, and tab order."""

from collections.abc import Iterable
from itertools import pairwise
from typing import Any

from PySide6.QtCore import QEvent, QObject, QSignalBlocker, Qt
from PySide6.QtWidgets import QAbstractSpinBox, QComboBox, QWidget

_MIN_BOX_WIDTH = 100


def refill_combo_box(box: QComboBox, choices: Iterable[tuple[str, Any]]) -> None:
    """Replace all choices but the first (label, value); the selection is kept if it still exists."""
    chosen = box.currentData()
    with QSignalBlocker(box):
        while box.count() > 1:
            box.removeItem(1)
        for label, value in choices:
            box.addItem(label, value)
        box.setCurrentIndex(max(box.findData(chosen), 0))


def name_combo_box(box: QComboBox, name: str) -> None:
    """Name a box without a label, and let it become narrower than its longest choice.

    On Linux Qt reports the selected text as the name, so the description has it too.
    """
    box.setMinimumWidth(_MIN_BOX_WIDTH)
    box.setAccessibleName(name)
    box.setAccessibleDescription(name)


class _WheelFilter(QObject):
    """Passes wheel events to the parent; Qt would change the value and take the focus."""

    def eventFilter(self, _: QObject, event: QEvent) -> bool:  # noqa: N802  # Qt's name
        if event.type() is not QEvent.Type.Wheel:
            return False
        event.ignore()
        return True


def install_wheel_guard(within: QWidget) -> None:
    """Let the wheel scroll the page: combo boxes and spin boxes inside ignore it."""
    wheel_filter = _WheelFilter(within)
    for one in (*within.findChildren(QComboBox), *within.findChildren(QAbstractSpinBox)):
        one.installEventFilter(wheel_filter)


def set_tab_order(*parts: QWidget) -> None:
    """Tab through the parts in this order; Qt's own order is that of creation, and some widgets are created late."""
    window = parts[0].window()
    found = (one for part in parts for one in (part, *part.findChildren(QWidget)))
    stops = [one for one in found if _is_tab_stop(one) and one.window() is window]  # not the list of a combo box
    for one, other in pairwise(stops):
        QWidget.setTabOrder(one, other)


def _is_tab_stop(widget: QWidget) -> bool:
    return bool(widget.focusPolicy() & Qt.FocusPolicy.TabFocus) and not widget.isHidden()
