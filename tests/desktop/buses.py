"""A private D-Bus bus that starts nothing by itself, and stand-ins for services that cannot run here.

`private_bus(folder)` gives one with an address and nobody on it. A StandIn owns a name there, answers calls from a
table, keeps properties and sends signals; it runs in a thread of the test."""

import socket
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from jeepney import (
    DBusAddress,
    HeaderFields,
    Message,
    MessageType,
    message_bus,
    new_error,
    new_method_call,
    new_method_return,
    new_signal,
)
from jeepney.bus import get_bus
from jeepney.io.blocking import DBusConnection, prep_socket

from tests.desktop.processes import Processes, until

_PROPERTIES = "org.freedesktop.DBus.Properties"
_CONFIGURATION = """<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig><type>session</type><keep_umask/><listen>unix:path={socket}</listen><auth>EXTERNAL</auth>
<servicedir>{services}</servicedir>
<policy context="default"><allow send_destination="*" eavesdrop="true"/>
 <allow eavesdrop="true"/><allow own="*"/></policy>
</busconfig>
"""

Answer = tuple[str, tuple[Any, ...]]
"""Signature and values."""


class PrivateBus:
    """A bus daemon that can be stopped and started again at the same address."""

    def __init__(
        self, folder: Path, processes: Processes, environment: dict[str, str], services: Iterable[str] = ()
    ) -> None:
        """`services`: names of installed services that it may start when somebody asks for them."""
        self._socket = folder / "bus"
        startable = folder / "services"
        startable.mkdir()
        for name in services:
            (startable / f"{name}.service").symlink_to(f"/usr/share/dbus-1/services/{name}.service")
        self._configuration = folder / "bus.conf"
        text = _CONFIGURATION.format(socket=self._socket, services=startable)
        self._configuration.write_text(text, encoding="utf-8")
        self._processes = processes
        self._environment = environment
        self.address = f"unix:path={self._socket}"
        self.start()

    def start(self) -> None:
        command = ["dbus-daemon", f"--config-file={self._configuration}", "--nofork", "--nopidfile"]
        self._daemon = self._processes.start(command, self._environment)
        until(self._answers, "the bus")

    def stop(self) -> None:
        self._processes.end(self._daemon)
        self._socket.unlink(missing_ok=True)

    def _answers(self) -> bool:
        assert self._daemon.poll() is None, self._processes.output()
        try:
            prep_socket(get_bus(self.address), timeout=5).close()
        except (OSError, TimeoutError):
            return False
        return True

    def ask(self, name: str, path: str, interface: str, member: str, signature: str = "", body: Any = ()) -> Any:
        """Call somebody and wait for the answer; an error is an assertion."""
        with connect(self.address) as connection:
            call = new_method_call(DBusAddress(path, name, interface), member, signature or None, body)
            reply = connection.send_and_get_reply(call, timeout=30)
        assert reply.header.message_type is MessageType.method_return, reply
        return reply.body

    def has(self, name: str) -> bool:
        bus = "org.freedesktop.DBus"
        return bool(self.ask(bus, "/org/freedesktop/DBus", bus, "NameHasOwner", "s", (name,))[0])


@contextmanager
def private_bus() -> Iterator[PrivateBus]:
    with TemporaryDirectory(prefix="bus-") as folder:  # short, since the path of a socket is
        processes = Processes(Path(folder))
        try:
            yield PrivateBus(Path(folder), processes, {"PATH": "/usr/bin:/bin"})
        finally:
            processes.end_all()


def connect(address: str) -> DBusConnection:
    return DBusConnection(prep_socket(get_bus(address), timeout=30))


class StandIn:
    """Plays a service: `answers` maps a member to what it returns (or a function of the call's values that does).

    A member without an answer is refused; one whose answer is None is left without a reply, as a frozen program would.
    """

    def __init__(self, address: str, name: str, path: str, interface: str, **properties: tuple[str, Any]) -> None:
        self.name = name
        self.properties = properties
        self.answers: dict[str, Answer | Callable[..., Answer | None] | None] = {}
        self.calls: list[tuple[str, tuple[Any, ...]]] = []
        self.caller = ""
        self._address = DBusAddress(path, interface=interface)
        self._writing = threading.Lock()
        self._connection = connect(address)
        reply = self._connection.send_and_get_reply(message_bus.RequestName(name), timeout=30)
        assert reply.body == (1,), f"{name} is taken"
        self._thread = threading.Thread(target=self._serve, name=f"stand-in {name}")
        self._thread.start()

    @property
    def is_there(self) -> bool:
        return self._thread.is_alive()

    def emit(self, member: str, signature: str = "", body: tuple[Any, ...] = ()) -> None:
        self._send(new_signal(self._address, member, signature or None, body))

    def change(self, **properties: tuple[str, Any]) -> None:
        """Properties change, and it says so."""
        self.properties |= properties
        address = DBusAddress(self._address.object_path, interface=_PROPERTIES)
        self._send(new_signal(address, "PropertiesChanged", "sa{sv}as", (self._address.interface, properties, [])))

    def called(self, member: str) -> list[tuple[Any, ...]]:
        return [body for name, body in list(self.calls) if name == member]

    def leave(self) -> None:
        """As if its process had ended."""
        with suppress(OSError):  # the bus may have gone first
            self._connection.sock.shutdown(socket.SHUT_RDWR)
        self._thread.join()

    def _serve(self) -> None:
        try:
            while True:
                message = self._connection.receive()
                if message.header.message_type is MessageType.method_call:
                    self._answer(message)
        except OSError:
            pass  # it leaves, or the bus did, perhaps in the middle of an answer
        finally:
            self._connection.close()

    def _answer(self, message: Message) -> None:
        member = message.header.fields[HeaderFields.member]
        self.caller = message.header.fields[HeaderFields.sender]
        self.calls.append((member, message.body))
        answer: Any
        if member == "GetAll":
            answer = ("a{sv}", (self.properties,))
        elif member in self.answers:
            answer = self.answers[member]
        else:
            self._send(new_error(message, "org.freedesktop.DBus.Error.UnknownMethod", "s", (member,)))
            return
        if callable(answer):
            answer = answer(*message.body)
        if answer is not None:
            self._send(new_method_return(message, answer[0] or None, answer[1]))

    def _send(self, message: Message) -> None:
        with self._writing:
            self._connection.send(message)
