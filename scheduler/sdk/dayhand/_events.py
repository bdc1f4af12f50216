"""Topics and events, and what prepare returns."""

from __future__ import annotations

import json
from datetime import date, datetime
from typing import TYPE_CHECKING, Any

from ._errors import Misuse
from ._questions import Question, read_questions
from ._user_text import UserText
from ._values import check, describe_type

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ._workflow import Workflow


class Topic(str):
    """A named queue of events of one workflow, created by `flow.topic(name)`. Equal to its name."""

    __slots__ = ()


class Event:
    """A published event. Two events are equal if topic and id are."""

    def __init__(self, *, id: str, title: str, data: Any, topic: Topic, published_at: datetime | None) -> None:  # noqa: A002  part of the contract
        self.id = id
        """The id given by the publisher; unique within its topic."""
        self.title = title
        """Shown to the user."""
        self.data = data
        """JSON attached by the publisher."""
        self.topic = topic
        """The topic it was published to; compare with `==`."""
        self.published_at = published_at
        """When it was published, in UTC."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Event) and (self.topic, self.id) == (other.topic, other.id)

    def __hash__(self) -> int:
        return hash((self.topic, self.id))

    if not TYPE_CHECKING:  # so that type checkers find it before it runs

        def __getitem__(self, name: object) -> Any:
            raise Misuse(UserText("an event is not a dict; write event.data[{name}] or event.id.", name=repr(name)))

    def __repr__(self) -> str:
        return f"<event {self.id!r} of {self.topic!s}>"


class Prepared:
    """The decision of `prepare`; `mutate` and `next` receive it, even after a restart."""

    def __init__(
        self,
        *,
        reserve: list[Event],
        data: Any,
        say: str,
        ui: Any,
        wake_at: str | None,
        questions: list[dict[str, Any]] | None = None,
        answers: dict[str, Any] | None = None,
    ) -> None:
        self.reserve = reserve
        """The events that this run takes."""
        self.data = data
        """JSON attached by `prepare`."""
        self.say = say
        """The sentence that asks for approval."""
        self.ui = ui
        """What else the approval card shows."""
        self.wake_at = wake_at
        """When to run again, as text."""
        self.questions = questions or []
        """What the user is asked, as JSON."""
        self.answers = answers or {}
        """The user's answers by the names of the questions; empty if they rejected the request."""

    @property
    def answer(self) -> Any:
        """The user's answer if there is one question; None if there is none or it was rejected."""
        if len(self.questions) > 1:
            names = ", ".join(one["name"] for one in self.questions)
            raise Misuse(UserText("there are several answers; write prepared.answers['…'] with {names}.", names=names))
        return next(iter(self.answers.values()), None)


class Nothing:
    """`prepare` found nothing to do."""

    def __init__(self, wake_at: str | None) -> None:
        self.wake_at = wake_at
        """When to run again, as text."""


def prepared(
    *,
    reserve: Iterable[Event] = (),
    data: Any = None,
    say: str = "",
    ui: dict[str, Any] | None = None,
    wake_at: datetime | str | None = None,
    ask: Question | dict[str, Question] | None = None,
) -> Prepared:
    """Returned by `prepare` if there is something to do.

    reserve: the events this run takes, from any of the subscribed topics; no other run gets them.
    data: JSON for `mutate` and `next`.
    say: the sentence the user reads before approving: "Add 3 receipts to Expenses".
    ui: what else the approval card shows, by label.
    wake_at: run again at that time even if nothing is published, between 30 seconds and 24 hours from now.
    ask: what to ask the user first, made by `dayhand.ask`, or a dict of up to five by name. `mutate` gets
        `prepared.answer`, or `prepared.answers["name"]`.
    """
    if isinstance(reserve, Event):
        raise Misuse(UserText("reserve is a single event; write reserve=[event]."))
    try:
        events = list(reserve)
    except TypeError:
        raise Misuse(UserText("reserve is not a list of events; write reserve=ctx.peek(topic).")) from None
    for number, event in enumerate(events):
        if not isinstance(event, Event):
            raise Misuse(UserText("reserve[{number}] is not an event; reserve events from ctx.peek.", number=number))
    if len(set(events)) < len(events):
        raise Misuse(UserText("reserve contains an event twice; reserve each event once."))
    if not isinstance(say, str):
        raise Misuse(UserText("say is not a string; write the sentence that asks for approval."))
    if ui is not None and not isinstance(ui, dict):
        raise Misuse(UserText("ui is not a dict; write ui={'Name': value}."))
    check(data, "data")
    check(ui, "ui")
    return Prepared(
        reserve=events, data=data, say=say, ui=ui, wake_at=format_wake_time(wake_at), questions=read_questions(ask)
    )


def nothing(wake_at: datetime | str | None = None) -> Nothing:
    """Returned by `prepare` if there is nothing to do; `wake_at` as in `prepared`."""
    return Nothing(format_wake_time(wake_at))


def format_wake_time(value: Any) -> str | None:
    """Format it as text. The host parses it and warns if it is not a time; without a time zone it is local time."""
    if value is None:
        return None
    if isinstance(value, datetime):
        return value.astimezone().isoformat()
    if isinstance(value, date):
        return value.isoformat()
    if not isinstance(value, str):
        return f"{repr(value)[:100]} ({describe_type(value)})"  # never a time, whatever it looks like as text
    return value[:100]


def read_event(message: dict[str, Any], flow: Workflow) -> Event:
    """An event as sent by the host, with its own copy of the data."""
    name = message["topic"]
    at = message.get("published_at")
    return Event(
        id=message["id"],
        title=message.get("title", ""),
        data=json.loads(message.get("data", "null")),
        topic=flow.topics.get(name) or Topic(name),
        published_at=None if at is None else parse_instant(at),
    )


def parse_instant(text: str) -> datetime:
    """From ISO 8601, also with a Z, which Python 3.9 does not read."""
    return datetime.fromisoformat(text.replace("Z", "+00:00"))
