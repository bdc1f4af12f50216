"""Versions: numbered and immutable; rolling back deploys an old one anew. Archive and remove leave nothing open."""

import threading
from typing import Any

import pytest

from scheduler.engine.refusal import RefusedError
from scheduler.rules.failures import FailureClass
from scheduler.store import events, grants, lanes, logs, requests, workflows
from scheduler.store.workflows import ScriptOrigin
from tests.engine.harness import HOUR
from tests.runs.scripts import consumer, job, producer
from tests.runs.shop import Shop, fail, is_alive


def refusal(act: Any, *told: Any, **options: Any) -> str:
    with pytest.raises(RefusedError) as refused:
        act(*told, **options)
    return str(refused.value)


def run(shop: Shop) -> None:
    shop.commands.run("w")
    shop.tick()


def versions(shop: Shop) -> list[tuple[int, str]]:
    return [(one.number, one.origin.value) for one in workflows.scripts(shop.database.read(), "w")][::-1]


def test_each_version_is_kept_as_it_was(shop: Shop) -> None:
    for number in (1, 2, 3):
        shop.deploy(job(f"print({number})"))
        run(shop)
    assert versions(shop) == [(1, "author"), (2, "author"), (3, "author")]
    assert [row.script for row in shop.runs()] == [1, 2, 3]
    kept = workflows.find_script(shop.database.read(), "w", 2)
    assert kept is not None and "print(2)" in kept.source


def test_rolling_back_goes_to_the_last_version_that_committed_a_run(shop: Shop) -> None:
    """As a new version: numbers are never given again."""
    shop.deploy(job("ctx.done('good')"))
    run(shop)
    shop.deploy(job("raise ValueError(1)"))
    run(shop)
    shop.deploy(job("raise ValueError(2)"))
    run(shop)
    assert shop.lane("j").blocked == "script error"
    assert shop.commands.rollback("w")["version"] == 4
    assert shop.lane("j").blocked is None and shop.requests() == []
    run(shop)
    assert shop.runs()[-1].summary == "good"
    assert versions(shop)[-1] == (4, ScriptOrigin.ROLLBACK.value)


def test_rolling_back_leaves_a_version_that_worked_too(shop: Shop) -> None:
    """The one in use is not the one to go back to."""
    for number in (1, 2):
        shop.deploy(job(f"ctx.done('{number}')"))
        run(shop)
    shop.commands.rollback("w")
    run(shop)
    assert shop.runs()[-1].summary == "1"


def test_rolling_back_to_a_version_by_its_number(shop: Shop) -> None:
    for number in (1, 2, 3):
        shop.deploy(job(f"print({number})"))
    shop.commands.rollback("w", 1, request="r")
    shop.commands.rollback("w", 1, request="r")
    assert shop.workflow().script == 4
    run(shop)
    assert shop.log(shop.runs()[-1].id) == "1\n"


def test_rolling_back_from_a_version_that_is_no_longer_in_use_changes_nothing(shop: Shop) -> None:
    """The card about version 2 was still on the screen when the author put it right."""
    for number in (1, 2, 3):
        shop.deploy(job(f"print({number})"))
    assert "uses version 3 by now, not 2" in refusal(shop.commands.rollback, "w", 1, current=2)
    assert shop.workflow().script == 3
    shop.commands.rollback("w", 1, current=3)
    assert shop.workflow().script == 4


def test_rolling_back_does_not_roll_the_state_back(shop: Shop) -> None:
    shop.deploy(producer("return {'n': state.get('n', 0) + 1}"))
    shop.tick()
    shop.deploy(producer("return {'n': state.get('n', 0) + 10}"))
    run(shop)
    shop.commands.rollback("w", 1)
    run(shop)
    assert shop.state("p") == {"n": 12}


def test_the_process_of_a_version_goes_with_it(shop: Shop) -> None:
    """It would wait for a run that never comes."""
    shop.deploy(job("import os\nctx.done(str(os.getpid()))"))
    run(shop)
    pid = int(shop.runs("j")[-1].summary or "")
    assert is_alive(pid), "it is warm"
    shop.deploy(job("pass"))
    shop.wait(lambda: not is_alive(pid))


