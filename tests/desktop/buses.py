"""A private D-Bus bus that starts no services, and fakes for services that cannot run here.

`private_bus()` gives an empty one with an address. A FakeDBusService owns a name there, replies to calls from a
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

from tests.desktop.processes import Processes, wait_until

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
        """`services`: names of installed services that it may start on demand."""
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
        wait_until(self._is_ready, "the bus")

    def stop(self) -> None:
        self._processes.end(self._daemon)
        self._socket.unlink(missing_ok=True)

    def _is_ready(self) -> bool:
        assert self._daemon.poll() is None, self._processes.output()
        try:
            prep_socket(get_bus(self.address), timeout=5).close()
        except (OSError, TimeoutError):
            return False
        return True

    def call(self, name: str, path: str, interface: str, member: str, signature: str = "", body: Any = ()) -> Any:
        """Call a service and wait for the reply; an error is an assertion."""
        with connect(self.address) as connection:
            call = new_method_call(DBusAddress(path, name, interface), member, signature or None, body)
            reply = connection.send_and_get_reply(call, timeout=30)
        assert reply.header.message_type is MessageType.method_return, reply
        return reply.body

    def has_owner(self, name: str) -> bool:
        bus = "org.freedesktop.DBus"
        return bool(self.call(bus, "/org/freedesktop/DBus", bus, "NameHasOwner", "s", (name,))[0])


@contextmanager
def private_bus() -> Iterator[PrivateBus]:
    with TemporaryDirectory(prefix="bus-") as folder:  # short, since socket paths are limited
        processes = Processes(Path(folder))
        try:
            yield PrivateBus(Path(folder), processes, {"PATH": "/usr/bin:/bin"})
        finally:
            processes.end_all()


def connect(address: str) -> DBusConnection:
    return DBusConnection(prep_socket(get_bus(address), timeout=30))


class FakeDBusService:
    """A fake service: `replies` maps a member to its reply, or to a function of the call's values that returns it.

    A member without an answer gets an error; one whose answer is None gets no reply, as from a frozen program.
    """

    def __init__(self, address: str, name: str, path: str, interface: str, **properties: tuple[str, Any]) -> None:
        self.name = name
        self.properties = properties
        self.replies: dict[str, Answer | Callable[..., Answer | None] | None] = {}
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
    def is_running(self) -> bool:
        return self._thread.is_alive()

    def emit(self, member: str, signature: str = "", body: tuple[Any, ...] = ()) -> None:
        self._send(new_signal(self._address, member, signature or None, body))

    def set_properties(self, **properties: tuple[str, Any]) -> None:
        """Change properties and signal it."""
        self.properties |= properties
        address = DBusAddress(self._address.object_path, interface=_PROPERTIES)
        self._send(new_signal(address, "PropertiesChanged", "sa{sv}as", (self._address.interface, properties, [])))

    def calls_of(self, member: str) -> list[tuple[Any, ...]]:
        return [body for name, body in list(self.calls) if name == member]

    def leave(self) -> None:
        """As if its process had ended."""
        with suppress(OSError):  # the bus may be gone already
            self._connection.sock.shutdown(socket.SHUT_RDWR)
        self._thread.join()

    def _serve(self) -> None:
        try:
            while True:
                message = self._connection.receive()
                if message.header.message_type is MessageType.method_call:
                    self._answer(message)
        except OSError:
            pass  # it left, or the bus stopped
        finally:
            self._connection.close()

    def _answer(self, message: Message) -> None:
        member = message.header.fields[HeaderFields.member]
        self.caller = message.header.fields[HeaderFields.sender]
        self.calls.append((member, message.body))
        answer: Any
        if member == "GetAll":
            answer = ("a{sv}", (self.properties,))
        elif member in self.replies:
            answer = self.replies[member]
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
