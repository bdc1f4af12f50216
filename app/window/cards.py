"""The open requests as cards, one below the other: answers go out as commands, and what is settled goes away."""

from collections.abc import Sequence

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.answers import OPEN, RECONNECT, Answer, find_answer, make_card
from app.asking import Asking, command
from app.installation import Installation
from app.overview import Overview
from app.theme import Space
from app.widgets.card import Card
from scheduler.engine.refusal import RefusedError
from scheduler.engine.workflows.views.requests import RequestView

LINGER = 2_500
"""Milliseconds that a settled card stays, so that one can read what became of it."""


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
        self._settled: set[str] = set()
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(Space.MEDIUM)

    def show_open(self, overview: Overview) -> None:
        """These are open now; a card whose request is missing was settled, here or elsewhere."""
        self._requests = {one.id: one for one in overview.requests}
        for id_ in [known for known in self.cards if known not in self._requests]:
            self._settle(id_, self.tr("It was settled meanwhile."))
        for one in _first(overview.requests, self._most):
            if one.id not in self.cards:
                self._add(one, overview)

    def focus(self, request: str) -> bool:
        """Bring the card of that request to the person; whether there is one."""
        card = self.cards.get(request)
        if card is None:
            return False
        QTimer.singleShot(0, card, card.setFocus)  # a card that was just added is shown a moment later
        return True

    def _add(self, one: RequestView, overview: Overview) -> None:
        card = Card(make_card(one, overview, self._installation.house.registry))
        card.acted.connect(self._answer)
        self.cards[one.id] = card
        self._layout.addWidget(card)

    def _answer(self, request: str, action: str) -> None:
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
        else:
            self._command(request, answer)

    def _command(self, request: str, answer: Answer) -> None:
        installation = self._installation

        def done(_: object) -> None:
            self._settle(request, answer.done)
            self.answered.emit()

        self._asking.ask(
            lambda: command(installation, answer.verb, **answer.arguments),
            done,
            lambda error: self._refuse(request, error),
        )

    def _refuse(self, request: str, error: Exception) -> None:
        if isinstance(error, RefusedError) and error.code == "too late":
            self._settle(request, error.sentence)
        elif request in self.cards:
            self.cards[request].set_refused(str(error))

    def _settle(self, request: str, sentence: str) -> None:
        """The first word about it stays."""
        card = self.cards.get(request)
        if card is None or request in self._settled:
            return
        self._settled.add(request)
        card.set_answered(sentence)
        QTimer.singleShot(LINGER, card, lambda: self._remove(request))

    def _remove(self, request: str) -> None:
        card = self.cards.pop(request)
        self._settled.discard(request)
        self._layout.removeWidget(card)
        card.hide()
        card.deleteLater()
        if not self.cards:
            self.emptied.emit()


def _first(requests: Sequence[RequestView], most: int | None) -> Sequence[RequestView]:
    return requests if most is None else requests[:most]
