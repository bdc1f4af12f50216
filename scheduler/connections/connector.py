"""What a connector is: the fields a person fills in, and the tools that scripts call. Plain values; nothing acts."""

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from scheduler.connections.oauth.provider import OAuth
from scheduler.rules.failures import Failure, FailureClass

_KIND = re.compile(r"[a-z][a-z0-9_-]*", re.ASCII)


class FieldKind(StrEnum):
    """How a field is filled in."""

    TEXT = "text"
    PATH = "path"
    """A file or folder of this computer, from its root or from ~."""
    NUMBER = "number"
    FLAG = "flag"
    CHOICE = "choice"
    """One of the field's choices."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """One thing that a connection needs to know; secret ones live in the keyring."""

    name: str
    label: str
    help: str = ""
    secret: bool = False
    required: bool = True
    kind: FieldKind = FieldKind.TEXT
    choices: tuple[str, ...] = ()
    default: Any = None
    when: tuple[str, tuple[str, ...]] | None = None
    """Another field, and the choices of it with which this one counts, or () for any answer; None is always."""
    locates: bool = True
    """Whether another text, path or number means another account, server or folder; not for certificates and such."""

    def counts(self, given: Mapping[str, Any]) -> bool:
        """Whether it matters beside those answers."""
        if self.when is None:
            return True
        name, choices = self.when
        return given.get(name) in choices if choices else bool(given.get(name))


class ParameterKind(StrEnum):
    """What a parameter of a tool takes, in the words of JSON."""

    TEXT = "text"
    NUMBER = "number"
    WHOLE = "whole"
    FLAG = "flag"
    LIST = "list"
    OBJECT = "object"
    ANY = "any"


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of a tool; None stands for one that was not given."""

    kind: ParameterKind
    required: bool = True
    help: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """What a tool gets. It is never printed whole: the settings hold secrets."""

    parameters: Mapping[str, Any]
    settings: dict[str, Any] = field(repr=False)
    """The fields of the connection, the secret ones among them; a login that is renewed on the way takes its place."""
    key: str
    """The idempotency key of an outside action; empty for reads."""
    now: datetime
    seconds: float = 30
    """How long the call may wait for anything to move; without a size to speak of, how long it may take."""
    connection: str
    """Its name, as in "table:expenses"."""
    workflow: str = ""
    since: datetime | None = None
    """For a checker: when the action that it looks for began, by the clock of this computer."""
    target: Any = None
    """What `identify_target` said when the call was approved: the tool acts on that very object or not at all."""


@dataclass(frozen=True, slots=True)
class Checked:
    """What a checker found out about an outside action."""

    happened: bool
    result: Any = None
    """What the tool answered, or would have."""


class ToolFailedError(Exception):
    """A call that did not do what was asked; the failure says what helps."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.sentence)
        self.failure = failure

    @classmethod
    def because(cls, kind: FailureClass, sentence: str) -> "ToolFailedError":
        return cls(Failure(kind=kind, sentence=sentence))


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """One thing that scripts can ask of a connection; it answers with JSON values or raises ToolFailedError."""

    name: str
    help: str
    parameters: Mapping[str, Parameter]
    run: Callable[[Call], Any]
    mutating: bool = False
    may: str = ""
    """What a person allows, to be read after "may", as in "add rows to {name}"; {name} is the connection's own."""
    acts_on_others: bool = False
    """Sends, posts or destroys: the person is asked first unless they chose otherwise."""
    check: Callable[[Call], Checked] | None = None
    """Whether the action with this key and these parameters happened; raises ToolFailedError if it cannot tell."""
    apply_window: timedelta = timedelta(seconds=60)
    """How long after a call has ended its service may still carry it out. A checker's "no" counts only after that, and
    only if it is given again as much later."""
    identify_target: Callable[[Call], Any] | None = None
    """JSON that tells the object the call would change from any other under the same name; None if there is none yet.
    It reads only, and raises ToolFailedError where it cannot tell."""

    def __post_init__(self) -> None:
        if not self.mutating and (self.acts_on_others or self.check):
            raise ValueError(f"The tool {self.name} changes nothing, so it has nothing to ask about or to check.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Connector:
    """One kind of connection."""

    kind: str
    """The part of a connection's name before the colon."""
    title: str
    help: str
    fields: tuple[Field, ...]
    tools: tuple[Tool, ...]
    test: Callable[[Call], str]
    """Tries the connection and says in a sentence that it works, or raises ToolFailedError."""
    oauth: OAuth | None = None
    """How to sign in through the browser, where that is the way in."""

    def endpoint(self, settings: Mapping[str, Any]) -> dict[str, str]:
        """What a connection with these settings leads to, by field: a yes for one account is none for another."""
        return {
            one.name: _normalize(one, str(settings[one.name]))
            for one in self.fields
            if one.locates and one.kind in (FieldKind.TEXT, FieldKind.PATH, FieldKind.NUMBER) and not one.secret
            if settings.get(one.name) not in (None, "") and one.counts(settings)
        }

    def __post_init__(self) -> None:
        if not _KIND.fullmatch(self.kind):
            raise ValueError(
                f'"{self.kind}" is no kind of connection. Write small letters, digits, dashes and underscores.'
            )
        for what, names in (("field", [f.name for f in self.fields]), ("tool", [t.name for t in self.tools])):
            if len(set(names)) < len(names):
                raise ValueError(f"The connector {self.kind} has a {what} twice.")


def _normalize(field: Field, value: str) -> str:
    """Two ways to write one path or address are no difference."""
    if field.kind is FieldKind.PATH:
        return os.path.abspath(os.path.expanduser(value))  # noqa: PTH100, PTH111  no file system is asked
    return value.strip().rstrip("/")
