"""The history is in the order in which something last happened: a run that waited stands where it continued."""

import pytest

from app.headless import RunPrinter
from scheduler.engine.queries.runs import RunView
from scheduler.rules.history_query import HistoryQuery
from scheduler.store.history_index import index_batch
from tests.engine.engine_fixture import HOUR, MINUTE
from tests.runs.runtime_fixture import RuntimeFixture
from tests.runs.scripts import consumer, job
from tests.runs.test_refused_runs import last_run, views

OTHER = job("ctx.done('Backed up')").replace('Workflow("W"', 'Workflow("Other"')


def wait_for_answer(runtime: RuntimeFixture, span: int = 5) -> str:
    """A run that asks, and runs of another workflow every hour after it; returns the request."""
    runtime.deploy(consumer(approve="always"))
    runtime.deploy(OTHER, path="other.py")
    runtime.publish("a")
    runtime.tick()
    runtime.pass_time(span * HOUR)
    [request] = runtime.requests()
    return request.id


def history(runtime: RuntimeFixture, **filters: object) -> list[RunView]:
    return list(views(runtime).history(HistoryQuery(**filters), None, 100).runs)  # type: ignore[arg-type]


@pytest.mark.parametrize("answer", ["approve", "reject"])
def test_an_answered_run_stands_where_it_continued(runtime: RuntimeFixture, answer: str) -> None:
    request = wait_for_answer(runtime)
    asked = runtime.clock.now() - 5 * HOUR
    assert history(runtime)[-1].handler == "C" and len(history(runtime)) > 3
    getattr(runtime.request_commands, answer)(request)
    runtime.tick()
    run = history(runtime)[0]
    assert (run.handler, run.status) == ("C", "committed")
    assert run.resumed is not None and run.resumed - asked >= 5 * HOUR
    assert run.began is not None and run.began - asked < MINUTE


def test_a_run_that_was_stopped_while_it_waited_stands_where_it_was_stopped(runtime: RuntimeFixture) -> None:
    wait_for_answer(runtime)
    runtime.deploy(consumer(approve="always") + "\n# changed\n")
    first = next(run for run in history(runtime) if run.handler == "C" and run.status == "cancelled")
    assert first.resumed == first.ended


def test_a_run_that_did_not_wait_stays_where_it_began(runtime: RuntimeFixture) -> None:
    runtime.deploy(consumer())
    runtime.publish("a")
    runtime.tick()
    assert last_run(runtime).resumed is None


@pytest.mark.parametrize("is_indexed", [False, True])
def test_filters_find_it_on_the_day_on_which_it_continued(runtime: RuntimeFixture, *, is_indexed: bool) -> None:
    request = wait_for_answer(runtime, 30)
    if is_indexed:
        with runtime.database.write() as db:
            index_batch(db, 1_000)
    runtime.request_commands.approve(request)
    runtime.tick()
    if is_indexed:
        with runtime.database.write() as db:
            index_batch(db, 1_000)
    now = runtime.clock.now()
    found = {"handler": "C", "statuses": ("done",)}
    assert len(history(runtime, since=now - HOUR, **found)) == 1
    assert history(runtime, until=now - HOUR, **found) == []
    query = HistoryQuery(handler="C")
    assert views(runtime).count_history(query) == len(history(runtime, handler="C")) == 1


def test_every_run_is_on_exactly_one_page(runtime: RuntimeFixture) -> None:
    request = wait_for_answer(runtime, 30)
    runtime.request_commands.approve(request)
    runtime.tick()
    pages = [views(runtime).history(HistoryQuery(), None, 5)]
    while (cursor := pages[-1].cursor) is not None:
        pages.append(views(runtime).history(HistoryQuery(), cursor, 5))
    ids = [run.id for page in pages for run in page.runs]
    assert len(ids) == len(set(ids)) == len(history(runtime))


def test_the_wait_is_no_part_of_how_long_it_took(runtime: RuntimeFixture) -> None:
    request = wait_for_answer(runtime)
    runtime.request_commands.approve(request)
    runtime.tick()
    [counted] = views(runtime).statistics("w").workflows
    assert counted.seconds is not None and counted.seconds < 60


def test_the_terminal_prints_an_approved_run_once(runtime: RuntimeFixture) -> None:
    printed: list[str] = []
    printer = RunPrinter(views(runtime), printed.append, lambda command: command, runtime.clock.now)
    request = wait_for_answer(runtime, 1)
    printer.print_changes()
    runtime.request_commands.approve(request)
    runtime.tick()
    printer.print_changes()
    assert sum("Did 1" in line for line in printed) == 1
