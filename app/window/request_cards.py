"""The open requests as cards, one below the other: answers go out as commands, and what is settled goes away."""

from collections.abc import Callable, Sequence
from datetime import date
from functools import partial

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget
from shiboken6 import isValid

from app.answers import EDIT, OPEN, RECONNECT, SEND, SENT, Answer, find_answer
from app.asking import Asking, command
from app.life.installation import Installation
from app.look.theme import Space
from app.overview import Overview
from app.requests import make_card
from app.widgets.card import Action, Card
from app.window.editing import edit
from app.window.saying import say_refusal
from app.window.sent import SentDialog
from scheduler.engine.refusal import RefusedError
from scheduler.engine.workflows.views.requests import RequestView

LINGER = 2_500
"""Milliseconds that a settled card stays, so that one can read what became of it."""


UNDO = 60_000
"""Milliseconds that one which can still be taken back does."""


class Cards(QWidget):
    open_page = Signal(str, str)
    answered = Signal()
    """A command was carried out: look again."""
    emptied = Signal()

    def __init__(self, installation: Installation, *, most: int | None = None) -> None:
        super().__init__()
        self._installation = installation
        self._most = most
        self._asking = Asking(self)
        self._requests: dict[str, RequestView] = {}
        self.cards: dict[str, Card] = {}
        """By request: what is shown, also what was just settled."""
        self._shown: dict[str, tuple[RequestView, date]] = {}
        """What each card was made of: more may wait for the same thing later, and today becomes yesterday."""
        self._settled: set[str] = set()
        self._undo: dict[str, Answer] = {}
        """By request that was answered: what takes that back."""
        self.sent: SentDialog | None = None
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(Space.MEDIUM)

    def show_open(self, overview: Overview) -> None:
        """These are open now; a card whose request is missing was settled, here or elsewhere."""
        self._requests = {one.id: one for one in overview.requests}
        for id_ in [known for known in self.cards if known not in self._requests]:
            self._settle(id_, self.tr("It was settled meanwhile."))
        today = overview.now.astimezone(overview.zone).date()
        for one in _first(overview.requests, self._most):
            card = self.cards.get(one.id)
            if card is None or (
                self._shown[one.id] != (one, today) and not card.is_busy and one.id not in self._settled
            ):
                self._shown[one.id] = one, today
                self._put(one, overview, card)

    def focus(self, request: str) -> bool:
        """Bring the card of that request to the person; whether there is one."""
        card = self.cards.get(request)
        if card is None:
            return False
        QTimer.singleShot(0, card, card.setFocus)  # a card that was just added is shown a moment later
        return True

    def _put(self, one: RequestView, overview: Overview, old: Card | None) -> None:
        """At the end, or in place of one that is no longer right."""
        card = Card(make_card(one, overview, self._installation.house.registry))
        card.acted.connect(self._answer)
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
        if (undo := self._undo.get(request)) is not None and undo.id == action:
            self._take_back(request, undo)
            return
        one, card = self._requests.get(request), self.cards[request]
        answer = None if one is None else find_answer(one, action)
        if one is None or answer is None:
            self._settle(request, self.tr("It was settled meanwhile."))
        elif answer.id == RECONNECT:
            card.set_busy(busy=False)
            self.open_page.emit("connections", one.subject)
        elif answer.id == OPEN:
            card.set_busy(busy=False)
            self.open_page.emit("workflows", one.workflow)
        elif answer.id == EDIT and one.fault is not None:
            card.set_busy(busy=False)
            edit(self._installation, self._asking, one.fault.path, partial(self._refuse, request), one.fault.line)
        elif answer.id == SENT:
            card.set_busy(busy=False)
            self._show_sent(one.ui["sent"])
        elif answer.id == SEND:
            card.set_busy(busy=False)
            self._show_sent(one.ui["sends"], lambda: self._command(request, answer))
        else:
            self._command(request, answer)

    def _show_sent(self, text: str, send: Callable[[], None] | None = None) -> None:
        self.sent = SentDialog(text, self, asks=send is not None)
        if send is not None:
            self.sent.accepted.connect(send)
        self.sent.open()

    def _command(self, request: str, answer: Answer) -> None:
        installation = self._installation

        def done(_: object) -> None:
            self._settle(request, answer.done, answer.undo)
            self.answered.emit()

        self._asking.ask(
            lambda: command(installation, answer.verb, **answer.arguments),
            done,
            lambda error: self._refuse(request, error),
        )

    def _refuse(self, request: str, error: Exception) -> None:
        if isinstance(error, RefusedError) and error.code == "too late":
            self._settle(request, say_refusal(error))
        elif request in self.cards:
            self.cards[request].set_refused(say_refusal(error))

    def _take_back(self, request: str, undo: Answer) -> None:
        installation, card = self._installation, self.cards[request]

        def done(_: object) -> None:
            card.set_answered(undo.done)
            self.answered.emit()

        self._asking.ask(
            lambda: command(installation, undo.verb, **undo.arguments),
            done,
            lambda error: card.set_refused(say_refusal(error)) if isValid(card) else None,
        )

    def _settle(self, request: str, sentence: str, undo: Answer | None = None) -> None:
        """The first word about it stays."""
        card = self.cards.get(request)
        if card is None or request in self._settled:
            return
        self._settled.add(request)
        card.set_answered(sentence)
        if undo is not None:
            self._undo[request] = undo
            card.offer(Action(id=undo.id, label=undo.label))
        QTimer.singleShot(LINGER if undo is None else UNDO, card, lambda: self._remove(request))

    def _remove(self, request: str) -> None:
        card = self.cards.pop(request)
        self._shown.pop(request, None)
        self._settled.discard(request)
        self._undo.pop(request, None)
        self._layout.removeWidget(card)
        card.hide()
        card.deleteLater()
        if not self.cards:
            self.emptied.emit()


def _first(requests: Sequence[RequestView], most: int | None) -> Sequence[RequestView]:
    return requests if most is None else requests[:most]
