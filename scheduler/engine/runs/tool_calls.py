"""Makes the calls of scripts to connections: checks permission, adds settings and secrets, converts every error."""

import json
import sqlite3
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future, wait
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from threading import Thread
from typing import Any

from scheduler.connections import abandoned_calls
from scheduler.connections.connector import Call, Checked, Connector, Tool, ToolFailedError
from scheduler.connections.connectors.secret import SECRET_FIELD
from scheduler.connections.errors import ConnectionRuleError, VaultError
from scheduler.connections.json_values import storable_or_note
from scheduler.connections.oauth.token_refresh import LoginRenewer, with_retry_after_401
from scheduler.connections.redaction import find_secrets, redact_result, redact_text, url_spellings
from scheduler.connections.registry import Registry, parse_name
from scheduler.connections.secrets import Secrets
from scheduler.engine.clock import Clock
from scheduler.engine.runs.attempt import Attempt, AttemptFailedError, OutsideCall
from scheduler.engine.runs.user_requests import KEYRING_SUBJECT
from scheduler.rules.failures import Failure, FailureClass
from scheduler.rules.script_limits import HAND_OVER_TOOL, MAX_TOOL_RESULT_BYTES
from scheduler.store import connections, grants
from scheduler.store.connections import ConnectionRow
from scheduler.store.database import Database
from scheduler.store.errors import StoreError
from scheduler.store.grants import GrantKind
from scheduler.store.mutations import MutationRow
from scheduler.user_text import UserText

CALL_TIMEOUT_S = 30.0
_USE_INTERVAL = timedelta(minutes=1)
_POLL_S = 0.2
"""How often a read-only call checks whether its run is being stopped."""


def only_reads(call: OutsideCall) -> AttemptFailedError:
    sentence = UserText(
        "{tool} of {connection} only reads; call it in prepare, and let mutate act.",
        tool=call.tool,
        connection=call.connection,
    )
    return AttemptFailedError.because(FailureClass.LOGIC, sentence)


@contextmanager
def with_script_line(attempt: Attempt, line: int | None) -> Iterator[None]:
    """Add the script line that made the call to a failure."""
    try:
        yield
    except AttemptFailedError as error:
        error.failure = error.failure.with_location(attempt.plan.path, line)
        raise


def find_endpoint(db: sqlite3.Connection, registry: Registry, connection: str) -> dict[str, str] | None:
    """What a connection points to now: the account, server or folder that an approval covers."""
    row = connections.find(db, connection)
    connector = registry.connector_of(connection)
    return None if row is None else connector.endpoint(row.settings) or None


def redact_failure(failure: Failure, secrets: Iterable[str]) -> Failure:
    """Without the secrets that an error may quote (a URL with a password), and in characters that can be stored."""
    spellings = url_spellings(secrets)
    trace = None if failure.traceback is None else redact_text(failure.traceback, spellings)
    return replace(failure, sentence=redact_text(failure.sentence, spellings), traceback=trace)


