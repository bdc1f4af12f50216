"""Producers and jobs as their scripts see them: facts, state, checkpoints, output, progress, a sentence at the end."""

import json
from typing import Any

import pytest

from scheduler.rules.failures import FailureClass
from tests.engine.harness import HOUR, MINUTE, SECOND
from tests.runs.scripts import job, prepare, producer
from tests.runs.shop import Shop, fail

FACTS = (
    "import json\nprint(json.dumps({'now': ctx.now.isoformat(), 'planned': ctx.planned and ctx.planned.isoformat(), "
    "'key': ctx.key, 'origin': ctx.origin, 'attempt': ctx.attempt, 'last': ctx.last, 'cancelled': ctx.cancelled}))"
)


def told(shop: Shop, run: str) -> Any:
    return json.loads(shop.log(run).splitlines()[0])


def test_a_job_knows_its_planned_time_its_key_and_the_result_before(shop: Shop) -> None:
    shop.deploy(job(f"{FACTS}\nreturn {{'n': (ctx.last or {{'n': 0}})['n'] + 1}}"))
    shop.clock.move(HOUR + 5 * SECOND)
    shop.tick()
    shop.pass_time(HOUR)
    first, second = (told(shop, run.id) for run in shop.runs())
    assert (first["planned"], first["origin"], first["attempt"]) == ("2026-11-16T11:00:00+00:00", "automatic", 1)
    assert first["now"].startswith("2026-11-16T11:00:05")
    assert (first["last"], second["last"], first["cancelled"]) == (None, {"n": 1}, False)
    assert first["key"] != second["key"] == shop.runs()[1].chain


def test_a_retry_has_the_same_key_and_planned_time_and_the_next_number(shop: Shop) -> None:
    shop.world.read_fails = [fail(FailureClass.TRANSIENT)]
    shop.deploy(job(f"{FACTS}\nctx.call('world:x', 'look')"))
    shop.clock.move(HOUR)
    shop.pass_time(MINUTE)
    first, second = (told(shop, run.id) for run in shop.runs())
    assert (first["attempt"], second["attempt"]) == (1, 2)
    assert (first["key"], first["planned"], first["origin"]) == (second["key"], second["planned"], second["origin"])
    assert shop.states("j") == ["succeeded"]


def test_what_a_person_a_deploy_or_an_event_starts_has_no_planned_time(shop: Shop) -> None:
    shop.deploy(
        producer(f"{FACTS}\nctx.publish(t, id='a')").replace(
            "        return dayhand.nothing()", f"        exec({FACTS!r})\n        return dayhand.nothing()"
        )
    )
    shop.tick()
    shop.commands.run("w")
    shop.tick()
    facts = [told(shop, run.id) for run in shop.runs()]
    assert {(fact["origin"], fact["planned"]) for fact in facts} == {
        ("deploy", None),
        ("manual", None),
        ("event", None),
    }


def test_a_retry_of_what_a_person_started_has_no_planned_time_either(shop: Shop) -> None:
    shop.world.read_fails = [fail(FailureClass.TRANSIENT)]
    shop.deploy(job(f"{FACTS}\nctx.call('world:x', 'look')"))
    shop.commands.run("w")
    shop.pass_time(MINUTE)
    assert [(told(shop, run.id)["origin"], told(shop, run.id)["planned"]) for run in shop.runs()] == [
        ("manual", None)
    ] * 2


def test_state_begins_empty_and_is_what_was_returned(shop: Shop) -> None:
    shop.deploy(producer("print(state)\nreturn {'n': state.get('n', 0) + 1}"))
    shop.pass_time(2 * HOUR)
    assert [shop.log(run.id) for run in shop.runs("p")] == ["{}\n", "{'n': 1}\n", "{'n': 2}\n"]
    assert shop.state("p") == {"n": 3}


def test_returning_nothing_keeps_the_old_state(shop: Shop) -> None:
    """Also if the script changed the one it was given."""
    shop.deploy(producer("state['n'] = state.get('n', 0) + 1\nreturn state if state['n'] == 1 else None"))
    shop.pass_time(HOUR)
    assert len(shop.runs("p")) == 2
    assert shop.state("p") == {"n": 1}


