"""What a server told in JSON, read by name. What has another shape than it should cannot be used, and says so."""

from collections.abc import Mapping
from typing import Any

from scheduler.connections.connector import ToolFailedError
from scheduler.connections.web_errors import unusable


class Told:
    """One object. What is missing is as if it were empty."""

    def __init__(self, value: Any, host: str, *, acts: bool) -> None:
        self._host = host
        self._acts = acts
        if not isinstance(value, Mapping):
            raise self.strange()
        self._value: Mapping[str, Any] = value

    def __contains__(self, name: str) -> bool:
        return name in self._value

    def get(self, name: str) -> Any:
        """Whatever it is, to be handed on as it is."""
        return self._value.get(name)

    def text(self, name: str) -> str:
        value = self._value.get(name)
        if value is not None and not isinstance(value, str):
            raise self.strange()
        return value or ""

    def inner(self, name: str) -> "Told":
        return Told(self._value.get(name) or {}, self._host, acts=self._acts)

    def each(self, name: str) -> "list[Told]":
        """The objects in a list."""
        found = self._value.get(name) or []
        if not isinstance(found, list):
            raise self.strange()
        return [Told(one, self._host, acts=self._acts) for one in found]

    def texts(self, name: str) -> list[str]:
        found = self._value.get(name) or []
        if not isinstance(found, list) or not all(isinstance(one, str) for one in found):
            raise self.strange()
        return found

    def strange(self) -> ToolFailedError:
        return unusable(f"{self._host} answered in a way that is not understood.", acts=self._acts)
