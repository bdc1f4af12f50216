"""D-Bus as bytes: addresses, the login, messages. The only module that knows jeepney; it opens nothing itself."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from jeepney import (  # type: ignore[import-untyped]  # ships no types; what comes out is checked here
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
    """What came from the bus, or was to be sent to it, is not D-Bus."""


class Kind(StrEnum):
    """What a message is."""

    CALL = "method_call"
    ANSWER = "method_return"
    ERROR = "error"
    """A call that was refused; the member is the name of the error."""
    SIGNAL = "signal"


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """A message that came in."""

    kind: Kind
    sender: str
    path: str
    interface: str
    member: str
    answers: int | None
    """The serial of the call that it answers."""
    body: tuple[Any, ...]


def session_address(environment: Mapping[str, str]) -> str | None:
    """Where the person's own bus is, if there is one."""
    if address := environment.get("DBUS_SESSION_BUS_ADDRESS"):
        return address
    if folder := environment.get("XDG_RUNTIME_DIR"):
        return f"unix:path={folder}/bus"
    return None


def system_address(environment: Mapping[str, str]) -> str:
    """Where the machine's bus is."""
    return environment.get("DBUS_SYSTEM_BUS_ADDRESS") or _SYSTEM_BUS


def socket_of(address: str) -> str:
    """The socket that an address names; a leading NUL means one without a file."""
    try:
        return str(next(get_connectable_addresses(address)))
    except (RuntimeError, ValueError, StopIteration) as error:
        raise WireError(f"{address!r} is no address of a bus that can be reached.") from error


class Login:
    """The lines that are exchanged before the first message."""

    def __init__(self) -> None:
        self._talk = Authenticator()

    def first(self) -> bytes:
        return bytes(self._talk.data_to_send())

    def reply(self, data: bytes) -> bytes | None:
        """What to say to that: nothing yet, or the last word, after which messages follow."""
        try:
            self._talk.feed(data)
        except AuthenticationError as error:
            raise WireError("The bus does not let this person in.") from error
        return BEGIN if self._talk.authenticated else None


def call(
    serial: int, name: str, path: str, interface: str, member: str, signature: str, body: tuple[Any, ...]
) -> bytes:
    try:
        message = new_method_call(DBusAddress(path, name, interface), member, signature or None, body)
        return bytes(message.serialise(serial))
    except Exception as error:  # the library raises whatever its parts raise: struct, type, index, unicode errors
        raise WireError(f"{member} cannot be called with that: {error}") from error


class Reader:
    """Cuts what comes in into messages."""

    def __init__(self) -> None:
        self._parser = Parser()

    def feed(self, data: bytes) -> list[Heard]:
        try:
            return [_heard(message) for message in self._parser.feed(data)]
        except Exception as error:  # as above; where one message ends is not known any longer
            raise WireError(f"The bus sent something that is no message: {error}") from error


def _heard(message: Message) -> Heard:
    fields = message.header.fields
    kind = Kind(MessageType(message.header.message_type).name)
    named = HeaderFields.error_name if kind is Kind.ERROR else HeaderFields.member
    return Heard(
        kind=kind,
        sender=fields.get(HeaderFields.sender, ""),
        path=fields.get(HeaderFields.path, ""),
        interface=fields.get(HeaderFields.interface, ""),
        member=fields.get(named, ""),
        answers=fields.get(HeaderFields.reply_serial),
        body=tuple(message.body),
    )