def test_rolling_back_to_a_script_whose_connector_is_gone_is_possible(shop: Shop) -> None:
    """It fails when it runs, with a sentence, and not here."""
    shop.deploy(consumer(approve="always"))
    shop.deploy(consumer(approve="first"))
    shop.house.registry._connectors.clear()
    assert shop.commands.rollback("w", 1)["version"] == 3
    shop.publish("a")
    shop.tick()
    run = shop.runs("C")[-1]
    assert run.status == "failed:logic" and 'no kind of connection called "world"' in run.error["sentence"]


def test_rolling_back_is_refused_where_there_is_nothing_to_go_to(shop: Shop) -> None:
    shop.deploy(job("pass"))
    assert refusal(shop.commands.rollback, "w") == (
        "W has no earlier version that worked; dayhand versions w lists them."
    )
    assert refusal(shop.commands.rollback, "w", 0) == "W has no version 0; dayhand versions w lists them."
    assert refusal(shop.commands.rollback, "w", 7) == "W has no version 7; dayhand versions w lists them."


def test_an_archived_workflow_rests_and_asks_nobody(shop: Shop) -> None:
    shop.deploy(consumer(approve="always") + "@flow.job(every='1h')\ndef j(ctx):\n    pass\n")
    shop.publish("a")
    shop.tick()
    assert shop.commands.archive("w") == {"workflow": "w", "state": "archived"}
    assert shop.requests() == [] and shop.pending() == ["a"]
    shop.pass_time(3 * HOUR)
    assert shop.states("j") == [] and [row.status for row in shop.runs()] == ["cancelled"]


def test_an_archived_workflow_comes_back_with_a_resume_or_a_new_version(shop: Shop) -> None:
    shop.deploy(job("pass"))
    for come_back in (
        lambda: shop.commands.resume("w"),
        lambda: shop.deploy(job("pass")),
        lambda: shop.deploy(job("print(2)")),
    ):
        shop.commands.archive("w")
        shop.clock.move(HOUR * 3)
        shop.tick()
        come_back()
        before = len(shop.states("j"))
        shop.pass_time(HOUR)
        assert len(shop.states("j")) > before and shop.workflow().status == "active"


def test_what_was_being_asked_when_it_was_put_away_is_asked_anew_when_it_comes_back(shop: Shop) -> None:
    shop.deploy(consumer(approve="always"))
    shop.publish("a")
    shop.tick()
    shop.commands.archive("w")
    shop.tick()
    shop.deploy(consumer(approve="always"))
    shop.tick()
    assert [one.kind for one in shop.requests()] == ["approval"] and shop.events() == {"a": "reserved"}


def test_a_removed_workflow_leaves_nothing_of_its_own(shop: Shop) -> None:
    shop.deploy(consumer(approve="always") + "@flow.job(every='1h')\ndef j(ctx):\n    print(1)\n")
    shop.publish("a")
    shop.pass_time(HOUR)
    [request] = shop.requests()
    ran = shop.runs("j")[-1].id
    assert shop.commands.remove("w") == {"workflow": "w", "state": "removed"}
    db = shop.database.read()
    assert workflows.every_one(db) == [] and requests.find(db, request.id) is None
    assert (shop.runs(), events.peek(db, "w", "t", 10), lanes.of_workflow(db, "w"), grants.of_workflow(db, "w")) == (
        [],
        [],
        [],
        [],
    )
    assert logs.read(db, ran) == "" and shop.schedule("j").removed is not None
    assert shop.states("j") == [], "planned times are history too"
    shop.pass_time(3 * HOUR)
    assert refusal(shop.commands.run, "w") == "There is no workflow w. Deploy one first: dayhand deploy FILE"


