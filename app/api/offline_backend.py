"""A desk over the store alone, when no app runs: reading beside whoever else reads, writing under the folder's lock."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from app.desk.desk import FOR_SCRIPTS, OFFLINE, Desk
from app.desk.floor import Answer, refuse_not_running
from app.keeping.entries import make_entries
from app.platform.zone import machine_zone
from scheduler.connections.keeper import Keeper
from scheduler.connections.registry import builtin_registry
from scheduler.connections.vault import Vault
from scheduler.engine.clock import SystemClock
from scheduler.engine.connecting import Connecting
from scheduler.engine.context import Context
from scheduler.engine.house import House
from scheduler.engine.plans import Plans
from scheduler.engine.settings import Settings
from scheduler.engine.user_only import refuse_scripts
from scheduler.engine.workflows.validation import Validated
from scheduler.engine.workflows.views import WorkflowViews
from scheduler.store.database import Database
from scheduler.store.health import close_store, open_for_reading, open_store
from scheduler.store.lock import hold


class ReadingFloor:
    """Only looks."""

    def __init__(self, database: Database) -> None:
        self.zone = machine_zone()
        context = Context(
            database=database,
            clock=SystemClock(),
            announce=lambda _: None,
            tell=lambda _: None,
            settings=Settings(),
            machine_zone=self.zone,
        )
        self.registry = builtin_registry(lambda *_: None)
        self.views = WorkflowViews(context, Plans(), self.registry)

    @property
    def connecting(self) -> Connecting:
        raise refuse_not_running()

    def act(self, command: Callable[[House], Answer]) -> Answer:  # noqa: ARG002  nothing can be done here
        raise refuse_not_running()

    def validate(self, path: str, source: str) -> Validated:  # noqa: ARG002  as above
        raise refuse_not_running()

    def show(self, file: str) -> str:  # noqa: ARG002  as above
        raise refuse_not_running()

    def quit(self) -> None:
        raise refuse_not_running()


class WritingFloor(ReadingFloor):
    """Changes what is stored; nothing runs."""

    def __init__(self, database: Database, house: House) -> None:
        super().__init__(database)
        self._house = house

    @property
    def connecting(self) -> Connecting:
        return self._house.connecting

    def act(self, command: Callable[[House], Answer]) -> Answer:
        return command(self._house)

    def validate(self, path: str, source: str) -> Validated:
        return self._house.validation.validate(path, source)


@contextmanager
def open_desk(folder: Path, verb: str) -> Iterator[Desk]:
    """For that verb; FolderInUseError if it writes and somebody else does."""
    if verb not in FOR_SCRIPTS:
        refuse_scripts(verb)
    if verb not in OFFLINE:
        database = open_for_reading(folder)
        try:
            yield Desk(ReadingFloor(database))
        finally:
            database.close()
        return
    with hold(folder):
        clock = SystemClock()
        database = open_store(folder, clock.now()).database
        keeper = Keeper(clock.now, Vault(entries=make_entries(folder, database)))
        house = House(database, folder, machine_zone=machine_zone(), clock=clock, secrets=keeper)
        try:
            yield Desk(WritingFloor(database, house))
        finally:
            house.close()
            close_store(database)
