"""The D-Bus wire format: addresses, authentication, messages. The only module that uses jeepney; does no I/O."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from jeepney import (  # type: ignore[import-untyped]  # ships no types; its values are checked here
    DBusAddress,
    HeaderFields,
    Message,
    MessageType,
    Parser,
    new_method_call,
)
from jeepney.auth import BEGIN, AuthenticationError, Authenticator  # type: ignore[import-untyped]
from jeepney.bus import get_connectable_addresses  # type: ignore[import-untyped]

_SYSTEM_BUS = "unix:path=/var/run/dbus/system_bus_socket"


class WireError(Exception):
    """Invalid D-Bus data, received or to be sent."""


class MessageKind(StrEnum):
    """The type of a message."""

    CALL = "method_call"
    RETURN = "method_return"
    ERROR = "error"
    """A failed call; the member is the name of the error."""
    SIGNAL = "signal"


@dataclass(frozen=True, slots=True, kw_only=True)
class DBusMessage:
    """A received message."""

    kind: MessageKind
    sender: str
    path: str
    interface: str
    member: str
    reply_serial: int | None
    """The serial of the call that it replies to."""
    body: tuple[Any, ...]


def session_address(environment: Mapping[str, str]) -> str | None:
    """The address of the user's session bus, if there is one."""
    if address := environment.get("DBUS_SESSION_BUS_ADDRESS"):
        return address
    if folder := environment.get("XDG_RUNTIME_DIR"):
        return f"unix:path={folder}/bus"
    return None


def system_address(environment: Mapping[str, str]) -> str:
    """The address of the system bus."""
    return environment.get("DBUS_SYSTEM_BUS_ADDRESS") or _SYSTEM_BUS


def parse_socket_path(address: str) -> str:
    """The socket path in an address; a leading NUL means an abstract socket."""
    try:
        return str(next(get_connectable_addresses(address)))
    except (RuntimeError, ValueError, StopIteration) as error:
        raise WireError(f"{address!r} is not a usable bus address.") from error


class Authentication:
    """The handshake before the first message."""

    def __init__(self) -> None:
        self._authenticator = Authenticator()

    def initial_data(self) -> bytes:
        return bytes(self._authenticator.data_to_send())

    def reply(self, data: bytes) -> bytes | None:
        """The final line of the handshake, after which messages follow; None if more data is needed."""
        try:
            self._authenticator.feed(data)
        except AuthenticationError as error:
            raise WireError("The bus rejected the authentication.") from error
        return BEGIN if self._authenticator.authenticated else None


def encode_call(
    serial: int, name: str, path: str, interface: str, member: str, signature: str, body: tuple[Any, ...]
) -> bytes:
    try:
        message = new_method_call(DBusAddress(path, name, interface), member, signature or None, body)
        return bytes(message.serialise(serial))
    except Exception as error:  # the library raises struct, type, index and unicode errors
        raise WireError(f"{member} cannot be called with these values: {error}") from error


class MessageReader:
    """Splits received bytes into messages."""

    def __init__(self) -> None:
        self._parser = Parser()

    def feed(self, data: bytes) -> list[DBusMessage]:
        try:
            return [_convert(message) for message in self._parser.feed(data)]
        except Exception as error:  # as above; the message boundaries are lost
            raise WireError(f"The bus sent an invalid message: {error}") from error


def _convert(message: Message) -> DBusMessage:
    fields = message.header.fields
    kind = MessageKind(MessageType(message.header.message_type).name)
    named = HeaderFields.error_name if kind is MessageKind.ERROR else HeaderFields.member
    return DBusMessage(
        kind=kind,
        sender=fields.get(HeaderFields.sender, ""),
        path=fields.get(HeaderFields.path, ""),
        interface=fields.get(HeaderFields.interface, ""),
        member=fields.get(named, ""),
        reply_serial=fields.get(HeaderFields.reply_serial),
        body=tuple(message.body),
    )
