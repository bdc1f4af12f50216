"""A trial, over real workers and a real store: it reads, it shows, it does nothing."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from scheduler.connections.connector import Connector, Field, Tool
from scheduler.connections.registry import Registry, builtin_registry
from scheduler.engine.runs.tools import NoSecrets
from scheduler.engine.workflows.trying import trial
from scheduler.engine.workflows.trying.steps import Action, Tried
from scheduler.engine.workflows.trying.trial import Surroundings, TrialClock, try_script
from scheduler.engine.workflows.validation import NotValidError
from scheduler.rules.failures import FailureClass
from tests.runs.shop import World, fail

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


class Kept(NoSecrets):
    def read(self, connection: str) -> dict[str, Any]:
        return {"password": "hunter2"}


def attempt(
    source: str,
    folder: Path,
    *,
    days: int = 0,
    registry: Registry | None = None,
    connected: dict[str, Any] | None = None,
    progress: Callable[[str], None] = lambda _: None,
) -> Tried:
    around = Surroundings(
        registry=registry or builtin_registry(lambda *_: None),
        secrets=None,
        connections=connected or {},
        machine_zone="UTC",
        now=START,
    )
    return try_script("script.py", source, folder / "trial", around, span=timedelta(days=days), progress=progress)


def test_it_reads_for_real_and_shows_what_it_would_do(tmp_path: Path) -> None:
    inbox, table = tmp_path / "in", tmp_path / "out.csv"
    inbox.mkdir()
    (inbox / "a.txt").write_text("a")
    connected = {"files:in": {"path": str(inbox)}, "table:out": {"path": str(table)}}
    tried = attempt(FILING, tmp_path, connected=connected)
    look, enter = tried.steps
    assert (look.handler, look.status, look.action, look.asked) == ("look", "committed", None, None)
    assert (enter.handler, enter.status, enter.summary) == ("Enter", "committed", "Entered 1")
    assert enter.action == Action(connection="table:out", tool="append", parameters={"rows": [{"file": "a.txt"}]})
    assert enter.asked == "Enter 1 files"
    assert enter.log == "prepared 1\n"
    assert not table.exists()
    assert tried.waits == () and not tried.is_cut


def test_a_command_is_shown_and_not_run(tmp_path: Path) -> None:
    place = tmp_path / "touched"
    tried = attempt(JOBS.format(place=place), tmp_path)
    [step] = tried.steps
    assert (step.commands, step.summary, step.log) == ((("touch", str(place)),), "Ended with 0", "")
    assert not place.exists()


def test_days_are_walked_on_the_schedule(tmp_path: Path) -> None:
    tried = attempt(JOBS.format(place="/x"), tmp_path, days=7)
    assert [step.at for step in tried.steps] == [datetime(2026, 11, day, 3, tzinfo=UTC) for day in range(17, 24)]
    assert tried.ended == START + timedelta(days=7)


def test_a_week_is_walked_even_where_something_runs_every_minute() -> None:
    assert trial.MOST_RUNS > 7 * 24 * 60


def test_a_trial_ends_when_its_days_are_over_whatever_second_something_ran_at(tmp_path: Path) -> None:
    tried = attempt(JOBS.format(place="/x").replace("0 3 * * *", "30 0 3 * * *"), tmp_path, days=1)
    assert (tried.began, tried.ended) == (START, START + timedelta(days=1))


def test_the_clock_of_a_trial_never_goes_back() -> None:
    clock = TrialClock(START)
    clock.move_to(START + timedelta(minutes=1))
    clock.move_to(START)
    assert (clock.now(), clock.monotonic()) == (START + timedelta(minutes=1), 60.0)


def test_hours_in_which_nothing_happens_are_told_in_one_step(tmp_path: Path) -> None:
    inbox = tmp_path / "in"
    inbox.mkdir()
    tried = attempt(FILING, tmp_path, days=2, connected={"files:in": {"path": str(inbox)}})
    [step] = tried.steps
    assert (step.handler, step.at, step.times, step.until) == ("look", START, 49, START + timedelta(days=2))


def test_how_far_a_long_walk_is_can_be_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trial, "_A_WHILE", 10)
    said: list[str] = []
    inbox = tmp_path / "in"
    inbox.mkdir()
    attempt(FILING, tmp_path, days=2, connected={"files:in": {"path": str(inbox)}}, progress=said.append)
    assert said[0] == "10 runs, 0 of 2 days…" and said[-1] == "50 runs, 2 of 2 days…" and len(said) == 5


def test_the_same_is_not_read_again_and_again_in_a_walk(tmp_path: Path) -> None:
    """Nobody's server is asked ten thousand times in a minute."""
    world = World()
    tried = attempt(WORLD.format(approve="never"), tmp_path, days=2, registry=world.registry())
    assert sum(one.times for one in tried.steps) > 10
    assert len(world.reads) == 1


