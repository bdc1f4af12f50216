"""Dry runs with real workers and a real store: reads are real, nothing is changed."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from scheduler.connections.connector import Connector, Field, Tool
from scheduler.connections.registry import Registry, builtin_registry
from scheduler.connections.secrets import NoSecrets
from scheduler.engine.dry_run import dry_run
from scheduler.engine.dry_run.dry_run import DryRunClock, DryRunEnvironment
from scheduler.engine.dry_run.steps import DryRunAction, DryRunResult
from scheduler.engine.workflows.validation import InvalidScriptError
from scheduler.rules.failures import FailureClass
from tests.runs.runtime_fixture import FakeService, fail

START = datetime(2026, 11, 16, 10, 0, tzinfo=UTC)

FILING = """
import dayhand
flow = dayhand.Workflow("Filing", connections=["files:in", "table:out"])
found = flow.topic("found")

@flow.producer(every="1h", publishes=[found])
def look(ctx, state):
    for file in ctx.call("files:in", "list"):
        ctx.publish(found, id=file["path"], title=file["name"])

@flow.consumer(subscribe=[found], approve="always")
class Enter:
    def prepare(self, ctx, state):
        batch = ctx.peek(found)
        if not batch:
            return dayhand.nothing()
        print("prepared", len(batch))
        rows = [{"file": one.id} for one in batch]
        return dayhand.prepared(reserve=batch, data=rows, say=f"Enter {len(batch)} files")

    def mutate(self, ctx, prepared):
        ctx.call("table:out", "append", rows=prepared.data)

    def next(self, ctx, prepared, result, state):
        ctx.done(f"Entered {result['added']}")
"""
JOBS = """
import dayhand
flow = dayhand.Workflow("Jobs")

@flow.job(cron="0 3 * * *", timezone="UTC")
def nightly(ctx):
    code = ctx.run(["touch", "{place}"])
    ctx.done(f"Ended with {{code}}")
"""
WORLD = """
import dayhand
flow = dayhand.Workflow("W", connections=["world:x"])
t = flow.topic("t")

@flow.producer(every="1h", publishes=[t])
def look(ctx, state):
    ctx.publish(t, id=str(len(ctx.call("world:x", "look"))))

@flow.consumer(subscribe=[t], approve="{approve}")
class Act:
    def prepare(self, ctx, state):
        batch = ctx.peek(t)
        return dayhand.prepared(reserve=batch, say="Act") if batch else dayhand.nothing()

    def mutate(self, ctx, prepared):
        ctx.call("world:x", "act", n=7)

    def next(self, ctx, prepared, result, state):
        ctx.done(f"Got {{result}}")
