"""The backend without a running app: reads the store, and writes to it under the folder's lock."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from app.data.keyring_names import ensure_entries
from app.platform.zone import machine_zone
from scheduler.connections.registry import builtin_registry
from scheduler.connections.secrets import SecretStore
from scheduler.connections.vault import Vault
from scheduler.engine.api.backend import Result, not_running_error
from scheduler.engine.api.dispatcher import OFFLINE_WRITE_VERBS, SCRIPT_VERBS, Dispatcher
from scheduler.engine.clock import SystemClock
from scheduler.engine.connection_setup import ConnectionSetup
from scheduler.engine.context import EngineContext
from scheduler.engine.queries.queries import WorkflowQueries
from scheduler.engine.runtime import Runtime
from scheduler.engine.script_plan import ScriptPlans
from scheduler.engine.settings import Settings
from scheduler.engine.user_only import require_user
from scheduler.engine.workflows.validation import ValidatedScript
from scheduler.store.database import Database
from scheduler.store.lock import hold
from scheduler.store.opening import close_store, open_for_reading, open_store


class ReadOnlyBackend:
    """Reads the store; refuses everything else."""

    def __init__(self, database: Database) -> None:
        self.zone = machine_zone()
        context = EngineContext(
            database=database,
            clock=SystemClock(),
            announce=lambda _: None,
            report_change=lambda _: None,
            settings=Settings(),
            machine_zone=self.zone,
        )
        self.registry = builtin_registry(lambda *_: None)
        self.queries = WorkflowQueries(context, ScriptPlans(), self.registry)

    @property
    def connection_setup(self) -> ConnectionSetup:
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

    def __init__(self, database: Database, runtime: Runtime) -> None:
        super().__init__(database)
        self._runtime = runtime

    @property
    def connection_setup(self) -> ConnectionSetup:
        return self._runtime.connection_setup

    def execute(self, command: Callable[[Runtime], Result]) -> Result:
        return command(self._runtime)

    def validate(self, path: str, source: str) -> ValidatedScript:
        return self._runtime.validation.validate(path, source)


@contextmanager
def open_dispatcher(folder: Path, verb: str) -> Iterator[Dispatcher]:
    """Read-only unless the verb writes; then FolderInUseError if another process has the folder."""
    if verb not in SCRIPT_VERBS:
        require_user(verb)
    if verb not in OFFLINE_WRITE_VERBS:
        database = open_for_reading(folder)
        try:
            yield Dispatcher(ReadOnlyBackend(database))
        finally:
            database.close()
        return
    with hold(folder):
        clock = SystemClock()
        database = open_store(folder, clock.now()).database
        keeper = SecretStore(clock.now, Vault(entries=ensure_entries(folder, database)))
        runtime = Runtime(database, folder, machine_zone=machine_zone(), clock=clock, secrets=keeper)
        try:
            yield Dispatcher(WritableBackend(database, runtime))
        finally:
            runtime.close()
            close_store(database)
