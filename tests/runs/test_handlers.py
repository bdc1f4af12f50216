"""Producers and jobs as their scripts see them: facts, state, checkpoints, output, progress, summary."""

import json
from typing import Any

import pytest

from scheduler.rules.failures import FailureClass
from tests.engine.engine_fixture import HOUR, MINUTE, SECOND
from tests.runs.runtime_fixture import RuntimeFixture, fail
from tests.runs.scripts import job, prepare, producer

FACTS = (
    "import json\nprint(json.dumps({'now': ctx.now.isoformat(), 'planned': ctx.planned and ctx.planned.isoformat(), "
    "'key': ctx.key, 'origin': ctx.origin, 'attempt': ctx.attempt, 'last': ctx.last, 'cancelled': ctx.cancelled}))"
)


def printed_facts(runtime: RuntimeFixture, run: str) -> Any:
    return json.loads(runtime.log(run).splitlines()[0])


def test_a_job_gets_its_planned_time_its_key_and_the_last_result(runtime: RuntimeFixture) -> None:
    runtime.deploy(job(f"{FACTS}\nreturn {{'n': (ctx.last or {{'n': 0}})['n'] + 1}}"))
    runtime.clock.move(HOUR + 5 * SECOND)
    runtime.tick()
    runtime.pass_time(HOUR)
    first, second = (printed_facts(runtime, run.id) for run in runtime.runs())
    assert (first["planned"], first["origin"], first["attempt"]) == ("2026-11-16T11:00:00+00:00", "automatic", 1)
    assert first["now"].startswith("2026-11-16T11:00:05")
    assert (first["last"], second["last"], first["cancelled"]) == (None, {"n": 1}, False)
    assert first["key"] != second["key"] == runtime.runs()[1].chain


def test_a_retry_has_the_same_key_and_planned_time_and_the_next_attempt_number(runtime: RuntimeFixture) -> None:
    runtime.service.read_fails = [fail(FailureClass.TRANSIENT)]
    runtime.deploy(job(f"{FACTS}\nctx.call('world:x', 'look')"))
    runtime.clock.move(HOUR)
    runtime.pass_time(MINUTE)
    first, second = (printed_facts(runtime, run.id) for run in runtime.runs())
    assert (first["attempt"], second["attempt"]) == (1, 2)
    assert (first["key"], first["planned"], first["origin"]) == (second["key"], second["planned"], second["origin"])
    assert runtime.states("j") == ["succeeded"]


def test_manual_deploy_and_event_runs_have_no_planned_time(runtime: RuntimeFixture) -> None:
    runtime.deploy(
        producer(f"{FACTS}\nctx.publish(t, id='a')").replace(
            "        return dayhand.nothing()", f"        exec({FACTS!r})\n        return dayhand.nothing()"
        )
    )
    runtime.tick()
    runtime.commands.run("w")
    runtime.tick()
    facts = [printed_facts(runtime, run.id) for run in runtime.runs()]
    assert {(fact["origin"], fact["planned"]) for fact in facts} == {
        ("deploy", None),
        ("manual", None),
        ("event", None),
    }


def test_a_retry_of_a_manual_run_has_no_planned_time(runtime: RuntimeFixture) -> None:
    runtime.service.read_fails = [fail(FailureClass.TRANSIENT)]
    runtime.deploy(job(f"{FACTS}\nctx.call('world:x', 'look')"))
    runtime.commands.run("w")
    runtime.pass_time(MINUTE)
    assert [
        (printed_facts(runtime, run.id)["origin"], printed_facts(runtime, run.id)["planned"]) for run in runtime.runs()
    ] == [("manual", None)] * 2


def test_state_starts_empty_and_is_what_was_returned(runtime: RuntimeFixture) -> None:
    runtime.deploy(producer("print(state)\nreturn {'n': state.get('n', 0) + 1}"))
    runtime.pass_time(2 * HOUR)
    assert [runtime.log(run.id) for run in runtime.runs("p")] == ["{}\n", "{'n': 1}\n", "{'n': 2}\n"]
    assert runtime.state("p") == {"n": 3}


def test_returning_nothing_keeps_the_old_state(runtime: RuntimeFixture) -> None:
    """Even if the script changed the dict it was given."""
    runtime.deploy(producer("state['n'] = state.get('n', 0) + 1\nreturn state if state['n'] == 1 else None"))
    runtime.pass_time(HOUR)
    assert len(runtime.runs("p")) == 2
    assert runtime.state("p") == {"n": 1}