"""


class FixedSecrets(NoSecrets):
    def read(self, connection: str) -> dict[str, Any]:
        return {"password": "hunter2"}


def try_script(
    source: str,
    folder: Path,
    *,
    days: int = 0,
    registry: Registry | None = None,
    connected: dict[str, Any] | None = None,
    progress: Callable[[str], None] = lambda _: None,
) -> DryRunResult:
    around = DryRunEnvironment(
        registry=registry or builtin_registry(lambda *_: None),
        secrets=None,
        connections=connected or {},
        machine_zone="UTC",
        now=START,
    )
    return dry_run.dry_run_script(
        "script.py", source, folder / "dry run", around, span=timedelta(days=days), progress=progress
    )


def test_reads_are_real_and_actions_are_only_shown(tmp_path: Path) -> None:
    inbox, table = tmp_path / "in", tmp_path / "out.csv"
    inbox.mkdir()
    (inbox / "a.txt").write_text("a")
    connected = {"files:in": {"path": str(inbox)}, "table:out": {"path": str(table)}}
    result = try_script(FILING, tmp_path, connected=connected)
    look, enter = result.steps
    assert (look.handler, look.status, look.action, look.asked) == ("look", "committed", None, None)
    assert (enter.handler, enter.status, enter.summary) == ("Enter", "committed", "Entered 1")
    assert enter.action == DryRunAction(connection="table:out", tool="append", parameters={"rows": [{"file": "a.txt"}]})
    assert enter.asked == "Enter 1 files"
    assert enter.log == "prepared 1\n"
    assert not table.exists()
    assert result.waits == () and not result.is_cut


def test_a_command_is_shown_and_not_run(tmp_path: Path) -> None:
    place = tmp_path / "touched"
    result = try_script(JOBS.format(place=place), tmp_path)
    [step] = result.steps
    assert (step.commands, step.summary, step.log) == ((("touch", str(place)),), "Ended with 0", "")
    assert not place.exists()


def test_days_are_simulated_on_the_schedule(tmp_path: Path) -> None:
    result = try_script(JOBS.format(place="/x"), tmp_path, days=7)
    assert [step.at for step in result.steps] == [datetime(2026, 11, day, 3, tzinfo=UTC) for day in range(17, 24)]
    assert result.ended == START + timedelta(days=7)


def test_a_week_of_runs_every_minute_is_within_the_limit() -> None:
    assert dry_run.MAX_RUNS > 7 * 24 * 60


def test_a_dry_run_ends_exactly_after_its_days(tmp_path: Path) -> None:
    result = try_script(JOBS.format(place="/x").replace("0 3 * * *", "30 0 3 * * *"), tmp_path, days=1)
    assert (result.began, result.ended) == (START, START + timedelta(days=1))


def test_the_clock_of_a_dry_run_never_goes_back() -> None:
    clock = DryRunClock(START)
    clock.move_to(START + timedelta(minutes=1))
    clock.move_to(START)
    assert (clock.now(), clock.monotonic()) == (START + timedelta(minutes=1), 60.0)


def test_hours_without_events_are_one_step(tmp_path: Path) -> None:
    inbox = tmp_path / "in"
    inbox.mkdir()
    result = try_script(FILING, tmp_path, days=2, connected={"files:in": {"path": str(inbox)}})
    [step] = result.steps
    assert (step.handler, step.at, step.times, step.until) == ("look", START, 49, START + timedelta(days=2))


def test_a_long_dry_run_reports_progress(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dry_run, "_PROGRESS_EVERY", 10)
    messages: list[str] = []
    inbox = tmp_path / "in"
    inbox.mkdir()
    try_script(FILING, tmp_path, days=2, connected={"files:in": {"path": str(inbox)}}, progress=messages.append)
    assert messages[0] == "10 runs, 0 of 2 days…" and messages[-1] == "50 runs, 2 of 2 days…" and len(messages) == 5


def test_repeated_reads_are_cached(tmp_path: Path) -> None:
    """No server gets ten thousand calls in a minute."""
    world = FakeService()
    result = try_script(WORLD.format(approve="never"), tmp_path, days=2, registry=world.registry())
    assert sum(one.times for one in result.steps) > 10
    assert len(world.reads) == 1


def test_the_next_time_is_shown(tmp_path: Path) -> None:
    assert try_script(JOBS.format(place="/x"), tmp_path).goes_on == datetime(2026, 11, 17, 3, tzinfo=UTC)


def test_mutating_tools_are_never_called(tmp_path: Path) -> None:
    world = FakeService()
    for number, approve in enumerate(("always", "first", "never")):
        result = try_script(WORLD.format(approve=approve), tmp_path / str(number), registry=world.registry())
        assert [step.summary for step in result.steps] == ["Found 1 new item", "Got {}"]
        assert (result.steps[1].asked is None) == (approve == "never")
    assert (world.calls, world.checks) == ([], [])
    assert len(world.reads) == 3


def test_a_connection_is_read_with_its_secrets(tmp_path: Path) -> None:
    """Otherwise connections with a password could not be used."""
    look = Tool(name="look", help="", parameters={}, run=lambda call: len(call.settings["password"]))
    field = Field(name="password", label="Password", secret=True)
    door = Connector(kind="door", title="Door", help="", fields=(field,), tools=(look,), test=lambda _: "")
    source = JOBS.format(place="/x").replace('"Jobs"', '"Jobs", connections=["door:home"]')
    source = source.replace('ctx.run(["touch", "/x"])', 'ctx.call("door:home", "look")')
    around = DryRunEnvironment(
        registry=Registry([door]), secrets=FixedSecrets(), connections={"door:home": {}}, machine_zone="UTC", now=START
    )
    [step] = dry_run.dry_run_script("script.py", source, tmp_path / "dry run", around).steps
    assert (step.error, step.summary) == (None, "Ended with 7")


def test_a_failed_read_is_retried_in_simulated_time(tmp_path: Path) -> None:
    world = FakeService(read_fails=[fail(FailureClass.TRANSIENT, "Busy.")])
    result = try_script(WORLD.format(approve="never"), tmp_path, days=1, registry=world.registry())
    assert result.steps[0].error == "Busy."
    assert [step.handler for step in result.steps[1:3]] == ["look", "Act"]
    assert world.calls == []


def test_a_script_error_is_shown(tmp_path: Path) -> None:
    result = try_script(JOBS.format(place="/x").replace("code = ", "raise ValueError('no') #"), tmp_path)
    [step] = result.steps
    assert step.status == "failed:logic"
    assert step.error is not None and "no" in step.error
    assert result.waits == (), "a job goes on"


def test_missing_connections_are_named(tmp_path: Path) -> None:
    result = try_script(FILING, tmp_path)
    assert any("files:in" in warning for warning in result.warnings)
    assert "files:in" in result.waits[0]


def test_an_invalid_script_is_refused_with_its_own_line_numbers(tmp_path: Path) -> None:
    with pytest.raises(InvalidScriptError, match="line 3"):
        try_script("import dayhand\nflow = dayhand.Workflow('X')\nflow.job(every='1s')(1)\n", tmp_path)
    with pytest.raises(InvalidScriptError):
        try_script("'''never closed", tmp_path)


def test_too_many_runs_end_the_dry_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dry_run, "MAX_RUNS", 5)
    result = try_script(JOBS.format(place="/x").replace("0 3", "* *"), tmp_path, days=7)
    assert (len(result.steps), result.is_cut) == (5, True)
    assert result.ended < START + timedelta(hours=1)
