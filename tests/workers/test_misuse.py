"""Calls that a phase may not make and invalid return values: one message with file, line and fix."""

import subprocess
import sys
from collections.abc import Callable
from textwrap import dedent, indent

import pytest

from scheduler.workers.outcomes import Fault, Finished, ScriptFailed
from scheduler.workers.worker import Worker
from tests.workers.worker_fixture import Recorder, phase, script

Start = Callable[..., Worker]
PREPARED = {"reserve": [], "data": {}, "say": "", "ui": None, "wake_at": None}
FIRST_LINE = 6


def chore(phase_name: str, body: str) -> str:
    """A workflow with one phase whose body starts at line 6."""
    parts = {
        "producer": "@flow.producer(every='5m', publishes=[mails])\ndef work(ctx, state):\n{}\n"
        "@flow.consumer(subscribe=[mails])\nclass Other:\n    def prepare(self, ctx, state): ...",
        "job": "@flow.job(every='5m')\ndef work(ctx):\n{}",
        "prepare": "@flow.consumer(subscribe=[mails])\nclass work:\n  def prepare(self, ctx, state):\n{}",
        "mutate": "@flow.consumer(subscribe=[mails])\nclass work:\n  def prepare(self, ctx, state): ...\n"
        "  def mutate(self, ctx, prepared):\n{}",
        "next": "@flow.consumer(subscribe=[mails], publishes=[mails])\nclass work:\n"
        "  def prepare(self, ctx, state): ...\n  def next(self, ctx, prepared, result, state):\n{}",
    }
    begin = (
        "import dayhand; flow = dayhand.Workflow('Chores', connections=['files:home']); mails = flow.topic('mails'); "
    )
    begin += "other = flow.topic('other')"
    before = parts[phase_name].split("{}")[0].count("\n")
    blank = "\n" * (FIRST_LINE - 1 - before)
    return begin + blank + parts[phase_name].format(indent(dedent(body).strip(), "      "))


def run(start: Start, phase_name: str, body: str) -> tuple[object, Worker]:
    worker = start(chore(phase_name, body))
    given = phase("work", phase_name, prepared=PREPARED, state={}, result=None)
    return worker.run(given, Recorder(tools={"list": lambda **_: []})), worker


FORBIDDEN = {
    "producer": ("peek", "done", "run", "outcome"),
    "prepare": ("publish", "checkpoint", "done", "run", "outcome"),
    "mutate": ("publish", "peek", "checkpoint", "done", "run", "outcome"),
    "next": ("call", "peek", "checkpoint", "run"),
    "job": ("publish", "peek", "checkpoint", "outcome"),
}


@pytest.mark.parametrize("phase_name", FORBIDDEN)
def test_a_phase_cannot_use_methods_of_other_phases(start: Start, phase_name: str) -> None:
    body = "import json, os\nfor name in os.environ.get('NONE', NAMES):\n    try: getattr(ctx, name)\n"
    body += "    except dayhand.Misuse as misuse: print(misuse)\n    else: print(name, 'is there')"
    worker = start("NAMES = " + repr(FORBIDDEN[phase_name]) + "; " + chore(phase_name, body))
    recorder = Recorder()
    outcome = worker.run(phase("work", phase_name, prepared=PREPARED, state={}), recorder)
    lines = recorder.text.splitlines()
    for name, line in zip(FORBIDDEN[phase_name], lines, strict=True):
        assert line.startswith(f"chore.py, line {FIRST_LINE + 2}: {phase_name} cannot use ctx.{name}; "), line
    assert isinstance(outcome, ScriptFailed), "a misuse fails the run even if it is caught"
    assert outcome.fault is Fault.MISUSE
    assert outcome.sentence == lines[0]