class ToolCaller:
    """Thread-safe."""

    def __init__(self, database: Database, clock: Clock, registry: Registry, secrets: Secrets) -> None:
        self._database = database
        self._clock = clock
        self.registry = registry
        self._secrets = secrets
        self._last_uses: dict[str, datetime] = {}
        """By connection: the last stored use."""

    def call_read_only(self, attempt: Attempt, call: OutsideCall, is_ending: Callable[[], bool]) -> Any:
        """Make a read-only call for a script; gives up when the phase is being stopped."""
        tool = self.find(attempt, call)
        if tool.mutating:
            sentence = UserText(
                "{tool} of {connection} is an action, and only mutate may act; call it there.",
                tool=call.tool,
                connection=call.connection,
            )
            raise AttemptFailedError.because(FailureClass.LOGIC, sentence)
        self.require_grant(self._database.read(), attempt, call)
        ready = self.prepare_call(attempt.workflow, call)
        return self._run(replace(tool, run=partial(_run_in_thread, tool, is_ending)), ready)

    def read_command_secret(self, attempt: Attempt, connection: str) -> str:
        """The secret of a connection, for a command of a job; needs permission like any tool."""
        call = OutsideCall(connection=connection, tool=HAND_OVER_TOOL, parameters={})
        if not any(tool.name == HAND_OVER_TOOL for tool in self._tools_of(connection)):
            sentence = UserText(
                "{connection} has no secret for commands. Connect one that has, such as secret:mine.",
                connection=connection,
            )
            raise AttemptFailedError.because(FailureClass.LOGIC, sentence)
        self.find(attempt, call)
        self.require_grant(self._database.read(), attempt, call)
        secret = str(self.prepare_call(attempt.workflow, call).settings[SECRET_FIELD])
        self._note_use(connection)
        return secret

    def _tool(self, connection: str, name: str) -> Tool:
        """With one retry after a rejected login, where a login can be refreshed."""
        tool, connector = self.registry.tool(connection, name), self.registry.connector(parse_name(connection)[0])
        if connector.oauth is None or not isinstance(self._secrets, LoginRenewer):
            return tool
        return with_retry_after_401(tool, self._secrets)

    def _tools_of(self, connection: str) -> tuple[Tool, ...]:
        try:
            return self.registry.connector_of(connection).tools
        except ConnectionRuleError as error:
            raise AttemptFailedError.because(FailureClass.LOGIC, error.sentence) from error

    def call_mutating(self, tool: Tool, ready: Call) -> Any:
        """Make the mutating call. The failure it raises says whether the action may have happened."""
        return self._run(tool, ready)

    def pin_target(self, tool: Tool, workflow: str, call: OutsideCall, is_ending: Callable[[], bool]) -> OutsideCall:
        """The call with its connection's endpoint and the object it would change, as they are now."""
        pinned = replace(call, target=None, endpoint=self._endpoint(call.connection))
        if tool.identify_target is None:
            return pinned
        reads = Tool(name=tool.name, help=tool.help, parameters=tool.parameters, run=tool.identify_target)
        ready = self.prepare_call(workflow, pinned)
        found = self._run(replace(reads, run=partial(_run_in_thread, reads, is_ending)), ready)
        return replace(pinned, target=json.loads(json.dumps(found)))  # as the store will return it

    def _endpoint(self, connection: str) -> dict[str, str] | None:
        with self._database.quick_read() as db:
            return find_endpoint(db, self.registry, connection)

    def find(self, attempt: Attempt, call: OutsideCall) -> Tool:
        """The tool, after checking the connection and the parameters."""
        if call.connection not in attempt.plan.connections:
            sentence = UserText(
                "{connection} is not among the connections of {name}; add it there.",
                connection=call.connection,
                name=attempt.plan.name,
            )
            raise AttemptFailedError.because(FailureClass.LOGIC, sentence)
        try:
            tool = self._tool(call.connection, call.tool)
            self.registry.check_parameters(tool, call.parameters)
        except ConnectionRuleError as error:
            raise AttemptFailedError.because(FailureClass.LOGIC, error.sentence) from error
        return tool

    def require_grant(self, db: sqlite3.Connection, attempt: Attempt, call: OutsideCall) -> None:
        if not grants.has(db, attempt.workflow, "", call.connection, call.tool, GrantKind.PERMISSION):
            row = connections.find(db, call.connection)
            raise AttemptFailedError.because(
                FailureClass.PERMISSION,
                UserText(
                    "{name} wants to {ability}, which you have not allowed yet.",
                    name=attempt.plan.name,
                    ability=self.registry.describe_ability(
                        call.connection, call.tool, None if row is None else row.settings
                    ),
                ),
                f"{attempt.workflow} {call.connection} {call.tool}",
            )

    def find_checker(self, mutation: MutationRow) -> Tool | None:
        """The tool if it has a checker."""
        try:
            tool = self._tool(mutation.connection, mutation.tool)
        except ConnectionRuleError:
            return None
        return None if tool.check is None else tool

    def check_outcome(self, tool: Tool, mutation: MutationRow) -> Checked:
        """Ask the tool's checker whether it happened."""
        assert tool.check is not None
        call = OutsideCall.from_stored(mutation._asdict())
        if call.endpoint is not None and call.endpoint != self._endpoint(call.connection):
            sentence = UserText(
                "{connection} now points somewhere else, so Dayhand cannot check whether it happened.",
                connection=call.connection,
            )
            raise AttemptFailedError.because(FailureClass.UNSURE, sentence, call.connection)
        ready = replace(self.prepare_call(mutation.workflow, call, mutation.key), since=mutation.begun)
        try:
            return tool.check(ready)
        except ToolFailedError as error:
            raise self._failed(error.failure, ready) from error
        except Exception as error:
            raise self._failed(_unexpected(tool, ready, error, FailureClass.INTERNAL), ready) from error

    def take_late_outcome(self, mutation: MutationRow) -> Checked | None:
        """The outcome of an abandoned call that ended later; None if it is unknown."""
        ended = abandoned_calls.pop_finished(mutation.key)
        if ended is None:
            return None
        try:
            result = ended.future.result()
        except ToolFailedError as error:
            return None if error.failure.kind is FailureClass.UNSURE else Checked(happened=False)
        except Exception:  # noqa: BLE001  third-party code
            return None
        try:
            connector = self.registry.connector_of(ended.call.connection)
            result = redact_result(storable_or_note(result), connector, ended.call.settings)
        except ConnectionRuleError:  # its connector is gone, but the call succeeded
            return Checked(happened=True)
        return Checked(happened=True, result=result)

    def prepare_call(self, workflow: str, call: OutsideCall, key: str = "") -> Call:
        """The call as its tool gets it, with settings and secrets. Makes no outside call."""
        connector = self.registry.connector_of(call.connection)
        with self._database.quick_read() as db:
            row = connections.find(db, call.connection)
        if row is None and connector.fields:
            raise AttemptFailedError.because(
                FailureClass.AUTH,
                UserText("{connection} is not connected yet.", connection=call.connection),
                call.connection,
            )
        if row is not None and row.trouble is not None:
            raise AttemptFailedError.because(FailureClass.AUTH, row.trouble, call.connection)
        if row is not None and call.endpoint is not None and call.endpoint != connector.endpoint(row.settings):
            sentence = UserText(
                "{connection} was just connected to something else, so nothing was done.", connection=call.connection
            )
            raise AttemptFailedError.because(FailureClass.TRANSIENT, sentence, call.connection)
        return Call(
            parameters=call.parameters,
            settings={} if row is None else {**row.settings, **self.read_secrets(connector, row)},
            key=key,
            now=self._clock.now(),
            seconds=CALL_TIMEOUT_S,
            connection=call.connection,
            workflow=workflow,
            target=call.target,
        )

    def read_secrets(self, connector: Connector, row: ConnectionRow) -> Mapping[str, Any]:
        """The secrets of a connection; asks the keyring only if it has any."""
        if not connector.has_secrets(row.settings):
            return {}
        try:
            return self._secrets.read(row.name)
        except ToolFailedError as error:
            waits_for_keyring = isinstance(error.__cause__, VaultError) and error.failure.kind is FailureClass.TRANSIENT
            raise AttemptFailedError(error.failure, KEYRING_SUBJECT if waits_for_keyring else row.name) from error

    def _note_use(self, connection: str) -> None:
        """Store the use at most once a minute; a store error does not fail the call."""
        now = self._clock.now()
        last_use = self._last_uses.get(connection)
        if last_use is None or abs(now - last_use) >= _USE_INTERVAL:
            self._last_uses[connection] = now
            with suppress(StoreError), self._database.write() as db:
                connections.note_use(db, connection, now)

    def _run(self, tool: Tool, ready: Call) -> Any:
        self._note_use(ready.connection)
        try:
            answer = tool.run(ready)
        except ToolFailedError as error:
            failure = error.failure
            if failure.kind is FailureClass.UNSURE and not tool.mutating:  # a read changes nothing
                failure = replace(failure, kind=FailureClass.TRANSIENT)
            raise self._failed(failure, ready) from error
        except Exception as error:
            kind = FailureClass.UNSURE if tool.mutating else FailureClass.INTERNAL
            raise self._failed(_unexpected(tool, ready, error, kind), ready) from error
        if not tool.mutating:  # json_values limits the results of actions
            _refuse_large(answer, tool, ready)
        return answer

    def _failed(self, failure: Failure, ready: Call) -> AttemptFailedError:
        """The error with all secrets redacted, so that it may be stored and shown."""
        connector = self.registry.connector_of(ready.connection)
        if failure.kind is FailureClass.AUTH and self._is_outdated(connector, ready):
            failure = replace(failure, kind=FailureClass.TRANSIENT, counts=False)
        return AttemptFailedError(redact_failure(failure, find_secrets(connector, ready.settings)), ready.connection)

    def _is_outdated(self, connector: Connector, ready: Call) -> bool:
        """Whether the connection was changed during the call, so that the failure no longer matters."""
        row = connections.find(self._database.read(), ready.connection)
        if row is None or row.trouble is not None:
            return False
        try:
            return {**row.settings, **self.read_secrets(connector, row)} != ready.settings
        except AttemptFailedError:
            return False


