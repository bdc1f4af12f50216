"""The metrics of a data folder, counted from the store, so that they are the same after a restart."""

from collections import Counter
from collections.abc import Callable, Iterable

from scheduler import __version__
from scheduler.engine.queries.snapshot import Snapshot
from scheduler.rules.openmetrics import Histogram, MetricFamily, MetricKind, MetricSample
from scheduler.rules.phases import RunStatus
from scheduler.rules.requests import RequestKind
from scheduler.store import metrics, workflows
from scheduler.store.database import parse_enum
from scheduler.store.metrics import RunGroup, TimeCount
from scheduler.timing.occurrences import OccurrenceReason, OccurrenceState

MAX_WORKFLOWS = 100
"""With a series of their own: those with the most runs."""
OTHER_WORKFLOWS = "(other)"
"""The label of all others together; no workflow can have it."""
MAX_HANDLERS = 500
_MAX_NAME_CHARS = 200
_DRIFT_BOUNDS_MS = (10, 100, 1_000, 10_000, 60_000, 600_000, 3_600_000)
_DURATION_BOUNDS_MS = (100, 500, 1_000, 5_000, 10_000, 30_000, 60_000, 300_000, 900_000, 3_600_000)
_USUAL_SKIPS = (OccurrenceReason.OVERLAP, OccurrenceReason.BUFFER_FULL, OccurrenceReason.BY_USER)
"""Reported even if there are none, so that an alert need not handle a missing series."""
_EMITTED = (
    OccurrenceState.QUEUED,
    OccurrenceState.STARTED,
    OccurrenceState.SUCCEEDED,
    OccurrenceState.FAILED,
    OccurrenceState.CANCELLED,
)


def collect(snapshot: Snapshot, *, is_running: bool) -> list[MetricFamily]:
    """`is_running`: whether an app runs on the data folder."""
    db, now = snapshot.db, snapshot.now
    paused_until = snapshot.everything_paused_until
    with metrics.one_moment(db):
        times = metrics.count_times(db)
        runs = metrics.group_runs(db, _DURATION_BOUNDS_MS)
        drift = Histogram([bound / 1000 for bound in _DRIFT_BOUNDS_MS])
        for place, number, milliseconds in metrics.group_drifts(db, _DRIFT_BOUNDS_MS):
            drift.add(place, number, milliseconds / 1000)
        requests = metrics.count_open_requests(db)
        due = metrics.count_due_schedules(db, now)
        names = {row.slug: row.name for row in workflows.list_all(db)}
        failures = metrics.list_failures(db)
        starts = metrics.list_starts(db)
    return [
        _one("dayhand_up", "Whether Dayhand is running.", int(is_running)),
        _one("dayhand_paused", "Whether everything is paused.", int(paused_until is not None and now < paused_until)),
        _gauge("dayhand_build_info", "The version of Dayhand.", [MetricSample(1, {"version": __version__})]),
        MetricFamily(
            name="dayhand_collected_timestamp_seconds",
            help="When these numbers were collected.",
            unit="seconds",
            samples=[MetricSample(round(now.timestamp(), 3))],
        ),
        _one("dayhand_schedules_due", "Schedules whose next time has come and is not recorded yet.", due),
        *_describe_times(times),
        MetricFamily(
            name="dayhand_automatic_runs_started",
            help="Automatic runs that started since the schedule was added; not affected by the age of the history.",
            kind=MetricKind.COUNTER,
            samples=[
                MetricSample(number, _handler_labels(*handler), "_total") for *handler, number in starts[:MAX_HANDLERS]
            ],
        ),
        MetricFamily(
            name="dayhand_start_drift_seconds",
            help="How far from their planned time automatic runs began.",
            kind=MetricKind.HISTOGRAM,
            unit="seconds",
            samples=list(drift.to_samples({})),
        ),
        _labelled("dayhand_runs", "Attempts in the history by status.", "status", _count_statuses(runs)),
        *_describe_workflows(runs, names),
        _gauge(
            "dayhand_consecutive_failures",
            "How often a handler has failed in a row.",
            [MetricSample(number, _handler_labels(*handler)) for *handler, number in failures[:MAX_HANDLERS]],
        ),
        _labelled(
            "dayhand_requests_open",
            "Requests that wait for your answer, by kind.",
            "kind",
            {kind.slug: requests.get(kind, 0) for kind in RequestKind},
        ),
    ]


