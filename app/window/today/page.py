"""Today: what needs you, the picture of the day, and what happened in words."""

from datetime import date

from PySide6.QtCore import QDate, QLocale, Qt, QTimer
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QLabel, QPushButton, QSizePolicy, QStackedLayout, QVBoxLayout, QWidget

from app.life.installation import Installation
from app.look.dressing import mark
from app.look.theme import Space, Tone
from app.overview import Overview
from app.widgets.empty import EmptyPage
from app.widgets.tabbing import chain
from app.widgets.timeline import Timeline
from app.window.cards import Cards
from app.window.day import Day, read_day
from app.window.frame import Column, make_section, put_under
from app.window.happenings import Happenings
from app.window.page import Page
from app.window.saying import say_refusal
from app.window.welcome_sample import start_sample

_MOST_CARDS = 2
_MOST_LINES = 20
_MINUTE = 60_000
_MOMENT = 150
"""Milliseconds after which what came into sight is read."""


class TodayPage(Page):
    def __init__(self, installation: Installation) -> None:
        super().__init__(installation)
        self.title = self.tr("Today")
        self.day: Day | None = None
        self._make_parts()
        self._clock = QTimer(self, interval=_MINUTE)
        self._clock.timeout.connect(self.refresh)
        self._look = QTimer(self, interval=_MOMENT, singleShot=True)
        self._look.timeout.connect(self.refresh)
        self.timeline.span_changed.connect(lambda *_: self._look.start())

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802  # Qt's name
        """The line for now moves while one looks at it."""
        super().showEvent(event)
        self._clock.start()

    def hideEvent(self, event: QHideEvent) -> None:  # noqa: N802  # Qt's name
        super().hideEvent(event)
        self._clock.stop()

    def refresh(self) -> None:
        installation, span = self.installation, None if self.day is None else self.timeline.span
        self.asking.ask_latest("day", lambda: read_day(installation, span), self.show_day)

    def order(self) -> None:
        chain(self.cards, self._more, self.timeline, self.happenings)

    def show_day(self, day: Day) -> None:
        if not self.isVisible():  # it looks again when it is
            return
        self.day = day
        overview = day.overview
        self.show_overview(overview)
        self._known.show()
        self.timeline.set_day(day.lanes, day.bars, zone=overview.zone, now=overview.now, known=day.known)
        self.happenings.show_lines(day.lines[:_MOST_LINES], overview.zone)
        self.happenings.setVisible(bool(day.lines))
        self._rest.setText(self._say_rest(day))
        self._rest.setVisible(bool(self._rest.text()))

    def show_overview(self, overview: Overview) -> None:
        self._column.under.setText(_say_date(overview.now.astimezone(overview.zone).date()))
        self.cards.show_open(overview)
        waiting = len(overview.requests)
        self._needs.setVisible(bool(self.cards.cards))
        self.cards.setVisible(bool(self.cards.cards))
        self._more.setText(self.tr("All {number} that need you").format(number=waiting))
        self._more.setVisible(waiting > _MOST_CARDS)
        self._stack.setCurrentWidget(self._column if overview.workflows else self._empty)

    def _make_parts(self) -> None:
        self._column = Column(self.title)
        parts = self._column.parts
        self._needs = make_section(self.tr("Needs you"))
        self.cards = Cards(self.installation, most=_MOST_CARDS)
        self.cards.open_page.connect(self.open_page)
        self.cards.answered.connect(self.refresh)
        self.cards.emptied.connect(self.refresh)
        self._more = QPushButton()
        self._more.setAutoDefault(False)
        self._more.clicked.connect(lambda: self.open_page.emit("attention", ""))
        self.timeline = Timeline()
        self.timeline.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.timeline.opened.connect(self._open_bar)
        self.timeline.lane_opened.connect(lambda workflow: self.open_page.emit("workflows", workflow))
        self.happenings = Happenings()
        self.happenings.opened.connect(lambda run: self.open_page.emit("history", run))
        self._rest = QLabel()
        self._rest.setWordWrap(True)
        mark(self._rest, "ink", "muted")
        self._known = QWidget()
        self._known.hide()
        known = QVBoxLayout(self._known)
        known.setContentsMargins(0, 0, 0, 0)
        known.setSpacing(Space.MEDIUM)
        known.addWidget(make_section(self.tr("The day")))
        known.addWidget(self.timeline)
        known.addWidget(make_section(self.tr("What happened")))
        known.addWidget(self.happenings)
        known.addWidget(self._rest)
        for part in (self._needs, self.cards, self._more):
            part.hide()
        parts.addWidget(self._needs)
        parts.addWidget(self.cards)
        parts.addWidget(self._more, 0, Qt.AlignmentFlag.AlignLeft)
        parts.addWidget(self._known)
        parts.addStretch(1)
        empty = EmptyPage(
            "workflow",
            self.tr("No workflows yet"),
            self.tr("A workflow is a Python file with a chore in it. Add one, and this page shows what it does."),
            action=self.tr("Add a workflow"),
            other=self.tr("Try the sample"),
        )
        empty.acted.connect(lambda: self.open_page.emit("workflows", ""))
        empty.other_acted.connect(self._try_sample)
        self._empty = put_under(self.title, empty)
        self._stack = QStackedLayout(self)
        self._stack.addWidget(self._column)
        self._stack.addWidget(self._empty)

    def _try_sample(self) -> None:
        installation = self.installation
        self.said.emit(self.tr("Preparing the sample…"), Tone.QUIET)
        self.asking.ask_latest(
            "sample",
            lambda: start_sample(installation),
            lambda _: self.refresh(),
            lambda error: self.said.emit(say_refusal(error), Tone.BAD),
        )

    def _say_rest(self, day: Day) -> str:
        """What the lines leave out."""
        if not day.lines and not day.quiet:
            return self.tr("Nothing yet today.")
        said = []
        if day.quiet == 1:
            said.append(self.tr("1 run went well and had nothing to tell."))
        elif day.quiet:
            said.append(self.tr("{number} runs went well and had nothing to tell.").format(number=day.quiet))
        if day.known is not None or len(day.lines) > _MOST_LINES:
            said.append(self.tr("More is in History."))
        return " ".join(said)

    def _open_bar(self, bar: str) -> None:
        """A run opens in History; what has no run opens its workflow."""
        _, _, rest = bar.partition(":")
        if not rest:
            self.open_page.emit("history", bar)
        else:
            self.open_page.emit("workflows", rest.partition(":")[0].partition("/")[0])


def _say_date(day: date) -> str:
    return str(QLocale().toString(QDate(day.year, day.month, day.day), QLocale.FormatType.LongFormat))
