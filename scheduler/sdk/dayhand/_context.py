"""The `ctx` of each phase: what that phase may do, and an explanation for everything else."""

from __future__ import annotations

import time
from collections.abc import Sequence
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any, NoReturn

from . import _command
from . import _protocol as protocol
from ._context_names import explain_missing_name
from ._errors import AttemptEnded, Misuse
from ._events import Event, Topic, parse_instant, read_event
from ._source_location import caller
from ._user_text import UserText
from ._values import check, describe_type

if TYPE_CHECKING:
    from ._channel import HostChannel
    from ._handlers import HandlerDefinition
    from ._setting_types import Names, Origin, Outcome
    from ._workflow import Workflow


class Context:
    """What every phase can use."""

    phase = ""

    def __init__(self, link: HostChannel, flow: Workflow, handler: HandlerDefinition, facts: dict[str, Any]) -> None:
        self._link = link
        self._flow = flow
        self._handler = handler
        self._facts = facts

    @property
    def now(self) -> datetime:
        """The current time in UTC, by Dayhand's clock."""
        now = self._facts.get("now")
        if now is None:
            return datetime.now(timezone.utc)
        return parse_instant(now) + timedelta(seconds=time.monotonic() - self._facts["received_at"])

    @property
    def planned(self) -> datetime | None:
        """The planned time of this run in UTC; None if the user, an event or a deploy started it."""
        planned = self._facts.get("planned")
        return None if planned is None else parse_instant(planned)

    @property
    def key(self) -> str:
        """An idempotency key: the same for every attempt of this run, and unique to it."""
        return str(self._facts.get("key", ""))

    @property
    def origin(self) -> Origin:
        """What started the run: "automatic", "manual", "backfill", "deploy" or "event"."""
        origin: Origin = self._facts.get("origin", "")
        return origin

    @property
    def attempt(self) -> int:
        """1 for the first attempt, 2 for the first retry."""
        return int(self._facts.get("attempt", 1))

    @property
    def last(self) -> Any:
        """The result of this handler's last committed run; None before the first."""
        return self._facts.get("last")

    @property
    def cancelled(self) -> bool:
        """Whether this run was asked to stop. Long loops should check it; other code stops at its next call."""
        return self._link.is_cancelled

    def log(self, *parts: object) -> None:
        """Write a line to the run's log, like print."""
        self._link.log(" ".join(map(str, parts)))

    def progress(self, done: float, total: float | None = None, text: str = "") -> None:
        """Show progress: 3 of 10, and what it is doing."""
        for name, value in (("done", done), ("total", total)):
            is_missing = value is None and name == "total"
            if not is_missing and (isinstance(value, bool) or not isinstance(value, (int, float))):
                self._refuse(
                    UserText(
                        "progress: {name} is {value}, not a number; write ctx.progress(3, 10, 'mails').",
                        name=name,
                        value=repr(value),
                    )
                )
            self._check(value, UserText("progress: {name}", name=name))
        self._link.tell("progress", done=done, total=total, text=str(text))

    if not TYPE_CHECKING:  # or type checkers would accept every name

        def __getattr__(self, name: str) -> Any:
            if name.startswith("__"):
                raise AttributeError(name)
            return self._refuse(explain_missing_name(type(self), name))

    def _refuse(self, sentence: str) -> NoReturn:
        raise self._link.remember(Misuse(sentence))

    def _check(self, value: Any, name: str) -> None:
        try:
            check(value, name)
        except Misuse as misuse:
            raise self._link.remember(misuse) from None

    def _read_call(self, connection: Any, tool: Any, parameters: dict[str, Any]) -> dict[str, Any]:
        if not isinstance(connection, str) or not isinstance(tool, str):
            self._refuse(UserText("call takes two strings first; write ctx.call('imap:home', 'search', since_uid=7)."))
        if connection not in self._flow.connections:
            self._refuse(
                UserText(
                    "{connection} is not among the connections of {flow}; write dayhand.Workflow({literal_name}, "
                    "connections=[…, {literal_connection}]).",
                    connection=connection,
                    flow=self._flow.name,
                    literal_name=repr(self._flow.name),
                    literal_connection=repr(connection),
                )
            )
        for name, value in parameters.items():
            self._check(value, name)
        return {"connection": connection, "tool": tool, "parameters": parameters, "line": caller()[1]}

    def _read_topic(self, topic: Any, known: list[str], setting: str) -> str:
        if not isinstance(topic, Topic):
            self._refuse(UserText("{topic} is not a topic; use the result of flow.topic('mails').", topic=repr(topic)))
        if topic not in known:
            self._refuse(
                UserText(
                    "{handler} does not list the topic {topic}; write {setting}=[…, {topic}].",
                    handler=self._handler.name,
                    topic=f"{topic!s}",
                    setting=setting,
                )
            )
        return str(topic)


