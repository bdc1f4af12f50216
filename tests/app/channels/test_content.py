"""What messages say: by default no word of a script and no value of a call, whatever the request is about."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from app.channels import content
from app.overview import Overview
from scheduler.connections.registry import builtin_registry
from scheduler.engine.queries.requests import FailedRunView, FaultView, RequestView
from scheduler.rules.channels import list_answers
from scheduler.rules.requests import RequestAction, RequestKind

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
OVERVIEW = Overview(now=NOW, zone=ZoneInfo("UTC"))
REGISTRY = builtin_registry(lambda *_: None)
MARK = "confidential"
CALL = {
    "connection": "smtp:work",
    "tool": "send",
    "parameters": {"to": [f"{MARK}@example.org", "b@example.org"], "subject": MARK, "text": MARK},
    "target": {"kind": MARK},
    "endpoint": {"host": MARK},
}
FAILED = FailedRunView(
    handler=MARK,
    summary=MARK,
    failures=2,
    since=NOW,
    reason=MARK,
    command=MARK,
    output=MARK,
    next_at=None,
    is_paused=False,
)


def ask(kind: RequestKind, **changes: Any) -> RequestView:
    usual = RequestView(
        id="q1",
        kind=kind,
        workflow="invoices",
        workflows=("invoices",),
        run="r1",
        subject=MARK,
        sentence=MARK,
        call=CALL if kind is RequestKind.APPROVAL else None,
        ui={"error": MARK, "version": MARK, "said": MARK},
        created=NOW,
        answer=None,
        answered=None,
        how=(),
        questions=[{"name": "a", "text": MARK}],
        fault=FaultView(path=MARK, line=1, text=MARK, earlier=None),
        failed_run=FAILED,
    )
    return replace(usual, **changes)


@pytest.mark.parametrize("kind", RequestKind)
def test_nothing_of_a_script_or_a_call_is_said_by_default(kind: RequestKind) -> None:
    one = ask(kind)
    said = content.describe(one, OVERVIEW, REGISTRY, shows_call=False)
    messages = [
        content.make_message(said, one, list_answers(kind)),
        content.make_summary([one] * 20, OVERVIEW),
        content.ask_code(said, one, RequestAction.APPROVE, from_app=True),
        content.say_outcome(replace(one, answer="no", reason=MARK), said.title, "ntfy:me"),
    ]
    assert said.title == "invoices"
    for message in messages:
        assert MARK not in f"{message.title} {message.text}"
        assert message.text


def test_an_approval_says_what_kind_of_thing_and_how_many() -> None:
    said = content.describe(ask(RequestKind.APPROVAL), OVERVIEW, REGISTRY, shows_call=False)
    assert said.text == 'Asks for your approval to send mail in your name through "work" (2 items).'


def test_everything_is_said_if_the_user_wants_that() -> None:
    said = content.describe(ask(RequestKind.APPROVAL), OVERVIEW, REGISTRY, shows_call=True)
    assert f"{MARK}@example.org" in said.text
    assert "b@example.org" in said.text
    assert "Subject" in said.text


def test_what_cannot_be_answered_there_says_where_it_can() -> None:
    one = ask(RequestKind.QUESTION)
    said = content.describe(one, OVERVIEW, REGISTRY, shows_call=False)
    assert content.make_message(said, one, ()).text == "Has a question\nAnswer at your computer."
    approval = ask(RequestKind.APPROVAL)
    only_reject = content.make_message(said, approval, (RequestAction.REJECT,))
    assert only_reject.text.endswith("Approve it at your computer.")


@pytest.mark.parametrize(
    ("answer", "place", "said"),
    [
        ("yes", "ntfy:me", "Approved."),
        ("yes", None, "Approved, at your computer."),
        ("no", "telegram:me", "Rejected, through telegram:me."),
        ("solved", None, "No longer needed."),
        ("solved", "ntfy:me", "Running again."),
        ("expired", None, "Expired without an answer."),
        (None, None, "This message is too old. Answer at your computer."),
    ],
)
def test_an_update_says_what_became_of_it(answer: str | None, place: str | None, said: str) -> None:
    one = ask(RequestKind.APPROVAL, answer=answer, answered_from=place)
    assert content.say_outcome(one, "Invoices", "ntfy:me").text == said


def test_what_takes_the_place_of_a_removed_request_is_said_too() -> None:
    assert content.say_outcome(None, "Dayhand", "ntfy:me").text == "No longer needed."


def test_text_that_hides_its_meaning_is_shown_as_it_is() -> None:
    """A workflow's name could otherwise look like another message."""
    one = ask(RequestKind.APPROVAL, workflow="a\u202eb", workflows=("a\u202eb",))
    assert "\u202e" not in content.describe(one, OVERVIEW, REGISTRY, shows_call=False).title


def test_a_script_cannot_seem_to_be_dayhand() -> None:
    news = content.make_news("Backup", "Approve: Invoices", "Send the code now")
    assert (news.title, news.buttons) == ("Message from Backup: Approve: Invoices", ())
    assert content.make_news("Backup", "", "").title == "Message from Backup:"