def test_it_says_when_it_would_go_on(tmp_path: Path) -> None:
    assert attempt(JOBS.format(place="/x"), tmp_path).goes_on == datetime(2026, 11, 17, 3, tzinfo=UTC)


def test_no_tool_that_acts_is_ever_reached(tmp_path: Path) -> None:
    world = World()
    for number, approve in enumerate(("always", "first", "never")):
        tried = attempt(WORLD.format(approve=approve), tmp_path / str(number), registry=world.registry())
        assert [step.summary for step in tried.steps] == [None, "Got {}"]
        assert (tried.steps[1].asked is None) == (approve == "never")
    assert (world.calls, world.checks) == ([], [])
    assert len(world.reads) == 3


def test_a_connection_is_read_with_its_secrets(tmp_path: Path) -> None:
    """Else nothing that needs a password could be tried."""
    look = Tool(name="look", help="", parameters={}, run=lambda call: len(call.settings["password"]))
    field = Field(name="password", label="Password", secret=True)
    door = Connector(kind="door", title="Door", help="", fields=(field,), tools=(look,), test=lambda _: "")
    source = JOBS.format(place="/x").replace('"Jobs"', '"Jobs", connections=["door:home"]')
    source = source.replace('ctx.run(["touch", "/x"])', 'ctx.call("door:home", "look")')
    around = Surroundings(
        registry=Registry([door]), secrets=Kept(), connections={"door:home": {}}, machine_zone="UTC", now=START
    )
    [step] = try_script("script.py", source, tmp_path / "trial", around).steps
    assert (step.error, step.summary) == (None, "Ended with 7")


def test_what_cannot_be_read_is_tried_again_in_simulated_time(tmp_path: Path) -> None:
    world = World(read_fails=[fail(FailureClass.TRANSIENT, "Busy.")])
    tried = attempt(WORLD.format(approve="never"), tmp_path, days=1, registry=world.registry())
    assert tried.steps[0].error == "Busy."
    assert [step.handler for step in tried.steps[1:3]] == ["look", "Act"]
    assert world.calls == []


def test_a_script_that_raises_says_where(tmp_path: Path) -> None:
    tried = attempt(JOBS.format(place="/x").replace("code = ", "raise ValueError('no') #"), tmp_path)
    [step] = tried.steps
    assert step.status == "failed:logic"
    assert step.error is not None and "no" in step.error
    assert len(tried.waits) == 1


def test_what_is_not_connected_is_said(tmp_path: Path) -> None:
    tried = attempt(FILING, tmp_path)
    assert any("files:in" in warning for warning in tried.warnings)
    assert "files:in" in tried.waits[0]


def test_a_script_that_cannot_be_deployed_is_refused_with_its_own_lines(tmp_path: Path) -> None:
    with pytest.raises(NotValidError, match="line 3"):
        attempt("import dayhand\nflow = dayhand.Workflow('X')\nflow.job(every='1s')(1)\n", tmp_path)
    with pytest.raises(NotValidError):
        attempt("'''never closed", tmp_path)


def test_too_many_runs_are_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trial, "MOST_RUNS", 5)
    tried = attempt(JOBS.format(place="/x").replace("0 3", "* *"), tmp_path, days=7)
    assert (len(tried.steps), tried.is_cut) == (5, True)
    assert tried.ended < START + timedelta(hours=1)
