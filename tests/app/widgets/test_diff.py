"""The diff view: aligned, numbered, with a sign at each change, side by side and unified."""

from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QLabel, QPushButton
from pytestqt.qtbot import QtBot

from app.theme.tokens import Colours, Tone, blend
from app.widgets.diff import DiffView
from app.widgets.diff_lines import LineChange

OLD = "\n".join(f"line {number}" for number in range(200))
NEW = OLD.replace("line 50\n", "line fifty\n").replace("line 120\n", "").replace("line 180", "line 180\nmore\nand more")


@pytest.fixture
def diff(shown: Callable[..., None]) -> DiffView:
    diff = DiffView()
    diff.set_texts(OLD, NEW, old_title="Version 1", new_title="Version 2")
    shown(diff, 900, 400)
    return diff


def test_both_panes_have_the_same_number_of_rows(diff: DiffView) -> None:
    assert diff.old.blockCount() == diff.new.blockCount() == len(diff.rows)


def test_an_added_line_faces_an_empty_line_without_a_number(diff: DiffView) -> None:
    place = next(place for place, row in enumerate(diff.rows) if row.change is LineChange.ADDED)
    assert diff.new.lines[place].text == "more"
    assert (diff.old.lines[place].text, diff.old.lines[place].number) == ("", None)


def test_the_panes_scroll_together(diff: DiffView) -> None:
    diff.old.verticalScrollBar().setValue(77)
    assert diff.new.verticalScrollBar().value() == 77
    diff.new.verticalScrollBar().setValue(5)
    assert diff.old.verticalScrollBar().value() == 5


def test_keys_move_between_changes_and_wrap_around(qtbot: QtBot, diff: DiffView) -> None:
    places = []
    for _ in range(4):
        with qtbot.waitSignal(diff.next.clicked, timeout=30_000):
            qtbot.keyClick(diff, Qt.Key.Key_F7)
        places.append(diff.new.textCursor().blockNumber())
    assert places == [50, 120, 181, 50]
    with qtbot.waitSignal(diff.previous.clicked, timeout=30_000):
        qtbot.keyClick(diff, Qt.Key.Key_F7, Qt.KeyboardModifier.ShiftModifier)
    assert diff.old.textCursor().blockNumber() == 181


def test_the_first_step_back_goes_to_the_last_change(qtbot: QtBot, diff: DiffView) -> None:
    qtbot.mouseClick(diff.previous, Qt.MouseButton.LeftButton)
    assert diff.new.textCursor().blockNumber() == 181


def test_unified_shows_one_pane_with_both_texts(qtbot: QtBot, diff: DiffView) -> None:
    with qtbot.waitSignal(diff.side_by_side.clicked, timeout=30_000):
        qtbot.keyClick(diff, Qt.Key.Key_F8)
    assert diff.unified.isVisible()
    assert not diff.old.isVisible()
    assert [line.change for line in diff.unified.lines[50:52]] == [LineChange.REMOVED, LineChange.ADDED]
    qtbot.mouseClick(diff.next, Qt.MouseButton.LeftButton)
    assert diff.unified.textCursor().blockNumber() == 50


def test_the_summary_counts_changed_lines(diff: DiffView) -> None:
    labels = [label.text() for label in diff.findChildren(QLabel)]
    assert "3 lines added, 2 removed" in labels
    assert {"Version 1", "Version 2"} <= set(labels)


def test_equal_texts_have_no_differences(diff: DiffView) -> None:
    diff.set_texts("a", "a")
    assert "No differences" in [label.text() for label in diff.findChildren(QLabel)]
    assert not diff.next.isEnabled()


