"""Open requests as cards. Answers are sent as commands; answered cards disappear after a moment."""

from collections.abc import Callable, Sequence
from datetime import date
from functools import partial

from PySide6.QtCore import QSize, QTimer, Signal
from PySide6.QtGui import QFontDatabase, QHideEvent
from PySide6.QtWidgets import QDialog, QHBoxLayout, QPlainTextEdit, QVBoxLayout, QWidget
from shiboken6 import isValid

from app.background import BackgroundTasks, run_command
from app.i18n.translate import translate_text
from app.overview import Overview
from app.requests.actions import EDIT, OPEN, RECONNECT, SEND, SENT, SHOW_LOG, OfferedAction, find_action
from app.requests.groups import count_others_in_scope
from app.requests.presentation import make_card
from app.session import Session
from app.theme.tokens import Space
from app.widgets.details_view import make_label
from app.widgets.fit_to_screen import fit_to_screen
from app.widgets.request_card import RequestCard
from app.widgets.visible_text import escape_invisible
from app.window.external_editor import open_in_editor
from app.window.feedback import describe_error, make_button, make_heading
from app.window.requests.delayed_answers import DelayedAnswer, DelayedAnswers
from scheduler.engine.errors import RefusedError
from scheduler.engine.queries.requests import RequestView


class FixerTextDialog(QDialog):
    """Shows the exact text for the fixer; with `asks`, accepting it means to send it."""

    def __init__(self, text: str, parent: QWidget | None = None, *, asks: bool = False) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("What will be sent") if asks else self.tr("What was sent"))
        fit_to_screen(self, QSize(940, 600))  # its lines are long
        was_sent = self.tr("This is everything that was sent to the fixer. Passwords and mail text were removed.")
        will_be_sent = self.tr(
            "This is everything that will be sent to the fixer. Passwords and mail text are removed."
        )
        self.text = QPlainTextEdit(escape_invisible(text))
        self.text.setReadOnly(True)
        self.text.setTabChangesFocus(True)
        self.text.setProperty("field", "true")
        self.text.setAccessibleName(self.windowTitle())
        self.text.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self.send = make_button(self.tr("&Send"), importance="primary") if asks else None
        close = make_button(self.tr("Cancel") if asks else self.tr("Close"))
        close.clicked.connect(self.reject)
        close.setDefault(not asks)
        row = QHBoxLayout()
        row.setSpacing(Space.SMALL)
        row.addStretch(1)
        row.addWidget(close)
        if self.send is not None:
            self.send.clicked.connect(self.accept)
            self.send.setDefault(True)
            row.addWidget(self.send)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(Space.WIDE, Space.WIDE, Space.WIDE, Space.LARGE)
        layout.setSpacing(Space.MEDIUM)
        layout.addWidget(make_heading(self.windowTitle()))
        layout.addWidget(make_label(will_be_sent if asks else was_sent, "muted"))
        layout.addWidget(self.text, 1)
        layout.addLayout(row)


ANSWERED_CARD_MS = 2_500
"""How long an answered card stays visible once its answer was sent."""


