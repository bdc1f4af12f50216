"""Connecting and disconnecting: what is secret goes to the keyring, the rest to the store; off the engine's thread."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from scheduler.connections.connector import Call, Connector, ToolFailedError
from scheduler.connections.registry import Registry
from scheduler.engine.context import Context
from scheduler.engine.runs.hiding import hidden_in, make_keepable
from scheduler.engine.runs.tools import CALL_SECONDS, Secrets, keeps_secrets
from scheduler.rules.failures import Failure, FailureClass
from scheduler.store import answers, connections

Save = Callable[[dict[str, Any]], dict[str, Any]]
"""Keeps the settings that are not secret, where commands belong, and goes on with all that waited."""


class Connecting:
    """Any thread that may wait: servers are asked, and the keyring may show a dialog.

    The keyring comes first. A crash right after leaves a connection as it was but for its secrets, which were about to
    be replaced, or an entry that the next connect or disconnect of that name takes away: never a row whose secrets were
    not kept.
    """

    def __init__(self, context: Context, registry: Registry, secrets: Secrets) -> None:
        self._context = context
        self._registry = registry
        self._secrets = secrets

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
        if request_id is not None and (first := answers.find(self._context.database.read(), request_id)) is not None:
            return first
        connector, before = self._find(name)
        settings = self._check(connector, {**before, **_filled(given)}, given)
        if test:
            self._try(connector, name, settings)
        secrets = {one.name: settings[one.name] for one in connector.fields if one.secret}
        kept = {field: value for field, value in secrets.items() if value not in (None, "")}
        self._keep(name, kept, before)
        try:
            return save({field: value for field, value in settings.items() if field not in kept})
        except BaseException:
            with suppress(ToolFailedError):
                self._keep(name, before, kept)
            raise

    def test(self, name: str, given: Mapping[str, Any] | None = None) -> str:
        """Whether it works, in a sentence: with what is given, and with what is kept where nothing is."""
        connector, before = self._find(name)
        row = connections.find(self._context.database.read(), name)
        known = {} if row is None or given is not None else row.settings
        return self._try(connector, name, self._check(connector, {**before, **known, **_filled(given or {})}, given))

    def disconnect(self, name: str, forget: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        """The secrets first: what is left when something breaks in between asks for a reconnect."""
        connector = self._registry.connector(self._registry.parse_name(name)[0])
        row = connections.find(self._context.database.read(), name)
        if row is None and any(one.secret for one in connector.fields):  # one that was never finished
            with suppress(ToolFailedError):
                self._secrets.forget(name)
        elif row is not None and keeps_secrets(connector, row.settings):
            self._secrets.forget(name)
        return forget()

    def _find(self, name: str) -> tuple[Connector, dict[str, Any]]:
        """Its connector, and the secrets that are kept for it."""
        connector = self._registry.connector(self._registry.parse_name(name)[0])
        row = connections.find(self._context.database.read(), name)
        if row is None or not keeps_secrets(connector, row.settings):
            return connector, {}
        try:
            return connector, dict(self._secrets.read(name))
        except ToolFailedError as error:
            if error.failure.kind is not FailureClass.AUTH:
                raise
            return connector, {}

    def _check(self, connector: Connector, whole: Mapping[str, Any], given: Mapping[str, Any] | None) -> dict[str, Any]:
        """The keyring may hold more than fields; a field that nobody knows is refused only if it was given."""
        fields = {one.name for one in connector.fields} | set(given or ())
        known = {name: value for name, value in whole.items() if name in fields}
        return self._registry.check_settings(connector.kind, known)

    def _keep(self, name: str, secrets: Mapping[str, Any], before: Mapping[str, Any]) -> None:
        if secrets and secrets != before:
            self._secrets.keep(name, secrets)
        elif before and not secrets:
            self._secrets.forget(name)

    def _try(self, connector: Connector, name: str, settings: Mapping[str, Any]) -> str:
        now = self._context.clock.now()
        call = Call(parameters={}, settings=settings, key="", now=now, seconds=CALL_SECONDS, connection=name)
        try:
            return connector.test(call)
        except ToolFailedError as error:
            raise ToolFailedError(make_keepable(error.failure, hidden_in(connector, settings))) from error
        except Exception as error:  # noqa: BLE001  whatever it is, it may quote a secret: nothing of it goes further
            said = f"{name} could not be tried ({type(error).__name__}: {error})."
            failure = make_keepable(Failure(kind=FailureClass.INTERNAL, sentence=said), hidden_in(connector, settings))
            raise ToolFailedError(failure) from None


def _filled(given: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in given.items() if value not in (None, "")}
