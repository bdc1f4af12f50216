"""What passes through topics, and what prepare hands on."""

from __future__ import annotations

from datetime import date, datetime
from typing import TYPE_CHECKING, Any

from ._errors import Misuse
from ._values import check

if TYPE_CHECKING:
    from collections.abc import Iterable


class Topic(str):
    """A named queue of events of one workflow; made by `flow.topic(name)`. Equal to its name."""

    __slots__ = ()


class Event:
    """Something that was published. Two are equal when topic and id are."""

    def __init__(self, *, id: str, title: str, data: Any, topic: Topic, published_at: datetime | None) -> None:  # noqa: A002  the author's word
        self.id = id
        """The message id that the publisher gave; unique within its topic."""
        self.title = title
        """What people see of it."""
        self.data = data
        """What the publisher attached: JSON."""
        self.topic = topic
        """Where it was published; compare with `==`."""
        self.published_at = published_at
        """When, in UTC."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Event) and (self.topic, self.id) == (other.topic, other.id)

    def __hash__(self) -> int:
        return hash((self.topic, self.id))

    def __repr__(self) -> str:
        return f"<event {self.id!r} of {self.topic!s}>"


class Prepared:
    """What `prepare` decided; `mutate` and `next` get it back, also after a restart."""

    def __init__(self, *, reserve: list[Event], data: Any, say: str, ui: Any, wake_at: str | None) -> None:
        self.reserve = reserve
        """The events that this run takes."""
        self.data = data
        """What `prepare` attached: JSON."""
        self.say = say
        """The sentence that asks for approval."""
        self.ui = ui
        """What the approval card shows besides."""
        self.wake_at = wake_at
        """When to look again, as text."""


class Nothing:
    """`prepare` found nothing to do."""

    def __init__(self, wake_at: str | None) -> None:
        self.wake_at = wake_at
        """When to look again, as text."""


def prepared(
    *,
    reserve: Iterable[Event] = (),
    data: Any = None,
    say: str = "",
    ui: dict[str, Any] | None = None,
    wake_at: datetime | str | None = None,
) -> Prepared:
    """What `prepare` returns when there is something to do.

    reserve: the events this run takes, from any of the subscribed topics; nobody else gets them meanwhile.
    data: JSON that `mutate` and `next` need.
    say: the sentence a person reads before saying yes: "Add 3 receipts to Expenses".
    ui: what else the approval card shows, by name.
    wake_at: look again at that time even if nothing is published, between 30 seconds and 24 hours from now.
    """
    if isinstance(reserve, Event):
        raise Misuse("reserve is one event; write reserve=[event].")
    try:
        events = list(reserve)
    except TypeError:
        raise Misuse("reserve is not a list of events; write reserve=ctx.peek(topic).") from None
    for number, event in enumerate(events):
        if not isinstance(event, Event):
            raise Misuse(f"reserve[{number}] is not an event; reserve what ctx.peek gave.")
    if len(set(events)) < len(events):
        raise Misuse("reserve has an event twice; reserve what ctx.peek gave, once.")
    if not isinstance(say, str):
        raise Misuse("say is not a text; write the sentence that asks for approval.")
    if ui is not None and not isinstance(ui, dict):
        raise Misuse("ui is not a dict; write ui={'Name': value}.")
    check(data, "data")
    check(ui, "ui")
    return Prepared(reserve=events, data=data, say=say, ui=ui, wake_at=write_wake(wake_at))


def nothing(wake_at: datetime | str | None = None) -> Nothing:
    """What `prepare` returns when there is nothing to do; `wake_at` as in `prepared`."""
    return Nothing(write_wake(wake_at))


def write_wake(value: Any) -> str | None:
    """As text. The host reads it, and warns about what is no time; a time without a zone is the machine's."""
    if value is None:
        return None
    if isinstance(value, datetime):
        return value.astimezone().isoformat()
    if isinstance(value, date):
        return value.isoformat()
    return str(value)[:100]
