"""Typed access to JSON objects from servers. A value of the wrong type is a failure."""

from collections.abc import Mapping
from typing import Any

from scheduler.connections.connector import ToolFailedError
from scheduler.connections.http_errors import unusable_answer
from scheduler.user_text import UserText


class JsonObject:
    """One JSON object. Missing values read as empty; if `lenient`, so do values of the wrong type."""

    def __init__(self, value: Any, host: str, *, acts: bool, lenient: bool = False) -> None:
        self._host = host
        self._acts = acts
        self._lenient = lenient
        self._value: Mapping[str, Any] = self._require(isinstance(value, Mapping), value) or {}

    def lenient(self) -> "JsonObject":
        """The same object, lenient: for use once an action is known to be done."""
        return JsonObject(self._value, self._host, acts=self._acts, lenient=True)

    def __contains__(self, name: str) -> bool:
        return name in self._value

    def get(self, name: str) -> Any:
        """The value of any type, unchecked."""
        return self._value.get(name)

    def text(self, name: str) -> str:
        value = self._value.get(name)
        return self._require(value is None or isinstance(value, str), value) or ""

    def nested(self, name: str) -> "JsonObject":
        return self._wrap(self._value.get(name) or {})

    def objects(self, name: str) -> "list[JsonObject]":
        """The objects of a list."""
        found = self._value.get(name) or []
        return [self._wrap(one) for one in self._require(isinstance(found, list), found) or []]

    def texts(self, name: str) -> list[str]:
        found = self._value.get(name) or []
        return self._require(isinstance(found, list) and all(isinstance(one, str) for one in found), found) or []

    def unexpected_shape(self) -> ToolFailedError:
        return unusable_answer(
            UserText("{host} sent an answer that Dayhand does not understand.", host=self._host), acts=self._acts
        )

    def _wrap(self, value: Any) -> "JsonObject":
        return JsonObject(value, self._host, acts=self._acts, lenient=self._lenient)

    def _require(self, fits: bool, value: Any) -> Any:  # noqa: FBT001  reads as a condition
        if fits:
            return value
        if self._lenient:
            return None
        raise self.unexpected_shape()