def test_a_failure_keeps_the_old_state(runtime: RuntimeFixture) -> None:
    """State changes only with a commit or a checkpoint."""
    runtime.deploy(producer("if state:\n    raise ValueError\nreturn {'n': 1}"))
    runtime.pass_time(HOUR)
    assert runtime.state("p") == {"n": 1} and runtime.runs("p")[-1].status == "failed:logic"


def test_a_checkpoint_commits_the_state_and_what_was_published_so_far(runtime: RuntimeFixture) -> None:
    runtime.deploy(
        producer("ctx.publish(t, id='a')\nctx.checkpoint({'at': 1})\nctx.publish(t, id='b')\nraise ValueError")
    )
    runtime.tick()
    assert (runtime.state("p"), runtime.pending()) == ({"at": 1}, ["a"])


def test_after_a_crash_a_producer_continues_from_its_checkpoint(runtime: RuntimeFixture) -> None:
    """Events published before it are not published again."""
    runtime.deploy(
        producer(
            "import time\n"
            "for n in range(state.get('at', 0), 3):\n"
            "    ctx.publish(t, id=str(n), data=ctx.attempt)\n"
            "    ctx.checkpoint({'at': n + 1})\n"
            "    while n == 1 and ctx.attempt == 1 and not ctx.cancelled:\n        time.sleep(0.01)\n"
            "return {'at': 3}"
        )
    )
    runtime.wait(lambda: runtime.pending() == ["0", "1"])
    runtime.crash()
    runtime.tick()
    assert (runtime.pending(), runtime.state("p")) == (["0", "1", "2"], {"at": 3})
    query = "SELECT data FROM events ORDER BY born"
    assert [row[0] for row in runtime.database.read().execute(query)] == ["1", "1", "2"]
    assert runtime.states("p") == ["succeeded"]


def test_a_transient_failure_after_a_checkpoint_does_not_publish_again(runtime: RuntimeFixture) -> None:
    runtime.service.read_fails = [fail(FailureClass.TRANSIENT)]
    runtime.deploy(
        producer(
            "if 'at' not in state:\n    ctx.publish(t, id='a', data=ctx.attempt)\n    ctx.checkpoint({'at': 1})\n"
            "ctx.publish(t, id='b', data=ctx.attempt)\nctx.call('world:x', 'look')\nreturn state"
        )
    )
    runtime.pass_time(MINUTE)
    query = "SELECT id, data FROM events ORDER BY born"
    assert [tuple(row) for row in runtime.database.read().execute(query)] == [("a", "1"), ("b", "2")]


def test_what_a_run_prints_is_in_its_log(runtime: RuntimeFixture) -> None:
    runtime.deploy(
        job("import sys\nprint('out')\nprint('err', file=sys.stderr)\nctx.log('a', 1)\nctx.run(['echo', 'child'])")
    )
    runtime.commands.run("w")
    runtime.tick()
    assert sorted(runtime.log(runtime.runs()[-1].id).split("\n")) == ["", "a 1", "child", "err", "out"]


def test_the_log_of_a_run_is_bounded(runtime: RuntimeFixture) -> None:
    """The rest is cut with a note."""
    runtime.deploy(job("for _ in range(20_000):\n    print('x' * 1000)\nctx.done('Printed')"))
    runtime.commands.run("w")
    runtime.tick()
    run = runtime.runs()[-1]
    assert (run.status, run.summary) == ("committed", "Printed")
    text = runtime.log(run.id)
    assert len(text) < 20_000_000 and "the rest was cut" in text


def test_progress_and_log_are_visible_while_it_runs(runtime: RuntimeFixture) -> None:
    go, there = runtime.folder / "go", runtime.folder / "there"
    runtime.deploy(
        job(
            f"import os, time\nprint('begun', flush=True)\nopen({str(there)!r}, 'w').close()\n"
            f"while not os.path.exists({str(go)!r}):\n"
            "    ctx.progress(3, 10, 'mails')\n    time.sleep(0.01)"
        )
    )
    runtime.commands.run("w")
    runtime.wait(there.exists)

    def is_seen() -> bool:
        runtime.clock.move(2 * SECOND)  # repeatedly: the first interval may only have stored the output
        return runtime.runs()[-1].progress is not None

    runtime.wait(is_seen)
    run = runtime.runs()[-1]
    assert (run.progress, run.status) == ({"done": 3, "total": 10, "text": "mails"}, "active")
    assert "begun" in runtime.log(run.id), "the output is visible too"
    go.touch()
    runtime.tick()


