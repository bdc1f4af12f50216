"""The types of a connector: the fields that a user fills in and the tools that scripts call. Values only."""

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from scheduler.connections.channel import UserChannel
from scheduler.connections.oauth.provider import OAuth
from scheduler.rules.failures import Failure, FailureClass
from scheduler.user_text import UserText

_KIND = re.compile(r"[a-z][a-z0-9_-]*", re.ASCII)


class FieldKind(StrEnum):
    """How a field is filled in."""

    TEXT = "text"
    PATH = "path"
    """A file or folder on this computer: an absolute path, or one that starts with ~."""
    NUMBER = "number"
    FLAG = "flag"
    CHOICE = "choice"
    """One of the field's choices."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """One setting of a connection; secret ones are stored in the keyring."""

    name: str
    label: str
    help: str = ""
    secret: bool = False
    required: bool = True
    kind: FieldKind = FieldKind.TEXT
    choices: tuple[str, ...] = ()
    default: Any = None
    when: tuple[str, tuple[str, ...]] | None = None
    """Another field and those of its values for which this one is used; () means any value, None means always."""
    is_endpoint: bool = True
    """Whether a different value means a different account, server or folder. False for certificates and the like."""

    def is_used_with(self, given: Mapping[str, Any]) -> bool:
        """Whether the field is used with these settings."""
        if self.when is None:
            return True
        name, choices = self.when
        return given.get(name) in choices if choices else bool(given.get(name))


class ParameterKind(StrEnum):
    """The JSON type of a tool's parameter."""

    TEXT = "text"
    NUMBER = "number"
    WHOLE = "whole"
    FLAG = "flag"
    LIST = "list"
    OBJECT = "object"
    ANY = "any"


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of a tool; None means that it was not given."""

    kind: ParameterKind
    required: bool = True
    help: str = ""
    editable: bool = False
    """Whether the user may change it before approving: what is said, never to whom, nor what it is done to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """The arguments of one tool call. Its settings hold secrets, so they are left out of its repr."""

    parameters: Mapping[str, Any]
    settings: dict[str, Any] = field(repr=False)
    """The fields of the connection including the secret ones; a login refreshed during the call is updated in place."""
    key: str
    """The idempotency key of an outside action; empty for reads."""
    now: datetime
    seconds: float = 30
    """How long the call may wait without progress; for small transfers, how long it may take in total."""
    connection: str
    """Its name, for example "table:expenses"."""
    workflow: str = ""
    since: datetime | None = None
    """For a checker: when the action began, by this computer's clock."""
    target: Any = None
    """What `identify_target` returned when the call was approved: the tool acts on that object or not at all."""


@dataclass(frozen=True, slots=True)
class Checked:
    """A checker's verdict on an outside action."""

    happened: bool
    result: Any = None
    """What the tool returned, or would have returned."""


class ToolFailedError(Exception):
    """A tool call failed; the failure says what the user can do."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.sentence)
        self.failure = failure

    @classmethod
    def because(cls, kind: FailureClass, sentence: str) -> "ToolFailedError":
        return cls(Failure(kind=kind, sentence=sentence))


@dataclass(frozen=True, slots=True)
class ToolExample:
    """A call as a script writes it, and what it returns. For the documentation: the keys matter, not the values."""

    parameters: Mapping[str, Any]
    result: Any = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """One operation of a connection. It returns JSON values or raises ToolFailedError."""

    name: str
    help: str
    parameters: Mapping[str, Parameter]
    run: Callable[[Call], Any]
    example: ToolExample | None = None
    mutating: bool = False
    may: str = ""
    """What the user allows, read after "may", as in "add rows to {name}"; {name} is the connection's own name."""
    acts_on_others: bool = False
    """Sends, posts or deletes: the user is asked first unless they chose otherwise."""
    check: Callable[[Call], Checked] | None = None
    """Whether the action with this key and these parameters happened; ToolFailedError if that is unknown."""
    apply_window: timedelta = timedelta(seconds=60)
    """How long after a call has ended its service may still carry it out. A checker's "no" counts only after that
    time, and only if it is repeated after the same time again."""
    identify_target: Callable[[Call], Any] | None = None
    """JSON that distinguishes the object to change from others with the same name; None if it does not exist yet.
    Only reads; raises ToolFailedError if it cannot find out. Must not depend on editable parameters."""
    validate: Callable[[Mapping[str, Any]], None] | None = None
    """Raises ToolFailedError for parameters that the tool would refuse wherever it is connected; never reads or acts.
    Called before the user's changes are approved, so that a typing error is not a failed run."""

    def __post_init__(self) -> None:
        if not self.mutating and (self.acts_on_others or self.check):
            raise ValueError(
                UserText("The tool {name} only reads, so it cannot have acts_on_others or check.", name=self.name)
            )

    @property
    def editable(self) -> tuple[str, ...]:
        """The parameters that the user may change before approving."""
        return tuple(name for name, parameter in self.parameters.items() if parameter.editable)


@dataclass(frozen=True, slots=True)
class FieldChoices:
    """What a field can be, as the service knows it."""

    field: str
    find: Callable[[Call], list[dict[str, str]]]
    """Each with a "name" for the user and the field's "value", from what was entered so far."""


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
    """Tests the connection and returns a sentence that says it works, or raises ToolFailedError."""
    oauth: OAuth | None = None
    """How to sign in through the browser, if the service needs that."""
    choices: FieldChoices | None = None
    """Offered if what was entered in that field does not work."""
    channel: UserChannel | None = None
    """How its connections carry questions and news to the user, if they can."""

    def endpoint(self, settings: Mapping[str, Any]) -> dict[str, str]:
        """What these settings connect to, by field: permissions for one account do not apply to another."""
        return {
            one.name: _normalize(one, str(settings[one.name]))
            for one in self.fields
            if one.is_endpoint and one.kind in (FieldKind.TEXT, FieldKind.PATH, FieldKind.NUMBER) and not one.secret
            if settings.get(one.name) not in (None, "") and one.is_used_with(settings)
        }

    def has_secrets(self, settings: Mapping[str, Any]) -> bool:
        """Whether a connection has secrets in the keyring; all its other fields are in the store."""
        uses_oauth = self.oauth is not None and self.oauth.is_needed(settings)
        return uses_oauth or any(one.secret and one.name not in settings for one in self.fields)

    def __post_init__(self) -> None:
        if not _KIND.fullmatch(self.kind):
            raise ValueError(
                UserText(
                    '"{kind}" is not a valid connection kind. Use lowercase letters, digits, dashes and underscores.',
                    kind=self.kind,
                )
            )
        for what, names in (("field", [f.name for f in self.fields]), ("tool", [t.name for t in self.tools])):
            if len(set(names)) < len(names):
                raise ValueError(f"The connector {self.kind} has a {what} twice.")


def _normalize(field: Field, value: str) -> str:
    """The same text for different spellings of one path or address."""
    if field.kind is FieldKind.PATH:
        return os.path.abspath(os.path.expanduser(value))  # noqa: PTH100, PTH111  must not touch the file system
    return value.strip().rstrip("/")
