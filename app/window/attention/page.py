"""Attention: everything that waits for the person, each with exactly what would be done."""

from PySide6.QtWidgets import QStackedLayout

from app.life.installation import Installation
from app.lookout import read_overview
from app.overview import Overview
from app.widgets.empty import EmptyPage
from app.window.cards import Cards
from app.window.frame import Column, put_under
from app.window.page import Page


class AttentionPage(Page):
    def __init__(self, installation: Installation) -> None:
        super().__init__(installation)
        self.title = self.tr("Attention")
        self._subject = ""
        self.cards = Cards(installation)
        self.cards.open_page.connect(self.open_page)
        self.cards.answered.connect(self.refresh)
        self.cards.emptied.connect(self.refresh)
        self._column = Column(self.title)
        self._column.parts.addWidget(self.cards)
        self._column.parts.addStretch(1)
        empty = EmptyPage(
            "done",
            self.tr("Nothing needs you"),
            self.tr("When a workflow wants your approval, lost an account or cannot go on, you find it here."),
        )
        self._empty = put_under(self.title, empty)
        self._stack = QStackedLayout(self)
        self._stack.addWidget(self._column)
        self._stack.addWidget(self._empty)

    def refresh(self) -> None:
        installation = self.installation
        self.asking.ask_latest("overview", lambda: read_overview(installation), self.show_overview)

    def open_subject(self, subject: str) -> None:
        """A request: its card gets the focus as soon as it is there."""
        self._subject = subject
        self._find_subject()

    def show_overview(self, overview: Overview) -> None:
        self.cards.show_open(overview)
        number = len(overview.requests)
        said = self.tr("1 thing waits for you.") if number == 1 else self.tr("{number} things wait for you.")
        if number == 0:
            said = self.tr("Nothing waits for you any more.")
        self._column.under.setText(said.format(number=number))
        self._stack.setCurrentWidget(self._column if self.cards.cards else self._empty)
        self._find_subject()

    def _find_subject(self) -> None:
        if self._subject and self.cards.focus(self._subject):
            self._column.ensureWidgetVisible(self.cards.cards[self._subject])
            self._subject = ""
