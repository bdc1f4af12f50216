"""The changes of a text on a card: all of them, little else, in colours that follow the theme."""

from collections.abc import Callable

import pytest
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.look.dressing import Look
from app.look.theme import Appearance, Tone, colours_of
from app.widgets.changes import Changes, shorten
from app.widgets.details import Difference, Section
from app.widgets.details_view import DetailsView
from app.widgets.differences import Change, compare, unify

OLD = "\n".join(f"line {number}" for number in range(200))
NEW = OLD.replace("line 50\n", "line fifty\n").replace("line 120\n", "").replace("line 180", "line 180\nmore\nand more")


@pytest.fixture
def pane(shown: Callable[..., None]) -> Changes:
    pane = Changes(OLD, NEW)
    shown(pane, 700)
    return pane


def test_every_change_is_there_and_what_is_far_from_one_is_dots() -> None:
    lines = shorten(unify(compare(OLD, NEW)))
    changed = [(line.change, line.text) for line in lines if line.change is not Change.SAME]
    assert changed == [
        (Change.REMOVED, "line 50"),
        (Change.ADDED, "line fifty"),
        (Change.REMOVED, "line 120"),
        (Change.ADDED, "more"),
        (Change.ADDED, "and more"),
    ]
    assert len(lines) < 40
    assert [line.text for line in lines if line.number is None] == ["…"] * 4
    assert "line 47" in [line.text for line in lines] and "line 46" not in [line.text for line in lines]


@pytest.mark.parametrize(("old", "new", "number"), [("", "", 0), ("a\nb", "a\nb", 1), ("a", "b", 2), ("", "a\nb", 2)])
def test_short_texts_have_no_dots_around_what_changed(old: str, new: str, number: int) -> None:
    assert len(shorten(unify(compare(old, new)))) in (number, number + 1)
    assert not any(line.number is None for line in shorten(unify(compare(old, new)))) or old == new


def test_it_is_as_tall_as_its_lines_up_to_a_point(qtbot: QtBot) -> None:
    short, tall = Changes("a", "b"), Changes("", OLD)
    for one in (short, tall):
        qtbot.addWidget(one)
    assert short.height() < tall.height() < 600


def test_its_colours_follow_the_theme(pane: Changes, qapp: QApplication) -> None:
    look = Look(qapp, Appearance.LIGHT)
    grounds = []
    for appearance in (Appearance.LIGHT, Appearance.DARK):
        look.choose(appearance)
        qapp.processEvents()
        soft = QColor(colours_of(pane).tones[Tone.GOOD].soft)
        assert soft in [one.format.background().color() for one in pane.extraSelections()]
        grounds.append(soft)
    look.choose(Appearance.LIGHT)
    assert grounds[0] != grounds[1]


def test_what_would_turn_text_around_is_written_out(qtbot: QtBot) -> None:
    pane = Changes("a", "a\u202eb")
    qtbot.addWidget(pane)
    assert "⟨202E⟩" in pane.toPlainText()


def test_details_show_it(qtbot: QtBot) -> None:
    view = DetailsView([Section(title="What changes", body=Difference(old="a", new="b"))])
    qtbot.addWidget(view)
    pane = view.findChild(Changes)
    assert (pane.toPlainText(), pane.accessibleName()) == ("a\nb", "What changes")
