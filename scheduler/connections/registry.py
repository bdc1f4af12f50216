"""Which kinds of connections exist, and whether what was given to one can be accepted."""

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from scheduler.connections.connector import Connector, Tool
from scheduler.connections.connectors.caldav import caldav
from scheduler.connections.connectors.feed import feed
from scheduler.connections.connectors.files import files
from scheduler.connections.connectors.google import google
from scheduler.connections.connectors.http import http
from scheduler.connections.connectors.imap import imap
from scheduler.connections.connectors.notify import notify
from scheduler.connections.connectors.secret import restic, secret
from scheduler.connections.connectors.slack import slack
from scheduler.connections.connectors.smtp import smtp
from scheduler.connections.connectors.table import table
from scheduler.connections.errors import (
    BadConnectionNameError,
    ConnectionRuleError,
    UnknownConnectorError,
    UnknownToolError,
)
from scheduler.connections.given import check_parameters, check_settings
from scheduler.connections.installed import installed_connectors

_NAME = re.compile(r"([a-z][a-z0-9_-]*):([A-Za-z0-9_-]+)", re.ASCII)


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
    """The connectors by kind. `warnings` says in sentences which installed ones were left out, and why."""

    parse_name = staticmethod(parse_name)
    check_parameters = staticmethod(check_parameters)

    def __init__(self, connectors: Iterable[Connector], warnings: Iterable[str] = ()) -> None:
        """The first of several with the same kind counts."""
        given = tuple(connectors)
        self._connectors = {connector.kind: connector for connector in reversed(given)}
        self.warnings = (
            *warnings,
            *(
                f'A second connector calls itself "{connector.kind}" ({connector.title}). It was left out.'
                for connector in given
                if self._connectors[connector.kind] is not connector
            ),
        )

    def kinds(self) -> tuple[str, ...]:
        return tuple(sorted(self._connectors))

    def connector(self, kind: str) -> Connector:
        found = self._connectors.get(kind)
        if found is None:
            known = ", ".join(self.kinds()) or "none"
            raise UnknownConnectorError(f'There is no kind of connection called "{kind}". Known are: {known}.')
        return found

    def tool(self, connection: str, name: str) -> Tool:
        """The tool of that name that the connection, as in table:expenses, offers."""
        kind, _ = parse_name(connection)
        tools = {tool.name: tool for tool in self.connector(kind).tools}
        if name not in tools:
            raise UnknownToolError(f'{connection} has no tool "{name}". It has: {", ".join(tools)}.')
        return tools[name]

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


def builtin_registry(tell: Callable[[str, str], None]) -> Registry:
    """What comes with the app and what is installed beside it; `tell` shows a title and a text to the person."""
    found, warnings = installed_connectors()
    return Registry(
        [files, table, notify(tell), caldav, feed, http, imap, smtp, secret, restic, google, slack, *found], warnings
    )
