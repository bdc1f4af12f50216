"""The connectors by kind, and validation of connection names, settings and tool parameters."""

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import partial
from importlib import import_module
from itertools import count
from threading import RLock
from typing import Any
from urllib.parse import urlsplit

from scheduler.connections.connector import Connector, Tool
from scheduler.connections.connectors.notify import Forward, notify
from scheduler.connections.errors import (
    BadConnectionNameError,
    ConnectionRuleError,
    UnknownConnectorError,
    UnknownToolError,
)
from scheduler.connections.json_values import with_storable_results
from scheduler.connections.redaction import with_redacted_results
from scheduler.connections.validation import check_parameters, check_settings
from scheduler.user_text import UserText

_NAME = re.compile(r"([a-z][a-z0-9_-]*):([A-Za-z0-9_-]+)", re.ASCII)


def is_connection_name(text: str) -> bool:
    return _NAME.fullmatch(text) is not None


def find_free_name(wanted: str, taken: Collection[str]) -> str:
    """The name itself, or the first of name-2, name-3, … that is not taken."""
    if wanted not in taken:
        return wanted
    base, _, number = wanted.rpartition("-")
    if not base or not number.isdecimal():
        base, number = wanted, "1"
    return next(name for place in count(int(number) + 1) if (name := f"{base}-{place}") not in taken)


def parse_name(text: str) -> tuple[str, str]:
    """Kind and name of a connection written as kind:name."""
    match = _NAME.fullmatch(text)
    if match is None:
        raise BadConnectionNameError(
            UserText(
                '"{text}" is not a connection name. Write the kind, a colon and a name of letters, digits, '
                'dashes and underscores, for example "table:expenses".',
                text=text,
            )
        )
    return match[1], match[2]


class Registry:
    """The connectors by kind. Thread-safe. `warnings` says which plugins were skipped, and why."""

    check_parameters = staticmethod(check_parameters)

    def __init__(
        self,
        connectors: Iterable[Connector],
        *,
        later: Mapping[str, Callable[[], Connector]] | None = None,
        installed: Callable[[], tuple[list[Connector], list[str]]] = lambda: ([], []),
    ) -> None:
        """`later` are loaded on first use of their kind, the `installed` plugins if no other connector matches.

        The first of several with the same kind wins.
        """
        self._connectors: dict[str, Connector] = {}
        self._later = dict(later or {})
        self._installed: Callable[[], tuple[list[Connector], list[str]]] | None = installed
        self._warnings: list[str] = []
        self._lock = RLock()
        self._add(connectors)

    @property
    def warnings(self) -> tuple[str, ...]:
        self._load_installed()
        return tuple(self._warnings)

    def kinds(self) -> tuple[str, ...]:
        self._load_installed()
        return tuple(sorted({*self._connectors, *self._later}))

    def connector(self, kind: str) -> Connector:
        with self._lock:
            if kind in self._later:
                self._connectors[kind] = self._later.pop(kind)()
            elif kind not in self._connectors:
                self._load_installed()
        found = self._connectors.get(kind)
        if found is None:
            known = ", ".join(self.kinds()) or "none"
            raise UnknownConnectorError(
                UserText('There is no connection kind "{kind}". Known kinds: {known}.', kind=kind, known=known)
            )
        return found

    def connector_of(self, connection: str) -> Connector:
        """The connector of a connection written as kind:name."""
        return self.connector(parse_name(connection)[0])

    def _load_installed(self) -> None:
        with self._lock:
            installed, self._installed = self._installed, None
            if installed is not None:
                found, warnings = installed()
                self._warnings += warnings
                self._add(found)

    def _add(self, connectors: Iterable[Connector]) -> None:
        for one in connectors:
            if one.kind in self._connectors or one.kind in self._later:
                self._warnings.append(
                    UserText(
                        'A second connector has the kind "{kind}" ({title}). It was skipped.',
                        kind=one.kind,
                        title=one.title,
                    )
                )
            else:
                self._connectors[one.kind] = one

    def tool(self, connection: str, name: str) -> Tool:
        """A tool of a connection such as table:expenses."""
        connector = self.connector_of(connection)
        tools = {tool.name: tool for tool in connector.tools}
        if name not in tools:
            raise UnknownToolError(
                UserText(
                    '{connection} has no tool "{name}". It has: {tools}.',
                    connection=connection,
                    name=name,
                    tools=", ".join(tools),
                )
            )
        tool = with_storable_results(tools[name])
        if connector.oauth is not None or any(one.secret for one in connector.fields):
            tool = with_redacted_results(tool, connector)
        return tool

    def describe_ability(self, connection: str, name: str, settings: Mapping[str, Any] | None = None) -> str:
        """What a tool of a connection does, reads after "may" or "wants to".

        With `settings`, those of the connection, also at which site.
        """
        ability, site = self._describe_tool(connection, name), self._find_site(connection, settings or {})
        return UserText("{ability} ({site})", ability=ability, site=site) if site else ability

    def _find_site(self, connection: str, settings: Mapping[str, Any]) -> str:
        """The host of the address that a connection has; the connection's own name rarely says it."""
        try:
            given = self.connector_of(connection).endpoint(settings).values()
        except ConnectionRuleError:
            return ""
        address = next((value for value in given if value.startswith(("https://", "http://"))), "")
        try:
            return urlsplit(address).hostname or ""
        except ValueError:
            return ""

    def _describe_tool(self, connection: str, name: str) -> str:
        try:
            tool, (_, own) = self.tool(connection, name), parse_name(connection)
        except ConnectionRuleError:
            return UserText("use {name} of {connection}", name=name, connection=connection)
        if tool.may:
            return UserText(tool.may, name=own)
        summary = tool.help.partition(". ")[0].rstrip(".")
        if not summary:
            return UserText("use {name} of {connection}", name=name, connection=connection)
        return UserText(
            "use {name} of {connection} ({summary})",
            name=name,
            connection=connection,
            summary=f"{summary[0].lower()}{summary[1:]}",
        )

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
    "ntfy": "ntfy.connector",
    "ping": "ping",
    "restic": "secret",
    "secret": "secret",
    "slack": "slack.connector",
    "smtp": "mail.smtp",
    "table": "table.connector",
    "telegram": "telegram.connector",
}
"""The module of each kind, with the connector under the kind's name. Loaded on first use: most users need few."""


def builtin_registry(notify_user: Callable[[str, str], None], forward: Forward = lambda *_: None) -> Registry:
    """Built-in connectors and plugins; `notify_user` shows a notification with a title and a text."""
    later = {kind: partial(_load, kind) for kind in _BUILT_IN}
    return Registry([notify(notify_user, forward)], later=later, installed=_installed)


def _load(kind: str) -> Connector:
    connector: Connector = getattr(import_module(f"scheduler.connections.connectors.{_BUILT_IN[kind]}"), kind)
    return connector


def _installed() -> tuple[list[Connector], list[str]]:
    from scheduler.connections.plugins import load_plugins  # noqa: PLC0415  scans the installed packages

    return load_plugins()