def test_panes_are_read_only_but_can_be_copied(qtbot: QtBot, diff: DiffView) -> None:
    diff.new.setFocus()
    qtbot.keyClicks(diff.new, "x")
    assert diff.new.toPlainText().startswith("line 0\n")
    qtbot.keyClick(diff.new, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    assert "and more" in diff.new.textCursor().selectedText()


def test_tab_leaves_a_pane(qtbot: QtBot, diff: DiffView) -> None:
    diff.old.setFocus()
    qtbot.keyClick(diff.old, Qt.Key.Key_Tab)
    assert diff.new.hasFocus()


def test_hidden_characters_in_a_script_are_escaped(diff: DiffView) -> None:
    """Direction overrides can make code look harmless."""
    diff.set_texts("ok = 1", "ok = 1 \u202e# safe")
    assert "\u202e" not in diff.new.toPlainText()
    assert "⟨202E⟩" in diff.new.toPlainText()


def test_every_control_has_a_name_and_shows_its_shortcut(diff: DiffView) -> None:
    assert [pane.accessibleName() for pane in (diff.old, diff.new, diff.unified)] == [
        *("Before", "After", "Before and after")
    ]
    for button in diff.findChildren(QPushButton):
        assert button.text()
        assert "F7" in button.toolTip() or "F8" in button.toolTip()


def test_changed_lines_and_words_have_coloured_backgrounds(diff: DiffView, colours: Colours, picture: type) -> None:
    diff.set_texts("same\nthe old word here", "same\nthe new word here")
    before, after = picture(diff.old), picture(diff.new)
    good, bad = colours.tones[Tone.GOOD], colours.tones[Tone.BAD]
    strong = blend(good.text, good.soft, 0.25).name()
    assert before.count(bad.soft) > 1000
    assert before.count(good.soft) == 0
    assert after.count(good.soft) > 1000
    assert 100 < after.count(strong) < after.count(good.soft)
    assert contrast(QColor(colours.text), QColor(strong)) > 4.5


def contrast(one: QColor, other: QColor) -> float:
    def luminance(colour: QColor) -> float:
        parts = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in colour.getRgbF()[:3]]  # type: ignore[index]
        return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]

    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def test_the_gutter_has_room_for_the_largest_number(diff: DiffView) -> None:
    diff.set_texts("x\n" * 1_234, "")
    needed = diff.old.fontMetrics().horizontalAdvance("1235+")
    assert diff.old.gutter_width() > needed
    assert diff.old.viewport().x() >= diff.old.gutter_width()


def test_each_change_has_a_sign(diff: DiffView, colours: Colours, picture: type) -> None:
    """Changes are visible without colours."""
    diff.set_texts("one old line", "one new line")
    gutter = diff.new._gutter
    with_sign = picture(gutter).image
    diff.set_texts("one new line", "one new line")
    without = picture(gutter).image
    width = gutter.width()
    sign = range(width - gutter.fontMetrics().horizontalAdvance("+") - 10, width)
    column = [with_sign.pixelColor(x, y) for x in sign for y in range(20)]
    assert all(without.pixelColor(x, y).name() == colours.surface for x in sign for y in range(20))
    assert any(colour.name() != colours.surface for colour in column)


def test_a_first_version_is_shown_without_changes(diff: DiffView) -> None:
    diff.set_texts("", "import dayhand\n\nflow = 1")
    assert {line.change for line in diff.new.lines} == {LineChange.SAME}
    assert not diff.old.isVisible() and not diff.next.isVisible() and not diff.side_by_side.isVisible()
    assert "3 lines" in [one.text() for one in diff.findChildren(QLabel)]
    diff.set_texts("a", "b")
    assert diff.old.isVisible() and diff.next.isVisible()


def test_a_narrow_view_is_unified_and_does_not_cover_the_buttons(qtbot: QtBot, diff: DiffView) -> None:
    diff.set_texts("a", "b")
    diff.resize(300, 240)
    assert diff.unified.isVisible() and not diff.old.isVisible() and not diff.side_by_side.isVisible()
    qtbot.waitUntil(lambda: diff.next.mapTo(diff, diff.next.rect().bottomLeft()).y() < diff.unified.y())
    diff.next.click()
    diff.resize(900, 240)
    assert diff.old.isVisible() and diff.new.isVisible() and diff.side_by_side.isVisible()
