"""Metrics are what is stored: they agree with the statistics, and their number is bounded."""

import math
from collections import Counter
from datetime import UTC, datetime, timedelta

import pytest
from prometheus_client.metrics_core import Metric
from prometheus_client.openmetrics.parser import text_string_to_metric_families as parse_openmetrics
from prometheus_client.parser import text_string_to_metric_families as parse_prometheus

from scheduler.engine.queries import metrics
from scheduler.rules.openmetrics import format_openmetrics
from scheduler.store import retention, workflows
from tests.engine.queries.runtime_fixture import RECEIPTS, QueryRuntimeFixture

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
JOBS = """
import dayhand
flow = dayhand.Workflow({name!r})

@flow.job(every="1h", overlap="skip", catchup="none")
def work(ctx):
    {body}
"""


def read_text(fixture: QueryRuntimeFixture, *, is_running: bool = True) -> str:
    families = fixture.queries.metrics(is_running=is_running)
    return "".join(f"{line}\n" for line in format_openmetrics(families))


def read(fixture: QueryRuntimeFixture) -> dict[str, Metric]:
    return {family.name: family for family in parse_openmetrics(read_text(fixture))}


def value(families: dict[str, Metric], name: str, **labels: str) -> float:
    for family in families.values():
        for sample in family.samples:
            if sample.name == name and sample.labels == labels:
                return float(sample.value)
    raise AssertionError(f"no sample {name} {labels}")


def values(families: dict[str, Metric], name: str, label: str) -> dict[str, float]:
    return {one.labels[label]: one.value for one in families[name].samples}


def fill(fixture: QueryRuntimeFixture) -> None:
    """Runs of several kinds, failures, a request, missed and skipped times."""
    fixture.connect_table()
    fixture.deploy(RECEIPTS)
    fixture.deploy(JOBS.format(name="Good", body='ctx.done("Done")'), "good.py")
    fixture.deploy(JOBS.format(name="Bad", body='raise ValueError("x")'), "bad.py")
    fixture.run_until_idle()
    fixture.move(hours=1)
    fixture.services.schedule_commands.skip_next("good/work")
    fixture.move(hours=1)
    fixture.services.workflow_commands.run("good")
    fixture.run_until_idle()
    fixture.clock.wall += timedelta(hours=30, minutes=10)
    fixture.run_until_idle()


def test_the_numbers_agree_with_the_statistics(runtime: QueryRuntimeFixture) -> None:
    fill(runtime)
    found, counted = read(runtime), runtime.queries.statistics(since=EPOCH)
    times = counted.times
    assert times.due > 30 and times.missed > 20 and times.skipped and times.failed
    assert value(found, "dayhand_times_due") == times.due
    assert {state: n for state, n in values(found, "dayhand_times", "state").items() if n} == times.planned
    assert sum(values(found, "dayhand_times", "state").values()) == times.due
    assert value(found, "dayhand_runs_emitted") == times.emitted
    assert value(found, "dayhand_runs_missed") == times.missed
    assert value(found, "dayhand_runs_coalesced") == times.coalesced
    assert value(found, "dayhand_runs_dropped") == times.dropped
    assert value(found, "dayhand_runs_failed_to_launch") == times.failed_to_launch
    assert sum(values(found, "dayhand_runs_skipped", "reason").values()) == sum(times.skipped.values())
    assert {status: n for status, n in values(found, "dayhand_runs", "status").items() if n} == counted.runs


def test_drift_and_durations_are_histograms_of_all_runs(runtime: QueryRuntimeFixture) -> None:
    fill(runtime)
    found, counted = read(runtime), runtime.queries.statistics(since=EPOCH)
    assert found["dayhand_start_drift_seconds"].type == "histogram"
    assert value(found, "dayhand_start_drift_seconds_count") == sum(one.runs for one in counted.times.drift) > 0
    for one in counted.workflows:
        assert one.seconds is not None
        number = value(found, "dayhand_run_duration_seconds_count", workflow=one.workflow)
        total = value(found, "dayhand_run_duration_seconds_sum", workflow=one.workflow)
        assert total / number == pytest.approx(one.seconds, abs=0.001)
        assert value(found, "dayhand_run_duration_seconds_bucket", workflow=one.workflow, le="+Inf") == number