class RequestCards(QWidget):
    open_page = Signal(str, str)
    answered = Signal()
    """A command succeeded: refresh."""
    emptied = Signal()
    focus_left = Signal()
    """The card that had the focus was answered, and there is no other card here."""

    def __init__(self, session: Session, delayed: DelayedAnswers) -> None:
        super().__init__()
        self._session = session
        self._delayed = delayed
        self._background = BackgroundTasks(self)
        self._requests: dict[str, RequestView] = {}
        self.cards: dict[str, RequestCard] = {}
        """By request; includes cards that were just answered."""
        self._shown: dict[str, tuple[RequestView, date, int]] = {}
        """What each card was built from: the request, the day, and how many others it would answer as well."""
        self._undoable = ""
        """The request whose answer can be undone."""
        self._sent: set[str] = set()
        """Requests whose answers are on their way."""
        self._resolved: set[str] = set()
        self.sent_dialog: FixerTextDialog | None = None
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(Space.MEDIUM)

    def show_requests(self, overview: Overview, requests: Sequence[RequestView]) -> None:
        """Show these of the open requests; a card whose request is gone was answered, here or elsewhere."""
        self._requests = {one.id: one for one in requests}
        for id_ in [known for known in self.cards if known not in self._requests]:
            if id_ == self._undoable:
                self._delayed.send()  # to learn what became of it
            elif id_ not in self._sent:
                self._show_answered_elsewhere(id_)
        today = overview.now.astimezone(overview.zone).date()
        for one in requests:
            card = self.cards.get(one.id)
            shown = one, today, count_others_in_scope(one, overview.requests)
            if card is None or (self._shown[one.id] != shown and not card.is_busy and not self._is_answered(one.id)):
                self._shown[one.id] = shown
                self._add_card(one, overview, card)

    def replace_with(self, overview: Overview, requests: Sequence[RequestView]) -> None:
        """Show these instead, without a word about those that are not among them."""
        kept = {one.id for one in requests}
        for id_ in [known for known in self.cards if known not in kept]:
            self._drop(id_)
        self.show_requests(overview, requests)

    def clear(self) -> None:
        """Show no card any more; one that was just answered stays answered."""
        for id_ in list(self.cards):
            self._drop(id_)

    def focus(self, request: str) -> bool:
        """Focus the card of that request; False if there is none."""
        card = self.cards.get(request)
        if card is None:
            return False
        QTimer.singleShot(0, card, card.setFocus)  # a card just added is not visible yet
        return True

    def first_open(self) -> RequestCard | None:
        """The first card that is not answered yet."""
        return next((card for id_, card in self.cards.items() if not self._is_answered(id_)), None)

    def hideEvent(self, event: QHideEvent) -> None:  # noqa: N802  # Qt's name
        """What cannot be seen cannot be undone."""
        super().hideEvent(event)
        if self._undoable:
            self._delayed.send()

    def _is_answered(self, request: str) -> bool:
        return request == self._undoable or request in self._sent | self._resolved

    def _add_card(self, one: RequestView, overview: Overview, old: RequestCard | None) -> None:
        """Append a card, or replace an outdated one."""
        card = RequestCard(make_card(one, overview, self._session.registry))
        card.action_chosen.connect(self._answer)
        card.undo_chosen.connect(self._delayed.undo)
        self.cards[one.id] = card
        if old is None:
            self._layout.addWidget(card)
            return
        self._layout.replaceWidget(old, card)
        card.show()
        if old.hasFocus():
            card.setFocus()
        for name, button in old.buttons.items():
            if button.hasFocus() and name in card.buttons:
                card.buttons[name].setFocus()
        old.hide()
        old.deleteLater()

    def _answer(self, request: str, action: str) -> None:
        one, card = self._requests.get(request), self.cards[request]
        answer = None if one is None else find_action(one, action)
        if one is None or answer is None:
            self._show_answered_elsewhere(request)
        elif answer.id == RECONNECT:
            card.set_busy(busy=False)
            self.open_page.emit("connections", one.subject)
        elif answer.id == OPEN:
            card.set_busy(busy=False)
            self.open_page.emit("workflows", one.workflow)
        elif answer.id == SHOW_LOG:
            card.set_busy(busy=False)
            self.open_page.emit("history", f"{one.run}#log" if one.run else "")
        elif answer.id == EDIT and one.fault is not None:
            card.set_busy(busy=False)
            open_in_editor(
                self._session, self._background, one.fault.path, partial(self._refuse, request), one.fault.line
            )
        elif answer.id == SENT:
            card.set_busy(busy=False)
            self._show_sent(one.ui["sent"])
        elif answer.id == SEND:
            card.set_busy(busy=False)
            self._show_sent(one.ui["sends"], lambda: self._command(request, answer))
        elif answer.given:
            self._delay(request, answer.with_values(card.values_of(action)))
        else:
            self._command(request, answer.with_values(card.values_of(action)))

    def _delay(self, request: str, answer: OfferedAction) -> None:
        """Show it as answered, and send it when it can no longer be undone."""
        card = self.cards[request]

        def undone() -> None:
            self._undoable = ""
            card.show_unanswered()
            card.setFocus()

        def sent() -> None:
            self._undoable = ""
            self._sent.add(request)
            card.hide_undo()

        def failed(error: Exception) -> None:
            self._sent.discard(request)
            self._delayed.refused.emit(f"{card.content.title}: {describe_error(error)}")
            self._refuse(request, error)

        def done(_: object) -> None:
            self._sent.discard(request)
            self._resolve(request, answer.done)
            self.answered.emit()

        self._delayed.start(
            DelayedAnswer(
                verb=answer.verb,
                arguments=answer.arguments,
                owner=card,
                sent=sent,
                undone=undone,
                done=done,
                failed=failed,
            )
        )
        self._undoable = request
        card.show_answered(answer.given, can_undo=True)
        if card.contains_focus:
            self._focus_next(request)

    def _show_sent(self, text: str, send: Callable[[], None] | None = None) -> None:
        self.sent_dialog = FixerTextDialog(text, self, asks=send is not None)
        if send is not None:
            self.sent_dialog.accepted.connect(send)
        self.sent_dialog.open()

    def _command(self, request: str, answer: OfferedAction) -> None:
        """Carry it out at once."""
        session = self._session
        self._delayed.send()

        def done(_: object) -> None:
            self._resolve(request, answer.done)
            self.answered.emit()

        self._background.run(
            lambda: run_command(session, answer.verb, **answer.arguments),
            done,
            lambda error: self._refuse(request, error),
        )

    def _refuse(self, request: str, error: Exception) -> None:
        if isinstance(error, RefusedError) and error.code == "too late":
            self._resolve(request, describe_error(error))
        elif request in self.cards:
            self.cards[request].show_error(describe_error(error))

    def _resolve(self, request: str, sentence: str) -> None:
        """Show the outcome, once, and remove the card later."""
        card = self.cards.get(request)
        if card is None or request in self._resolved:
            return
        self._resolved.add(request)
        card.show_answered(sentence)
        if card.contains_focus:
            self._focus_next(request)
        QTimer.singleShot(ANSWERED_CARD_MS, card, lambda: self._remove(request))

    def _show_answered_elsewhere(self, request: str) -> None:
        """At once that it was, then how and when."""
        if request in self._resolved:
            return
        session, card = self._session, self.cards[request]
        self._resolve(request, self.tr("Already answered."))

        def show(found: RequestView) -> None:
            if isValid(card) and found.outcome:
                card.show_answered(translate_text(found.outcome))

        self._background.run(lambda: session.queries.request(request), show, lambda _: None)

    def _focus_next(self, request: str) -> None:
        """Focus the card after the one that was answered, else the nearest before it."""
        ids = list(self.cards)
        place = ids.index(request)
        following = [*ids[place + 1 :], *reversed(ids[:place])]
        for one in following:
            if not self._is_answered(one):
                self.cards[one].setFocus()
                return
        self.focus_left.emit()

    def _remove(self, request: str) -> None:
        if request not in self.cards:
            return
        if self.cards[request].contains_focus:
            self._focus_next(request)
        self._drop(request)
        if not self.cards:
            self.emptied.emit()

    def _drop(self, request: str) -> None:
        if request == self._undoable:
            self._delayed.send()
        card = self.cards.pop(request)
        self._shown.pop(request, None)
        self._sent.discard(request)
        self._resolved.discard(request)
        self._layout.removeWidget(card)
        card.hide()
        card.deleteLater()
