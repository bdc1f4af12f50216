"""The row of a group of requests: whose they are, what they ask, how many, since when, and what can be done."""

from collections import Counter
from collections.abc import Sequence

from PySide6.QtCore import QCoreApplication, QSize, Signal
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QKeySequence
from PySide6.QtWidgets import QFrame, QPushButton, QVBoxLayout, QWidget

from app.i18n.time_text import format_day_and_time, format_number, format_time_range
from app.overview import Overview
from app.requests.call_summary import summarize_call
from app.requests.groups import RequestGroup
from app.requests.labels import sign_request
from app.requests.presentation import summarize_problem, summarize_request
from app.theme.stylesheet import set_style
from app.theme.tokens import Space, TextStyle, make_font
from app.widgets.details_view import make_label
from app.widgets.flow_layout import FlowLayout
from app.widgets.status_chip import StatusChip
from app.widgets.visible_text import escape_invisible
from app.window.feedback import ElidedLabel, make_button
from scheduler.connections.registry import Registry
from scheduler.engine.queries.requests import RequestView
from scheduler.rules.handler_ids import name_in_words
from scheduler.rules.requests import REQUESTS, RequestAction

_NAME_WIDTH = 160
_TEXT_WIDTH = 280
"""Below this the buttons move to the next line."""
_MAX_SENTENCES = 3
"""How many different ones a row says."""
translate = QCoreApplication.translate


class GroupHeader(QFrame):
    opened = Signal()
    """Open or close the group."""
    answer_chosen = Signal(str)
    """An answer to all of them."""

    def __init__(self, group: RequestGroup) -> None:
        super().__init__()
        set_style(self, "surface", "card")
        self.name, self.summary, self.outcome = _Name(), make_label("", "muted"), make_label("")
        self.name.setFont(make_font(TextStyle.STRONG, self.name.font()))
        self.outcome.hide()
        self.toggle = make_button(translate("groups", "Review"))
        self.toggle.clicked.connect(self.opened)
        self.undo = make_button(translate("groups", "Undo"))
        keys = QKeySequence(QKeySequence.StandardKey.Undo).toString(QKeySequence.SequenceFormat.NativeText)
        self.undo.setToolTip(f"{self.undo.text()} ({keys})")
        self.undo.hide()
        self.next = make_button(translate("groups", "Next group"))
        self.next.hide()
        self.bulk: dict[str, QPushButton] = {}
        for answer in list_group_answers(group):
            button = make_button("")
            button.clicked.connect(lambda _=False, answer=answer: self.answer_chosen.emit(answer))
            self.bulk[answer] = button
        self._lay_out(StatusChip(sign_request(group.kind)))

    def show_group(self, group: RequestGroup, overview: Overview, registry: Registry) -> None:
        name = escape_invisible(", ".join(overview.name_of(workflow) for workflow in group.workflows))
        self.name.setText(name)
        self.summary.setText(escape_invisible(describe_group(group, overview, registry)))
        number = len(group.requests)
        for answer, button in self.bulk.items():
            button.setText(_label_all(answer, number))
            button.setVisible(number > 1 and not self.undo.isVisibleTo(self))
        described = f"{name}: {self.summary.text()}"
        self.setAccessibleName(described)
        for button in (self.toggle, *self.bulk.values()):
            button.setAccessibleDescription(described)

    def show_open(self, *, is_open: bool) -> None:
        self.toggle.setText(translate("groups", "Close") if is_open else translate("groups", "Review"))

    def show_pending(self, sentence: str, *, has_next: bool) -> None:
        """An answer is about to be sent and can be undone. `has_next`: there is another group to answer."""
        self._say(sentence, "")
        self.undo.show()
        self.next.setVisible(has_next)
        self.undo.setAccessibleDescription(sentence)
        for button in (self.toggle, *self.bulk.values()):
            button.hide()

    def show_sent(self) -> None:
        """It can no longer be undone."""
        self.toggle.show()
        self.undo.hide()

    def show_outcome(self, sentence: str, ink: str = "muted") -> None:
        """The answer was stored, refused or undone; "" says nothing."""
        self._say(sentence, ink)
        self.show_sent()
        self.next.hide()

    def _say(self, sentence: str, ink: str) -> None:
        set_style(self.outcome, "ink", ink)
        self.outcome.setText(sentence)
        self.outcome.setVisible(bool(sentence))
        if sentence:
            QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, sentence))

    def _lay_out(self, chip: StatusChip) -> None:
        first_line = FlowLayout()
        first_line.addWidget(chip)
        first_line.add_expanding(self.name)
        texts = _Texts()
        lines = QVBoxLayout(texts)
        lines.setContentsMargins(0, 0, 0, 0)
        lines.setSpacing(Space.TIGHT)
        lines.addLayout(first_line)
        lines.addWidget(self.summary)
        lines.addWidget(self.outcome)
        buttons = FlowLayout()
        buttons.add_expanding(texts)
        for widget in (*self.bulk.values(), self.toggle, self.undo, self.next):
            buttons.addWidget(widget)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(Space.LARGE, Space.MEDIUM, Space.MEDIUM, Space.MEDIUM)
        layout.addLayout(buttons)


