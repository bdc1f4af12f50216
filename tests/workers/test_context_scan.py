"""Mistakes with `ctx` are found in the source of a script, without running it."""

from collections.abc import Collection
from dataclasses import dataclass
from textwrap import indent

import pytest

from scheduler.workers.context_scan import find_context_problems, find_oversights


@dataclass(frozen=True)
class Lists:
    publishes: Collection[str] = ()
    subscribes: Collection[str] = ()


HANDLERS = {"check": Lists(publishes=["found"]), "Act": Lists(subscribes=["found"]), "work": Lists()}
SCRIPT = """\
import dayhand

flow = dayhand.Workflow("A")
found = flow.topic("found")
left, right = flow.topic("left"), flow.topic("right")


@flow.producer(every="1h", publishes=[found])
def check(ctx, state):
{producer}


@flow.job(every="1h")
def work(ctx):
{job}


@flow.consumer(subscribe=[found])
class Act:
    def prepare(self, ctx, state):
{prepare}

    def mutate(self, ctx, prepared):
{mutate}

    def next(self, ctx, prepared, result, state):
{next}
"""
PREPARE = "batch = ctx.peek(found)\nreturn dayhand.prepared(reserve=batch, say='A')"


def write(**bodies: str) -> str:
    given = {"producer": "pass", "job": "pass", "prepare": PREPARE, "mutate": "ctx.call('a:b', 'c')", "next": "pass"}
    given |= bodies
    deep = ("prepare", "mutate", "next")
    return SCRIPT.format(**{name: indent(body, " " * (8 if name in deep else 4)) for name, body in given.items()})


def find(phase: str, body: str) -> list[str]:
    source = write(**{phase: body})
    problems = find_context_problems(source, HANDLERS)
    assert all("ctx" in source.splitlines()[line - 1] for line, _ in problems)
    return [sentence for _, sentence in problems]


WRONG = {
    "a misspelt name": ("producer", "ctx.publsh(found, id='a')", "ctx has no publsh; did you mean publish?"),
    "a name of another phase": ("prepare", "return ctx.done('x')", "prepare cannot use ctx.done; "),
    "a command in a producer": ("producer", "ctx.run(['ls'])", "producer cannot use ctx.run; commands run in jobs."),
    "a call in next": ("next", "ctx.call('a:b', 'c')", "next cannot use ctx.call; read in a producer"),
    "an event without an id": ("producer", "ctx.publish(found, title='a')", "publish takes a topic, then names"),
    "an event with an id in second place": ("producer", "ctx.publish(found, 'a')", "publish takes a topic, then"),
    "an event with another name": ("producer", "ctx.publish(found, id='a', body=1)", "publish takes a topic, then"),
    "a topic's name": ("producer", "ctx.publish('found', id='a')", "'found' is not a topic"),
    "a topic that is not listed": (
        "producer",
        "ctx.publish(left, id='a')",
        "check does not list the topic left; write",
    ),
    "a topic that it does not take": ("prepare", "return ctx.peek(right)", "write subscribe=[…, right]"),
    "a parameter without its name": ("job", "ctx.call('a:b', 'read', 'x.txt')", "call takes two strings, then names"),
    "a command as a string": ("job", "ctx.run('ls -l')", "write ctx.run(['ls', '-l'])"),
}


@pytest.mark.parametrize("mistake", WRONG)
def test_a_mistake_is_found(mistake: str) -> None:
    phase, body, sentence = WRONG[mistake]
    (found,) = find(phase, body)
    assert sentence in found


RIGHT = {
    "every name of a phase": ("producer", "print(ctx.now, ctx.key, ctx.attempt, ctx.cancelled)\nctx.checkpoint(state)"),
    "an event by name": ("producer", "ctx.publish(found, id='a', title='b', data=1)"),
    "an event with names from elsewhere": ("producer", "ctx.publish(found, **state)"),
    "arguments from elsewhere": ("job", "ctx.call(*ctx.last)"),
    "a topic from elsewhere": ("producer", "for topic in [found]:\n    ctx.publish(topic, id='a')"),
    "another ctx": ("job", "def inner(ctx):\n    ctx.anything()\ninner(1)"),
    "a new ctx": ("job", "ctx = print\nctx.anything()"),
    "a name of Python": ("job", "print(ctx.__class__)"),
    "a command from elsewhere": ("job", "words = ['ls']\nctx.run(words)"),
}


@pytest.mark.parametrize("use", RIGHT)
def test_what_may_be_right_is_not_reported(use: str) -> None:
    assert find(*RIGHT[use]) == []


def test_a_topic_that_a_name_may_not_stand_for_is_not_reported() -> None:
    source = write(producer="ctx.publish(left, id='a')")
    assert find_context_problems(source + "\nleft = found\n", HANDLERS) == []


OVERSIGHTS = {
    "a mutate without a call": ("mutate", "print(prepared.data)", "Act.mutate makes no call, so nothing is done"),
    "events that are not reserved": (
        "prepare",
        "batch = ctx.peek(found)\nreturn dayhand.prepared(data=len(batch), say='A')",
        "Act reserves none of the events it peeks at",
    ),
}


@pytest.mark.parametrize("oversight", OVERSIGHTS)
def test_what_is_hardly_ever_meant_is_noted(oversight: str) -> None:
    phase, body, sentence = OVERSIGHTS[oversight]
    ((line, found),) = find_oversights(write(**{phase: body}))
    assert sentence in found
    assert f"def {phase}" in write(**{phase: body}).splitlines()[line - 1]


@pytest.mark.parametrize(
    ("phase", "body"),
    [
        ("mutate", "helper(ctx)"),
        ("mutate", "if prepared.data:\n    ctx.call('a:b', 'c')"),
        ("prepare", PREPARE),
        ("prepare", "return dayhand.prepared(say='A', wake_at=ctx.now)"),
        ("prepare", "given = {'reserve': ctx.peek(found)}\nreturn dayhand.prepared(**given)"),
    ],
)
def test_what_may_be_meant_is_not_noted(phase: str, body: str) -> None:
    assert find_oversights(write(**{phase: body})) == []
