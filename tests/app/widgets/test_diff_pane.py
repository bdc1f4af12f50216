"""The diff summary of a card: all changes, little else, in the colours of the theme."""

from collections.abc import Callable

import pytest
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.theme.stylesheet import Theme
from app.theme.tokens import Appearance, Tone, colours_of
from app.widgets.details import DetailSection, TextDiff
from app.widgets.details_view import DetailsView
from app.widgets.diff_lines import LineChange, compare_lines, unify
from app.widgets.diff_pane import DiffSummary, collapse_unchanged

OLD = "\n".join(f"line {number}" for number in range(200))
NEW = OLD.replace("line 50\n", "line fifty\n").replace("line 120\n", "").replace("line 180", "line 180\nmore\nand more")


@pytest.fixture
def pane(shown: Callable[..., None]) -> DiffSummary:
    pane = DiffSummary(OLD, NEW)
    shown(pane, 700)
    return pane


def test_every_change_is_shown_and_distant_lines_are_elided() -> None:
    lines = collapse_unchanged(unify(compare_lines(OLD, NEW)))
    changed = [(line.change, line.text) for line in lines if line.change is not LineChange.SAME]
    assert changed == [
        (LineChange.REMOVED, "line 50"),
        (LineChange.ADDED, "line fifty"),
        (LineChange.REMOVED, "line 120"),
        (LineChange.ADDED, "more"),
        (LineChange.ADDED, "and more"),
    ]
    assert len(lines) < 40
    assert [line.text for line in lines if line.number is None] == ["…"] * 4
    assert "line 47" in [line.text for line in lines] and "line 46" not in [line.text for line in lines]


@pytest.mark.parametrize(("old", "new", "number"), [("", "", 0), ("a\nb", "a\nb", 1), ("a", "b", 2), ("", "a\nb", 2)])
def test_short_texts_are_not_elided(old: str, new: str, number: int) -> None:
    assert len(collapse_unchanged(unify(compare_lines(old, new)))) in (number, number + 1)
    assert not any(line.number is None for line in collapse_unchanged(unify(compare_lines(old, new)))) or old == new


def test_its_height_follows_its_lines_up_to_a_limit(qtbot: QtBot) -> None:
    short, tall = DiffSummary("a", "b"), DiffSummary("", OLD)
    for one in (short, tall):
        qtbot.addWidget(one)
    assert short.height() < tall.height() < 600


def test_its_colours_follow_the_theme(pane: DiffSummary, qapp: QApplication) -> None:
    look = Theme(qapp, Appearance.LIGHT)
    backgrounds = []
    for appearance in (Appearance.LIGHT, Appearance.DARK):
        look.set_appearance(appearance)
        qapp.processEvents()
        soft = QColor(colours_of(pane).tones[Tone.GOOD].soft)
        assert soft in [one.format.background().color() for one in pane.extraSelections()]
        backgrounds.append(soft)
    look.set_appearance(Appearance.LIGHT)
    assert backgrounds[0] != backgrounds[1]


def test_direction_overrides_are_escaped(qtbot: QtBot) -> None:
    pane = DiffSummary("a", "a\u202eb")
    qtbot.addWidget(pane)
    assert "⟨202E⟩" in pane.toPlainText()


def test_details_show_a_difference(qtbot: QtBot) -> None:
    view = DetailsView([DetailSection(title="Changes", body=TextDiff(old="a", new="b"))])
    qtbot.addWidget(view)
    pane = view.findChild(DiffSummary)
    assert (pane.toPlainText(), pane.accessibleName()) == ("a\nb", "Changes")
