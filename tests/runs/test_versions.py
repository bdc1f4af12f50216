"""Versions: numbered and immutable; a rollback deploys an old one again. Archive and remove leave nothing open."""

import threading
from typing import Any

import pytest

from scheduler.engine.errors import RefusedError
from scheduler.rules.failures import FailureClass
from scheduler.store import events, grants, lanes, logs, requests, workflows
from scheduler.store.workflows import ScriptOrigin
from tests.engine.engine_fixture import HOUR
from tests.killing import is_alive
from tests.runs.runtime_fixture import RuntimeFixture, fail
from tests.runs.scripts import consumer, job, producer


def refusal(act: Any, *args: Any, **options: Any) -> str:
    with pytest.raises(RefusedError) as refused:
        act(*args, **options)
    return str(refused.value)


def run(runtime: RuntimeFixture) -> None:
    runtime.commands.run("w")
    runtime.tick()


def versions(runtime: RuntimeFixture) -> list[tuple[int, str]]:
    return [(one.number, one.origin.value) for one in workflows.list_scripts(runtime.database.read(), "w")][::-1]


def test_each_version_is_kept_as_it_was(runtime: RuntimeFixture) -> None:
    for number in (1, 2, 3):
        runtime.deploy(job(f"print({number})"))
        run(runtime)
    assert versions(runtime) == [(1, "author"), (2, "author"), (3, "author")]
    assert [row.script for row in runtime.runs()] == [1, 2, 3]
    kept = workflows.find_script(runtime.database.read(), "w", 2)
    assert kept is not None and "print(2)" in kept.source


def test_rolling_back_goes_to_the_last_version_that_committed_a_run(runtime: RuntimeFixture) -> None:
    """As a new version: numbers are never reused."""
    runtime.deploy(job("ctx.done('good')"))
    run(runtime)
    runtime.deploy(job("raise ValueError(1)"))
    run(runtime)
    runtime.deploy(job("raise ValueError(2)"))
    run(runtime)
    assert runtime.lane("j").blocked == "backing off"
    assert runtime.commands.rollback("w")["version"] == 4
    assert runtime.lane("j").blocked is None and runtime.requests() == []
    run(runtime)
    assert runtime.runs()[-1].summary == "good"
    assert versions(runtime)[-1] == (4, ScriptOrigin.ROLLBACK.value)


def test_rolling_back_skips_the_current_version_even_if_it_worked(runtime: RuntimeFixture) -> None:
    """Not to the current version."""
    for number in (1, 2):
        runtime.deploy(job(f"ctx.done('{number}')"))
        run(runtime)
    runtime.commands.rollback("w")
    run(runtime)
    assert runtime.runs()[-1].summary == "1"


def test_rolling_back_to_a_version_by_its_number(runtime: RuntimeFixture) -> None:
    for number in (1, 2, 3):
        runtime.deploy(job(f"print({number})"))
    runtime.commands.rollback("w", 1, idempotency_key="r")
    runtime.commands.rollback("w", 1, idempotency_key="r")
    assert runtime.workflow().script == 4
    run(runtime)
    assert runtime.log(runtime.runs()[-1].id) == "1\n"


def test_rolling_back_from_a_version_that_is_no_longer_in_use_changes_nothing(runtime: RuntimeFixture) -> None:
    """The card about version 2 was still shown when the author fixed the script."""
    for number in (1, 2, 3):
        runtime.deploy(job(f"print({number})"))
    assert "now uses version 3, not 2" in refusal(runtime.commands.rollback, "w", 1, current=2)
    assert runtime.workflow().script == 3
    runtime.commands.rollback("w", 1, current=3)
    assert runtime.workflow().script == 4


def test_rolling_back_does_not_roll_the_state_back(runtime: RuntimeFixture) -> None:
    runtime.deploy(producer("return {'n': state.get('n', 0) + 1}"))
    runtime.tick()
    runtime.deploy(producer("return {'n': state.get('n', 0) + 10}"))
    run(runtime)
    runtime.commands.rollback("w", 1)
    run(runtime)
    assert runtime.state("p") == {"n": 12}


def test_the_worker_of_a_replaced_version_ends(runtime: RuntimeFixture) -> None:
    """It would wait for a run that never comes."""
    runtime.deploy(job("import os\nctx.done(str(os.getpid()))"))
    run(runtime)
    pid = int(runtime.runs("j")[-1].summary or "")
    assert is_alive(pid), "it is kept"
    runtime.deploy(job("pass"))
    runtime.wait(lambda: not is_alive(pid))


