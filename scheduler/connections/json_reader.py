"""What a server told in JSON, read by name. What has another shape than it should cannot be used, and says so."""

from collections.abc import Mapping
from typing import Any

from scheduler.connections.connector import ToolFailedError
from scheduler.connections.web_errors import unusable


class Told:
    """One object. What is missing is as if it were empty; where `lenient`, so is what has another shape."""

    def __init__(self, value: Any, host: str, *, acts: bool, lenient: bool = False) -> None:
        self._host = host
        self._acts = acts
        self._lenient = lenient
        self._value: Mapping[str, Any] = self._if(isinstance(value, Mapping), value) or {}

    def lenient(self) -> "Told":
        """The same, for what follows once it is known that an action was done: nothing in it changes that."""
        return Told(self._value, self._host, acts=self._acts, lenient=True)

    def __contains__(self, name: str) -> bool:
        return name in self._value

    def get(self, name: str) -> Any:
        """Whatever it is, to be handed on as it is."""
        return self._value.get(name)

    def text(self, name: str) -> str:
        value = self._value.get(name)
        return self._if(value is None or isinstance(value, str), value) or ""

    def inner(self, name: str) -> "Told":
        return self._told(self._value.get(name) or {})

    def each(self, name: str) -> "list[Told]":
        """The objects in a list."""
        found = self._value.get(name) or []
        return [self._told(one) for one in self._if(isinstance(found, list), found) or []]

    def texts(self, name: str) -> list[str]:
        found = self._value.get(name) or []
        return self._if(isinstance(found, list) and all(isinstance(one, str) for one in found), found) or []

    def strange(self) -> ToolFailedError:
        return unusable(f"{self._host} answered in a way that is not understood.", acts=self._acts)

    def _told(self, value: Any) -> "Told":
        return Told(value, self._host, acts=self._acts, lenient=self._lenient)

    def _if(self, fits: bool, value: Any) -> Any:  # noqa: FBT001  reads as a condition
        if fits:
            return value
        if self._lenient:
            return None
        raise self.strange()
