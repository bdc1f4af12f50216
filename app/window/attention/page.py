"""The Attention page: every open request, with exactly what would be done."""

from PySide6.QtWidgets import QStackedLayout

from app.overview import Overview
from app.overview_watcher import load_overview
from app.session import Session
from app.widgets.empty_state import EmptyState
from app.window.page import Page, PageColumn, make_titled_page
from app.window.request_cards import RequestCards


class AttentionPage(Page):
    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self.title = self.tr("Attention")
        self._subject = ""
        self.cards = RequestCards(session)
        self.cards.open_page.connect(self.open_page)
        self.cards.answered.connect(self.refresh)
        self.cards.emptied.connect(self.refresh)
        self._column = PageColumn(self.title)
        self._column.parts.addWidget(self.cards)
        self._column.parts.addStretch(1)
        empty = EmptyState(
            "done",
            self.tr("Nothing needs your attention"),
            self.tr("Approval requests, expired sign-ins and workflows that cannot continue appear here."),
        )
        self._empty = make_titled_page(self.title, empty)
        self._stack = QStackedLayout(self)
        self._stack.addWidget(self._column)
        self._stack.addWidget(self._empty)

    def refresh(self) -> None:
        session = self.session
        self.background.run_latest("overview", lambda: load_overview(session), self.show_overview)

    def open_subject(self, subject: str) -> None:
        """Focus the card of this request as soon as it exists."""
        self._subject = subject
        self._focus_subject()

    def show_overview(self, overview: Overview) -> None:
        self.cards.show_requests(overview)
        number = len(overview.requests)
        said = (
            self.tr("1 item needs your attention.") if number == 1 else self.tr("{number} items need your attention.")
        )
        if number == 0:
            said = self.tr("Nothing else needs your attention.")
        self._column.subtitle.setText(said.format(number=number))
        self._stack.setCurrentWidget(self._column if self.cards.cards else self._empty)
        self._focus_subject()

    def _focus_subject(self) -> None:
        if self._subject and self.cards.focus(self._subject):
            self._column.ensureWidgetVisible(self.cards.cards[self._subject])
            self._subject = ""
