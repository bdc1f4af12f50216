"""The backend without a running app: reads the store, and writes to it under the folder's lock."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from scheduler.connections.registry import builtin_registry
from scheduler.connections.secrets import SecretStore
from scheduler.connections.vault import Vault
from scheduler.engine.api.backend import FixerPreferences, Result, SettingsStore, not_running_error
from scheduler.engine.api.dispatcher import OFFLINE_WRITE_VERBS, SCRIPT_VERBS, Dispatcher
from scheduler.engine.channels.sender import ChannelSender
from scheduler.engine.clock import SystemClock
from scheduler.engine.connection_setup import ConnectionSetup
from scheduler.engine.context import EngineContext
from scheduler.engine.data_folder import hold, open_folder
from scheduler.engine.queries.queries import WorkflowQueries
from scheduler.engine.runtime import Runtime
from scheduler.engine.script_plan import ScriptPlans
from scheduler.engine.settings import Settings
from scheduler.engine.user_only import require_user
from scheduler.engine.workflows.validation import ValidatedScript
from scheduler.store.database import Database
from scheduler.store.opening import open_for_reading


class ReadOnlyBackend:
    """Reads the store; refuses everything else."""

    is_running = False
    _clock = SystemClock()

    def __init__(self, database: Database, machine_zone: str, saved_settings: SettingsStore) -> None:
        self.zone = machine_zone
        self.saved_settings = saved_settings
        context = EngineContext(
            database=database,
            clock=self._clock,
            announce=lambda _: None,
            report_change=lambda _: None,
            settings=saved_settings.apply_to(Settings()),
            machine_zone=machine_zone,
        )
        self.registry = builtin_registry(lambda *_: None)
        self.queries = WorkflowQueries(context, ScriptPlans(), self.registry)

    def now(self) -> datetime:
        return self._clock.now()

    @property
    def connection_setup(self) -> ConnectionSetup:
        raise not_running_error()

    @property
    def channels(self) -> ChannelSender:
        raise not_running_error()

    @property
    def fixer_preferences(self) -> FixerPreferences:
        raise not_running_error()

    def execute(self, command: Callable[[Runtime], Result]) -> Result:  # noqa: ARG002  part of the interface
        raise not_running_error()

    def validate(self, path: str, source: str) -> ValidatedScript:  # noqa: ARG002  as above
        raise not_running_error()

    def show_window(self, file: str) -> str:  # noqa: ARG002  as above
        raise not_running_error()

    def quit(self) -> None:
        raise not_running_error()


class WritableBackend(ReadOnlyBackend):
    """Also writes to the store; nothing runs."""

    def __init__(
        self, runtime: Runtime, fixer_preferences: Callable[[Path], FixerPreferences], saved_settings: SettingsStore
    ) -> None:
        super().__init__(runtime.database, runtime.engine.context.machine_zone, saved_settings)
        self._runtime = runtime
        self._fixer_preferences = fixer_preferences

    @property
    def connection_setup(self) -> ConnectionSetup:
        return self._runtime.connection_setup

    @property
    def channels(self) -> ChannelSender:
        return self._runtime.channels

    @property
    def fixer_preferences(self) -> FixerPreferences:
        return self._fixer_preferences(self._runtime.folder)

    def execute(self, command: Callable[[Runtime], Result]) -> Result:
        return command(self._runtime)

    def validate(self, path: str, source: str) -> ValidatedScript:
        return self._runtime.validation.validate(path, source)


@contextmanager
def open_dispatcher(
    folder: Path,
    verb: str,
    *,
    machine_zone: str,
    fixer_preferences: Callable[[Path], FixerPreferences],
    saved_settings: SettingsStore,
) -> Iterator[Dispatcher]:
    """Read-only unless the verb writes; then FolderInUseError if another process has the folder."""
    if verb not in SCRIPT_VERBS:
        require_user(verb)
    if verb not in OFFLINE_WRITE_VERBS:
        database = open_for_reading(folder)
        try:
            yield Dispatcher(ReadOnlyBackend(database, machine_zone, saved_settings))
        finally:
            database.close()
        return
    with hold(folder):
        clock = SystemClock()
        opened = open_folder(folder, clock.now())
        secrets = SecretStore(clock.now, Vault(entries=opened.keyring_entries))
        runtime = Runtime(
            opened.database,
            folder,
            machine_zone=machine_zone,
            clock=clock,
            secrets=secrets,
            settings=saved_settings.apply_to(Settings()),
        )
        try:
            yield Dispatcher(WritableBackend(runtime, fixer_preferences, saved_settings))
        finally:
            runtime.close()
            opened.close()
