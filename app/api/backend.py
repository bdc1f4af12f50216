"""What a desk stands on: an installation that runs, or a store that nobody else is using."""

from collections.abc import Callable
from typing import Protocol, TypeVar

from scheduler.connections.registry import Registry
from scheduler.engine.connecting import Connecting
from scheduler.engine.house import House
from scheduler.engine.refusal import RefusedError
from scheduler.engine.workflows.validation import Validated
from scheduler.engine.workflows.views import WorkflowViews

Answer = TypeVar("Answer")


class Floor(Protocol):
    @property
    def views(self) -> WorkflowViews: ...

    @property
    def zone(self) -> str:
        """Of this machine: what times without a zone mean."""

    @property
    def registry(self) -> Registry: ...

    @property
    def connecting(self) -> Connecting:
        """Takes its time; not for the threads that must not wait."""

    def act(self, command: Callable[[House], Answer]) -> Answer:
        """Carry out a command where commands belong."""

    def validate(self, path: str, source: str) -> Validated:
        """Whether that script can be deployed; takes its time."""

    def show(self, file: str) -> str:
        """Bring the window to the front, with that script if there is one; what happened, in a sentence."""

    def quit(self) -> None:
        """End the app, after this has been answered."""


def refuse_not_running() -> RefusedError:
    return RefusedError("not running", "Dayhand is not running. Start it first: dayhand, or dayhand --headless")