class _Reads(Context):
    def call(self, connection: str, tool: str, /, **parameters: Any) -> Any:
        """Call a read-only tool of a connection; returns JSON. If the tool fails, this attempt ends here."""
        return self._link.ask("call", **self._read_call(connection, tool, parameters))


class _Publishes(Context):
    def publish(self, topic: Topic, /, *, id: str, title: str = "", data: Any = None) -> None:  # noqa: A002  part of the contract
        """Publish an event; consumers see it when this run is committed.

        id: publishing the same id again updates a pending event; an event that was handled stays handled.
        title: shown to the user. data: JSON for the consumer.
        """
        name = self._read_topic(topic, self._handler.publishes, "publishes")
        if not isinstance(id, str) or not id:
            self._refuse(
                UserText("id={id} is not a string; write id=str(…) with what makes this event unique.", id=repr(id))
            )
        if not isinstance(title, str):
            self._refuse(UserText("title={title} is not a string; write title=str(…).", title=repr(title)))
        self._check(id, "id")
        self._check(data, "data")
        self._link.tell("publish", topic=name, id=id, title=title, data=data)


class _Warns(Context):
    def problem(self, sentence: str | None) -> None:
        """Tell the user about a problem that they should look at, while the schedule goes on; None once it is over.

        The workflow needs attention until a later run of this handler passes None, the script is updated or the user
        dismisses it. The same sentence again changes nothing.
        """
        if sentence is not None and (not isinstance(sentence, str) or not sentence.strip()):
            self._refuse(
                UserText(
                    "problem takes a sentence or None, not {sentence}; write ctx.problem('The price is missing.').",
                    sentence=repr(sentence),
                )
            )
        self._link.tell("problem", text=sentence)


class _Reports(_Warns):
    def done(self, sentence: str) -> None:
        """Set the summary of this run for the user: "Filed 3 receipts". The last one counts."""
        if not isinstance(sentence, str) or not sentence.strip():
            self._refuse(
                UserText(
                    "done takes a sentence, not {sentence}; write ctx.done('Filed 3 receipts').",
                    sentence=repr(sentence),
                )
            )
        self._link.tell("done", text=sentence)


class ProducerContext(_Reads, _Publishes, _Warns):
    """What a producer may do: read, publish, report problems, checkpoint."""

    phase = protocol.PRODUCER

    def checkpoint(self, state: dict[str, Any]) -> None:
        """Commit this state and the events published so far; after a crash the producer continues from here."""
        if not isinstance(state, dict):
            self._refuse(UserText("checkpoint takes the state, a dict, not {kind}.", kind=describe_type(state)))
        self._check(state, "state")
        self._link.ask("checkpoint", state=state)


class PrepareContext(_Reads):
    """What prepare may do: read, and peek at events."""

    phase = protocol.PREPARE

    def peek(self, topic: Topic, /, limit: int = 100) -> list[Event]:
        """Pending events of a subscribed topic, oldest first; pass those that this run takes as `reserve`.

        Events that it leaves pending do not start the consumer again; return `wake_at=ctx.now` to continue with them.
        """
        name = self._read_topic(topic, self._handler.subscribes, "subscribe")
        if isinstance(limit, bool) or not isinstance(limit, int) or limit < 1:
            self._refuse(
                UserText(
                    "limit={limit} is not a number of events; write ctx.peek({name}, limit=10).",
                    limit=repr(limit),
                    name=name,
                )
            )
        known = self._facts.get("waiting", {}).get(name)
        if known is not None and (known["all"] or limit <= len(known["events"])):
            found = known["events"][:limit]
        else:
            found = self._link.ask("peek", topic=name, limit=limit)
        self._link.seen.update(((one["topic"], one["id"]), one) for one in found)
        return [read_event(one, self._flow) for one in found]


