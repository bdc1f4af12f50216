"""A status is a glyph, a word and a colour, never cut off, and readable by screen readers."""

from collections.abc import Callable

import pytest
from PySide6.QtGui import QAccessible, QFont, QFontMetrics, QIcon
from PySide6.QtWidgets import QApplication

from app.i18n.state_labels import RunState
from app.theme.icons import draw_glyph
from app.theme.tokens import DARK, LIGHT, Colours, Tone
from app.widgets.status_chip import StatusChip, chip_size, make_chip_icons
from app.widgets.status_signs import StatusSign, run_glyph_and_tone, run_sign, workflow_sign
from scheduler.rules.workflow_state import WorkflowState

SIGNS = [*map(workflow_sign, WorkflowState), *map(run_sign, RunState)]


@pytest.mark.parametrize("sign", SIGNS, ids=lambda sign: sign.word)
def test_every_state_has_a_glyph(sign: StatusSign, qapp: QApplication) -> None:
    assert not draw_glyph(sign.glyph, 16, "#000000").isNull()
    assert sign.word


def test_no_two_states_share_a_glyph() -> None:
    for signs in (list(map(workflow_sign, WorkflowState)), list(map(run_sign, RunState))):
        assert len({sign.glyph for sign in signs}) == len(signs)


def test_states_that_need_the_user_stand_out() -> None:
    assert workflow_sign(WorkflowState.NEEDS_ATTENTION).tone is Tone.ATTENTION
    assert run_sign(RunState.WAITING).tone is Tone.ATTENTION
    assert workflow_sign(WorkflowState.STOPPED).tone is run_sign(RunState.FAILED).tone is Tone.BAD
    assert all(run_glyph_and_tone(state) == (run_sign(state).glyph, run_sign(state).tone) for state in RunState)


@pytest.mark.parametrize("points", [8, 10, 14, 24])
def test_a_chip_is_large_enough_for_its_word(points: int, qapp: QApplication) -> None:
    font = QFont("DejaVu Sans", points)
    for sign in SIGNS:
        size = chip_size(sign, font)
        metrics = QFontMetrics(font)
        assert size.width() >= metrics.horizontalAdvance(sign.word) + 12 + 8
        assert size.height() >= metrics.height()


def test_a_chip_is_exactly_as_large_as_its_word_needs(shown: Callable[..., None]) -> None:
    chip = StatusChip(workflow_sign(WorkflowState.IDLE))
    shown(chip)
    assert chip.size() == chip_size(chip.sign, chip.font())
    before = chip.width()
    chip.set_sign(workflow_sign(WorkflowState.NEEDS_ATTENTION), "Waiting for you.")
    assert chip.sizeHint().width() > before
    assert chip.toolTip() == "Waiting for you."


def test_a_screen_reader_reads_the_word(shown: Callable[..., None]) -> None:
    chip = StatusChip(workflow_sign(WorkflowState.NEEDS_ATTENTION))
    shown(chip)
    interface = QAccessible.queryAccessibleInterface(chip)
    assert interface.text(QAccessible.Text.Name) == "Needs attention"


def test_a_chip_is_drawn_in_its_tone(shown: Callable[..., None], colours: Colours, picture: type) -> None:
    chip = StatusChip(workflow_sign(WorkflowState.STOPPED))
    shown(chip)
    ink = colours.tones[Tone.BAD]
    drawn = picture(chip)
    assert drawn.colour(chip.width() / 2, 1).name() == ink.soft
    assert drawn.count(ink.text) > 40, "the glyph has the tone's colour"
    chip.set_sign(workflow_sign(WorkflowState.IDLE))
    chip.adjustSize()
    assert picture(chip).count(ink.text) == 0


def test_chip_icons_have_one_size_and_are_not_tinted_when_selected(qapp: QApplication) -> None:
    signs, font = [run_sign(state) for state in RunState], QFont("DejaVu Sans", 10)
    icons = make_chip_icons(signs, font, LIGHT)
    [size] = {icon.availableSizes()[0].toTuple() for icon in icons}
    assert size[0] == max(chip_size(sign, font).width() for sign in signs)
    for icon in icons:
        plain, chosen = (icon.pixmap(*size, mode).toImage() for mode in (QIcon.Mode.Normal, QIcon.Mode.Selected))
        assert plain == chosen and not plain.isNull()
    pictures = [icon.pixmap(*size).toImage() for icon in icons]
    assert all(one != other for place, one in enumerate(pictures) for other in pictures[:place])
    assert make_chip_icons(signs, font, DARK)[0].pixmap(*size).toImage() != pictures[0]
