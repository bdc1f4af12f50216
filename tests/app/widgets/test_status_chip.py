"""A status is a shape, a word and a colour, never cut off, and its word can be read aloud."""

from collections.abc import Callable

import pytest
from PySide6.QtGui import QAccessible, QFont, QFontMetrics, QIcon
from PySide6.QtWidgets import QApplication

from app.look.icons import glyph
from app.look.theme import DARK, LIGHT, Colours, Tone
from app.widgets.chip import Chip, make_chip_icons, measure_chip
from app.widgets.signs import Sign, shape_run, sign_run, sign_workflow
from app.words.states import RunState
from scheduler.rules.states import WorkflowState

SIGNS = [*map(sign_workflow, WorkflowState), *map(sign_run, RunState)]


@pytest.mark.parametrize("sign", SIGNS, ids=lambda sign: sign.word)
def test_every_state_has_a_shape_that_exists(sign: Sign, qapp: QApplication) -> None:
    assert not glyph(sign.glyph, 16, "#000000").isNull()
    assert sign.word


def test_no_two_states_of_a_kind_share_a_shape() -> None:
    for signs in (list(map(sign_workflow, WorkflowState)), list(map(sign_run, RunState))):
        assert len({sign.glyph for sign in signs}) == len(signs)


def test_what_needs_a_person_is_never_quiet() -> None:
    assert sign_workflow(WorkflowState.NEEDS_ATTENTION).tone is Tone.ATTENTION
    assert sign_run(RunState.WAITING).tone is Tone.ATTENTION
    assert sign_workflow(WorkflowState.STOPPED).tone is sign_run(RunState.FAILED).tone is Tone.BAD
    assert all(shape_run(state) == (sign_run(state).glyph, sign_run(state).tone) for state in RunState)


@pytest.mark.parametrize("points", [8, 10, 14, 24])
def test_a_chip_is_large_enough_for_its_word(points: int, qapp: QApplication) -> None:
    font = QFont("DejaVu Sans", points)
    for sign in SIGNS:
        size = measure_chip(sign, font)
        metrics = QFontMetrics(font)
        assert size.width() >= metrics.horizontalAdvance(sign.word) + 12 + 8
        assert size.height() >= metrics.height()


def test_a_chip_takes_the_room_of_its_word_and_not_more(shown: Callable[..., None]) -> None:
    chip = Chip(sign_workflow(WorkflowState.IDLE))
    shown(chip)
    assert chip.size() == measure_chip(chip.sign, chip.font())
    before = chip.width()
    chip.set_sign(sign_workflow(WorkflowState.NEEDS_ATTENTION), "It waits for you.")
    assert chip.sizeHint().width() > before
    assert chip.toolTip() == "It waits for you."


def test_the_word_can_be_read_aloud(shown: Callable[..., None]) -> None:
    chip = Chip(sign_workflow(WorkflowState.NEEDS_ATTENTION))
    shown(chip)
    interface = QAccessible.queryAccessibleInterface(chip)
    assert interface.text(QAccessible.Text.Name) == "Needs attention"


def test_a_chip_is_drawn_in_its_tone(shown: Callable[..., None], colours: Colours, picture: type) -> None:
    chip = Chip(sign_workflow(WorkflowState.STOPPED))
    shown(chip)
    ink = colours.tones[Tone.BAD]
    drawn = picture(chip)
    assert drawn.colour(chip.width() / 2, 1).name() == ink.soft
    assert drawn.count(ink.text) > 40, "the shape is filled with the tone's ink"
    chip.set_sign(sign_workflow(WorkflowState.IDLE))
    chip.adjustSize()
    assert picture(chip).count(ink.text) == 0


def test_icons_of_chips_have_one_size_and_are_not_tinted_when_chosen(qapp: QApplication) -> None:
    signs, font = [sign_run(state) for state in RunState], QFont("DejaVu Sans", 10)
    icons = make_chip_icons(signs, font, LIGHT)
    [size] = {icon.availableSizes()[0].toTuple() for icon in icons}
    assert size[0] == max(measure_chip(sign, font).width() for sign in signs)
    for icon in icons:
        plain, chosen = (icon.pixmap(*size, mode).toImage() for mode in (QIcon.Mode.Normal, QIcon.Mode.Selected))
        assert plain == chosen and not plain.isNull()
    pictures = [icon.pixmap(*size).toImage() for icon in icons]
    assert all(one != other for place, one in enumerate(pictures) for other in pictures[:place])
    assert make_chip_icons(signs, font, DARK)[0].pixmap(*size).toImage() != pictures[0]
