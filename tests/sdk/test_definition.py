"""Every mistake in a definition is reported with file, line and fix."""

import importlib.util
import itertools
from pathlib import Path
from textwrap import dedent
from types import ModuleType

import dayhand
import pytest

_numbers = itertools.count()
BEGIN = "import dayhand\nflow = dayhand.Workflow('Chores', connections=['files:home'])\nmails = flow.topic('mails')\n"
FIRST = 4
"""The line after BEGIN."""


def load(folder: Path, source: str) -> ModuleType:
    path = folder / "chore.py"
    path.write_text(source)
    spec = importlib.util.spec_from_file_location(f"chore{next(_numbers)}", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def producer(settings: str) -> str:
    return f"@flow.producer({settings})\ndef poll(ctx, state): ..."


CONSUMER = "@flow.consumer(subscribe=[mails])\nclass File:\n    def prepare(self, ctx, state): ..."

MISTAKES = {
    "no handler": ("", 2, "Chores has no handler"),
    "no parentheses": ("@flow.job\ndef work(ctx): ...", FIRST, "write @flow.job(every='5m')"),
    "no name for a value": (producer("'5m'"), FIRST, "'5m' has no name; write for example @flow.producer(every='5m')"),
    "unknown setting": (producer("evry='5m'"), FIRST, "producer has no setting evry; did you mean every?"),
    "no schedule": (producer("publishes=[mails]"), FIRST, "set one of every, cron, calendar or once"),
    "two schedules": (producer("every='5m', cron='@daily'"), FIRST, "has every and cron; keep one"),
    "every is a number": (producer("every=5"), FIRST, "every=5 is not a string; write for example every='5m'"),
    "cron is a number": (producer("cron=[5]"), FIRST, "cron=[5] is not a string or a list of strings"),
    "calendar is a string": (producer("calendar='daily'"), FIRST, "is not a dict or a list of dicts"),
    "once is a number": (producer("once=7"), FIRST, "once=7 is not a date and time"),
    "anchor is a number": (producer("every='5m', anchor=7"), FIRST, "anchor=7 is not a date and time"),
    "anchor without every": (producer("cron='@daily', anchor='2026-11-01'"), FIRST, "write it with every='2h'"),
    "zone is a number": (producer("every='5m', timezone=1"), FIRST, "timezone=1 is not a string"),
    "limit is zero": (producer("every='5m', limit=0"), FIRST, "limit=0 is not a number of runs"),
    "jitter is a number": (producer("every='5m', jitter=30"), FIRST, "jitter=30 is not a string"),
    "window is a number": (producer("every='5m', catchup_window=5"), FIRST, "is not a duration or 0"),
    "max_failures is negative": (producer("every='5m', max_failures=-1"), FIRST, "is not a number from 0"),
    "pause_on_failure is a string": (producer("every='5m', pause_on_failure='yes'"), FIRST, "is not True or False"),
    "needs is a number": (producer("every='5m', needs=1"), FIRST, "needs=1 is not a string or a list of strings"),
    "exclude is a number": (producer("every='5m', exclude=[3]"), FIRST, "is not a list of dates or calendars"),
    "run_on_deploy is a string": (producer("every='5m', run_on_deploy='no'"), FIRST, "is not True or False"),
    "timeout is zero": (producer("every='5m', timeout=0"), FIRST, "timeout=0 is not a duration"),
    "allow_all in a producer": (producer("every='5m', overlap='allow_all'"), FIRST, "is for jobs"),
    "calendar that is not JSON": (producer("calendar={'hour': {9}}"), FIRST, "calendar.hour is a set"),
    "a topic's name": (producer("every='5m', publishes=['mails']"), FIRST, "'mails', which is not a topic"),
    "one topic": (producer("every='5m', publishes=mails"), FIRST, "write publishes=[mails]"),
    "a topic of another workflow": (
        producer("every='5m', publishes=[dayhand.Topic('mails')]"),
        FIRST,
        "the topic mails of another workflow",
    ),
    "unknown after_crash": (
        "@flow.job(every='1h', after_crash='perhaps')\ndef work(ctx): ...",
        FIRST,
        "after_crash='perhaps' is not valid; choose one of 'next', 'again', 'ask', 'never'",
    ),
    "too few parameters": ("@flow.producer(every='5m')\ndef poll(ctx): ...", FIRST, "write def poll(ctx, state)"),
    "too many parameters": ("@flow.job(every='5m')\ndef work(ctx, state): ...", FIRST, "write def work(ctx)"),
    "async": ("@flow.job(every='5m')\nasync def work(ctx): ...", FIRST, "work is async; write a plain def work(ctx)"),
    "a generator": ("@flow.job(every='5m')\ndef work(ctx): yield", FIRST, "work is a generator and would never run"),
    "a job without a name": ("flow.job(every='5m')(lambda ctx: None)", FIRST, "a job is a function with a name"),
    "a job that is an object": (
        "import functools\nflow.job(every='5m')(functools.partial(print))",
        FIRST + 1,
        "a job is a function with a name",
    ),
    "an unknown setting of a workflow": (
        "dayhand.Workflow('A', conections=['x:y'])",
        FIRST,
        "Workflow has no setting conections; did you mean connections?",
    ),
    "a job that is a class": ("@flow.job(every='5m')\nclass Work: ...", FIRST, "a job is a function"),
    "a consumer that is a function": (
        "@flow.consumer(subscribe=[mails])\ndef work(ctx): ...",
        FIRST,
        "a consumer is a class with prepare",
    ),
    "no prepare": ("@flow.consumer(subscribe=[mails])\nclass File: ...", FIRST, "File has no prepare"),
    "publishes without next": (
        "@flow.consumer(subscribe=[mails], publishes=[mails])\nclass File:\n    def prepare(self, ctx, state): ...",
        FIRST,
        "File publishes but has no next",
    ),
    "subscribes to nothing": ("@flow.consumer()\nclass File: ...", FIRST, "write subscribe=[mails]"),
    "prepare without state": (
        "@flow.consumer(subscribe=[mails])\nclass File:\n    def prepare(self, ctx): ...",
        FIRST + 2,
        "write def prepare(self, ctx, state)",
    ),
    "a next with the wrong parameters": (
        CONSUMER + "\n    def next(self, ctx, state): ...",
        FIRST + 3,
        "write def next(self, ctx, prepared, result, state)",
    ),
    "a consumer whose __init__ has parameters": (
        CONSUMER + "\n    def __init__(self, x): ...",
        FIRST,
        "give __init__ no parameters but self",
    ),
    "unknown approve": (
        "@flow.consumer(subscribe=[mails], approve='sometimes')\nclass File: ...",
        FIRST,
        "approve='sometimes' is not valid; choose one of 'always', 'first', 'never'",
    ),
    "two handlers with one name": (
        "@flow.job(every='1h')\ndef work(ctx): ...\n@flow.job(every='2h')\ndef work(ctx): ...",
        FIRST + 2,
        "two handlers are named work; rename one",
    ),
    "the same topic twice": ("flow.topic('mails')", FIRST, "the topic mails is created twice"),
    "a topic without a name": ("flow.topic('')", FIRST, "'' is not a valid topic name"),
    "published and never subscribed": (
        producer("every='5m', publishes=[mails]"),
        FIRST,
        "poll publishes to mails, but no consumer subscribes to it",
    ),
    "two workflows": ("other = dayhand.Workflow('Other')", FIRST, "put each in its own file"),
    "connections as one string": ("dayhand.Workflow('A', connections='x:y')", FIRST, "write connections=['x:y']"),
    "a connection that is a number": ("dayhand.Workflow('A', connections=[1])", FIRST, "1, which is not a name"),
    "a workflow without a name": ("dayhand.Workflow('  ')", FIRST, "is not a valid name"),
    "a name without letters": ("dayhand.Workflow('!!')", FIRST, "has no letters or digits"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_reported_with_file_and_line(tmp_path: Path, mistake: str) -> None:
    source, line, sentence = MISTAKES[mistake]
    with pytest.raises(dayhand.Misuse) as caught:
        dayhand.describe(load(tmp_path, BEGIN + source))
    assert sentence in str(caught.value)
    assert str(caught.value).startswith(f"chore.py, line {line}: ")
    assert "\n" not in str(caught.value)


def test_a_file_without_a_workflow_is_reported_with_a_fix(tmp_path: Path) -> None:
    with pytest.raises(dayhand.Misuse, match=r"chore\.py, line 1: this file defines no workflow; write flow ="):
        dayhand.describe(load(tmp_path, "x = 1"))


def test_the_description_contains_the_settings_as_written(tmp_path: Path) -> None:
    source = dedent('''
        """Receipts."""
        import dayhand
        from datetime import date

        flow = dayhand.Workflow("My Größe & Co.", connections=["imap:home"], tags=["money"])
        mails = flow.topic("mails")

        @flow.producer(every="5m", start_at=date(2026, 1, 2), exclude=[date(2026, 12, 25)], catchup_window=0,
                       run_on_deploy=False, publishes=[mails])
        def poll(ctx, state):
            """Look."""

        @flow.consumer(subscribe=[mails], approve="first", timeout="2m")
        class File:
            def prepare(self, ctx, state): ...
            def mutate(self, ctx, prepared): ...
    ''').lstrip()
    described = dayhand.describe(load(tmp_path, source))
    poll, file = described.pop("handlers")
    assert described == {
        "name": "My Größe & Co.",
        "slug": "my-grösse-co",
        "docstring": "Receipts.",
        "line": 5,
        "connections": ["imap:home"],
        "ping": None,
        "overdue_after": None,
        "tags": ["money"],
        "topics": ["mails"],
    }
    assert poll == {
        "name": "poll",
        "kind": "producer",
        "line": 8,
        "docstring": "Look.",
        "schedule": {"every": "5m", "start_at": "2026-01-02", "exclude": ["2026-12-25"]},
        "policies": {"catchup_window": 0},
        "publishes": ["mails"],
        "subscribes": [],
        "approve": None,
        "expires": None,
        "on_expiry": None,
        "timeout": None,
        "max_failures": None,
        "retries": None,
        "after_crash": None,
        "ping": None,
        "overdue_after": None,
        "expected": None,
        "run_on_deploy": False,
        "has_mutate": False,
        "has_next": False,
        "lines": {},
    }
    assert (file["approve"], file["timeout"], file["subscribes"]) == ("first", "2m", ["mails"])
    assert (file["has_mutate"], file["has_next"], file["schedule"]) == (True, False, None)
    assert file["lines"] == {"prepare": 15, "mutate": 16}