MISUSES = {
    "an unknown name": ("job", "ctx.send('x')", "ctx has no send; in job it offers attempt, call, cancelled, done"),
    "a misspelt name": ("producer", "ctx.publsh(mails, id='a')", "ctx has no publsh; did you mean publish?"),
    "an event used like a dict": (
        "prepare",
        "dayhand.Event(id='a', title='', data={}, topic=mails, published_at=None)['data']",
        "an event is not a dict; write event.data['data'] or event.id.",
    ),
    "an undeclared connection": (
        "job",
        "ctx.call('imap:home', 'search')",
        "is not among the connections of Chores; write dayhand.Workflow('Chores', connections=[…, 'imap:home'])",
    ),
    "a tool that is not a string": ("job", "ctx.call('files:home', 3)", "call takes two strings first"),
    "a parameter that is not JSON": (
        "job",
        "import datetime\nctx.call('files:home', 'list', since={'day': datetime.date.today()})",
        "since.day is a date; write .isoformat()",
    ),
    "a topic it does not list": (
        "producer",
        "ctx.publish(other, id='a')",
        "work does not list the topic other; write publishes=[…, other]",
    ),
    "a topic's name": (
        "producer",
        "ctx.publish('mails', id='a')",
        "'mails' is not a topic; use the result of flow.topic",
    ),
    "an id that is not a string": ("producer", "ctx.publish(mails, id=3)", "id=3 is not a string; write id=str(…)"),
    "an id with an invalid character": (
        "producer",
        "ctx.publish(mails, id='\\udcff')",
        "id is a string with an invalid char",
    ),
    "a title that is not a string": ("producer", "ctx.publish(mails, id='3', title=4)", "title=4 is not a string"),
    "data that is not JSON": ("producer", "ctx.publish(mails, id='3', data=[{1}])", "data[0] is a set"),
    "a checkpoint of something else": ("producer", "ctx.checkpoint(3)", "checkpoint takes the state, a dict"),
    "a peek at a topic it does not subscribe to": ("prepare", "ctx.peek(other)", "write subscribe=[…, other]"),
    "a peek with limit 0": ("prepare", "ctx.peek(mails, limit=0)", "limit=0 is not a number of events"),
    "a command as a string": ("job", "ctx.run('restic backup')", "write ctx.run(['restic', 'backup'])"),
    "a command with a number": ("job", "ctx.run(['sleep', 1])", "command[1] is 1, not a string; write str(…)"),
    "done without a sentence": ("job", "ctx.done('')", "write ctx.done('Filed 3 receipts')"),
    "progress without a number": ("job", "ctx.progress('half')", "progress: done is 'half', not a number"),
    "two calls in mutate": (
        "mutate",
        "for _ in range(2):\n    try: ctx.call('files:home', 'write')\n    except BaseException: pass",
        "mutate makes one call, which ends it",
    ),
}


@pytest.mark.parametrize("misuse", MISUSES)
def test_a_misuse_is_reported_with_file_and_line(start: Start, misuse: str) -> None:
    phase_name, body, sentence = MISUSES[misuse]
    outcome, worker = run(start, phase_name, body)
    assert isinstance(outcome, ScriptFailed), outcome
    assert outcome.fault is Fault.MISUSE
    assert sentence in outcome.message
    first, last = FIRST_LINE, FIRST_LINE + body.count("\n")
    assert outcome.line is not None and first <= outcome.line <= last
    assert outcome.sentence.startswith(f"chore.py, line {outcome.line}: ")
    assert worker.is_usable


ERRORS = {
    "an event without a name for its id": (
        "producer",
        "ctx.publish(mails, 'a')",
        "ctx.publish does not take that; write ctx.publish(topic, id=…, title=…, data=…)",
    ),
    "a parameter without its name": (
        "job",
        "ctx.call('files:home', 'list', '*.txt')",
        "ctx.call does not take that; write ctx.call(connection, tool, name=value)",
    ),
    "an argument of a function of its own": ("job", "(lambda: 0)(1)", "TypeError: "),
    "a missing environment variable": ("job", "import os\nos.environ['TOKEN']", "Scripts get only a few environment"),
    "a missing key": ("job", "{}['TOKEN']", "KeyError: 'TOKEN'"),
    "a name that the package does not have": ("job", "dayhand.noting()", "did you mean dayhand.nothing?"),
}


