"""The stylesheet is complete and never makes text wider than measured."""

import itertools
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QApplication, QCheckBox, QComboBox, QFrame, QLineEdit, QPushButton, QSpinBox, QWidget
from pytestqt.qtbot import QtBot

from app.theme.stylesheet import Theme, indent_spin_box, make_stylesheet, set_style
from app.theme.tokens import DARK, LIGHT, Appearance, Colours

BOTH = pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])


@pytest.fixture
def themed(qapp: QApplication, colours: Colours) -> Iterator[Colours]:
    palette = QPalette(qapp.palette())
    look = Theme(qapp, Appearance.DARK if colours.is_dark else Appearance.LIGHT)
    yield colours
    look.deleteLater()
    qapp.setStyleSheet("")
    qapp.setPalette(palette)


@BOTH
def test_every_placeholder_is_filled(colours: Colours) -> None:
    rules = make_stylesheet(colours)
    assert rules.count("{") == rules.count("}")
    assert re.search(r"\{[a-z_]+\}", rules) is None


@BOTH
def test_every_image_exists(colours: Colours) -> None:
    pictures = re.findall(r"url\((.*?)\)", make_stylesheet(colours))
    assert len(pictures) >= 5
    assert all(Path(picture).is_file() for picture in pictures)


@BOTH
def test_no_rule_changes_the_width_of_text(colours: Colours) -> None:
    """Sizes are computed with the plain font; bold text in a checked button was cut off.

    Message boxes are exempt: Qt computes their size when they are shown.
    """
    rules = make_stylesheet(colours).replace("QMessageBox QLabel#qt_msgbox_label { font-weight: 600; }", "")
    assert "font-weight" not in rules
    assert "font-size" not in rules


@BOTH
def test_only_colours_of_the_theme_are_used(colours: Colours) -> None:
    other = DARK if colours is LIGHT else LIGHT
    rules = make_stylesheet(colours)
    for name in ("text", "muted", "accent", "surface"):
        assert getattr(colours, name) in rules
        assert getattr(other, name) not in rules or getattr(other, name) == colours.on_accent


@BOTH
def test_fields_and_buttons_have_the_same_height(qtbot: QtBot, themed: Colours) -> None:
    heights = {}
    for widget in (QPushButton("x"), QLineEdit("x"), QComboBox(), QSpinBox()):
        qtbot.addWidget(widget)
        widget.ensurePolished()
        heights[type(widget).__name__] = widget.sizeHint().height()
    assert max(heights.values()) - min(heights.values()) <= 3, heights


@BOTH
def test_text_does_not_move_when_its_field_gets_the_focus(qtbot: QtBot, themed: Colours) -> None:
    """The wider border reduces the padding. Read-only, because a cursor would blink."""
    page = QWidget()
    qtbot.addWidget(page)
    field, other = QLineEdit("Receipts", page), QPushButton("Reject", page)
    field.setReadOnly(True)
    field.setGeometry(0, 0, 120, 32)
    other.move(0, 60)
    with qtbot.waitActive(page, timeout=30_000):
        page.show()
        page.activateWindow()
    other.setFocus()
    inside = QRect(6, 4, 100, 24)
    without = field.grab(inside).toImage()
    field.setFocus(Qt.FocusReason.TabFocusReason)
    field.deselect()
    assert field.hasFocus()
    assert field.grab(inside).toImage() == without


@BOTH
def test_the_focus_is_visible_on_buttons_and_fields(qtbot: QtBot, themed: Colours) -> None:
    page = QWidget()
    qtbot.addWidget(page)
    page.resize(300, 220)
    widgets = [QPushButton("Approve", page), QLineEdit(page), QComboBox(page), QCheckBox("Yes", page)]
    for place, widget in enumerate(widgets):
        widget.setGeometry(10, 10 + 40 * place, 200, 32)
    with qtbot.waitActive(page, timeout=30_000):
        page.show()
        page.activateWindow()
    toggle = QPushButton("Mon", page)
    toggle.setGeometry(10, 170, 200, 32)
    toggle.setCheckable(True)
    toggle.setChecked(True)
    toggle.show()
    widgets.append(toggle)
    for widget, other in zip(widgets, widgets[1:] + widgets[:1], strict=True):
        other.setFocus()
        before = widget.grab().toImage()
        widget.setFocus(Qt.FocusReason.TabFocusReason)
        assert widget.grab().toImage() != before, type(widget)