def test_rolling_back_to_a_script_with_a_missing_connector_is_possible(runtime: RuntimeFixture) -> None:
    """It fails when it runs, not here."""
    runtime.deploy(consumer(approve="always"))
    runtime.deploy(consumer(approve="first"))
    runtime.services.registry._connectors.clear()
    assert runtime.commands.rollback("w", 1)["version"] == 3
    runtime.publish("a")
    runtime.tick()
    run = runtime.runs("C")[-1]
    assert run.status == "failed:logic" and 'no connection kind "world"' in run.error["sentence"]


def test_rolling_back_is_refused_without_an_earlier_version(runtime: RuntimeFixture) -> None:
    runtime.deploy(job("pass"))
    assert refusal(runtime.commands.rollback, "w") == (
        "W has no earlier version that worked; dayhand versions w lists them."
    )
    assert refusal(runtime.commands.rollback, "w", 0) == "W has no version 0; dayhand versions w lists them."
    assert refusal(runtime.commands.rollback, "w", 7) == "W has no version 7; dayhand versions w lists them."


def test_an_archived_workflow_runs_nothing_and_asks_nothing(runtime: RuntimeFixture) -> None:
    runtime.deploy(consumer(approve="always") + "@flow.job(every='1h')\ndef j(ctx):\n    pass\n")
    runtime.publish("a")
    runtime.tick()
    assert runtime.commands.archive("w") == {"workflow": "w", "state": "archived"}
    assert runtime.requests() == [] and runtime.pending() == ["a"]
    runtime.pass_time(3 * HOUR)
    assert runtime.states("j") == [] and [row.status for row in runtime.runs()] == ["cancelled"]


def test_an_archived_workflow_comes_back_with_a_resume_or_a_new_version(runtime: RuntimeFixture) -> None:
    runtime.deploy(job("pass"))
    for come_back in (
        lambda: runtime.commands.resume("w"),
        lambda: runtime.deploy(job("pass")),
        lambda: runtime.deploy(job("print(2)")),
    ):
        runtime.commands.archive("w")
        runtime.clock.move(HOUR * 3)
        runtime.tick()
        come_back()
        before = len(runtime.states("j"))
        runtime.pass_time(HOUR)
        assert len(runtime.states("j")) > before and runtime.workflow().status == "active"


def test_requests_withdrawn_by_archiving_are_asked_again_after_a_restore(runtime: RuntimeFixture) -> None:
    runtime.deploy(consumer(approve="always"))
    runtime.publish("a")
    runtime.tick()
    runtime.commands.archive("w")
    runtime.tick()
    runtime.deploy(consumer(approve="always"))
    runtime.tick()
    assert [one.kind for one in runtime.requests()] == ["approval"] and runtime.events() == {"a": "reserved"}


def test_a_removed_workflow_leaves_no_rows(runtime: RuntimeFixture) -> None:
    runtime.deploy(consumer(approve="always") + "@flow.job(every='1h')\ndef j(ctx):\n    print(1)\n")
    runtime.publish("a")
    runtime.pass_time(HOUR)
    [request] = runtime.requests()
    ran = runtime.runs("j")[-1].id
    assert runtime.commands.remove("w") == {"workflow": "w", "state": "removed"}
    db = runtime.database.read()
    assert workflows.list_all(db) == [] and requests.find(db, request.id) is None
    assert (runtime.runs(), events.peek(db, "w", "t", 10), lanes.of_workflow(db, "w"), grants.of_workflow(db, "w")) == (
        [],
        [],
        [],
        [],
    )
    assert logs.read(db, ran) == "" and runtime.schedule("j").removed is not None
    assert runtime.states("j") == [], "occurrences are deleted too"
    runtime.pass_time(3 * HOUR)
    assert refusal(runtime.commands.run, "w") == "There is no workflow w. Deploy one first: dayhand deploy FILE"


