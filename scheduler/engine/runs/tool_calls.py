"""Calls that scripts make outside: allowed or not, with the right settings, and every error in our own words."""

import json
import sqlite3
import traceback
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, wait
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from threading import Thread
from typing import Any, Protocol

from scheduler.connections import abandoned_calls
from scheduler.connections.connector import Call, Checked, Connector, Tool, ToolFailedError
from scheduler.connections.connectors.secret import FIELD
from scheduler.connections.discretion import hide_echoes, secrets_in
from scheduler.connections.errors import ConnectionRuleError
from scheduler.connections.registry import Registry
from scheduler.connections.storable_answers import keep_or_note
from scheduler.connections.vault_errors import NoVaultError, VaultError
from scheduler.engine.context import Context
from scheduler.engine.runs.asking import KEYRING
from scheduler.engine.runs.attempt import Attempt, OutsideCall
from scheduler.engine.runs.hiding import make_keepable
from scheduler.rules.failures import Failure, FailureClass
from scheduler.rules.handing_over import HAND_OVER
from scheduler.rules.script_limits import LARGEST_ANSWER
from scheduler.store import connections, grants
from scheduler.store.connections import ConnectionRow
from scheduler.store.errors import StoreError
from scheduler.store.grants import GrantKind
from scheduler.store.mutations import MutationRow

CALL_SECONDS = 30.0
_NOTED_AGAIN = timedelta(minutes=1)
_LOOK = 0.2
"""Seconds between two looks whether anybody still waits for a call that reads."""


class FailedError(Exception):
    """An attempt cannot go on; the failure says what helps. `subject` names what it is about, such as a connection."""

    def __init__(self, failure: Failure, subject: str | None = None) -> None:
        super().__init__(failure.sentence)
        self.failure = failure
        self.subject = subject

    @classmethod
    def because(cls, kind: FailureClass, sentence: str, subject: str | None = None) -> "FailedError":
        return cls(Failure(kind=kind, sentence=sentence), subject)


@contextmanager
def placing(attempt: Attempt, line: int | None) -> Iterator[None]:
    """A call that the script should not have made is said with the line that made it."""
    try:
        yield
    except FailedError as error:
        error.failure = error.failure.placed(attempt.plan.path, line)
        raise


class Secrets(Protocol):
    def read(self, connection: str) -> Mapping[str, Any]:
        """The secret fields of a connection; ToolFailedError if they cannot be had now."""

    def recall(self, connection: str) -> Mapping[str, Any]:
        """As they were kept, whether they are still good or not."""

    def keep(self, connection: str, secrets: Mapping[str, Any]) -> None:
        """In place of those before; ToolFailedError if they could not be kept."""

    def forget(self, connection: str) -> None:
        """Leave nothing of it; ToolFailedError if something stays."""


class NoSecrets:
    """Keeps none, and says so to whoever has one."""

    def read(self, connection: str) -> Mapping[str, Any]:  # noqa: ARG002  has nothing of anybody's
        return {}

    def recall(self, connection: str) -> Mapping[str, Any]:  # noqa: ARG002  as above
        return {}

    def keep(self, connection: str, secrets: Mapping[str, Any]) -> None:  # noqa: ARG002  as above
        raise ToolFailedError(NoVaultError().failure)

    def forget(self, connection: str) -> None:
        """There is nothing."""


def keeps_secrets(connector: Connector, settings: Mapping[str, Any]) -> bool:
    """Whether a connection has something in the keyring: the store holds all its other fields."""
    signs_in = connector.oauth is not None and connector.oauth.wanted(settings)
    return signs_in or any(one.secret and one.name not in settings for one in connector.fields)


def find_endpoint(db: sqlite3.Connection, registry: Registry, connection: str) -> dict[str, str] | None:
    """What a connection leads to now: the account, server or folder that a yes holds for."""
    row = connections.find(db, connection)
    connector = registry.connector(connection.partition(":")[0])
    return None if row is None else connector.endpoint(row.settings) or None