@BOTH
def test_disabled_controls_look_disabled(qtbot: QtBot, themed: Colours) -> None:
    for widget in (QPushButton("Approve"), QCheckBox("Yes")):
        qtbot.addWidget(widget)
        set_style(widget, "importance", "primary")
        widget.resize(120, 32)
        before = widget.grab().toImage()
        widget.setEnabled(False)
        assert widget.grab().toImage() != before


@BOTH
def test_a_checked_box_has_a_tick(qtbot: QtBot, themed: Colours) -> None:
    box = QCheckBox()
    qtbot.addWidget(box)
    box.setChecked(True)
    box.resize(24, 24)
    image = box.grab().toImage()
    seen = {image.pixelColor(x, y).name() for x in range(image.width()) for y in range(image.height())}
    assert themed.accent in seen
    assert any(
        abs(QColor(name).lightness() - QColor(themed.on_accent).lightness()) < 30
        for name in seen - {themed.surface, themed.window}
    )


@BOTH
def test_a_card_has_its_own_background(qtbot: QtBot, themed: Colours) -> None:
    card = QFrame()
    qtbot.addWidget(card)
    set_style(card, "surface", "card")
    card.resize(80, 80)
    image = card.grab().toImage()
    assert image.pixelColor(40, 40).name() == themed.surface
    assert image.pixelColor(40, 0).name() == themed.line


def test_setting_the_same_property_again_does_nothing(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    button = QPushButton("x")
    qtbot.addWidget(button)
    set_style(button, "importance", "risky")
    monkeypatch.setattr(type(button), "style", lambda _self: pytest.fail("polished again"))
    set_style(button, "importance", "risky")


@BOTH
def test_text_in_a_spin_box_does_not_touch_its_edge(qtbot: QtBot, themed: Colours) -> None:
    box = QSpinBox()
    qtbot.addWidget(box)
    indent_spin_box(box)
    box.setValue(88)
    box.resize(80, 32)
    image = box.grab(QRect(2, 6, 70, 20)).toImage()
    written = [
        x
        for x in range(40)
        for y in range(image.height())
        if abs(image.pixelColor(x, y).lightness() - QColor(themed.surface).lightness()) > 60
    ]
    assert min(written) >= 3


@BOTH
def test_the_focused_primary_button_has_one_ring(qtbot: QtBot, themed: Colours) -> None:
    page = QWidget()
    qtbot.addWidget(page)
    button = QPushButton("", page)
    button.setProperty("importance", "primary")
    button.setGeometry(10, 10, 120, 32)
    with qtbot.waitActive(page, timeout=30_000):
        page.show()
        page.activateWindow()
    button.setFocus(Qt.FocusReason.TabFocusReason)
    picture = button.grab().toImage()
    column = [picture.pixelColor(60, y).name() for y in range(8)]
    changes = sum(one != other for one, other in itertools.pairwise(column))
    assert column[0] == QColor(themed.text).name()
    assert changes == 1, column


@BOTH
def test_the_list_of_a_focused_combo_box_shows_all_its_rows(themed: Colours, qtbot: QtBot) -> None:
    box = QComboBox()
    box.addItems([f"Choice {number}" for number in range(5)])
    qtbot.addWidget(box)
    with qtbot.waitActive(box):
        box.show()
        box.activateWindow()
    box.setFocus()
    assert box.hasFocus()
    box.showPopup()
    view = box.view()
    qtbot.waitUntil(view.isVisible)
    assert view.height() >= sum(view.sizeHintForRow(row) for row in range(box.count()))
    box.hidePopup()
