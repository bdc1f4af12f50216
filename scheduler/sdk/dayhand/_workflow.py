"""What an author defines: a workflow, its topics and its handlers."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import date
from typing import Any, TypeVar

from . import _options as options
from ._errors import Misuse
from ._events import Topic
from ._handlers import Handler, check_class, check_function
from ._places import caller

Body = TypeVar("Body")
Decorator = Callable[[Body], Body]

_TIMES = (*options.KINDS, "timezone", "start_at", "end_at", "exclude", "limit", "jitter")
_TIMED = (*_TIMES, "overlap", "catchup", "catchup_window", "pause_on_failure", "needs")

defined: list[Workflow] = []
"""The workflows made since the list was last emptied; the worker looks here after running a script."""


class Workflow:
    """A chore: one Python file with one workflow.

    name: what people see; its slug identifies the workflow, so another name is another workflow.
    connections: the accounts that `ctx.call` may use, such as "imap:home".
    tags: words to filter by.
    """

    def __init__(self, name: str, *, connections: Sequence[str] = (), tags: Sequence[str] = (), **unknown: Any) -> None:
        options.refuse_names("Workflow", ("connections", "tags"), unknown)
        if not isinstance(name, str) or not name.strip() or not name.isprintable() or len(name) > 100:
            raise Misuse(f"{name!r} is not a name; write for example dayhand.Workflow('Receipts').")
        self.name = name.strip()
        self.slug = make_slug(name)
        if not self.slug:
            raise Misuse(f"{name!r} has no letter and no digit; write for example dayhand.Workflow('Receipts').")
        self.connections = options.read_texts("connections", connections)
        self.tags = options.read_texts("tags", tags)
        self.topics: dict[str, Topic] = {}
        self.handlers: dict[str, Handler] = {}
        self.file, self.line = caller()
        defined.append(self)

    def topic(self, name: str) -> Topic:
        """A queue of events that producers and consumers of this workflow share."""
        if not isinstance(name, str) or not name.strip() or not name.isprintable():
            raise Misuse(f"{name!r} is not a topic's name; write for example mails = flow.topic('mails').")
        if name in self.topics:
            raise Misuse(f"the topic {name} is made twice; make it once and use it everywhere.")
        self.topics[name] = Topic(name)
        return self.topics[name]

    def producer(
        self,
        *positional: Any,
        every: str | None = None,
        cron: str | Sequence[str] | None = None,
        calendar: dict[str, Any] | Sequence[dict[str, Any]] | None = None,
        once: str | date | None = None,
        timezone: str | None = None,
        start_at: str | date | None = None,
        end_at: str | date | None = None,
        exclude: Any = None,
        limit: int | None = None,
        jitter: str | None = None,
        overlap: str | None = None,
        catchup: str | None = None,
        catchup_window: str | int | None = None,
        pause_on_failure: bool | None = None,
        needs: str | Sequence[str] | None = None,
        run_on_deploy: bool | None = None,
        timeout: str | float | None = None,
        max_failures: int | None = None,
        publishes: Sequence[Topic] = (),
        **unknown: Any,
    ) -> Decorator[Any]:
        """Decorate `def name(ctx, state)`: look outside on time, publish what is new, return the new state.

        Say one of every, cron, calendar or once. A producer reads only. `run_on_deploy=False` waits for the first
        planned time instead of looking once right after the first deploy. `publishes` names its topics.
        """
        given = dict(locals())
        known = (*_TIMED, "run_on_deploy", "timeout", "max_failures", "publishes")
        line = self._begin("producer", known, positional, unknown)
        schedule, policies = options.read_schedule("producer", {name: given[name] for name in _TIMED})
        written = {
            "schedule": schedule,
            "policies": policies,
            "run_on_deploy": options.read_flag("run_on_deploy", run_on_deploy),
            "timeout": options.read_timeout(timeout),
            "max_failures": options.read_max_failures(max_failures),
            "publishes": self._read_topics("publishes", publishes),
        }

        def add(function: Body) -> Body:
            check_function("producer", function)
            self._add(Handler(function.__name__, "producer", function, line, written))  # type: ignore[attr-defined]
            return function

        return add

    def consumer(
        self,
        *positional: Any,
        subscribe: Sequence[Topic] = (),
        publishes: Sequence[Topic] = (),
        approve: str | None = None,
        timeout: str | float | None = None,
        max_failures: int | None = None,
        **unknown: Any,
    ) -> Decorator[Any]:
        """Decorate a class with `prepare(self, ctx, state)` and, if it acts, `mutate` and `next`.

        subscribe: the topics whose events it takes.
        publishes: the topics that `next` publishes to.
        approve: "always" asks each time, "first" until one yes, "never" not at all; unset, it asks for what acts on
        others (send, post, delete).
        """
        known = ("subscribe", "publishes", "approve", "timeout", "max_failures")
        line = self._begin("consumer", known, positional, unknown)
        written = {
            "subscribes": self._read_topics("subscribe", subscribe),
            "publishes": self._read_topics("publishes", publishes),
            "approve": options.read_choice("approve", approve, ("always", "first", "never")),
            "timeout": options.read_timeout(timeout),
            "max_failures": options.read_max_failures(max_failures),
        }
        if not written["subscribes"]:
            raise Misuse("this consumer subscribes to nothing; write subscribe=[mails].")

        def add(body: Body) -> Body:
            check_class(body, publishes=bool(written["publishes"]))
            self._add(Handler(body.__name__, "consumer", body, line, written))  # type: ignore[attr-defined]
            return body

        return add

    def job(
        self,
        *positional: Any,
        every: str | None = None,
        cron: str | Sequence[str] | None = None,
        calendar: dict[str, Any] | Sequence[dict[str, Any]] | None = None,
        once: str | date | None = None,
        timezone: str | None = None,
        start_at: str | date | None = None,
        end_at: str | date | None = None,
        exclude: Any = None,
        limit: int | None = None,
        jitter: str | None = None,
        overlap: str | None = None,
        catchup: str | None = None,
        catchup_window: str | int | None = None,
        pause_on_failure: bool | None = None,
        needs: str | Sequence[str] | None = None,
        timeout: str | float | None = None,
        max_failures: int | None = None,
        after_crash: str | None = None,
        **unknown: Any,
    ) -> Decorator[Any]:
        """Decorate `def name(ctx)`: a plain scheduled task without topics and phases.

        after_crash: what to do when the machine went down in the middle: "ask" (unset means that), "again", "never".
        """
        given = dict(locals())
        line = self._begin("job", (*_TIMED, "timeout", "max_failures", "after_crash"), positional, unknown)
        schedule, policies = options.read_schedule("job", {name: given[name] for name in _TIMED})
        written = {
            "schedule": schedule,
            "policies": policies,
            "timeout": options.read_timeout(timeout),
            "max_failures": options.read_max_failures(max_failures),
            "after_crash": options.read_choice("after_crash", after_crash, ("ask", "again", "never")),
        }

        def add(function: Body) -> Body:
            check_function("job", function)
            self._add(Handler(function.__name__, "job", function, line, written))  # type: ignore[attr-defined]
            return function

        return add

    def _begin(self, kind: str, known: tuple[str, ...], positional: tuple[Any, ...], unknown: dict[str, Any]) -> int:
        options.refuse_unknown(kind, known, positional, unknown)
        return caller()[1]

    def _add(self, handler: Handler) -> None:
        if handler.name in self.handlers:
            raise Misuse(f"two handlers are called {handler.name}; rename one of them.")
        self.handlers[handler.name] = handler

    def _read_topics(self, name: str, topics: Any) -> list[str]:
        if isinstance(topics, str):
            raise Misuse(f"{name} is one topic; write {name}=[{topics!s}].")
        if not isinstance(topics, (list, tuple)):
            raise Misuse(f"{name} is not a list; write {name}=[mails].")
        for topic in topics:
            if not isinstance(topic, Topic):
                raise Misuse(f"{name} has {topic!r}, which is no topic; write mails = flow.topic('mails') first.")
            if self.topics.get(topic) is not topic:
                raise Misuse(f"{name} has the topic {topic!s} of another workflow; make it with this one's topic().")
        return list(dict.fromkeys(map(str, topics)))


def make_slug(name: str) -> str:
    """The name in lower case with dashes."""
    return re.sub(r"[\W_]+", "-", name.casefold()).strip("-")