def test_requests_queue_pause_and_last_success_are_reported(runtime: QueryRuntimeFixture) -> None:
    fill(runtime)
    found = read(runtime)
    open_now = Counter(one.kind.slug for one in runtime.queries.attention())
    assert open_now["approval"]
    assert {kind: n for kind, n in values(found, "dayhand_requests_open", "kind").items() if n} == open_now
    assert value(found, "dayhand_paused") == 0
    last = value(found, "dayhand_last_success_timestamp_seconds", workflow="good", handler="work")
    row = runtime.database.read().execute("SELECT max(ended) FROM runs WHERE workflow = 'good'").fetchone()
    assert last == row[0] / 1000
    assert "bad" not in values(found, "dayhand_last_success_timestamp_seconds", "workflow")
    assert value(found, "dayhand_consecutive_failures", workflow="good", handler="work") == 0
    assert value(found, "dayhand_consecutive_failures", workflow="bad", handler="work") == 2
    runtime.services.workflow_commands.pause_all(until=runtime.clock.wall + timedelta(hours=3))
    runtime.clock.move(timedelta(hours=2))
    found = read(runtime)
    assert value(found, "dayhand_paused") == 1
    assert value(found, "dayhand_schedules_due") >= 2, "they wait for the end of the pause"
    assert value(found, "dayhand_collected_timestamp_seconds") == runtime.clock.wall.timestamp()


def test_a_counter_does_not_shrink_with_the_history(runtime: QueryRuntimeFixture) -> None:
    fill(runtime)
    name, labels = "dayhand_automatic_runs_started_total", {"workflow": "good", "handler": "work"}
    started, kept = value(read(runtime), name, **labels), value(read(runtime), "dayhand_times_due")
    rows = runtime.database.read().execute(
        "SELECT count(*) FROM occurrences WHERE schedule = 'good/work' AND origin = 'automatic' AND began IS NOT NULL"
    )
    assert started == rows.fetchone()[0] >= 1
    later = runtime.clock.wall + timedelta(days=400)
    with runtime.database.write() as db:
        assert retention.prune(db, later, later, 10_000)
    found = read(runtime)
    assert value(found, name, **labels) == started
    assert value(found, "dayhand_times_due") < kept, "a count of the history does"


def test_whether_the_app_runs_is_said_by_who_asks(runtime: QueryRuntimeFixture) -> None:
    assert "dayhand_up 1\n" in read_text(runtime)
    assert "dayhand_up 0\n" in read_text(runtime, is_running=False)


@pytest.mark.parametrize("hostile", ['A"} 1\nevil 2 # EOF', "Back\\slash\\n", "\x1b[31mred\u202e", "x" * 5_000])
def test_a_hostile_workflow_name_stays_a_label(runtime: QueryRuntimeFixture, hostile: str) -> None:
    runtime.deploy(JOBS.format(name="Plain", body="pass"))
    with runtime.database.write() as db:
        db.execute("UPDATE workflows SET name = ?", (hostile,))
    text = read_text(runtime)
    assert "\x1b" not in text and "\u202e" not in text and len(text) < 20_000
    for parse in (parse_openmetrics, parse_prometheus):
        found = {family.name: family for family in parse(text)}
        (sample,) = found["dayhand_workflow_info"].samples
        assert sample.labels["workflow"] == "plain"
        assert sample.labels["name"] == metrics._to_label(hostile)
        assert "evil" not in found


def test_the_number_of_series_is_bounded(runtime: QueryRuntimeFixture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metrics, "MAX_WORKFLOWS", 3)
    monkeypatch.setattr(metrics, "MAX_HANDLERS", 2)
    runtime.deploy(JOBS.format(name="Plain", body="pass"))
    with runtime.database.write() as db:
        plain = workflows.find(db, "plain")
        assert plain is not None
        for number in range(10):
            workflows.save(db, plain._replace(slug=f"w{number}", name=f"W{number}"))
            db.executemany(
                "INSERT INTO runs (id, workflow, handler, kind, trigger, script, chain, phase, status, created, "
                "updated, began, ended) "
                "VALUES (?, ?, 'h', 'job', 'automatic', 1, 'c', 'committed', 'committed', 0, 0, 0, 1500)",
                [(f"{number}-{one}", f"w{number}") for one in range(number + 1)],
            )
    found = read(runtime)
    shown = {one.labels["workflow"] for one in found["dayhand_run_duration_seconds"].samples}
    assert shown == {"w9", "w8", "w7", "(other)"}
    assert value(found, "dayhand_run_duration_seconds_count", workflow="(other)") == sum(range(1, 8))
    assert len(found["dayhand_workflow_info"].samples) == 3
    assert len(found["dayhand_last_success_timestamp_seconds"].samples) == 2


def test_names_and_types_follow_the_conventions(runtime: QueryRuntimeFixture) -> None:
    fill(runtime)
    for family in parse_openmetrics(read_text(runtime)):
        assert family.name.startswith("dayhand_") and family.documentation.endswith(".")
        assert family.type in ("counter", "gauge", "histogram"), "others are unknown to node_exporter"
        totals = [sample.name for sample in family.samples if sample.name.endswith("_total")]
        assert len(totals) == (len(family.samples) if family.type == "counter" else 0)
        assert ("seconds" in family.name) == (family.unit == "seconds")
        assert all(sample.timestamp is None for sample in family.samples), "node_exporter refuses them"
        assert all(math.isfinite(sample.value) for sample in family.samples)