class _Name(ElidedLabel):
    """Beside the chip, and below it where it would be cut to a few letters."""

    def sizeHint(self) -> QSize:  # noqa: N802  # Qt's name
        hint = super().sizeHint()
        return QSize(min(hint.width(), _NAME_WIDTH), hint.height())


class _Texts(QWidget):
    """Takes the spare width. Only names are cut: the count, the amounts and the recipients are below them."""

    def sizeHint(self) -> QSize:  # noqa: N802  # Qt's name
        return QSize(_TEXT_WIDTH, super().sizeHint().height())


def list_group_answers(group: RequestGroup) -> tuple[str, ...]:
    """What can be answered to all of them without looking at each."""
    is_one_workflow = len(group.workflows) == 1
    actions = REQUESTS[group.kind].actions if REQUESTS[group.kind].can_be_dismissed and is_one_workflow else ()
    return tuple(one.value for one in (RequestAction.RETRY, RequestAction.DISMISS) if one in actions)


def describe_group(group: RequestGroup, overview: Overview, registry: Registry) -> str:
    """How many, since when, and what they ask."""
    number, since = len(group.requests), _since(group, overview)
    if number == 1:
        return f"{since} · {summarize_problem(group.requests[0], overview)}"
    workflows = len(group.workflows)
    if workflows > 1:
        words = translate("groups", "{number} requests of {workflows} workflows")
        if number == workflows:
            words = translate("groups", "{workflows} workflows")
        count = words.format(number=format_number(number), workflows=format_number(workflows))
        return " · ".join((count, since, *([_describe_all(group, overview, registry)] if group.is_table else ())))
    count = translate("groups", "{number} requests").format(number=format_number(number))
    return " · ".join((count, since, _describe_all(group, overview, registry)))


def _describe_all(group: RequestGroup, overview: Overview, registry: Registry) -> str:
    if group.is_table:
        return _join_sentences([_find_headline(one, overview, registry) for one in group.requests])
    handlers = dict.fromkeys(
        name_in_words(one.failed_run.handler) for one in group.requests if one.failed_run is not None
    )
    return ", ".join(handlers) or _join_sentences([summarize_request(one, overview) for one in group.requests])


def _find_headline(one: RequestView, overview: Overview, registry: Registry) -> str:
    summary = overview.summaries.get(one.id)
    return (summary or summarize_call(one.call, registry)).headline


def _join_sentences(sentences: Sequence[str]) -> str:
    """Each with how often it is there; of many different ones only some, but never one that stands for others."""
    counts = Counter(sentences)
    if len(counts) == 1:
        return sentences[0]
    if len(counts) == len(sentences):
        shown, said = 1, sentences[0]
    else:
        most = [one for one in counts.most_common(_MAX_SENTENCES) if len(counts) <= _MAX_SENTENCES or one[1] > 1]
        shown = sum(number for _, number in most)
        said = ", ".join(f"{sentence} ({format_number(number)})" for sentence, number in most)
    rest = len(sentences) - shown
    if not rest:
        return said
    more = (
        translate("groups", "{said}, and {number} others") if rest > 1 else translate("groups", "{said}, and 1 other")
    )
    return more.format(said=said, number=format_number(rest))


def _since(group: RequestGroup, overview: Overview) -> str:
    oldest, newest = (at.replace(second=0, microsecond=0) for at in (group.oldest, group.newest))
    if oldest == newest:
        return format_day_and_time(oldest, overview.zone, overview.now)
    return format_time_range(oldest, newest, overview.zone, overview.now)


def _label_all(answer: str, number: int) -> str:
    if answer == RequestAction.RETRY:
        return translate("groups", "Run all {number} again").format(number=number)
    return translate("groups", "Dismiss all {number}").format(number=number)