def test_a_failure_keeps_the_old_state(shop: Shop) -> None:
    """Invariant 9: state changes only in a commit or a checkpoint."""
    shop.deploy(producer("if state:\n    raise ValueError\nreturn {'n': 1}"))
    shop.pass_time(HOUR)
    assert shop.state("p") == {"n": 1} and shop.runs("p")[-1].status == "failed:logic"


def test_a_checkpoint_commits_the_state_and_what_was_published_so_far(shop: Shop) -> None:
    shop.deploy(producer("ctx.publish(t, id='a')\nctx.checkpoint({'at': 1})\nctx.publish(t, id='b')\nraise ValueError"))
    shop.tick()
    assert (shop.state("p"), shop.pending()) == ({"at": 1}, ["a"])


def test_after_a_crash_a_producer_goes_on_from_its_checkpoint(shop: Shop) -> None:
    """What was published before it is not published again."""
    shop.deploy(
        producer(
            "import time\n"
            "for n in range(state.get('at', 0), 3):\n"
            "    ctx.publish(t, id=str(n), data=ctx.attempt)\n"
            "    ctx.checkpoint({'at': n + 1})\n"
            "    while n == 1 and ctx.attempt == 1 and not ctx.cancelled:\n        time.sleep(0.01)\n"
            "return {'at': 3}"
        )
    )
    shop.wait(lambda: shop.pending() == ["0", "1"])
    shop.crash()
    shop.tick()
    assert (shop.pending(), shop.state("p")) == (["0", "1", "2"], {"at": 3})
    query = "SELECT data FROM events ORDER BY born"
    assert [row[0] for row in shop.database.read().execute(query)] == ["1", "1", "2"]
    assert shop.states("p") == ["succeeded"]


def test_a_transient_failure_after_a_checkpoint_does_not_publish_again(shop: Shop) -> None:
    shop.world.read_fails = [fail(FailureClass.TRANSIENT)]
    shop.deploy(
        producer(
            "if 'at' not in state:\n    ctx.publish(t, id='a', data=ctx.attempt)\n    ctx.checkpoint({'at': 1})\n"
            "ctx.publish(t, id='b', data=ctx.attempt)\nctx.call('world:x', 'look')\nreturn state"
        )
    )
    shop.pass_time(MINUTE)
    query = "SELECT id, data FROM events ORDER BY born"
    assert [tuple(row) for row in shop.database.read().execute(query)] == [("a", "1"), ("b", "2")]


def test_what_a_run_prints_is_in_its_log(shop: Shop) -> None:
    shop.deploy(
        job("import sys\nprint('out')\nprint('err', file=sys.stderr)\nctx.log('a', 1)\nctx.run(['echo', 'child'])")
    )
    shop.commands.run("w")
    shop.tick()
    assert sorted(shop.log(shop.runs()[-1].id).split("\n")) == ["", "a 1", "child", "err", "out"]


def test_the_log_of_a_run_is_bounded(shop: Shop) -> None:
    """L2: the rest is cut, and that is said."""
    shop.deploy(job("for _ in range(20_000):\n    print('x' * 1000)\nctx.done('Printed')"))
    shop.commands.run("w")
    shop.tick()
    run = shop.runs()[-1]
    assert (run.status, run.summary) == ("committed", "Printed")
    text = shop.log(run.id)
    assert len(text) < 20_000_000 and "the rest was cut" in text


def test_how_far_it_is_can_be_seen_while_it_runs(shop: Shop) -> None:
    go, there = shop.folder / "go", shop.folder / "there"
    shop.deploy(
        job(
            f"import os, time\nprint('begun', flush=True)\nopen({str(there)!r}, 'w').close()\n"
            f"while not os.path.exists({str(go)!r}):\n"
            "    ctx.progress(3, 10, 'mails')\n    time.sleep(0.01)"
        )
    )
    shop.commands.run("w")
    shop.wait(there.exists)

    def is_seen() -> bool:
        shop.clock.move(2 * SECOND)  # again and again: what it printed may have taken the first look
        return shop.runs()[-1].progress is not None

    shop.wait(is_seen)
    run = shop.runs()[-1]
    assert (run.progress, run.status) == ({"done": 3, "total": 10, "text": "mails"}, "active")
    assert "begun" in shop.log(run.id), "and so can what it printed"
    go.touch()
    shop.tick()


