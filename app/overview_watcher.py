"""Looks how everything stands, whenever there are news."""

from PySide6.QtCore import QObject, Qt, QTimer, Signal, Slot

from app.asking import Asking
from app.call_summary import summarize_call
from app.life.installation import Installation
from app.overview import Overview
from app.widgets.timeline_axis import day_span
from scheduler.engine.conditions import Conditions
from scheduler.timing.policies import Need
from scheduler.timing.zones import find_zone

_TOGETHER = 150
"""Milliseconds over which news are gathered before they are looked at."""


def read_overview(installation: Installation, conditions: Conditions | None = None) -> Overview:
    """In any thread."""
    context, views, registry = installation.house.engine.context, installation.views, installation.house.registry
    requests = tuple(views.attention())
    return Overview(
        now=context.clock.now(),
        zone=find_zone(context.machine_zone),
        workflows=tuple(views.workflows()),
        requests=requests,
        summaries={one.id: summarize_call(one.call, registry) for one in requests if one.call},
        paused_until=views.paused_until(),
        is_of_script=installation.is_of_script,
        is_offline=conditions is not None and conditions.holds(Need.NETWORK) is False,
    )


class Lookout(QObject):
    """Looks again after news, a burst at once, and passes on what it saw."""

    changed = Signal(object)
    """An Overview."""

    def __init__(self, installation: Installation, conditions: Conditions | None = None) -> None:
        super().__init__()
        self._installation = installation
        self._conditions = conditions
        self._asking = Asking(self)
        self._soon = QTimer(self, singleShot=True, interval=_TOGETHER)
        self._later = QTimer(self, singleShot=True, timerType=Qt.TimerType.VeryCoarseTimer)
        for timer in (self._soon, self._later):
            timer.timeout.connect(self.look)
        self.latest: Overview | None = None
        installation.announced.connect(self.stir)

    @Slot()
    def stir(self) -> None:
        if not self._soon.isActive():
            self._soon.start()

    @Slot()
    def look(self) -> None:
        installation, conditions = self._installation, self._conditions
        self._asking.ask_latest("overview", lambda: read_overview(installation, conditions), self._take)

    def close(self) -> None:
        self._soon.stop()
        self._later.stop()

    def _take(self, overview: Overview) -> None:
        self.latest = overview
        _, midnight = day_span(overview.now, overview.zone)
        end = overview.paused_until if overview.is_paused and overview.paused_until is not None else midnight
        # Nobody tells of the end of a pause, nor that today is another day.
        self._later.start(round((min(end, midnight) - overview.now).total_seconds() * 1000) + 1)
        self.changed.emit(overview)