def test_the_last_output_is_visible_even_if_nothing_follows(runtime: RuntimeFixture) -> None:
    """A long command prints its first line and then nothing for an hour."""
    go = runtime.folder / "go"
    wait = f"import os, time\nwhile not os.path.exists({str(go)!r}):\n    time.sleep(0.01)"
    runtime.deploy(job(f"print('begun', flush=True)\nctx.progress(1, 2, 'mails')\n{wait}"))
    runtime.commands.run("w")
    runtime.wait(lambda: bool(runtime.runs()) and runtime.runs()[-1].progress is not None)
    run = runtime.runs()[-1]
    assert (run.progress, run.status) == ({"done": 1, "total": 2, "text": "mails"}, "active")
    assert runtime.log(run.id) == "begun\n"
    go.touch()
    runtime.tick()
    assert runtime.log(run.id) == "begun\n", "it is not stored twice"


def test_the_last_done_sentence_is_the_summary(runtime: RuntimeFixture) -> None:
    runtime.deploy(job("ctx.done('First')\nctx.done('Backed up 3 folders')"))
    runtime.commands.run("w")
    runtime.tick()
    assert runtime.runs()[-1].summary == "Backed up 3 folders"
    assert runtime.occurrences("j")[-1].detail == "Backed up 3 folders"


def test_a_consumer_knows_the_result_of_its_last_run(runtime: RuntimeFixture) -> None:
    runtime.service.answer = {"id": 7}
    runtime.deploy(
        prepare(
            "print(ctx.last)\nreturn dayhand.prepared(reserve=ctx.peek(t))",
            "def mutate(self, ctx, prepared):\n    ctx.call('world:x', 'act')",
        )
    )
    runtime.publish("a")
    runtime.tick()
    runtime.publish("b")
    runtime.tick()
    assert [runtime.log(run.id) for run in runtime.runs("C")] == ["None\n", "{'id': 7}\n"]


def test_a_consumer_without_mutate_and_next_consumes_its_events(runtime: RuntimeFixture) -> None:
    runtime.deploy(prepare("return dayhand.prepared(reserve=ctx.peek(t))"))
    runtime.publish("a")
    runtime.tick()
    assert runtime.events() == {"a": "consumed"} and runtime.runs("C")[-1].phase == "committed"


def test_a_mutate_without_a_call_has_the_outcome_none(runtime: RuntimeFixture) -> None:
    runtime.deploy(
        prepare(
            "return dayhand.prepared(reserve=ctx.peek(t))",
            "def mutate(self, ctx, prepared):\n    pass\n"
            "def next(self, ctx, prepared, result, state):\n    return {'told': [ctx.outcome, result]}",
        )
    )
    runtime.publish("a")
    runtime.tick()
    assert runtime.state("C") == {"told": ["none", None]} and runtime.events() == {"a": "consumed"}
    assert runtime.mutation(runtime.runs("C")[-1].id) is None


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        ("return [1]", "producer returned a list; return the new state, a dict, or nothing to keep the old."),
        ("return {'at': ctx.now}", "state.at is a datetime; write .isoformat()"),
        ("its = ctx; its.publish('u', id='a')", "'u' is not a topic"),
        ("its = ctx; its.publish(t, id=7)", "id=7 is not a string"),
        ("ctx.call('world:x', 'act')", "is an action"),
        ("its = ctx; its.peek(t)", "producer cannot use ctx.peek; peek in prepare"),
        ("its = ctx; its.run(['true'])", "producer cannot use ctx.run; commands run in jobs"),
        ("its = ctx; its.done('x')", "producer cannot use ctx.done"),
        ("1 / 0", "ZeroDivisionError"),
    ],
)
def test_a_forbidden_call_in_a_producer_is_a_logic_failure(runtime: RuntimeFixture, body: str, sentence: str) -> None:
    """The failure names the line."""
    source = producer(body)
    if "action" in sentence:
        source = source.replace("'act'", "''.join(['act'])")
    runtime.deploy(source)
    runtime.tick()
    run = runtime.runs("p")[-1]
    assert run.status == "failed:logic" and sentence in run.error["sentence"]
    assert runtime.lane().blocked == "script error"


def test_scripts_without_jobs_are_sandboxed_and_scripts_with_jobs_are_not(runtime: RuntimeFixture) -> None:
    runtime.deploy(producer("print('NoNewPrivs:\\t1' in open('/proc/self/status').read())"))
    runtime.tick()
    assert runtime.log(runtime.runs("p")[-1].id) == "True\n"
    runtime.deploy(job("ctx.run(['grep', 'NoNewPrivs', '/proc/self/status'])"))
    runtime.commands.run("w")
    runtime.tick()
    assert runtime.log(runtime.runs("j")[-1].id) == "NoNewPrivs:\t0\n"
