"""A real Secret Service on its own bus; its programs must be installed."""

import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

from jeepney import DBusAddress, MessageType, new_method_call
from jeepney.io.blocking import open_dbus_connection

_BUS = """<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <listen>unix:path={folder}/bus</listen>
  <servicedir>{folder}/services</servicedir>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
</busconfig>
"""
_SERVICE = "/org/freedesktop/secrets"
_COLLECTION = f"{_SERVICE}/collection/login"


class SecretService:
    """A bus on which a keyring daemon can be started."""

    def __init__(self, folder: Path, environment: dict[str, str]) -> None:
        self.address = f"unix:path={folder}/bus"
        self.home = folder / "home"
        self._folder = folder
        self._environment = {
            **environment,
            "HOME": str(self.home),
            "XDG_RUNTIME_DIR": str(folder),
            "XDG_DATA_HOME": str(self.home / "data"),
            "DBUS_SESSION_BUS_ADDRESS": self.address,
        }
        self._environment.pop("DISPLAY", None)
        self._number = 0

    @contextmanager
    def bus(self) -> Iterator[None]:
        for name in ("home", "services"):
            (self._folder / name).mkdir()
        settings = self._folder / "bus.conf"
        settings.write_text(_BUS.format(folder=self._folder))
        command = ["dbus-daemon", f"--config-file={settings}", "--nofork", "--print-address"]
        with _running(command, self._environment) as daemon:
            assert daemon.stdout is not None
            assert daemon.stdout.readline(), "the bus did not start"
            yield

    @contextmanager
    def keyring(self, password: str | None) -> "Iterator[subprocess.Popen[bytes]]":
        """Unlocked with the password and created if missing; without a password, locked."""
        self._number += 1
        control = f"--control-directory={self._folder}/control{self._number}"
        how = "--start" if password is None else "--unlock"
        command = ["gnome-keyring-daemon", "--foreground", "--components=secrets", control, how]
        with _running(command, self._environment) as daemon:
            assert daemon.stdin is not None
            daemon.stdin.write((password or "").encode())
            daemon.stdin.close()
            self._wait_for(daemon)
            yield daemon
        self._wait_for(None)

    def lock(self) -> None:
        """Lock the running daemon's collection."""
        import secretstorage  # not available on Windows, where tests only name this class

        with closing(secretstorage.dbus_init()) as bus:
            secretstorage.Collection(bus, _COLLECTION).lock()

    def unlock(self, password: str) -> None:
        """Unlock the collection as the dialog would."""
        with open_dbus_connection(self.address) as connection:
            service = DBusAddress(_SERVICE, "org.freedesktop.secrets", "org.freedesktop.Secret.Service")
            opened = connection.send_and_get_reply(
                new_method_call(service, "OpenSession", "sv", ("plain", ("s", ""))), timeout=60
            )
            inside = service.with_interface("org.gnome.keyring.InternalUnsupportedGuiltRiddenInterface")
            secret = (opened.body[1], b"", password.encode(), "text/plain")
            message = new_method_call(inside, "UnlockWithMasterPassword", "o(oayays)", (_COLLECTION, secret))
            answer = connection.send_and_get_reply(message, timeout=60)
            assert answer.header.message_type is MessageType.method_return, answer.body

    def _wait_for(self, daemon: "subprocess.Popen[bytes] | None") -> None:
        """Wait until the service has appeared on the bus or left it."""
        deadline = time.monotonic() + 60
        while self._is_there() != (daemon is not None):
            assert daemon is None or daemon.poll() is None, "the keyring ended"
            assert time.monotonic() < deadline, "the keyring did not come or go"

    def _is_there(self) -> bool:
        bus = DBusAddress("/org/freedesktop/DBus", "org.freedesktop.DBus", "org.freedesktop.DBus")
        with open_dbus_connection(self.address) as connection:
            message = new_method_call(bus, "NameHasOwner", "s", ("org.freedesktop.secrets",))
            return bool(connection.send_and_get_reply(message, timeout=60).body[0])


@contextmanager
def _running(command: list[str], environment: dict[str, str]) -> "Iterator[subprocess.Popen[bytes]]":
    with ExitStack() as ending:
        process = ending.enter_context(
            subprocess.Popen(
                command,
                env=environment,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
        )
        ending.callback(process.kill)
        yield process
