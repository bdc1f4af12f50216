"""Connects, tests and disconnects accounts, off the engine thread. Secrets go to the keyring, the rest to the store."""

import sqlite3
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any

from scheduler.connections.connector import Call, Connector, ToolFailedError
from scheduler.connections.oauth.authorization import authorize
from scheduler.connections.oauth.browser import open_browser
from scheduler.connections.oauth.token_refresh import LoginRenewer, retry_after_401
from scheduler.connections.redaction import find_secrets
from scheduler.connections.registry import Registry, parse_name
from scheduler.connections.secrets import Secrets, SecretStore
from scheduler.engine.clock import Clock
from scheduler.engine.errors import RefusedError
from scheduler.engine.idempotency import find_first_answer
from scheduler.engine.runs.tool_calls import CALL_TIMEOUT_S, redact_failure
from scheduler.rules.failures import Failure, FailureClass
from scheduler.rules.requests import RequestKind
from scheduler.store import connections, requests
from scheduler.store.database import Database
from scheduler.user_text import UserText

Save = Callable[[dict[str, Any]], dict[str, Any]]
"""Stores the settings that are not secret, on the engine thread, and resumes what waited for the connection."""


class ConnectionSetup:
    """For any thread that may block: servers are queried, and the keyring may show a dialog.

    The keyring is written first, so there is never a row without its secrets. A crash right after it leaves an entry
    that the next connect or disconnect of that name removes. When both change, the row is marked first, so that new
    secrets are never used with old settings, such as another server.
    """

    def __init__(
        self,
        database: Database,
        clock: Clock,
        registry: Registry,
        secrets: Secrets,
        open_browser: Callable[[str], None] = open_browser,
    ) -> None:
        self._database = database
        self._clock = clock
        self._registry = registry
        self._secrets = secrets
        self._open_browser = open_browser
        self._lock = threading.Lock()
        self._signing_in: dict[str, threading.Event] = {}
        self._has_ended = False
        self._renewer = secrets if isinstance(secrets, LoginRenewer) else None
        if isinstance(secrets, SecretStore):
            secrets.block_dialogs_while(self._is_keyring_asked_for)

    def connect(
        self,
        name: str,
        given: Mapping[str, Any],
        save: Save,
        *,
        test: bool = True,
        idempotency_key: str | None = None,
    ) -> dict[str, Any]:
        """Check the given settings, test them and store them. Secrets that are not given stay as they are.

        Raises ConnectionRuleError or ToolFailedError; nothing has changed then.
        """
        if (first := find_first_answer(self._database.read(), "connect", idempotency_key)) is not None:
            return first
        connector, before = self._find(name)
        settings = self._check(connector, {**before, **_without_empty(given)}, given)
        secrets = {one.name: settings[one.name] for one in connector.fields if one.secret}
        kept = {field: value for field, value in secrets.items() if value not in (None, "")}
        plain = {field: value for field, value in settings.items() if field not in kept}
        entered = {field: value for field, value in settings.items() if field in given or field not in before}
        if connector.oauth is not None and connector.oauth.is_needed(entered):
            signed_in = self._sign_in(connector, name, settings)
            kept |= signed_in
            plain |= {field: value for field, value in signed_in.items() if field in plain}
        if test:
            self._test(connector, name, {**plain, **kept})
            plain |= self._find_account(connector, name, plain, kept)
        with self._storing_secrets(name, plain, kept, before):
            return save(plain)

    def test(self, name: str, given: Mapping[str, Any] | None = None) -> str:
        """A sentence on whether it works, with the given settings over the stored ones."""
        connector, settings = self._read_settings(name, given)
        return self._test(connector, name, settings, self._renewer if given is None else None)

    def find_choices(self, name: str, given: Mapping[str, Any]) -> list[dict[str, str]]:
        """What the field of its connector's `choices` can be; empty if the service does not say."""
        connector, settings = self._read_settings(name, given)
        if connector.choices is None:
            return []
        now = self._clock.now()
        call = Call(parameters={}, settings=settings, key="", now=now, seconds=CALL_TIMEOUT_S, connection=name)
        try:
            return connector.choices.find(call)
        except ToolFailedError:
            return []

    def _read_settings(self, name: str, given: Mapping[str, Any] | None) -> tuple[Connector, dict[str, Any]]:
        connector, before = self._find(name)
        row = connections.find(self._database.read(), name)
        known = {} if row is None or given is not None else row.settings
        if before and given is None:
            before = dict(self._secrets.read(name))
        settings = self._check(connector, {**before, **known, **_without_empty(given or {})}, given)
        return connector, {**before, **settings}

    def cancel_sign_in(self, name: str | None = None) -> None:
        """Cancel the sign-in to that connection; without a name, cancel all of them and refuse new ones."""
        with self._lock:
            self._has_ended = self._has_ended or name is None
            for signing_in, stop in self._signing_in.items():
                if name in (None, signing_in):
                    stop.set()

    def disconnect(self, name: str, forget: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        """Delete the secrets first: if that is interrupted, the row left behind asks for a reconnect."""
        connector = self._registry.connector_of(name)
        row = connections.find(self._database.read(), name)
        if row is None and any(one.secret for one in connector.fields):  # connecting it was never finished
            with suppress(ToolFailedError):
                self._secrets.forget(name)
        elif row is not None and connector.has_secrets(row.settings):
            self._secrets.forget(name)
        else:
            self._remove_leftover_secrets(name)
        return forget()

    def _is_keyring_asked_for(self) -> bool:
        return any(one.kind is RequestKind.KEYRING for one in requests.list_open(self._database.read()))

    def _find(self, name: str) -> tuple[Connector, dict[str, Any]]:
        """Its connector and its stored secrets."""
        connector = self._registry.connector_of(name)
        row = connections.find(self._database.read(), name)
        if row is None or not connector.has_secrets(row.settings):
            return connector, {}
        try:
            return connector, dict(self._secrets.read_saved(name))
        except ToolFailedError as error:
            if error.failure.kind is not FailureClass.AUTH:
                raise
            return connector, {}

    def _sign_in(self, connector: Connector, name: str, settings: Mapping[str, Any]) -> dict[str, Any]:
        """Sign in with the browser, as the connection's account if it already has one."""
        row = connections.find(self._database.read(), name)
        known = None if row is None else row.settings.get("account")
        stop = threading.Event()
        with self._lock:
            if name in self._signing_in:
                raise RefusedError(
                    "busy", UserText("A sign-in to {name} is already open. Look for the browser window.", name=name)
                )
            self._signing_in[name] = stop
            if self._has_ended:
                stop.set()
        try:
            return authorize(
                connector,
                settings,
                connection=name,
                now=self._clock.now,
                previous_account=known or settings.get("account") or None,
                open_browser=self._open_browser,
                stop=stop,
            )
        finally:
            with self._lock:
                del self._signing_in[name]

    def _find_account(
        self, connector: Connector, name: str, plain: Mapping[str, Any], kept: Mapping[str, Any]
    ) -> dict[str, Any]:
        """The account of the given token: approvals do not carry over to another account under the same name."""
        if connector.oauth is None or "access_token" not in kept or "account" not in plain:
            return {}
        settings, now = {**plain, **kept}, self._clock.now()
        call = Call(parameters={}, settings=settings, key="", now=now, seconds=CALL_TIMEOUT_S, connection=name)
        return {"account": connector.oauth.account(call)}

    def _check(self, connector: Connector, whole: Mapping[str, Any], given: Mapping[str, Any] | None) -> dict[str, Any]:
        """The keyring may hold more than fields; an unknown field is refused only if it was given."""
        fields = {one.name for one in connector.fields} | set(given or ())
        known = {name: value for name, value in whole.items() if name in fields}
        return self._registry.check_settings(connector.kind, known)

    @contextmanager
    def _storing_secrets(
        self, name: str, plain: Mapping[str, Any], kept: Mapping[str, Any], before: Mapping[str, Any]
    ) -> Iterator[None]:
        """Store the secrets before the caller saves the rest; put the old ones back if that fails."""
        row = connections.find(self._database.read(), name)
        is_marked = row is not None and row.trouble is None and kept != before and plain != row.settings
        if is_marked:
            self._set_trouble(name, UserText("Connecting {name} was interrupted. Connect it again.", name=name))
        try:
            self._replace_secrets(name, kept, before)
            yield
        except BaseException:
            with suppress(ToolFailedError):
                self._replace_secrets(name, before, kept)
                if is_marked:
                    self._set_trouble(name, None)
            raise
        if not kept and not before:
            self._remove_leftover_secrets(name)

    def _remove_leftover_secrets(self, name: str) -> None:
        """A crash may have left a keyring entry for a connection that has no secrets."""
        connector = self._registry.connector_of(name)
        if isinstance(self._secrets, SecretStore) and any(one.secret for one in connector.fields):
            self._secrets.delete_leftovers(name)

    def _set_trouble(self, name: str, trouble: str | None) -> None:
        with self._database.write() as db:
            connections.set_trouble(db, name, trouble)

    def _replace_secrets(self, name: str, secrets: Mapping[str, Any], before: Mapping[str, Any]) -> None:
        if secrets and secrets != before:
            self._secrets.keep(name, secrets)
        elif before and not secrets:
            self._secrets.forget(name)

    def _test(
        self, connector: Connector, name: str, settings: dict[str, Any], renewer: LoginRenewer | None = None
    ) -> str:
        """With a renewer, a token that the server refuses is renewed."""
        now = self._clock.now()
        call = Call(parameters={}, settings=settings, key="", now=now, seconds=CALL_TIMEOUT_S, connection=name)
        try:
            return connector.test(call) if renewer is None else retry_after_401(connector.test, call, renewer)
        except ToolFailedError as error:
            raise ToolFailedError(redact_failure(error.failure, find_secrets(connector, settings))) from error
        except Exception as error:  # noqa: BLE001  any error may quote a secret, so none is passed on
            sentence = UserText(
                "{name} could not be tested ({error_type}: {error}).",
                name=name,
                error_type=type(error).__name__,
                error=error,
            )
            failure = Failure(kind=FailureClass.INTERNAL, sentence=sentence)
            failure = redact_failure(failure, find_secrets(connector, settings))
            raise ToolFailedError(failure) from None


def _without_empty(given: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in given.items() if value not in (None, "")}


def find_unconnected(db: sqlite3.Connection, registry: Registry, names: Iterable[str]) -> tuple[str, ...]:
    """Those not connected yet; connectors without fields need no connecting."""
    return tuple(
        name for name in names if connections.find(db, name) is None and registry.connector(parse_name(name)[0]).fields
    )
