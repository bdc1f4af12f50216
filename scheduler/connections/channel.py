"""What a connector implements so that its connections can carry questions and news to the user away from the desk.

A third-party connector becomes a channel by setting `Connector.channel`. Only Dayhand itself uses it: scripts have no
way to send through it under Dayhand's name, or to answer.
"""

import socket
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from threading import Event, Lock
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scheduler.connections.connector import Call


MAX_TEXT_BYTES = 3_500
"""Of a title and of a text; services take at least that much. Longer ones are cut."""


@dataclass(frozen=True, slots=True)
class ChannelButton:
    label: str
    payload: str
    """What comes back when it is pressed; at most 64 ASCII characters."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChannelMessage:
    title: str
    text: str = ""
    buttons: tuple[ChannelButton, ...] = ()
    is_urgent: bool = False
    is_silent: bool = False
    """An update that need not make a sound."""
    reference: str = ""
    """Our own name of the message; one with the same name replaces it where the service can do that."""
    to: str = ""
    """The recipient that the user chose for this channel, for services that need one."""


class ReplyKind(StrEnum):
    BUTTON = "button"
    TEXT = "text"
    """The user wrote something."""
    PUBLISHED = "published"
    """Something was published where only Dayhand should publish. It may be Dayhand's own message."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChannelReply:
    kind: ReplyKind
    cursor: str
    """Where to continue reading after it."""
    text: str = ""
    """The payload of the button, or what was written."""
    title: str = ""
    message: str = ""
    """The service's name of a published message."""
    respond: Callable[[str], None] | None = None
    """Shows the user a short sentence about a press, if the service can do that. May raise ToolFailedError."""


class StopSignal:
    """Ends a wait for replies from another thread."""

    def __init__(self) -> None:
        self._event = Event()
        self._lock = Lock()
        self._socket: socket.socket | None = None

    @property
    def is_set(self) -> bool:
        return self._event.is_set()

    def wait(self, seconds: float) -> bool:
        return self._event.wait(seconds)

    def watch(self, used: socket.socket) -> None:
        """The socket that is read from now on."""
        with self._lock:
            self._socket = used
            if self.is_set:
                _shut_down(used)

    def set(self) -> None:
        with self._lock:
            self._event.set()
            if self._socket is not None:
                _shut_down(self._socket)


def _shut_down(used: socket.socket) -> None:
    with suppress(OSError):
        used.shutdown(socket.SHUT_RDWR)


Receive = Callable[["Call", str, StopSignal], Iterator[ChannelReply | None]]
"""Yields replies after the cursor (empty: from now on) as they come, and None each time it is known that there are no
more right now. Raises ToolFailedError when the connection is lost."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UserChannel:
    """The functions take a Call with the connection's settings. All raise ToolFailedError."""

    send: Callable[["Call", ChannelMessage], str]
    """Send a message; returns the service's name of it."""
    update: Callable[["Call", str, ChannelMessage], None] | None = None
    """Change the message with that name."""
    receive: Receive | None = None
    """None for channels that only carry news."""
    proves_sender: bool = False
    """Whether a reply can only come from the user: the service checks who sent it. Otherwise everything but a rejection
    needs a code of the user's authenticator app, which nobody who reads the channel can repeat."""
    code_field: str = ""
    """The secret field with the key of the authenticator app or, if the service proves the sender, the user's code."""
    needs_recipient: bool = False
