"""Keeps the overview up to date."""

from PySide6.QtCore import QObject, Qt, QTimer, Signal, Slot

from app.background import BackgroundTasks
from app.overview import Overview
from app.requests.call_summary import summarize_call
from app.session import Session
from app.widgets.timeline_layout import local_day
from scheduler.engine.scheduling.conditions import Conditions
from scheduler.timing.policies import Need
from scheduler.timing.zones import find_zone

_DEBOUNCE_MS = 150
"""Changes within this time cause one refresh."""


def load_overview(session: Session, conditions: Conditions | None = None) -> Overview:
    """May be called in any thread."""
    views, registry = session.queries, session.registry
    requests = tuple(views.attention())
    return Overview(
        now=session.now(),
        zone=find_zone(session.zone),
        workflows=tuple(views.workflows()),
        requests=requests,
        summaries={one.id: summarize_call(one.call, registry) for one in requests if one.call},
        paused_until=views.paused_until(),
        is_started_by_script=session.is_started_by_script,
        is_offline=conditions is not None and conditions.holds(Need.NETWORK) is False,
    )


class OverviewWatcher(QObject):
    """Reloads the overview after changes, one reload per burst, and emits it."""

    changed = Signal(object)
    """An Overview."""

    def __init__(self, session: Session, conditions: Conditions | None = None) -> None:
        super().__init__()
        self._session = session
        self._conditions = conditions
        self._asking = BackgroundTasks(self)
        self._debounce_timer = QTimer(self, singleShot=True, interval=_DEBOUNCE_MS)
        self._expiry_timer = QTimer(self, singleShot=True, timerType=Qt.TimerType.VeryCoarseTimer)
        for timer in (self._debounce_timer, self._expiry_timer):
            timer.timeout.connect(self.refresh)
        self.latest: Overview | None = None
        session.announced.connect(self.schedule_refresh)

    @Slot()
    def schedule_refresh(self) -> None:
        if not self._debounce_timer.isActive():
            self._debounce_timer.start()

    @Slot()
    def refresh(self) -> None:
        session, conditions = self._session, self._conditions
        self._asking.run_latest("overview", lambda: load_overview(session, conditions), self._store)

    def close(self) -> None:
        self._debounce_timer.stop()
        self._expiry_timer.stop()

    def _store(self, overview: Overview) -> None:
        self.latest = overview
        _, midnight = local_day(overview.now, overview.zone)
        end = overview.paused_until if overview.is_paused and overview.paused_until is not None else midnight
        # The end of a pause and midnight are not announced.
        self._expiry_timer.start(round((min(end, midnight) - overview.now).total_seconds() * 1000) + 1)
        self.changed.emit(overview)
