"""The Attention page: every open request, grouped, with exactly what would be done."""

from collections.abc import Sequence

from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QStackedLayout

from app.overview import Overview, describe_attention
from app.overview_watcher import load_overview
from app.session import Session
from app.theme.tokens import Tone
from app.widgets.empty_state import EmptyState
from app.widgets.form_controls import set_tab_order
from app.window.attention.filters import AttentionFilters
from app.window.page import Page, PageColumn, make_titled_page
from app.window.requests.request_groups import MAX_CARDS, RequestGroups
from scheduler.engine.queries.requests import RequestView


class AttentionPage(Page):
    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self.title = self.tr("Attention")
        self._subject = ""
        self.filters = AttentionFilters()
        self.filters.hide()
        self.cards = RequestGroups(session)
        self._requests: Sequence[RequestView] = ()
        self.filters.changed.connect(self._filter)
        self.cards.open_page.connect(self.open_page)
        self.cards.answered.connect(self.refresh)
        self.cards.emptied.connect(self.refresh)
        self.cards.refused.connect(lambda sentence: self.status_message.emit(sentence, Tone.ATTENTION))
        self._column = PageColumn(self.title)
        self.cards.focus_left.connect(self.focus_itself)
        self.cards.undo_offered.connect(self._column.scroll_to)
        self.cards.opened.connect(self._column.scroll_to)
        self._column.parts.addWidget(self.filters)
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
        """Focus this request as soon as it is shown, whatever the filters say, or show only one kind of them."""
        self._subject = subject
        self.filters.clear()
        self._focus_subject()

    def show_start(self) -> None:
        """All of it: the filter of an earlier visit would hide what the page's entry counts."""
        self.filters.clear()

    def focus_first(self) -> None:
        """A group or card; the filters come before them."""
        if not self.cards.focus_first():
            super().focus_first()

    def update_tab_order(self) -> None:
        set_tab_order(self.filters, self.cards)

    def keep_place(self) -> None:
        self.cards.keep_order()

    def send_delayed_answers(self, *, wait: bool = False) -> None:
        self.cards.send_delayed(wait=wait)

    def show_overview(self, overview: Overview) -> None:
        if self.filters.show_choices(overview):
            self.cards.set_filter(self.filters.make_predicate())
        self.cards.show_requests(overview)
        self._requests = overview.requests
        self.filters.show_count(overview.requests)
        self.filters.setVisible(len(overview.requests) > MAX_CARDS or self.filters.is_active)
        said = self.tr("Nothing else needs your attention.")
        if overview.attention_count:
            said = f"{describe_attention(overview)}."
        self._column.subtitle.setText(said)
        self._stack.setCurrentWidget(self._empty if self.cards.is_empty else self._column)
        self._focus_subject()

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802  # Qt's name
        super().showEvent(event)
        self._focus_subject()

    def _filter(self) -> None:
        self.cards.set_filter(self.filters.make_predicate())
        self.filters.show_count(self._requests)

    def _focus_subject(self) -> None:
        if self.filters.is_subject(self._subject):
            if self.isVisible() and self.filters.apply_subject(self._subject):
                self._subject = ""
                self.cards.open_first()
        elif self._subject and self.isVisible() and self.cards.focus(self._subject):
            entry = self.cards.find_entry(self._subject)
            if entry is not None:
                self._column.scroll_to(entry)
            self._subject = ""
