"""What people see of workflows: frozen values made by read-only queries. Any thread may ask."""

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime

from scheduler.connections.registry import Registry
from scheduler.engine.context import Context
from scheduler.engine.plans import Plans
from scheduler.engine.workflows.views import (
    connections,
    history,
    news,
    requests,
    runs,
    statistics,
    times,
    versions,
    workflows,
)
from scheduler.engine.workflows.views.connections import ConnectionView
from scheduler.engine.workflows.views.history import Found, HistoryPage
from scheduler.engine.workflows.views.look import Look
from scheduler.engine.workflows.views.news import News
from scheduler.engine.workflows.views.requests import RequestView
from scheduler.engine.workflows.views.runs import Ended, LogPart, RunDetails
from scheduler.engine.workflows.views.statistics import Statistics
from scheduler.engine.workflows.views.times import NextTime
from scheduler.engine.workflows.views.versions import Difference, VersionView
from scheduler.engine.workflows.views.workflows import Watched, WorkflowDetails, WorkflowView
from scheduler.rules.states import WorkflowState


class WorkflowViews:
    def __init__(self, context: Context, plans: Plans, registry: Registry) -> None:
        self._context = context
        self._plans = plans
        self._registry = registry
        self._open_requests = requests.OpenRequests()

    def workflows(self, *, state: WorkflowState | None = None, tag: str | None = None) -> list[WorkflowView]:
        """All by name; archived ones only if they are asked for."""
        return workflows.find_all(self._look(), state=state, tag=tag)

    def names(self) -> dict[str, str]:
        """What each workflow is called, by its slug; also what was put away."""
        return workflows.name_all(self._look())

    def underway(self) -> tuple[str, ...]:
        """The names of those that do something outside right now, which must not be cut off."""
        return workflows.find_underway(self._look())

    def workflow(self, name: str) -> WorkflowDetails:
        return workflows.describe(self._look(), name)

    def watched(self) -> list[Watched]:
        """Those that are deployed again when their file is saved."""
        return workflows.find_watched(self._look())

    def next_times(self, name: str | None = None, number: int = 10) -> list[NextTime]:
        return times.find_next(self._look(), name, number)

    def history(self, wanted: Found, cursor: str | None = None, most: int = 50) -> HistoryPage:
        return history.find(self._look(), wanted, cursor, most)

    def count_history(self, wanted: Found) -> int:
        return history.count(self._look(), wanted)

    def run(self, run: str) -> RunDetails:
        return runs.describe(self._look(), run)

    def log(self, run: str, since: int = 0) -> LogPart:
        return runs.read_log(self._look(), run, since)

    def endings(self, ids: Sequence[str]) -> list[Ended]:
        """How far the runs have come that were asked for with these ids."""
        return [runs.look_at(self._look(), one) for one in ids]

    def attention(self) -> list[RequestView]:
        return self._open_requests.find(self._look())

    def request(self, request: str) -> RequestView:
        return requests.find_one(self._look(), request)

    def statistics(self, name: str | None = None, since: datetime | None = None) -> Statistics:
        return statistics.count(self._look(), name, since)

    def versions(self, name: str) -> list[VersionView]:
        return versions.find_all(self._look(), name)

    def difference(self, name: str, old: int | None = None, new: int | None = None) -> Difference:
        return versions.compare(self._look(), name, old, new)

    def connections(self) -> list[ConnectionView]:
        return connections.find_all(self._look())

    def unconnected(self, names: Iterable[str]) -> tuple[str, ...]:
        """Those of them that nobody has connected and that must be."""
        look = self._look()
        return connections.find_unconnected(look.db, look.registry, names)

    def paused_until(self) -> datetime | None:
        """Until when nothing starts at all, since the person wanted it so."""
        return self._look().everything_paused_until

    def news(self, after: int, watched: Collection[str] = ()) -> News:
        """Runs made after that number, and those watched, as they are now."""
        return news.find(self._look(), after, watched)

    def last_number(self) -> int:
        """From where on everything is news."""
        return news.last_number(self._look())

    def is_quiet(self) -> bool:
        """Nothing runs, waits to run, or is due; what comes later or waits for a person does not count."""
        return news.is_quiet(self._look())

    def _look(self) -> Look:
        return Look.take(self._context, self._plans, self._registry)
