"""Rules for every widget: controls have names, texts can be translated, nothing is cut off."""

import re
import subprocess
import sysconfig
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from xml.etree import ElementTree as ET
from zoneinfo import ZoneInfo

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, Qt, QTranslator
from PySide6.QtGui import QAccessible, QFont
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractScrollArea,
    QApplication,
    QComboBox,
    QLabel,
    QLineEdit,
    QWidget,
)

import app.widgets
from app.i18n.state_labels import RunState
from app.theme.stylesheet import Theme
from app.theme.tokens import Appearance, Colours, Tone
from app.widgets.details import make_sections
from app.widgets.diff import DiffView
from app.widgets.empty_state import EmptyState
from app.widgets.log_view import LogView
from app.widgets.outcome_strip import OutcomeStrip
from app.widgets.request_card import ButtonImportance, CardAction, CardContent, RequestCard
from app.widgets.schedule_editor import ScheduleEditor
from app.widgets.search_field import SearchField
from app.widgets.snackbar import Snackbar
from app.widgets.status_chip import StatusChip
from app.widgets.status_signs import workflow_sign
from app.widgets.timeline import Timeline
from app.widgets.timeline_layout import TimelineBar, TimelineLane
from scheduler.rules.workflow_state import WorkflowState

PLACEHOLDERS = re.compile(r"\{\w+\}|%N")
NOW = datetime(2026, 11, 16, 12, 0, tzinfo=UTC)


def make_card() -> RequestCard:
    return RequestCard(
        CardContent(
            id="1",
            sign=workflow_sign(WorkflowState.NEEDS_ATTENTION),
            title="Receipts",
            when="asked 3 min ago",
            sentence="Add 3 receipts to Expenses",
            details=make_sections(
                {"table": "expenses", "body": "x\n" * 40, "rows": [{"shop": "Bakery", "amount": 4.5}]}
            ),
            actions=(
                CardAction(id="approve", label="Approve", shortcut="Ctrl+Return", importance=ButtonImportance.PRIMARY),
                CardAction(id="reject", label="Reject"),
            ),
        )
    )


def make_diff() -> DiffView:
    diff = DiffView()
    diff.set_texts("one\ntwo words", "one\ntwo other words", old_title="Version 1", new_title="Version 2")
    return diff


def make_editor(written: dict[str, str]) -> ScheduleEditor:
    editor = ScheduleEditor()
    editor.set_schedule(written, machine_zone="Europe/Berlin", now=NOW)
    return editor


def make_timeline() -> Timeline:
    timeline = Timeline()
    bars = [TimelineBar(id="a", lane="w", start=NOW - timedelta(hours=2), end=NOW, state=RunState.DONE, text="Filed 3")]
    timeline.set_day([TimelineLane(id="w", title="Receipts")], bars, zone=ZoneInfo("UTC"), now=NOW)
    return timeline


def make_toast() -> QWidget:
    window = QWidget()
    window.resize(500, 200)
    Snackbar(window).show_message("Skipped the next run.", Tone.GOOD, action="Undo")
    return window


def make_log() -> LogView:
    log = LogView(ZoneInfo("UTC"))
    log.append("Looked at 3 receipts\nAdded 2 rows\n")
    return log


MAKERS: dict[str, Callable[[], QWidget]] = {
    "card": make_card,
    "chip": lambda: StatusChip(workflow_sign(WorkflowState.IDLE)),
    "diff": make_diff,
    "weekly": lambda: make_editor({"cron": "0 9 * * 1-5"}),
    "monthly": lambda: make_editor({"cron": "0 9 L * *"}),
    "every": lambda: make_editor({"every": "5m"}),
    "cron": lambda: make_editor({"cron": "0 0 13 * 5"}),
    "as it is": lambda: make_editor({"once": "2026-12-24T18:00"}),
    "empty": lambda: EmptyState("workflow", "No workflows yet", "Drop a file here.", action="New", shortcut="Ctrl+N"),
    "log": make_log,
    "search": lambda: SearchField("Search the history"),
    "strip": lambda: OutcomeStrip([RunState.DONE, RunState.FAILED]),
    "timeline": make_timeline,
    "toast": make_toast,
}
EACH = pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)


def controls(widget: QWidget) -> Iterator[QWidget]:
    """Widgets that the Tab key reaches."""
    for child in [widget, *widget.findChildren(QWidget)]:
        is_part = child.objectName().startswith("qt_")
        if child.isVisible() and child.focusPolicy() & Qt.FocusPolicy.TabFocus and not is_part:
            yield child


@EACH
def test_every_control_has_a_name(make: Callable[[], QWidget], shown: Callable[..., None]) -> None:
    widget = make()
    shown(widget)
    for control in controls(widget):
        interface = QAccessible.queryAccessibleInterface(control)
        assert interface.text(QAccessible.Text.Name), control