@pytest.mark.parametrize("error", ERRORS)
def test_an_error_says_what_to_write(start: Start, error: str) -> None:
    phase_name, body, sentence = ERRORS[error]
    outcome, _ = run(start, phase_name, body)
    assert isinstance(outcome, ScriptFailed), outcome
    assert sentence in outcome.message
    assert outcome.line == FIRST_LINE + body.count("\n")


NOT_LOADED = {
    "from dayhand import producer": "dayhand has no producer; write flow = dayhand.Workflow('Receipts'), then @flow.",
    "from dayhand import workflow": "dayhand has no workflow; did you mean dayhand.Workflow?",
    "import dayhand; dayhand.workflow('A')": "dayhand has no workflow; did you mean dayhand.Workflow?",
    "import dayhand; dayhand.Workflow('A').task": "a workflow has no task; it has consumer, job, producer, topic.",
    "import dayhand; dayhand.Workflow('A').topics_": "a workflow has no topics_; did you mean topic?",
}


@pytest.mark.parametrize("source", NOT_LOADED)
def test_a_wrong_name_at_the_top_level_is_explained(source: str) -> None:
    worker = Worker(script(source))
    try:
        outcome = worker.load()
    finally:
        worker.end()
    assert isinstance(outcome, ScriptFailed), outcome
    assert NOT_LOADED[source] in outcome.message
    assert outcome.line == 1


def test_a_module_of_the_package_is_still_found() -> None:
    code = "from dayhand import page_text; import dayhand; print(hasattr(dayhand, 'x'), page_text.__name__)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False dayhand.page_text\n"


BAD_RETURNS = {
    "producer": ("return [1]", "producer returned a list; return the new state, a dict"),
    "prepare": ("pass", "prepare returned None; return dayhand.prepared(…) or dayhand.nothing()"),
    "next": ("return {'when': {1}}", "state.when is a set"),
    "job": ("return object()", "result is an object"),
}


@pytest.mark.parametrize("phase_name", BAD_RETURNS)
def test_a_bad_return_value_is_reported_at_the_handler(start: Start, phase_name: str) -> None:
    body, sentence = BAD_RETURNS[phase_name]
    outcome, _ = run(start, phase_name, body)
    assert isinstance(outcome, ScriptFailed)
    assert outcome.fault is Fault.BAD_RETURN
    assert sentence in outcome.message
    assert outcome.line in (FIRST_LINE - 1, FIRST_LINE - 2)


def test_mutate_may_make_no_call(start: Start) -> None:
    assert run(start, "mutate", "return 3")[0] == Finished({"call": None})


def test_a_call_counts_even_if_mutate_suppresses_its_end(start: Start) -> None:
    outcome, _ = run(start, "mutate", "try: ctx.call('files:home', 'write', path='x')\nfinally: return None")
    call = {"connection": "files:home", "tool": "write", "parameters": {"path": "x"}, "line": FIRST_LINE}
    assert outcome == Finished({"call": call})


def test_mutate_that_raises_after_its_call_fails_without_a_call(start: Start) -> None:
    outcome, _ = run(start, "mutate", "try: ctx.call('files:home', 'write')\nfinally: 1 / 0")
    assert isinstance(outcome, ScriptFailed)
    assert outcome.message == "ZeroDivisionError: division by zero"


def test_returning_nothing_keeps_the_old_state(start: Start) -> None:
    assert run(start, "producer", "state['a'] = 1")[0] == Finished({"state": None})


def test_a_producer_can_checkpoint(start: Start) -> None:
    worker = start(chore("producer", "ctx.publish(mails, id='a')\nctx.checkpoint({'n': 1})\nreturn {'n': 2}"))
    recorder = Recorder()
    assert worker.run(phase("work", "producer"), recorder) == Finished({"state": {"n": 2}})
    assert recorder.messages == [("publish", "mails", "a", "", None), ("checkpoint", {"n": 1})]
