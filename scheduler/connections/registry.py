"""Which kinds of connections exist, and whether what was given to one can be accepted."""

import re
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from importlib import import_module
from threading import RLock
from typing import Any

from scheduler.connections.connector import Connector, Tool
from scheduler.connections.connectors.notify import notify
from scheduler.connections.discretion import discreet
from scheduler.connections.errors import (
    BadConnectionNameError,
    ConnectionRuleError,
    UnknownConnectorError,
    UnknownToolError,
)
from scheduler.connections.given import check_parameters, check_settings
from scheduler.connections.oauth.refused import Renewing, renewable
from scheduler.connections.storable_answers import with_storable_answers

_NAME = re.compile(r"([a-z][a-z0-9_-]*):([A-Za-z0-9_-]+)", re.ASCII)


def is_name(text: str) -> bool:
    return _NAME.fullmatch(text) is not None


def parse_name(text: str) -> tuple[str, str]:
    """Kind and name of a connection written as kind:name."""
    match = _NAME.fullmatch(text)
    if match is None:
        raise BadConnectionNameError(
            f'"{text}" is not the name of a connection. Write its kind, a colon and a name of letters, digits, '
            'dashes and underscores, as in "table:expenses".'
        )
    return match[1], match[2]


class Registry:
    """The connectors by kind, for any thread. `warnings` says which installed ones were left out, and why."""

    parse_name = staticmethod(parse_name)
    check_parameters = staticmethod(check_parameters)

    def __init__(
        self,
        connectors: Iterable[Connector],
        *,
        later: Mapping[str, Callable[[], Connector]] | None = None,
        installed: Callable[[], tuple[list[Connector], list[str]]] = lambda: ([], []),
    ) -> None:
        """`later` are loaded when somebody asks for their kind, those `installed` beside the app when nobody else fits.

        The first of several with the same kind counts.
        """
        self._connectors: dict[str, Connector] = {}
        self._later = dict(later or {})
        self._installed: Callable[[], tuple[list[Connector], list[str]]] | None = installed
        self._warnings: list[str] = []
        self._lock = RLock()
        self._keeper: Renewing | None = None
        self._add(connectors)

    @property
    def warnings(self) -> tuple[str, ...]:
        self._take_installed()
        return tuple(self._warnings)

    def kinds(self) -> tuple[str, ...]:
        self._take_installed()
        return tuple(sorted({*self._connectors, *self._later}))

    def connector(self, kind: str) -> Connector:
        with self._lock:
            if kind in self._later:
                self._connectors[kind] = self._later.pop(kind)()
            elif kind not in self._connectors:
                self._take_installed()
        found = self._connectors.get(kind)
        if found is None:
            known = ", ".join(self.kinds()) or "none"
            raise UnknownConnectorError(f'There is no kind of connection called "{kind}". Known are: {known}.')
        return found

    def _take_installed(self) -> None:
        with self._lock:
            installed, self._installed = self._installed, None
            if installed is not None:
                found, warnings = installed()
                self._warnings += warnings
                self._add(found)

    def _add(self, connectors: Iterable[Connector]) -> None:
        for one in connectors:
            if one.kind in self._connectors or one.kind in self._later:
                self._warnings.append(f'A second connector calls itself "{one.kind}" ({one.title}). It was left out.')
            else:
                self._connectors[one.kind] = one

    def tool(self, connection: str, name: str) -> Tool:
        """The tool of that name that the connection, as in table:expenses, offers."""
        connector = self.connector(parse_name(connection)[0])
        tools = {tool.name: tool for tool in connector.tools}
        if name not in tools:
            raise UnknownToolError(f'{connection} has no tool "{name}". It has: {", ".join(tools)}.')
        tool = with_storable_answers(tools[name])
        if connector.oauth is not None or any(one.secret for one in connector.fields):
            tool = discreet(tool, connector)
        return renewable(tool, self._keeper) if self._keeper is not None and connector.oauth is not None else tool

    def renew_with(self, keeper: Renewing) -> None:
        """From now on a tool whose login is refused asks once more, with one that the keeper renewed."""
        self._keeper = keeper

    def say_ability(self, connection: str, name: str) -> str:
        """What may be done with a tool of a connection, to be read after "may" or "wants to"."""
        try:
            tool, (_, own) = self.tool(connection, name), parse_name(connection)
        except ConnectionRuleError:
            return f"use {name} of {connection}"
        if tool.may:
            return tool.may.replace("{name}", own)
        said = tool.help.partition(". ")[0].rstrip(".")
        return f"use {name} of {connection}" + (f" ({said[0].lower()}{said[1:]})" if said else "")

    def check_settings(self, kind: str, given: Mapping[str, Any]) -> dict[str, Any]:
        """The settings of a connection of that kind with its defaults; BadSettingsError names the first bad field."""
        return check_settings(self.connector(kind), given)


_BUILT_IN = {
    "caldav": "caldav.connector",
    "feed": "feed.connector",
    "files": "files.connector",
    "google": "google.connector",
    "http": "http.connector",
    "imap": "mail.imap",
    "restic": "secret",
    "secret": "secret",
    "slack": "slack.connector",
    "smtp": "mail.smtp",
    "table": "table.connector",
}
"""The module of each kind, which holds it under that name. Most people use few, so each is loaded when needed."""


def builtin_registry(tell: Callable[[str, str], None]) -> Registry:
    """What comes with the app and what is installed beside it; `tell` shows a title and a text to the person."""
    later = {kind: partial(_load, kind) for kind in _BUILT_IN}
    return Registry([notify(tell)], later=later, installed=_installed)


def _load(kind: str) -> Connector:
    connector: Connector = getattr(import_module(f"scheduler.connections.connectors.{_BUILT_IN[kind]}"), kind)
    return connector


def _installed() -> tuple[list[Connector], list[str]]:
    from scheduler.connections.installed import installed_connectors  # noqa: PLC0415  it reads what is installed

    return installed_connectors()