def test_what_it_said_last_is_seen_though_it_says_no_more(shop: Shop) -> None:
    """A long command prints its first line and then nothing for an hour."""
    go = shop.folder / "go"
    wait = f"import os, time\nwhile not os.path.exists({str(go)!r}):\n    time.sleep(0.01)"
    shop.deploy(job(f"print('begun', flush=True)\nctx.progress(1, 2, 'mails')\n{wait}"))
    shop.commands.run("w")
    shop.wait(lambda: bool(shop.runs()) and shop.runs()[-1].progress is not None)
    run = shop.runs()[-1]
    assert (run.progress, run.status) == ({"done": 1, "total": 2, "text": "mails"}, "active")
    assert shop.log(run.id) == "begun\n"
    go.touch()
    shop.tick()
    assert shop.log(run.id) == "begun\n", "and it is not told twice"


def test_the_last_sentence_is_what_people_see(shop: Shop) -> None:
    shop.deploy(job("ctx.done('First')\nctx.done('Backed up 3 folders')"))
    shop.commands.run("w")
    shop.tick()
    assert shop.runs()[-1].summary == "Backed up 3 folders"
    assert shop.occurrences("j")[-1].detail == "Backed up 3 folders"


def test_a_consumer_knows_the_result_of_its_last_run(shop: Shop) -> None:
    shop.world.answer = {"id": 7}
    shop.deploy(
        prepare(
            "print(ctx.last)\nreturn dayhand.prepared(reserve=ctx.peek(t))",
            "def mutate(self, ctx, prepared):\n    ctx.call('world:x', 'act')",
        )
    )
    shop.publish("a")
    shop.tick()
    shop.publish("b")
    shop.tick()
    assert [shop.log(run.id) for run in shop.runs("C")] == ["None\n", "{'id': 7}\n"]


def test_a_consumer_without_mutate_and_next_just_takes(shop: Shop) -> None:
    shop.deploy(prepare("return dayhand.prepared(reserve=ctx.peek(t))"))
    shop.publish("a")
    shop.tick()
    assert shop.events() == {"a": "consumed"} and shop.runs("C")[-1].phase == "committed"


def test_a_mutate_without_a_call_has_the_outcome_none(shop: Shop) -> None:
    shop.deploy(
        prepare(
            "return dayhand.prepared(reserve=ctx.peek(t))",
            "def mutate(self, ctx, prepared):\n    pass\n"
            "def next(self, ctx, prepared, result, state):\n    return {'told': [ctx.outcome, result]}",
        )
    )
    shop.publish("a")
    shop.tick()
    assert shop.state("C") == {"told": ["none", None]} and shop.events() == {"a": "consumed"}
    assert shop.mutation(shop.runs("C")[-1].id) is None


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        ("return [1]", "producer returned a list; return the new state, a dict, or nothing to keep the old."),
        ("return {'at': ctx.now}", "state.at is a datetime; write .isoformat()"),
        ("ctx.publish('u', id='a')", "'u' is not a topic"),
        ("ctx.publish(t, id=7)", "id=7 is not a text"),
        ("ctx.call('world:x', 'act')", "acts"),
        ("ctx.peek(t)", "producer cannot use ctx.peek; peek in prepare"),
        ("ctx.run(['true'])", "producer cannot use ctx.run; commands run in jobs"),
        ("ctx.done('x')", "producer cannot use ctx.done"),
        ("1 / 0", "ZeroDivisionError"),
    ],
)
def test_what_a_producer_may_not_do_is_an_error_of_its_script(shop: Shop, body: str, sentence: str) -> None:
    """X9 for producers: with the line where it is written."""
    source = producer(body)
    if "act" in sentence:
        source = source.replace("'act'", "''.join(['act'])")
    shop.deploy(source)
    shop.tick()
    run = shop.runs("p")[-1]
    assert run.status == "failed:logic" and sentence in run.error["sentence"]
    assert shop.lane().blocked == "script error"


def test_a_script_without_jobs_is_fenced_and_one_that_runs_the_persons_commands_is_not(shop: Shop) -> None:
    shop.deploy(producer("print('NoNewPrivs:\\t1' in open('/proc/self/status').read())"))
    shop.tick()
    assert shop.log(shop.runs("p")[-1].id) == "True\n"
    shop.deploy(job("ctx.run(['grep', 'NoNewPrivs', '/proc/self/status'])"))
    shop.commands.run("w")
    shop.tick()
    assert shop.log(shop.runs("j")[-1].id) == "NoNewPrivs:\t0\n"
