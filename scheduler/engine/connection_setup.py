"""Connecting and disconnecting: what is secret goes to the keyring, the rest to the store; off the engine's thread."""

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any

from scheduler.connections.connector import Call, Connector, ToolFailedError
from scheduler.connections.discretion import secrets_in
from scheduler.connections.keeper import Keeper
from scheduler.connections.oauth.authorising import authorise
from scheduler.connections.oauth.browser import open_browser
from scheduler.connections.oauth.refused import Renewing, ask_twice
from scheduler.connections.registry import Registry
from scheduler.engine.context import Context
from scheduler.engine.once import first_answer
from scheduler.engine.refusal import RefusedError
from scheduler.engine.runs.hiding import make_keepable
from scheduler.engine.runs.tools import CALL_SECONDS, Secrets, keeps_secrets
from scheduler.rules.failures import Failure, FailureClass
from scheduler.store import connections, requests
from scheduler.store.requests import RequestKind

Save = Callable[[dict[str, Any]], dict[str, Any]]
"""Keeps the settings that are not secret, where commands belong, and goes on with all that waited."""


class Connecting:
    """Any thread that may wait: servers are asked, and the keyring may show a dialog.

    The keyring comes first, so there is never a row whose secrets were not kept. A crash right after leaves an entry
    that the next connect or disconnect of that name takes away. Where both change, the row says so before: new secrets
    are never used with settings of before, such as another server.
    """

    def __init__(
        self,
        context: Context,
        registry: Registry,
        secrets: Secrets,
        open_browser: Callable[[str], None] = open_browser,
    ) -> None:
        self._context = context
        self._registry = registry
        self._secrets = secrets
        self._open_browser = open_browser
        self._lock = threading.Lock()
        self._signing_in: dict[str, threading.Event] = {}
        self._has_ended = False
        self._keeper = secrets if isinstance(secrets, Renewing) else None
        if self._keeper is not None:
            registry.renew_with(self._keeper)
        if isinstance(secrets, Keeper):
            secrets.heed(self._is_keyring_asked_for)

    def connect(
        self,
        name: str,
        given: Mapping[str, Any],
        save: Save,
        *,
        test: bool = True,
        request_id: str | None = None,
    ) -> dict[str, Any]:
        """Check what was given, try it, and keep it. Secrets that are not given stay as they are.

        ConnectionRuleError or ToolFailedError says what is wrong; then nothing has changed.
        """
        if (first := first_answer(self._context.database.read(), "connect", request_id)) is not None:
            return first
        connector, before = self._find(name)
        settings = self._check(connector, {**before, **_filled(given)}, given)
        secrets = {one.name: settings[one.name] for one in connector.fields if one.secret}
        kept = {field: value for field, value in secrets.items() if value not in (None, "")}
        plain = {field: value for field, value in settings.items() if field not in kept}
        said = {field: value for field, value in settings.items() if field in given or field not in before}
        if connector.oauth is not None and connector.oauth.wanted(said):
            signed_in = self._sign_in(connector, name, settings)
            kept |= signed_in
            plain |= {field: value for field, value in signed_in.items() if field in plain}
        if test:
            self._try(connector, name, {**plain, **kept})
            plain |= self._find_account(connector, name, plain, kept)
        with self._both_or_neither(name, plain, kept, before):
            return save(plain)

    def test(self, name: str, given: Mapping[str, Any] | None = None) -> str:
        """Whether it works, in a sentence: with what is given, and with what is kept where nothing is."""
        connector, before = self._find(name)
        row = connections.find(self._context.database.read(), name)
        known = {} if row is None or given is not None else row.settings
        if before and given is None:
            before = dict(self._secrets.read(name))
        settings = self._check(connector, {**before, **known, **_filled(given or {})}, given)
        return self._try(connector, name, {**before, **settings}, self._keeper if given is None else None)

    def give_up(self, name: str | None = None) -> None:
        """End the sign-in to that connection, or all of them for good: nobody waits for a browser any longer."""
        with self._lock:
            self._has_ended = self._has_ended or name is None
            for signing_in, stop in self._signing_in.items():
                if name in (None, signing_in):
                    stop.set()

    def disconnect(self, name: str, forget: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        """The secrets first: what is left when something breaks in between asks for a reconnect."""
        connector = self._registry.connector(self._registry.parse_name(name)[0])
        row = connections.find(self._context.database.read(), name)
        if row is None and any(one.secret for one in connector.fields):  # one that was never finished
            with suppress(ToolFailedError):
                self._secrets.forget(name)
        elif row is not None and keeps_secrets(connector, row.settings):
            self._secrets.forget(name)
        else:
            self._tidy(name)
        return forget()

    def _is_keyring_asked_for(self) -> bool:
        return any(one.kind is RequestKind.KEYRING for one in requests.list_open(self._context.database.read()))

    def _find(self, name: str) -> tuple[Connector, dict[str, Any]]:
        """Its connector, and the secrets that are kept for it."""
        connector = self._registry.connector(self._registry.parse_name(name)[0])
        row = connections.find(self._context.database.read(), name)
        if row is None or not keeps_secrets(connector, row.settings):
            return connector, {}
        try:
            return connector, dict(self._secrets.recall(name))
        except ToolFailedError as error:
            if error.failure.kind is not FailureClass.AUTH:
                raise
            return connector, {}

    def _sign_in(self, connector: Connector, name: str, settings: Mapping[str, Any]) -> dict[str, Any]:
        """Through the browser, as the account that the connection belongs to if it has one already."""
        row = connections.find(self._context.database.read(), name)
        known = None if row is None else row.settings.get("account")
        stop = threading.Event()
        with self._lock:
            if name in self._signing_in:
                raise RefusedError("busy", f"Somebody is signing in to {name} already. Look for the browser's window.")
            self._signing_in[name] = stop
            if self._has_ended:
                stop.set()
        try:
            return authorise(
                connector,
                settings,
                connection=name,
                now=self._context.clock.now,
                before=known or settings.get("account") or None,
                open_browser=self._open_browser,
                stop=stop,
            )
        finally:
            with self._lock:
                del self._signing_in[name]

    def _find_account(
        self, connector: Connector, name: str, plain: Mapping[str, Any], kept: Mapping[str, Any]
    ) -> dict[str, Any]:
        """Whose token was given: another account under the same name is not what the user approved before."""
        if connector.oauth is None or "access_token" not in kept or "account" not in plain:
            return {}
        settings, now = {**plain, **kept}, self._context.clock.now()
        call = Call(parameters={}, settings=settings, key="", now=now, seconds=CALL_SECONDS, connection=name)
        return {"account": connector.oauth.account(call)}

    def _check(self, connector: Connector, whole: Mapping[str, Any], given: Mapping[str, Any] | None) -> dict[str, Any]:
        """The keyring may hold more than fields; a field that nobody knows is refused only if it was given."""
        fields = {one.name for one in connector.fields} | set(given or ())
        known = {name: value for name, value in whole.items() if name in fields}
        return self._registry.check_settings(connector.kind, known)

    @contextmanager
    def _both_or_neither(
        self, name: str, plain: Mapping[str, Any], kept: Mapping[str, Any], before: Mapping[str, Any]
    ) -> Iterator[None]:
        """Keep the secrets while the rest is saved inside; if that fails they are as before."""
        row = connections.find(self._context.database.read(), name)
        marks = row is not None and row.trouble is None and kept != before and plain != row.settings
        if marks:
            self._mark(name, f"{name} was not connected to the end. Connect it again.")
        try:
            self._keep(name, kept, before)
            yield
        except BaseException:
            with suppress(ToolFailedError):
                self._keep(name, before, kept)
                if marks:
                    self._mark(name, None)
            raise
        if not kept and not before:
            self._tidy(name)

    def _tidy(self, name: str) -> None:
        """Where nothing is secret any longer, or not yet: a crash may have left an entry that nobody would find."""
        connector = self._registry.connector(self._registry.parse_name(name)[0])
        if isinstance(self._secrets, Keeper) and any(one.secret for one in connector.fields):
            self._secrets.tidy(name)

    def _mark(self, name: str, trouble: str | None) -> None:
        with self._context.database.write() as db:
            connections.set_trouble(db, name, trouble)

    def _keep(self, name: str, secrets: Mapping[str, Any], before: Mapping[str, Any]) -> None:
        if secrets and secrets != before:
            self._secrets.keep(name, secrets)
        elif before and not secrets:
            self._secrets.forget(name)

    def _try(self, connector: Connector, name: str, settings: dict[str, Any], keeper: Renewing | None = None) -> str:
        """The keeper, if one is given, may renew what is refused: it is what was kept."""
        now = self._context.clock.now()
        call = Call(parameters={}, settings=settings, key="", now=now, seconds=CALL_SECONDS, connection=name)
        try:
            return connector.test(call) if keeper is None else ask_twice(connector.test, call, keeper)
        except ToolFailedError as error:
            raise ToolFailedError(make_keepable(error.failure, secrets_in(connector, settings))) from error
        except Exception as error:  # noqa: BLE001  whatever it is, it may quote a secret: nothing of it goes further
            said = f"{name} could not be tried ({type(error).__name__}: {error})."
            failure = make_keepable(Failure(kind=FailureClass.INTERNAL, sentence=said), secrets_in(connector, settings))
            raise ToolFailedError(failure) from None


def _filled(given: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in given.items() if value not in (None, "")}
