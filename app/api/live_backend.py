"""A desk over the running app: commands on the engine's thread, views on whichever thread asks."""

from collections.abc import Callable

from app.desk.floor import Answer
from app.host import Host
from scheduler.engine.house import House
from scheduler.engine.workflows.validation import Validated
from scheduler.engine.workflows.views import WorkflowViews

_PATIENCE = 120.0
"""Seconds that a command may wait for the engine's thread."""


class ServedFloor:
    def __init__(
        self,
        host: Host,
        house: House,
        views: WorkflowViews,
        *,
        show: Callable[[str], str],
        quit_app: Callable[[], None],
    ) -> None:
        self._host = host
        self._house = house
        self._show = show
        self._quit = quit_app
        self.views = views
        self.registry = house.registry
        self.connecting = house.connecting

    @property
    def zone(self) -> str:
        return self._house.engine.context.machine_zone

    def act(self, command: Callable[[House], Answer]) -> Answer:
        return self._host.ask(lambda _: command(self._house)).result(_PATIENCE)

    def validate(self, path: str, source: str) -> Validated:
        return self._house.validation.validate(path, source)

    def show(self, file: str) -> str:
        return self._show(file)

    def quit(self) -> None:
        self._quit()
