"""What a handler looks like, for the editor and type checker of the author; not loaded when a script runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, TypeVar

from ._context import JobContext, PrepareContext, ProducerContext
from ._events import Nothing, Prepared


class PreparesEvents(Protocol):
    """A consumer. `mutate` and `next` are optional, which a protocol cannot say."""

    def prepare(self, ctx: PrepareContext, state: dict[str, Any], /) -> Prepared | Nothing: ...


JobFunction = TypeVar("JobFunction", bound=Callable[[JobContext], Any])
ProducerFunction = TypeVar("ProducerFunction", bound=Callable[[ProducerContext, dict[str, Any]], Any])
ConsumerClass = TypeVar("ConsumerClass", bound=PreparesEvents)