def _describe_times(times: list[TimeCount]) -> Iterable[MetricFamily]:
    def count(holds: Callable[[TimeCount], bool]) -> int:
        return sum(one.number for one in times if holds(one))

    def of_state(*states: OccurrenceState) -> int:
        return count(lambda one: one.state in states)

    skipped = Counter({reason.name.lower(): 0 for reason in _USUAL_SKIPS})
    for one in times:
        if one.state == OccurrenceState.SKIPPED and one.reason is not None:
            skipped[parse_enum(OccurrenceReason, one.reason, OccurrenceReason.UNREADABLE).name.lower()] += one.number
    planned = dict.fromkeys((state.value for state in OccurrenceState), 0)
    for one in times:
        if one.is_planned:
            planned[one.state] = planned.get(one.state, 0) + one.number
    not_launched = count(lambda one: one.reason == OccurrenceReason.COULD_NOT_START)
    yield _one("dayhand_times_due", "Planned times that came.", count(lambda one: one.is_planned))
    yield _labelled("dayhand_times", "Planned times that came, by what became of them.", "state", planned)
    yield _one("dayhand_runs_emitted", "Runs that were to start, including manual ones.", of_state(*_EMITTED))
    yield _labelled("dayhand_runs_skipped", "Times that were skipped, by reason.", "reason", skipped)
    yield _one("dayhand_runs_failed_to_launch", "Runs that could not be started.", not_launched)
    yield _one("dayhand_runs_missed", "Missed times that did not run.", of_state(OccurrenceState.MISSED))
    yield _one("dayhand_runs_coalesced", "Times that a later one replaced.", of_state(OccurrenceState.COALESCED))
    yield _one("dayhand_runs_dropped", "Queued times that can no longer run.", of_state(OccurrenceState.DROPPED))
    yield _one("dayhand_queue_depth", "Runs that wait to start.", of_state(OccurrenceState.QUEUED))


def _count_statuses(runs: list[RunGroup]) -> dict[str, int]:
    statuses = Counter({status.value: 0 for status in RunStatus})
    for one in runs:
        statuses[one.status] += one.number
    return dict(statuses)


def _describe_workflows(runs: list[RunGroup], names: dict[str, str]) -> Iterable[MetricFamily]:
    """A bounded number of series, however many workflows there are."""
    numbers = Counter(dict.fromkeys(names, 0))
    for one in runs:
        numbers[one.workflow] += one.number
    shown = [slug for slug, _ in numbers.most_common(MAX_WORKFLOWS)]
    durations: dict[str, Histogram] = {}
    last: dict[tuple[str, str], int] = {}
    for one in runs:
        label = one.workflow if one.workflow in shown else OTHER_WORKFLOWS
        if one.place is not None:
            found = durations.setdefault(label, Histogram([bound / 1000 for bound in _DURATION_BOUNDS_MS]))
            found.add(one.place, one.number, one.milliseconds / 1000)
        if label != OTHER_WORKFLOWS and one.status == RunStatus.COMMITTED and one.last_end is not None:
            handler = (one.workflow, one.handler)
            last[handler] = max(last.get(handler, 0), one.last_end)
    newest = sorted(last.items(), key=lambda one: one[1], reverse=True)[:MAX_HANDLERS]
    yield _gauge(
        "dayhand_workflow_info",
        "The name of each workflow.",
        [MetricSample(1, {"workflow": slug, "name": _to_label(names[slug])}) for slug in shown if slug in names],
    )
    yield MetricFamily(
        name="dayhand_run_duration_seconds",
        help="How long attempts took, by workflow.",
        kind=MetricKind.HISTOGRAM,
        unit="seconds",
        samples=[
            sample
            for label, found in sorted(durations.items())
            for sample in found.to_samples({"workflow": _to_label(label)})
        ],
    )
    yield MetricFamily(
        name="dayhand_last_success_timestamp_seconds",
        help="When a handler last succeeded.",
        unit="seconds",
        samples=[
            MetricSample(at / 1000, _handler_labels(workflow, handler)) for (workflow, handler), at in sorted(newest)
        ],
    )


def _handler_labels(workflow: str, handler: str) -> dict[str, str]:
    return {"workflow": _to_label(workflow), "handler": _to_label(handler)}


def _to_label(text: str) -> str:
    """Of limited length, and without characters that could control a terminal."""
    shown = "".join(letter if letter.isprintable() or letter == "\n" else "\ufffd" for letter in text)
    return shown if len(shown) <= _MAX_NAME_CHARS else f"{shown[: _MAX_NAME_CHARS - 1]}…"


def _gauge(name: str, help_line: str, samples: list[MetricSample]) -> MetricFamily:
    return MetricFamily(name=name, help=help_line, samples=samples)


def _one(name: str, help_line: str, value: float) -> MetricFamily:
    return _gauge(name, help_line, [MetricSample(value)])


def _labelled(name: str, help_line: str, label: str, values: dict[str, int]) -> MetricFamily:
    return _gauge(name, help_line, [MetricSample(number, {label: value}) for value, number in values.items()])