@pytest.mark.parametrize("verb", ["deploy", "remove"])
def test_no_process_stays_warm_for_a_version_that_is_gone(shop: Shop, verb: str) -> None:
    shop.deploy(job("import os\nprint(os.getpid())"))
    run(shop)
    warm = int(shop.log(shop.runs()[-1].id))
    assert is_alive(warm)
    if verb == "deploy":
        shop.deploy(job("pass"))
    else:
        shop.commands.remove("w")
    shop.wait(lambda: not is_alive(warm))


def test_a_workflow_of_the_same_name_begins_anew_after_a_removal(shop: Shop) -> None:
    shop.deploy(producer("return {'n': state.get('n', 0) + 1}"))
    shop.tick()
    shop.commands.remove("w")
    assert shop.deploy(producer("print('new')\nreturn {'n': state.get('n', 0) + 1}"), path="other.py")["version"] == 1
    shop.tick()
    assert shop.state("p") == {"n": 1} and shop.log(shop.runs("p")[-1].id) == "new\n"


@pytest.mark.parametrize("verb", ["archive", "remove"])
def test_refused_while_it_acts_outside(shop: Shop, verb: str) -> None:
    shop.world.gate = threading.Event()
    shop.deploy(consumer())
    shop.publish("a")
    shop.wait(shop.world.entered.is_set)
    sentence = refusal(getattr(shop.commands, verb), "w")
    assert sentence == "W is in the middle of an outside action; wait until that has ended."
    shop.world.gate.set()
    shop.tick()
    assert shop.events() == {"a": "consumed"}


@pytest.mark.parametrize("verb", ["archive", "remove"])
def test_refused_while_nobody_knows_whether_it_happened(shop: Shop, verb: str) -> None:
    shop.world.fails = [fail(FailureClass.UNSURE)]
    shop.deploy(consumer(tool="blind"))
    shop.publish("a")
    shop.tick()
    sentence = refusal(getattr(shop.commands, verb), "w")
    assert sentence == "Say first whether what W did happened: dayhand attention"
    shop.answering.resolve(shop.requests()[0].run or "", "happened")
    shop.tick()
    getattr(shop.commands, verb)("w")


@pytest.mark.parametrize("verb", ["archive", "remove"])
def test_refused_while_it_runs(shop: Shop, verb: str) -> None:
    shop.deploy(job("import time\nwhile not ctx.cancelled:\n    time.sleep(0.01)"))
    shop.commands.run("w")
    shop.until_begun()
    assert refusal(getattr(shop.commands, verb), "w") == "W is running now; first: dayhand stop w"
    shop.commands.stop("w")
    shop.tick()
    getattr(shop.commands, verb)("w")


@pytest.mark.parametrize(("verb", "left"), [("archive", ["cancelled"]), ("remove", [])])
def test_what_waits_for_its_next_attempt_is_over_and_its_occurrence_with_it(
    shop: Shop, verb: str, left: list[str]
) -> None:
    shop.world.read_fails = [fail(FailureClass.TRANSIENT)]
    shop.deploy(job("ctx.call('world:x', 'look')"))
    shop.commands.run("w")
    shop.tick()
    assert shop.states("j") == ["started"]
    getattr(shop.commands, verb)("w", request="r")
    getattr(shop.commands, verb)("w", request="r")
    assert shop.states("j") == left
    shop.pass_time(HOUR)
    assert shop.states("j") == left and len(shop.world.reads) == 1


@pytest.mark.parametrize(("verb", "left"), [("archive", ["cancelled"]), ("remove", [])])
def test_a_job_that_asks_whether_it_finished_asks_no_longer(shop: Shop, verb: str, left: list[str]) -> None:
    shop.deploy(job("import time\nwhile not ctx.cancelled:\n    time.sleep(0.01)"))
    shop.commands.run("w")
    shop.until_begun()
    shop.crash()
    shop.tick()
    assert [request.kind for request in shop.requests()] == ["interrupted"]
    getattr(shop.commands, verb)("w")
    assert (shop.requests(), shop.states("j")) == ([], left)