@EACH
def test_every_control_can_be_reached_with_the_tab_key(make: Callable[[], QWidget], shown: Callable[..., None]) -> None:
    widget = make()
    shown(widget)
    for kind in (QAbstractButton, QComboBox, QLineEdit):
        for child in widget.findChildren(kind):  # type: ignore[type-abstract]
            inside = isinstance(child.parent(), QLineEdit | QComboBox) or child.objectName().startswith("qt_")
            if child.isVisible() and not inside:
                assert child.focusPolicy() & Qt.FocusPolicy.TabFocus, child


@EACH
@pytest.mark.parametrize("points", [9, 18])
def test_no_text_is_cut_off(
    make: Callable[[], QWidget], points: int, shown: Callable[..., None], colours: Colours, qapp: QApplication
) -> None:
    font = QFont(qapp.font())
    font.setPointSizeF(points)
    qapp.setFont(font)
    widget = make()
    shown(widget, max(widget.sizeHint().width(), widget.width(), 700), max(widget.sizeHint().height(), 300))
    for label in widget.findChildren(QLabel):
        if label.isVisible() and label.text() and label.wordWrap():
            assert label.height() >= label.heightForWidth(label.width()), label.text()
        elif label.isVisible() and label.text():
            assert label.width() >= label.minimumSizeHint().width(), label.text()
            assert label.height() >= label.fontMetrics().height(), label.text()
    for button in widget.findChildren(QAbstractButton):
        if button.isVisible() and button.text():
            assert button.width() >= button.fontMetrics().horizontalAdvance(button.text()) + 8, button.text()
            assert button.height() >= button.fontMetrics().height(), button.text()


@EACH
def test_a_shown_widget_follows_a_theme_change(
    make: Callable[[], QWidget], shown: Callable[..., None], qapp: QApplication, colours: Colours, picture: type
) -> None:
    """No colour of the old theme is left."""
    widget = make()
    shown(widget, 700, 300)
    other = Theme(qapp, Appearance.LIGHT if colours.is_dark else Appearance.DARK)
    fresh = make()
    shown(fresh, 700, 300)
    for one in (widget, fresh):
        one.setFocus()
        QApplication.sendEvent(one, QEvent(QEvent.Type.WindowDeactivate))
    after_change = picture(widget)
    for name in ("surface", "muted", "accent"):
        if getattr(colours, name) != getattr(other.colours, name):
            assert after_change.count(getattr(colours, name)) == picture(fresh).count(getattr(colours, name)), name
    other.deleteLater()


class CapitalsTranslator(QTranslator):
    """A fake language: every translated text is in capitals."""

    def translate(self, context: str, text: str, comment: str | None = None, n: int = -1) -> str:  # type: ignore[override]
        return "" if context.startswith("Q") else PLACEHOLDERS.sub(lambda match: match[0].lower(), text.upper())

    def isEmpty(self) -> bool:  # noqa: N802  # Qt's name
        return False


@pytest.fixture
def capitals(qapp: QApplication) -> Iterator[None]:
    translator = CapitalsTranslator()
    QCoreApplication.installTranslator(translator)
    yield
    QCoreApplication.removeTranslator(translator)


def test_the_texts_of_the_schedule_editor_are_translated(shown: Callable[..., None], capitals: None) -> None:
    editor = make_editor({"once": "2026-12-24T18:00"})
    shown(editor)
    picker = editor.picker
    kinds = [picker.kind.itemText(index) for index in range(picker.kind.count())]
    units = [picker.unit.itemText(index) for index in range(picker.unit.count())]
    for text in (*kinds, *units, picker.day.itemText(31), picker.number.accessibleName()):
        assert text == text.upper()


def test_the_texts_of_a_diff_are_translated(shown: Callable[..., None], capitals: None) -> None:
    diff = DiffView()
    shown(diff)
    for text in (diff.next.text(), diff.previous.text(), diff.side_by_side.text(), diff.old.accessibleName()):
        assert text == text.upper()


def test_lupdate_finds_the_texts_of_every_widget(tmp_path: Path) -> None:
    """With the class as their context."""
    folder = Path(str(app.widgets.__file__)).parent
    collected = tmp_path / "texts.ts"
    lupdate = Path(sysconfig.get_path("scripts")) / "pyside6-lupdate"
    subprocess.run([lupdate, *sorted(folder.glob("*.py")), "-ts", collected], check=True, capture_output=True)
    texts = {
        (context.findtext("name"), message.findtext("source"))
        for context in ET.parse(collected).getroot().iter("context")
        for message in context.iter("message")
    }
    assert {
        ("SchedulePicker", "At intervals"),
        ("ScheduleEditor", "No upcoming runs."),
        ("DiffView", "Next change"),
        ("Timeline", "Timeline of the day"),
        ("details", "(empty)"),
        ("timeline", "Took {span}"),
    } <= texts


def test_a_card_shows_no_needless_scroll_bar(shown: Callable[..., None]) -> None:
    card = make_card()
    shown(card, 900, card.sizeHint().height())
    tables = [area for area in card.findChildren(QAbstractScrollArea) if area.accessibleName().startswith("Rows")]
    assert tables
    assert all(area.verticalScrollBar().maximum() == area.horizontalScrollBar().maximum() == 0 for area in tables)
