"""The backend of a running app: commands run on the engine's thread, queries on the caller's."""

from collections.abc import Callable

from app.engine_thread import EngineThread
from scheduler.engine.api.backend import Result
from scheduler.engine.queries.queries import WorkflowQueries
from scheduler.engine.runtime import Runtime
from scheduler.engine.workflows.validation import ValidatedScript

_COMMAND_TIMEOUT_S = 120.0
"""How long a command may wait for the engine's thread."""


class LiveBackend:
    def __init__(
        self,
        engine_thread: EngineThread,
        runtime: Runtime,
        queries: WorkflowQueries,
        *,
        show: Callable[[str], str],
        quit_app: Callable[[], None],
    ) -> None:
        self._engine_thread = engine_thread
        self._runtime = runtime
        self._show = show
        self._quit = quit_app
        self.queries = queries
        self.registry = runtime.registry
        self.connection_setup = runtime.connection_setup

    @property
    def zone(self) -> str:
        return self._runtime.engine.context.machine_zone

    def execute(self, command: Callable[[Runtime], Result]) -> Result:
        return self._engine_thread.submit(lambda _: command(self._runtime)).result(_COMMAND_TIMEOUT_S)

    def validate(self, path: str, source: str) -> ValidatedScript:
        return self._runtime.validation.validate(path, source)

    def show_window(self, file: str) -> str:
        return self._show(file)

    def quit(self) -> None:
        self._quit()
