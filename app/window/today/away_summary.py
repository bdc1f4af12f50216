"""What happened while the user was away: counts that open what they count, and the names of what went wrong."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from app.background import BackgroundTasks
from app.i18n.time_text import format_day_and_time, format_number
from app.session import Session
from app.theme.stylesheet import set_style
from app.theme.tokens import Space, Tone
from app.widgets.details_view import make_label
from app.widgets.flow_layout import FlowLayout
from app.widgets.visible_text import add_break_points, escape_invisible
from app.window.feedback import make_button, make_heading
from app.window.history.filters import make_filter_subject
from app.window.presence import PresenceStore
from scheduler.engine.queries.activity_summary import ActivitySummary
from scheduler.timing.zones import find_zone

_MAX_NAMES = 5


class AwaySummary(QFrame):
    """Hidden unless there is something to say. Stays until it is dismissed or another absence follows."""

    open_page = Signal(str, str)

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._background = BackgroundTasks(self)
        self._store = PresenceStore(session.folder)
        self.summary: ActivitySummary | None = None
        set_style(self, "surface", "card")
        self.dismiss = make_button(self.tr("Dismiss"), importance="quiet")
        self.dismiss.clicked.connect(self._dismiss)
        self._when = QLabel()
        set_style(self._when, "ink", "muted")
        self.counts = {name: self._make_count(name) for name in ("done", "failed", "missed", "waiting")}
        self._failed, self._missed = make_label("", Tone.BAD.value), make_label("", Tone.ATTENTION.value)
        top = QHBoxLayout()
        heading = make_heading(self.tr("While you were away"))
        heading.setWordWrap(True)
        top.addWidget(heading, 1)
        top.addWidget(self.dismiss, 0, Qt.AlignmentFlag.AlignTop)
        row = FlowLayout()
        for button in self.counts.values():
            row.addWidget(button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(Space.LARGE, Space.MEDIUM, Space.SMALL, Space.MEDIUM)
        layout.setSpacing(Space.SMALL)
        layout.addLayout(top)
        layout.addWidget(self._when)
        layout.addLayout(row)
        layout.addWidget(self._failed)
        layout.addWidget(self._missed)
        self.hide()

    def refresh(self) -> None:
        """Read the counts again: an answered request no longer waits."""
        absence, queries = self._store.absence, self._session.queries
        if absence is None:
            self.hide()
            return

        def show(summary: ActivitySummary) -> None:
            # After a short absence, runs that went well are no news.
            has_news = not summary.is_empty if absence.is_long else summary.needs_user
            if has_news and self._store.absence == absence:
                self._show(summary)
            else:
                self.hide()

        self._background.run_latest("away", lambda: queries.activity_summary(absence.since, absence.until), show)

    def _show(self, summary: ActivitySummary) -> None:
        self.summary = summary
        zone, now = find_zone(self._session.zone), self._session.now()
        since = summary.since.replace(second=0, microsecond=0)
        self._when.setText(self.tr("Since {time}").format(time=format_day_and_time(since, zone, now)))
        said = {
            "done": (summary.succeeded, self.tr("1 run went well"), self.tr("{number} runs went well")),
            "failed": (summary.failed, self.tr("1 failed"), self.tr("{number} failed")),
            "missed": (summary.missed, self.tr("1 missed"), self.tr("{number} missed")),
            "waiting": (summary.waiting, self.tr("1 new request"), self.tr("{number} new requests")),
        }
        for name, (number, one, several) in said.items():
            self.counts[name].setText(one if number == 1 else several.format(number=format_number(number)))
            self.counts[name].setVisible(number > 0)
        self._show_names(self._failed, self.tr("Failed: {names}"), summary.failed_names)
        self._show_names(self._missed, self.tr("Missed: {names}"), summary.missed_names)
        self.show()

    def _show_names(self, label: QLabel, words: str, names: tuple[str, ...]) -> None:
        listed = ", ".join(names)
        if len(names) > _MAX_NAMES + 1:  # "and 1 more" is as long as a name
            listed = ", ".join(names[:_MAX_NAMES])
            listed = self.tr("{names}, and {number} more").format(names=listed, number=len(names) - _MAX_NAMES)
        label.setText(add_break_points(escape_invisible(words.format(names=listed))))
        label.setVisible(bool(names))

    def _make_count(self, name: str) -> QPushButton:
        button = make_button("")
        button.clicked.connect(lambda: self._open(name))
        return button

    def _open(self, name: str) -> None:
        """Attention for what waits; for the rest, those entries of History."""
        if name == "waiting" or self.summary is None:
            self.open_page.emit("attention", "")
            return
        zone = find_zone(self._session.zone)
        first, last = (at.astimezone(zone).date() for at in (self.summary.since, self.summary.until))
        self.open_page.emit("history", make_filter_subject(name, first, last))

    def _dismiss(self) -> None:
        self._store.dismiss()
        self.hide()
