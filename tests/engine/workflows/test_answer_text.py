"""An answered request says how it was answered, by whom and when."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from scheduler.engine.errors import RefusedError
from scheduler.engine.workflows.answer_text import describe_answer
from scheduler.rules.requests import RequestKind
from scheduler.store import requests
from scheduler.store.requests import GivenAnswer, RequestAnswer, RequestRow
from tests.runs.runtime_fixture import RuntimeFixture
from tests.runs.scripts import consumer

AT = datetime(2026, 11, 20, 13, 5, tzinfo=UTC)


@pytest.fixture
def runtime(tmp_path: Path) -> Iterator[RuntimeFixture]:
    runtime = RuntimeFixture(tmp_path)
    runtime.services.engine.context.machine_zone = "UTC"
    yield runtime
    runtime.close()


def answered(answer: str, kind: RequestKind = RequestKind.APPROVAL, **facts: Any) -> RequestRow:
    row = RequestRow(id="q", kind=kind, workflow="w", subject="s", sentence="Do it", created=AT)
    return row._replace(answer=answer, answered=AT, **facts)


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (answered("yes"), "You approved this at 13:05."),
        (answered("yes", edited={"n": 1}), "You approved this with your changes at 13:05."),
        (answered("yes", RequestKind.PERMISSION), "You allowed this at 13:05."),
        (answered("no"), "You rejected this at 13:05."),
        (answered("no", reason="Too early"), "You rejected this at 13:05: Too early"),
        (answered("answered", answers={"answer": "Invoices"}), "You answered this at 13:05: Invoices"),
        (answered("answered", answers={"a": True, "b": 2}), "You answered this at 13:05: a: yes, b: 2"),
        (answered("expired"), "This expired at 13:05 without an answer."),
        (answered("solved"), "This was resolved at 13:05."),
    ],
)
def test_it_says_what_was_answered_and_when(runtime: RuntimeFixture, row: RequestRow, said: str) -> None:
    assert describe_answer(row, runtime.services.engine.context, AT + timedelta(hours=1)) == said


@pytest.mark.parametrize("answer", list(RequestAnswer))
def test_every_answer_has_a_sentence_with_its_day(runtime: RuntimeFixture, answer: RequestAnswer) -> None:
    row = answered(answer, answers={"a": "Invoices"})
    said = describe_answer(row, runtime.services.engine.context, AT + timedelta(days=1))
    assert " on 20 November at 13:05" in said


def test_an_open_request_has_no_outcome(runtime: RuntimeFixture) -> None:
    row = answered("yes")._replace(answer=None, answered=None)
    assert describe_answer(row, runtime.services.engine.context, AT) == ""


def test_a_late_answer_is_refused_with_what_was_answered(runtime: RuntimeFixture) -> None:
    runtime.deploy(consumer(approve="always"))
    now = runtime.clock.now()
    with runtime.database.write() as db:
        row = answered("no")._replace(answer=None, answered=None, created=now)
        requests.add(db, row)
        requests.answer(db, row.id, GivenAnswer(RequestAnswer.NO, reason="Too early"), now)
    with pytest.raises(RefusedError) as refused:
        runtime.request_commands.approve(row.id)
    assert refused.value.sentence == f"You rejected this at {now:%H:%M}: Too early. Nothing was changed."