class Tools:
    """Any thread may call."""

    def __init__(self, context: Context, registry: Registry, secrets: Secrets | None = None) -> None:
        self._context = context
        self.registry = registry
        self._secrets = secrets or NoSecrets()
        self._noted: dict[str, datetime] = {}
        """By connection: the last use that was written down."""

    def read(self, attempt: Attempt, call: OutsideCall, is_ending: Callable[[], bool]) -> Any:
        """Make a read-only call for a script; a phase that is to end does not wait for it."""
        tool = self.find(attempt, call)
        if tool.mutating:
            raise FailedError.because(
                FailureClass.LOGIC,
                f"{call.tool} of {call.connection} acts, and only mutate may act; call it there.",
            )
        self.check_grant(self._context.database.read(), attempt, call)
        ready = self.make_ready(attempt.workflow, call)
        return self._run(replace(tool, run=partial(_run_apart, tool, is_ending)), ready)

    def hand_over(self, attempt: Attempt, connection: str, line: int | None) -> str:
        """The secret of a connection, for a command that a job runs; allowed like any tool."""
        call = OutsideCall(connection=connection, tool=HAND_OVER, parameters={}, line=line)
        if not any(tool.name == HAND_OVER for tool in self._tools_of(connection)):
            raise FailedError.because(
                FailureClass.LOGIC,
                f"Commands get no secret of {connection}. Connect one for them, such as secret:mine.",
            )
        self.find(attempt, call)
        self.check_grant(self._context.database.read(), attempt, call)
        secret = str(self.make_ready(attempt.workflow, call).settings[FIELD])
        self._note_use(connection)
        return secret

    def _tools_of(self, connection: str) -> tuple[Tool, ...]:
        try:
            return self.registry.connector(self.registry.parse_name(connection)[0]).tools
        except ConnectionRuleError as error:
            raise FailedError.because(FailureClass.LOGIC, error.sentence) from error

    def act(self, tool: Tool, ready: Call) -> Any:
        """Make the one call that acts. What it raises tells apart whether it may have happened."""
        return self._run(tool, ready)

    def pin(self, tool: Tool, workflow: str, call: OutsideCall, is_ending: Callable[[], bool]) -> OutsideCall:
        """The call with what its connection leads to and the object that it would change, as they are now."""
        pinned = replace(call, target=None, endpoint=self._endpoint(call.connection))
        if tool.identify_target is None:
            return pinned
        reads = Tool(name=tool.name, help=tool.help, parameters=tool.parameters, run=tool.identify_target)
        ready = self.make_ready(workflow, pinned)
        found = self._run(replace(reads, run=partial(_run_apart, reads, is_ending)), ready)
        return replace(pinned, target=json.loads(json.dumps(found)))  # as it will be read from the store

    def _endpoint(self, connection: str) -> dict[str, str] | None:
        with self._context.database.at_hand() as db:
            return find_endpoint(db, self.registry, connection)

    def find(self, attempt: Attempt, call: OutsideCall) -> Tool:
        """The tool, with parameters that it takes."""
        if call.connection not in attempt.plan.connections:
            raise FailedError.because(
                FailureClass.LOGIC,
                f"{call.connection} is not among the connections of {attempt.plan.name}; name it there.",
            )
        try:
            tool = self.registry.tool(call.connection, call.tool)
            self.registry.check_parameters(tool, call.parameters)
        except ConnectionRuleError as error:
            raise FailedError.because(FailureClass.LOGIC, error.sentence) from error
        return tool

    def check_grant(self, db: sqlite3.Connection, attempt: Attempt, call: OutsideCall) -> None:
        if not grants.has(db, attempt.workflow, "", call.connection, call.tool, GrantKind.PERMISSION):
            raise FailedError.because(
                FailureClass.PERMISSION,
                f"{attempt.plan.name} wants to {self.registry.say_ability(call.connection, call.tool)}, "
                "which you have not allowed yet.",
                f"{attempt.workflow} {call.connection} {call.tool}",
            )

    def checker(self, mutation: MutationRow) -> Tool | None:
        """Its tool, if that can tell whether it happened."""
        try:
            tool = self.registry.tool(mutation.connection, mutation.tool)
        except ConnectionRuleError:
            return None
        return None if tool.check is None else tool

    def check(self, tool: Tool, mutation: MutationRow) -> Checked:
        """Ask the tool's own checker whether it happened."""
        assert tool.check is not None
        call = OutsideCall.load(mutation._asdict())
        if call.endpoint is not None and call.endpoint != self._endpoint(call.connection):
            raise FailedError.because(
                FailureClass.UNSURE,
                f"{call.connection} leads somewhere else now, so Dayhand cannot check whether it happened.",
                call.connection,
            )
        ready = replace(self.make_ready(mutation.workflow, call, mutation.key), since=mutation.begun)
        try:
            return tool.check(ready)
        except ToolFailedError as error:
            raise self._told(error.failure, ready) from error
        except Exception as error:
            raise self._told(_mistake(tool, ready, error, FailureClass.INTERNAL), ready) from error

    def late_outcome(self, mutation: MutationRow) -> Checked | None:
        """What a call that was given up on came to in the end; None where it did not say."""
        ended = abandoned_calls.take(mutation.key)
        if ended is None:
            return None
        try:
            result = ended.answer.result()
        except ToolFailedError as error:
            return None if error.failure.kind is FailureClass.UNSURE else Checked(happened=False)
        except Exception:  # noqa: BLE001  foreign code failed in a way of its own
            return None
        try:
            connector = self.registry.connector(ended.call.connection.partition(":")[0])
            result = hide_echoes(keep_or_note(result), connector, ended.call.settings)
        except ConnectionRuleError:  # its connector is gone; that it happened is known all the same
            return Checked(happened=True)
        return Checked(happened=True, result=result)

    def make_ready(self, workflow: str, call: OutsideCall, key: str = "") -> Call:
        """The call as its tool gets it, with settings and secrets; nothing has been done outside yet."""
        connector = self.registry.connector(call.connection.partition(":")[0])
        with self._context.database.at_hand() as db:
            row = connections.find(db, call.connection)
        if row is None and connector.fields:
            raise FailedError.because(
                FailureClass.AUTH,
                f"{call.connection} is not connected yet.",
                call.connection,
            )
        if row is not None and row.trouble is not None:
            raise FailedError.because(FailureClass.AUTH, row.trouble, call.connection)
        if row is not None and call.endpoint is not None and call.endpoint != connector.endpoint(row.settings):
            raise FailedError.because(
                FailureClass.TRANSIENT,
                f"{call.connection} was connected to something else just now, so nothing was done.",
                call.connection,
            )
        return Call(
            parameters=call.parameters,
            settings={} if row is None else {**row.settings, **self.secrets_of(connector, row)},
            key=key,
            now=self._context.clock.now(),
            seconds=CALL_SECONDS,
            connection=call.connection,
            workflow=workflow,
            target=call.target,
        )

    def secrets_of(self, connector: Connector, row: ConnectionRow) -> Mapping[str, Any]:
        """What the keyring has for a connection; asked only where it keeps something."""
        if not keeps_secrets(connector, row.settings):
            return {}
        try:
            return self._secrets.read(row.name)
        except ToolFailedError as error:
            waits = isinstance(error.__cause__, VaultError) and error.failure.kind is FailureClass.TRANSIENT
            raise FailedError(error.failure, KEYRING if waits else row.name) from error

    def _note_use(self, connection: str) -> None:
        """Once a minute is often enough; what could not be written down is no reason to fail."""
        now = self._context.clock.now()
        noted = self._noted.get(connection)
        if noted is None or abs(now - noted) >= _NOTED_AGAIN:
            self._noted[connection] = now
            with suppress(StoreError), self._context.database.write() as db:
                connections.note_use(db, connection, now)

    def _run(self, tool: Tool, ready: Call) -> Any:
        self._note_use(ready.connection)
        try:
            answer = tool.run(ready)
        except ToolFailedError as error:
            failure = error.failure
            if failure.kind is FailureClass.UNSURE and not tool.mutating:  # reading leaves nothing to be unsure of
                failure = replace(failure, kind=FailureClass.TRANSIENT)
            raise self._told(failure, ready) from error
        except Exception as error:
            kind = FailureClass.UNSURE if tool.mutating else FailureClass.INTERNAL
            raise self._told(_mistake(tool, ready, error, kind), ready) from error
        if not tool.mutating:  # what an action answers is bounded where it is made storable
            _refuse_large(answer, tool, ready)
        return answer

    def _told(self, failure: Failure, ready: Call) -> FailedError:
        """As it may be kept and shown: whatever the connector quotes, its secrets are not in it."""
        connector = self.registry.connector(ready.connection.partition(":")[0])
        if failure.kind is FailureClass.AUTH and self._is_outdated(connector, ready):
            failure = replace(failure, kind=FailureClass.TRANSIENT, counts=False)
        return FailedError(make_keepable(failure, secrets_in(connector, ready.settings)), ready.connection)

    def _is_outdated(self, connector: Connector, ready: Call) -> bool:
        """Whether it was connected anew while the call was under way: then what failed is no longer used."""
        row = connections.find(self._context.database.read(), ready.connection)
        if row is None or row.trouble is not None:
            return False
        try:
            return {**row.settings, **self.secrets_of(connector, row)} != ready.settings
        except FailedError:
            return False


