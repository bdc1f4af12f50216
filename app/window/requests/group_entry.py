"""One group of requests on a page: as the card that a single request is, or as a row that opens a table or cards."""

from collections.abc import Callable, Sequence
from enum import StrEnum
from typing import Any

from PySide6.QtCore import QCoreApplication, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.i18n.translate import translate_text
from app.overview import Overview
from app.requests.groups import RequestGroup
from app.session import Session
from app.theme.tokens import Space
from app.widgets.details_view import make_label
from app.window import request_cards
from app.window.attention.filters import make_kind_subject
from app.window.feedback import describe_error
from app.window.request_cards import RequestCards
from app.window.requests.approval_table import ApprovalTable
from app.window.requests.delayed_answers import DelayedAnswer, DelayedAnswers
from app.window.requests.group_header import GroupHeader
from scheduler.engine.queries.requests import RequestView

MAX_CARDS_PER_GROUP = 10
_REFUSED_MS = 60_000
"""How long a group stays visible after an answer to one of its requests was refused."""
translate = QCoreApplication.translate


class EntryStyle(StrEnum):
    CARD = "card"
    """The card of its only request."""
    ROW = "row"
    """A row that opens here."""
    LINK = "link"
    """A row that opens on the Attention page."""


class GroupEntry(QWidget):
    open_page = Signal(str, str)
    answered = Signal()
    """An answer was stored."""
    undo_offered = Signal(QWidget)
    """The row with the button, which must be visible as long as it can be pressed."""
    next_chosen = Signal()
    """The user wants to go on with the next group."""
    focus_left = Signal()
    """What had the focus is gone, and nothing else here can have it."""
    opened = Signal(QWidget)
    """What was opened for the user, who must see it."""
    finished = Signal()
    """There is nothing left to show."""

    def __init__(self, session: Session, delayed: DelayedAnswers, group: RequestGroup, style: EntryStyle) -> None:
        super().__init__()
        self._session = session
        self._delayed = delayed
        self._overview: Overview | None = None
        self.group = group
        self.style_ = style
        self.is_pending = False
        self.has_next: Callable[[], bool] = lambda: False
        """Whether there is another group to answer after this one; its owner knows."""
        self._is_gone = False
        self.table: ApprovalTable | None = None
        self.single: RequestCards | None = None
        """Its cards, if it does not have a table."""
        self._rest = make_label("", "muted")
        self._rest.hide()
        self._removal = QTimer(self, singleShot=True)
        self._removal.timeout.connect(self._finish)
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(Space.MEDIUM)
        self.header: GroupHeader | None = None
        if style is not EntryStyle.CARD:
            self.header = GroupHeader(group)
            self.header.opened.connect(self._open_or_close)
            self.header.answer_chosen.connect(lambda answer: self._answer(answer, self.group.requests))
            self.header.undo.clicked.connect(delayed.undo)
            self.header.next.clicked.connect(self.next_chosen)
            self._layout.addWidget(self.header)

    @property
    def holders(self) -> tuple[RequestCards, ...]:
        """What holds its cards."""
        in_table = None if self.table is None else self.table.cards
        return tuple(one for one in (self.single, in_table) if one is not None)

    @property
    def can_be_answered_together(self) -> bool:
        return self.style_ is EntryStyle.ROW and self.group.is_table and not self.is_pending and not self._is_gone

    @property
    def is_open(self) -> bool:
        body = self.table or self.single
        return body is not None and not body.isHidden()

    def show_group(self, group: RequestGroup | None, overview: Overview) -> None:
        """None: all its requests are answered, here or elsewhere."""
        self._overview = overview
        self._is_gone = group is None
        if group is None:
            self._show_gone(overview)
            return
        self._removal.stop()
        self.group = group
        if self.header is not None:
            self.header.show_group(group, overview, self._session.registry)
        else:
            self._show_body()
        if self.is_open:
            self._show_body()

    def open(self) -> None:
        self._show_body()
        body = self.table or self.single
        if body is not None:
            body.show()
        if self.header is not None:
            self.header.show_open(is_open=True)

    def focus_request(self, request: str) -> bool:
        """Open it and focus that request; False if it is not here."""
        if all(one.id != request for one in self.group.requests):
            return False
        if self.style_ is EntryStyle.ROW and not self.is_open:
            self.open()
        if self.table is not None:
            return self.table.focus_request(request)
        return self.single is not None and self.single.focus(request)

    def focus_first(self) -> bool:
        """Focus the first thing that can be answered; False if there is none."""
        if self._is_gone:
            return False
        if self.table is not None and self.is_open and not self.is_pending:
            self.table.view.setFocus()
        elif self.header is not None:
            (self.header.undo if self.is_pending else self.header.toggle).setFocus()
        elif self.single is not None and (card := self.single.first_open()) is not None:
            card.setFocus()
        else:
            return False
        return True

    def _answer(self, answer: str, requests: Sequence[RequestView]) -> None:
        """Show them as answered, and send the answer when it can no longer be undone."""
        seen = [{"request": one.id, "call_hash": one.call_hash, "run": one.run} for one in requests]
        self._delayed.start(
            DelayedAnswer(
                verb="answer_each",
                arguments={"answer": answer, "requests": seen},
                owner=self,
                sent=self._show_sent,
                undone=lambda: self._end_pending(translate("groups", "Nothing was sent.")),
                done=lambda given: self._show_results(answer, requests, given["results"]),
                failed=self._show_error,
            )
        )
        has_focus = self._contains_focus()
        self.is_pending = True
        if self.table is not None:
            self.table.lock(on=True)
        if self.header is not None:
            self.header.show_pending(_describe_results(answer, len(requests), ()), has_next=self.has_next())
            if has_focus:
                (self.header.next if self.has_next() else self.header.undo).setFocus()
            self.undo_offered.emit(self.header)

    def _show_sent(self) -> None:
        if self.header is not None:
            has_focus = self.header.undo.hasFocus()
            self.header.show_sent()
            if has_focus:
                self.header.toggle.setFocus()

    def _show_error(self, error: Exception) -> None:
        self._delayed.refused.emit(f"{self._name_table()}: {describe_error(error)}")
        self._end_pending(describe_error(error), "bad")

    def _show_results(self, answer: str, requests: Sequence[RequestView], results: Sequence[dict[str, Any]]) -> None:
        """What became of each answer; those that were refused stay in the table with the reason."""
        outcomes = {}
        for one in results:
            if "error" in one:
                outcomes[one["request"]] = translate_text(one["error"]["message"])
            elif one["is_repeated"]:
                outcomes[one["request"]] = translate_text(one["before"])
        sentence = _describe_results(answer, len(results) - len(outcomes), tuple(outcomes.values()))
        if self.table is not None:
            self.table.show_outcomes(outcomes, {one.id: one for one in requests if one.id in outcomes})
        if outcomes:
            self._delayed.refused.emit(f"{self._name_table()}: {sentence}")
        self._end_pending(sentence, "bad" if outcomes else "muted")
        self._removal.setInterval(_REFUSED_MS if outcomes else request_cards.ANSWERED_CARD_MS)
        if self._is_gone:
            self._removal.start()
        self.answered.emit()

    def _end_pending(self, sentence: str, ink: str = "muted") -> None:
        self.is_pending = False
        had_focus = self._contains_focus()
        if self.table is not None:
            self.table.lock(on=False)
        if self.header is not None:
            self.header.show_outcome(sentence, ink)
            if self._overview is not None and not self._is_gone:
                self.header.show_group(self.group, self._overview, self._session.registry)
        if had_focus and not self.focus_first():
            self.focus_left.emit()

    def _contains_focus(self) -> bool:
        focused = self.window().focusWidget()
        return focused is not None and self.isAncestorOf(focused)

    def _show_gone(self, overview: Overview) -> None:
        if self.is_pending:
            return
        if self.single is not None and self.single.cards and self.is_open:
            self.single.show_requests(overview, ())
        elif self.header is not None and (self.is_open or self.header.outcome.text()):
            if not self.header.outcome.text():
                self.header.show_outcome(translate("groups", "Answered elsewhere, or no longer needed."))
                self._removal.setInterval(request_cards.ANSWERED_CARD_MS)
            if self.table is not None:
                self.table.show_requests(overview, ())
            if self._contains_focus():
                self.focus_left.emit()
            if not self._removal.isActive():
                self._removal.start()
        else:
            self._finish()

    def _finish(self) -> None:
        if self._contains_focus():
            self.focus_left.emit()
        self.finished.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802  # Qt's name
        """Escape closes what was opened."""
        if event.key() == Qt.Key.Key_Escape and self.header is not None and self.is_open:
            self._open_or_close()
            self.focus_first()
        else:
            super().keyPressEvent(event)

    def _open_or_close(self) -> None:
        if self.style_ is EntryStyle.LINK:
            is_of_one_workflow = len(self.group.workflows) == 1
            first = self.group.requests[0]
            self.open_page.emit("attention", first.id if is_of_one_workflow else make_kind_subject(first.kind))
        elif self.is_open:
            for body in (self.table, self.single):
                if body is not None:
                    body.hide()
            self._rest.hide()
            if self.header is not None:
                self.header.show_open(is_open=False)
        else:
            self.open()
            self.focus_first()
            self.opened.emit(self)

    def _show_body(self) -> None:
        """Created when it is first needed, and not exchanged while it is open."""
        assert self._overview is not None
        if self.table is None and self.single is None:
            self._make_body()
        shown = self.group.requests[:MAX_CARDS_PER_GROUP]
        if self.table is not None:
            self.table.show_requests(self._overview, self.group.requests)
        elif self.single is not None:
            self.single.show_requests(self._overview, shown)
            more = translate("groups", "{number} more appear when these are answered.")
            self._rest.setText(more.format(number=len(self.group.requests) - len(shown)))
            self._rest.setVisible(len(self.group.requests) > len(shown))

    def _make_body(self) -> None:
        assert self._overview is not None
        if self.group.is_table and self.style_ is not EntryStyle.CARD:
            self.table = ApprovalTable(self._session, self._delayed, self._name_table())
            self.table.answer_chosen.connect(self._answer)
            self.table.card_opened.connect(self.opened)
            self._layout.addWidget(self.table)
        else:
            self.single = RequestCards(self._session, self._delayed)
            self.single.emptied.connect(self._on_emptied)
            self._layout.addWidget(self.single)
            self._layout.addWidget(self._rest)
        for holder in self.holders:
            holder.open_page.connect(self.open_page)
            holder.answered.connect(self._on_card_answered)
            holder.focus_left.connect(self._on_focus_left)

    def _name_table(self) -> str:
        """Of all workflows, or of one."""
        assert self._overview is not None
        return ", ".join(self._overview.name_of(one) for one in self.group.workflows)

    def _on_card_answered(self) -> None:
        if self.header is not None and not self.is_pending:
            self.header.show_outcome("")  # of an earlier answer
        self.answered.emit()

    def _on_emptied(self) -> None:
        if self._is_gone:
            self._finish()

    def _on_focus_left(self) -> None:
        if self.table is not None and self.table.model.rowCount() > 1:
            self.table.view.setFocus()
        else:
            self.focus_left.emit()


def _describe_results(answer: str, done: int, refusals: Sequence[str]) -> str:
    said = {
        "approve": translate("groups", "{number} approved."),
        "reject": translate("groups", "{number} rejected."),
        "retry": translate("groups", "{number} running again."),
        "dismiss": translate("groups", "{number} dismissed."),
    }[answer].format(number=done)
    if not refusals:
        return said
    missed = translate("groups", "{number} could not be answered: {reason}")
    return f"{said} {missed.format(number=len(refusals), reason=refusals[0])}"