def _run_in_thread(tool: Tool, is_ending: Callable[[], bool], ready: Call) -> Any:
    """Run in a thread that is left behind when the phase is stopped."""
    answer: Future[Any] = Future()

    def work() -> None:
        try:
            answer.set_result(tool.run(ready))
        except Exception as error:  # noqa: BLE001  re-raised by the waiting thread
            answer.set_exception(error)

    Thread(target=work, name=ready.connection, daemon=True).start()
    while not wait([answer], _POLL_S).done:
        if is_ending():
            raise ToolFailedError.because(FailureClass.TRANSIENT, UserText("It was stopped."))
    return answer.result()


def _refuse_large(answer: Any, tool: Tool, ready: Call) -> None:
    size = len(json.dumps(answer, ensure_ascii=False).encode("utf-8", "replace"))
    if size > MAX_TOOL_RESULT_BYTES:
        raise AttemptFailedError.because(
            FailureClass.LOGIC,
            UserText(
                "{tool} of {connection} returned {size} MB; the limit is {max_tool_result_bytes} MB. Ask for less.",
                tool=tool.name,
                connection=ready.connection,
                size=f"{size / 2**20:.1f}",
                max_tool_result_bytes=MAX_TOOL_RESULT_BYTES >> 20,
            ),
        )


def _unexpected(tool: Tool, ready: Call, error: Exception, kind: FailureClass) -> Failure:
    """The failure for an exception the connector did not convert."""
    sentence = UserText(
        "{tool} of {connection} failed unexpectedly ({error_type}: {error}).",
        tool=tool.name,
        connection=ready.connection,
        error_type=type(error).__name__,
        error=error,
    )
    trace = "".join(traceback.format_exception(error))[-20_000:]
    return Failure(kind=kind, sentence=sentence, traceback=trace)