def _run_apart(tool: Tool, is_ending: Callable[[], bool], ready: Call) -> Any:
    """On a thread of its own, which is left behind when nobody waits for the answer any more."""
    answer: Future[Any] = Future()

    def work() -> None:
        try:
            answer.set_result(tool.run(ready))
        except Exception as error:  # noqa: BLE001  it goes on where it is waited for
            answer.set_exception(error)

    Thread(target=work, name=ready.connection, daemon=True).start()
    while not wait([answer], _LOOK).done:
        if is_ending():
            raise ToolFailedError.because(FailureClass.TRANSIENT, "It was stopped.")
    return answer.result()


def _refuse_large(answer: Any, tool: Tool, ready: Call) -> None:
    size = len(json.dumps(answer, ensure_ascii=False).encode("utf-8", "replace"))
    if size > LARGEST_ANSWER:
        raise FailedError.because(
            FailureClass.LOGIC,
            f"{tool.name} of {ready.connection} answered with {size / 2**20:.1f} MB; a script may get "
            f"{LARGEST_ANSWER >> 20} MB at once. Ask for less.",
        )


def _mistake(tool: Tool, ready: Call, error: Exception, kind: FailureClass) -> Failure:
    """An error that the connector did not foresee."""
    said = f"{tool.name} of {ready.connection} failed in an unexpected way ({type(error).__name__}: {error})."
    told = "".join(traceback.format_exception(error))[-20_000:]
    return Failure(kind=kind, sentence=said, traceback=told)