class MutateContext(Context):
    """What mutate may do: the one outside action of this run."""

    phase = protocol.MUTATE

    def call(self, connection: str, tool: str, /, **parameters: Any) -> NoReturn:
        """Make the outside action. It does not return: `mutate` ends here, and `next` gets the result."""
        call = self._read_call(connection, tool, parameters)
        if self._link.call is not None:
            self._refuse(UserText("mutate makes one call, which ends it; make the second one in another consumer."))
        self._link.call = call
        raise AttemptEnded


class NextContext(_Publishes, _Reports):
    """What next may do: publish, and report what was done."""

    phase = protocol.NEXT

    @property
    def outcome(self) -> Outcome:
        """The outcome of mutate: "applied", "skipped" (the user rejected it) or "none" (there was no call)."""
        outcome: Outcome = self._facts.get("outcome", "none")
        return outcome

    @property
    def call_made(self) -> dict[str, Any] | None:
        """The call as it was made: "connection", "tool" and "parameters"; None if it was not made.

        The user may have changed the parameters before approving, for example the text of a mail.
        """
        return self._facts.get("call_made")

    @property
    def reason(self) -> str | None:
        """Why the outcome is "skipped": what the user wrote, or "expired" if nobody answered in time; else None."""
        return self._facts.get("reason")


class JobContext(_Reads, _Reports):
    """What a job may do: read, run commands, report what was done."""

    phase = protocol.JOB

    def run(self, command: Names, *, check: bool = True, secrets: dict[str, str] | None = None) -> int:
        """Run a command, wait for it and return its exit code; its output goes to the run's log.

        command: a list, not a shell command line; a leading ~ becomes the home folder.
        check: raise `dayhand.CommandFailed` unless it exits with 0.
        secrets: by environment variable, the connection whose secret the command gets, for example
            {"RESTIC_PASSWORD_FILE": "restic:home"}. The variable holds the path of a file, /dev/fd/N, with the secret
            that can be read once; the script never sees it.
        """
        if isinstance(command, (str, bytes)) or not isinstance(command, Sequence) or not command:
            self._refuse(
                UserText("run takes a command as a list; write ctx.run({command}).", command=repr(_split(command)))
            )
        for number, part in enumerate(command):
            if not isinstance(part, str) or "\0" in part:
                self._refuse(
                    UserText("command[{number}] is {part}, not a string; write str(…).", number=number, part=repr(part))
                )
        if not secrets:
            return _command.run_command(self._link, list(command), check=check)
        return _command.run_command(self._link, list(command), check=check, secrets=self._read_secrets(secrets))

    def _read_secrets(self, secrets: dict[str, str]) -> dict[str, str]:
        example = '{"RESTIC_PASSWORD_FILE": "restic:home"}'
        if not isinstance(secrets, dict):
            self._refuse(UserText("secrets is not a dict; write secrets={example}.", example=example))
        for name, connection in secrets.items():
            if not isinstance(name, str) or not name or "=" in name or "\0" in name or not isinstance(connection, str):
                self._refuse(
                    UserText("secrets maps each variable to a connection; write secrets={example}.", example=example)
                )
            self._read_call(connection, "", {})
        return dict(secrets)


CONTEXTS: dict[str, type[Context]] = {
    kind.phase: kind for kind in (ProducerContext, PrepareContext, MutateContext, NextContext, JobContext)
}


def _split(command: object) -> object:
    return command.split() if isinstance(command, str) and command.split() else ["restic", "backup", "~/Documents"]