@pytest.mark.parametrize("verb", ["deploy", "remove"])
def test_no_worker_is_kept_for_a_removed_version(runtime: RuntimeFixture, verb: str) -> None:
    runtime.deploy(job("import os\nprint(os.getpid())"))
    run(runtime)
    warm = int(runtime.log(runtime.runs()[-1].id))
    assert is_alive(warm)
    if verb == "deploy":
        runtime.deploy(job("pass"))
    else:
        runtime.commands.remove("w")
    runtime.wait(lambda: not is_alive(warm))


def test_a_workflow_of_the_same_name_starts_fresh_after_a_removal(runtime: RuntimeFixture) -> None:
    runtime.deploy(producer("return {'n': state.get('n', 0) + 1}"))
    runtime.tick()
    runtime.commands.remove("w")
    assert (
        runtime.deploy(producer("print('new')\nreturn {'n': state.get('n', 0) + 1}"), path="other.py")["version"] == 1
    )
    runtime.tick()
    assert runtime.state("p") == {"n": 1} and runtime.log(runtime.runs("p")[-1].id) == "new\n"


@pytest.mark.parametrize("verb", ["archive", "remove"])
def test_refused_during_an_outside_action(runtime: RuntimeFixture, verb: str) -> None:
    runtime.service.gate = threading.Event()
    runtime.deploy(consumer())
    runtime.publish("a")
    runtime.wait(runtime.service.entered.is_set)
    sentence = refusal(getattr(runtime.commands, verb), "w")
    assert sentence == "W is in the middle of an outside action; wait until it has ended."
    runtime.service.gate.set()
    runtime.tick()
    assert runtime.events() == {"a": "consumed"}


@pytest.mark.parametrize("verb", ["archive", "remove"])
def test_refused_while_the_outcome_is_unknown(runtime: RuntimeFixture, verb: str) -> None:
    runtime.service.fails = [fail(FailureClass.UNSURE)]
    runtime.deploy(consumer(tool="blind"))
    runtime.publish("a")
    runtime.tick()
    sentence = refusal(getattr(runtime.commands, verb), "w")
    assert sentence == "First answer whether the last action of W happened: dayhand attention"
    runtime.request_commands.resolve(runtime.requests()[0].run or "", "happened")
    runtime.tick()
    getattr(runtime.commands, verb)("w")


@pytest.mark.parametrize("verb", ["archive", "remove"])
def test_refused_while_it_runs(runtime: RuntimeFixture, verb: str) -> None:
    runtime.deploy(job("import time\nwhile not ctx.cancelled:\n    time.sleep(0.01)"))
    runtime.commands.run("w")
    runtime.tick_until_active()
    assert refusal(getattr(runtime.commands, verb), "w") == "W is running now; first: dayhand stop w"
    runtime.commands.stop("w")
    runtime.tick()
    getattr(runtime.commands, verb)("w")


@pytest.mark.parametrize(("verb", "left"), [("archive", ["cancelled"]), ("remove", [])])
def test_a_run_that_waits_for_its_retry_is_cancelled_with_its_occurrence(
    runtime: RuntimeFixture, verb: str, left: list[str]
) -> None:
    runtime.service.read_fails = [fail(FailureClass.TRANSIENT)]
    runtime.deploy(job("ctx.call('world:x', 'look')"))
    runtime.commands.run("w")
    runtime.tick()
    assert runtime.states("j") == ["started"]
    getattr(runtime.commands, verb)("w", idempotency_key="r")
    getattr(runtime.commands, verb)("w", idempotency_key="r")
    assert runtime.states("j") == left
    runtime.pass_time(HOUR)
    assert runtime.states("j") == left and len(runtime.service.reads) == 1


@pytest.mark.parametrize(
    ("after_crash", "kind", "left"),
    [("ask", "interrupted", "cancelled"), ("next", "run interrupted", "failed")],
)
@pytest.mark.parametrize("verb", ["archive", "remove"])
def test_the_request_of_an_interrupted_job_is_withdrawn(
    runtime: RuntimeFixture, verb: str, after_crash: str, kind: str, left: str
) -> None:
    endless = "import time\nwhile not ctx.cancelled:\n    time.sleep(0.01)"
    runtime.deploy(job(endless, after_crash=after_crash))
    runtime.commands.run("w")
    runtime.tick_until_active()
    runtime.crash()
    runtime.tick()
    assert [request.kind for request in runtime.requests()] == [kind]
    getattr(runtime.commands, verb)("w")
    assert (runtime.requests(), runtime.states("j")) == ([], [left] if verb == "archive" else [])
