"""The interface between the API and what it runs on: a live session, or a store without an app."""

from collections.abc import Callable
from datetime import datetime
from typing import Protocol, TypeVar

from scheduler.connections.registry import Registry
from scheduler.engine.channels.sender import ChannelSender
from scheduler.engine.connection_setup import ConnectionSetup
from scheduler.engine.errors import RefusedError
from scheduler.engine.fixer_config import FixerConfig
from scheduler.engine.queries.queries import WorkflowQueries
from scheduler.engine.runtime import Runtime
from scheduler.engine.setting_values import SettingValue
from scheduler.engine.settings import Settings
from scheduler.engine.workflows.validation import ValidatedScript

Result = TypeVar("Result")


class FixerPreferences(Protocol):
    """Where the user's choice of fixer is kept."""

    def read(self) -> FixerConfig: ...

    def save(self, chosen: FixerConfig) -> None:
        """RefusedError if it cannot be written."""


class SettingsStore(Protocol):
    """Where the user's settings are kept, by key."""

    def read(self) -> dict[str, SettingValue]: ...

    def save(self, key: str, value: SettingValue) -> None:
        """RefusedError if it cannot be written."""

    def apply_to(self, settings: Settings) -> Settings: ...


class Backend(Protocol):
    @property
    def is_running(self) -> bool:
        """Whether it is a running app."""

    @property
    def queries(self) -> WorkflowQueries: ...

    @property
    def zone(self) -> str:
        """The machine's time zone, for times without one."""

    @property
    def registry(self) -> Registry: ...

    @property
    def connection_setup(self) -> ConnectionSetup:
        """Its methods block; not for the engine's or the window's thread."""

    @property
    def channels(self) -> ChannelSender:
        """Its methods block; not for the engine's or the window's thread."""

    @property
    def fixer_preferences(self) -> FixerPreferences: ...

    @property
    def saved_settings(self) -> SettingsStore: ...

    def now(self) -> datetime: ...

    def execute(self, command: Callable[[Runtime], Result]) -> Result:
        """Run a command on the engine's thread, if there is one."""

    def validate(self, path: str, source: str) -> ValidatedScript:
        """Check whether a script can be deployed. Blocks."""

    def show_window(self, file: str) -> str:
        """Bring the window to the front, with that script if there is one; return a sentence for the user."""

    def quit(self) -> None:
        """Quit the app after the answer is sent."""


def not_running_error() -> RefusedError:
    return RefusedError("not running", "Dayhand is not running. Start it first: dayhand, or dayhand --headless")
