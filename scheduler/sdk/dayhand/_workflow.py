"""The workflow that a script defines, with its topics and handlers."""

from __future__ import annotations

import re
from datetime import date
from typing import TYPE_CHECKING, Any, NoReturn

from . import _options as options
from ._errors import Misuse
from ._events import Topic
from ._handlers import HandlerDefinition, check_class, check_function
from ._source_location import caller
from ._user_text import UserText

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ._handler_types import ConsumerClass, JobFunction, ProducerFunction
    from ._setting_types import AfterCrash, Approve, Calendar, Catchup, Names, Need, OnExpiry, Overlap

_TIMES = (*options.KINDS, "anchor", "timezone", "start_at", "end_at", "exclude", "limit", "jitter")
_WATCHED = ("ping", "overdue_after", "expected")
_TIMED = (*_TIMES, "overlap", "catchup", "catchup_window", "pause_on_failure", "needs")

defined: list[Workflow] = []
"""The workflows created since the list was last cleared; the worker reads it after running a script."""


class Workflow:
    """A workflow; each script defines exactly one.

    name: shown to the user; its slug identifies the workflow, so a new name makes a new workflow.
    connections: the connections that `ctx.call` may use, such as "imap:home".
    tags: words to filter by.
    ping: the connection through which a monitoring service learns how the runs of each handler without its own `ping`
        went, such as "ping:receipts".
    overdue_after: for each producer and job without its own: you are told if it has not succeeded that long after it
        should have run, such as "2h".
    """

    def __init__(
        self,
        name: str,
        *,
        connections: Names = (),
        tags: Names = (),
        ping: str | None = None,
        overdue_after: str | None = None,
        **unknown: NoReturn,
    ) -> None:
        options.reject_unknown_names("Workflow", ("connections", "tags", "ping", "overdue_after"), unknown)
        if not isinstance(name, str) or not name.strip() or not name.isprintable() or len(name) > 100:
            raise Misuse(
                UserText("{name} is not a valid name; write for example dayhand.Workflow('Receipts').", name=repr(name))
            )
        self.name = name.strip()
        self.slug = make_slug(name)
        if not self.slug:
            raise Misuse(
                UserText(
                    "{name} has no letters or digits; write for example dayhand.Workflow('Receipts').", name=repr(name)
                )
            )
        self.connections = options.read_texts("connections", connections)
        self.tags = options.read_texts("tags", tags)
        self.ping = options.read_ping(ping)
        self.overdue_after = options.read_text("overdue_after", overdue_after)
        self.topics: dict[str, Topic] = {}
        self.handlers: dict[str, HandlerDefinition] = {}
        self.file, self.line = caller()
        defined.append(self)

    def topic(self, name: str) -> Topic:
        """Create a queue of events shared by the producers and consumers of this workflow."""
        if not isinstance(name, str) or not name.strip() or not name.isprintable():
            raise Misuse(
                UserText(
                    "{name} is not a valid topic name; write for example mails = flow.topic('mails').", name=repr(name)
                )
            )
        if name in self.topics:
            raise Misuse(
                UserText("the topic {name} is created twice; create it once and use it everywhere.", name=name)
            )
        self.topics[name] = Topic(name)
        return self.topics[name]

    def producer(
        self,
        *positional: NoReturn,
        every: str | None = None,
        cron: str | Sequence[str] | None = None,
        calendar: Calendar | Sequence[Calendar] | None = None,
        once: str | date | None = None,
        anchor: str | date | None = None,
        timezone: str | None = None,
        start_at: str | date | None = None,
        end_at: str | date | None = None,
        exclude: Any = None,
        limit: int | None = None,
        jitter: str | None = None,
        overlap: Overlap | None = None,
        catchup: Catchup | None = None,
        catchup_window: str | int | None = None,
        pause_on_failure: bool | None = None,
        needs: Need | Sequence[Need] | None = None,
        run_on_deploy: bool | None = None,
        timeout: str | float | None = None,
        max_failures: int | None = None,
        ping: str | None = None,
        overdue_after: str | None = None,
        expected: str | None = None,
        publishes: Sequence[Topic] = (),
        **unknown: NoReturn,
    ) -> Callable[[ProducerFunction], ProducerFunction]:
        """Decorate `def name(ctx, state)`: check for something new on schedule, publish it, return the new state.

        Set one of every, cron, calendar or once. A producer only reads. It runs once right after the first deploy;
        with `run_on_deploy=False` it waits for its first planned time. `publishes` lists its topics.

        anchor: the time from which `every` counts, such as "2026-11-01T08:00"; if unset, the first deploy.
        calendar: parts of a date and time, such as {"hour": 9, "weekday": "mon-fri"}; of a list, each one counts.
        ping, overdue_after, expected: as of a job.
        """
        given = dict(locals())
        known = (*_TIMED, "run_on_deploy", "timeout", "max_failures", *_WATCHED, "publishes")
        line = self._begin("producer", known, positional, unknown)
        schedule, policies = options.read_schedule("producer", {name: given[name] for name in _TIMED})
        written = {
            "schedule": schedule,
            "policies": policies,
            "run_on_deploy": options.read_flag("run_on_deploy", run_on_deploy),
            "timeout": options.read_timeout(timeout),
            "max_failures": options.read_max_failures(max_failures),
            **options.read_watched(given),
            "publishes": self._read_topics("publishes", publishes),
        }
        return self._decorate("producer", line, written)

    def consumer(
        self,
        *positional: NoReturn,
        subscribe: Sequence[Topic] = (),
        publishes: Sequence[Topic] = (),
        approve: Approve | None = None,
        expires: str | None = None,
        on_expiry: OnExpiry | None = None,
        timeout: str | float | None = None,
        max_failures: int | None = None,
        **unknown: NoReturn,
    ) -> Callable[[type[ConsumerClass]], type[ConsumerClass]]:
        """Decorate a class with `prepare(self, ctx, state)` and, if it acts, `mutate` and `next`.

        subscribe: the topics whose events it takes.
        publishes: the topics that `next` publishes to.
        approve: "always" asks every time, "first" until the first approval, "never" not at all; if unset, it asks
        before tools that affect others (send, post, delete).
        expires: how long its requests wait for an answer, such as "2d"; if unset, as long as it takes. The user is
        reminded after three quarters of that time.
        on_expiry: "reject" (the default: it counts as rejected, and `ctx.reason` is "expired") or "leave" (it stays
        open, and the user is only reminded).
        """
        known = ("subscribe", "publishes", "approve", "expires", "on_expiry", "timeout", "max_failures")
        line = self._begin("consumer", known, positional, unknown)
        written = {
            "subscribes": self._read_topics("subscribe", subscribe),
            "publishes": self._read_topics("publishes", publishes),
            "approve": options.read_choice("approve", approve, ("always", "first", "never")),
            "expires": options.read_expires(expires),
            "on_expiry": options.read_choice("on_expiry", on_expiry, ("reject", "leave")),
            "timeout": options.read_timeout(timeout),
            "max_failures": options.read_max_failures(max_failures),
        }
        if not written["subscribes"]:
            raise Misuse(UserText("this consumer subscribes to nothing; write subscribe=[mails]."))

        def add(body: type[ConsumerClass]) -> type[ConsumerClass]:
            check_class(body, publishes=bool(written["publishes"]))
            self._add(HandlerDefinition(body.__name__, "consumer", body, line, written))
            return body

        return add

    def job(
        self,
        *positional: NoReturn,
        every: str | None = None,
        cron: str | Sequence[str] | None = None,
        calendar: Calendar | Sequence[Calendar] | None = None,
        once: str | date | None = None,
        anchor: str | date | None = None,
        timezone: str | None = None,
        start_at: str | date | None = None,
        end_at: str | date | None = None,
        exclude: Any = None,
        limit: int | None = None,
        jitter: str | None = None,
        overlap: Overlap | None = None,
        catchup: Catchup | None = None,
        catchup_window: str | int | None = None,
        pause_on_failure: bool | None = None,
        needs: Need | Sequence[Need] | None = None,
        timeout: str | float | None = None,
        max_failures: int | None = None,
        retries: int | None = None,
        after_crash: AfterCrash | None = None,
        ping: str | None = None,
        overdue_after: str | None = None,
        expected: str | None = None,
        **unknown: NoReturn,
    ) -> Callable[[JobFunction], JobFunction]:
        """Decorate `def name(ctx)`: a plain scheduled task without topics or phases.

        A run fails if the function raises, a command of `ctx.run` exits with another code than 0, or the time limit is
        reached. You are told, and the job runs again at its next time.

        anchor: the time from which `every` counts, such as "2026-11-01T08:00"; if unset, the first deploy.
        calendar: parts of a date and time, such as {"hour": 9, "weekday": "mon-fri"}; of a list, each one counts.
        max_failures: after that many failed runs in a row it stops until you resume it; with 0 it never stops, and a
            failure delays none of its times.
        retries: how often to try again before a run counts as failed, after 30 s, 1, 5, 15 and then every 60 minutes.
        after_crash: what follows a crash in the middle of a run: "next" (the default: you are told, and it runs at its
            next time), "again", "ask" (it waits until you say whether it finished) or "never" (nothing).
        ping: the connection through which a monitoring service learns when a run starts, succeeds and fails, such as
            "ping:backup".
        overdue_after: you are told if it has not succeeded that long after it should have run, such as "2h".
        expected: how long a run usually takes, such as "1m..20m"; you are told about one that takes less or more.
        """
        given = dict(locals())
        known = (*_TIMED, "timeout", "max_failures", "retries", "after_crash", *_WATCHED)
        line = self._begin("job", known, positional, unknown)
        schedule, policies = options.read_schedule("job", {name: given[name] for name in _TIMED})
        written = {
            "schedule": schedule,
            "policies": policies,
            "timeout": options.read_timeout(timeout),
            "max_failures": options.read_max_failures(max_failures),
            "retries": options.read_retries(retries),
            "after_crash": options.read_choice("after_crash", after_crash, ("next", "again", "ask", "never")),
            **options.read_watched(given),
        }
        return self._decorate("job", line, written)

    if not TYPE_CHECKING:  # or type checkers would accept every name

        def __getattr__(self, name: str) -> Any:
            from ._package_names import explain_missing_method  # noqa: PLC0415  only needed for mistakes

            raise AttributeError(name) if name.startswith("_") else Misuse(explain_missing_method(name))

    def _begin(self, kind: str, known: tuple[str, ...], positional: tuple[Any, ...], unknown: dict[str, Any]) -> int:
        options.reject_unknown(kind, known, positional, unknown)
        return caller()[1]

    def _decorate(self, kind: str, line: int, written: dict[str, Any]) -> Callable[[Any], Any]:
        def add(function: Any) -> Any:
            check_function(kind, function)
            self._add(HandlerDefinition(function.__name__, kind, function, line, written))
            return function

        return add

    def _add(self, handler: HandlerDefinition) -> None:
        if handler.name in self.handlers:
            raise Misuse(UserText("two handlers are named {handler}; rename one of them.", handler=handler.name))
        self.handlers[handler.name] = handler

    def _read_topics(self, name: str, topics: Any) -> list[str]:
        if isinstance(topics, str):
            raise Misuse(
                UserText("{name} is a single topic; write {name}=[{topics}].", name=name, topics=f"{topics!s}")
            )
        if not isinstance(topics, (list, tuple)):
            raise Misuse(UserText("{name} is not a list; write {name}=[mails].", name=name))
        for topic in topics:
            if not isinstance(topic, Topic):
                raise Misuse(
                    UserText(
                        "{name} contains {topic}, which is not a topic; write mails = flow.topic('mails') first.",
                        name=name,
                        topic=repr(topic),
                    )
                )
            if self.topics.get(topic) is not topic:
                raise Misuse(
                    UserText(
                        "{name} contains the topic {topic} of another workflow; create it with this workflow's "
                        "topic().",
                        name=name,
                        topic=f"{topic!s}",
                    )
                )
        return list(dict.fromkeys(map(str, topics)))


def make_slug(name: str) -> str:
    """The name in lower case with dashes."""
    return re.sub(r"[\W_]+", "-", name.casefold()).strip("-")
