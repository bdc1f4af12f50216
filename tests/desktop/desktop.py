"""A whole private desktop for a test: a virtual screen with a window manager, a session bus, accessibility, and on
demand a notification daemon with real buttons and a panel with a real tray. It has its own home and settings.

    with desktop() as desk:                       # a second or so
        desk.start_notifications()                # returns once it is ready; stop_notifications() is a crash
        desk.start_tray()
        app = desk.start([sys.executable, "-m", "app.main"])
        desk.press("xfce4-notifyd", "Approve")    # waits up to a minute for the button, then presses it
        desk.wait_for_text("xfce4-notifyd", "Filed 3 receipts")

`desk.bus` is its bus (see buses.py): call services there, or add fakes. At the end every process of the
desktop is ended by its id. Needs the programs in PROGRAMS; `missing_programs()` names those that are not installed."""

import json
import os
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.desktop.buses import PrivateBus
from tests.desktop.processes import TIMEOUT_S, Processes, wait_until

NOTIFYD = "/usr/lib/x86_64-linux-gnu/xfce4/notifyd/xfce4-notifyd"
ACCESSIBILITY = "/usr/libexec/at-spi-bus-launcher"
SYSTEM_PYTHON = "/usr/bin/python3"
PROGRAMS = (
    "Xvfb", "openbox", "dbus-daemon", "xprop", "xfce4-panel", "xdotool", "maim", NOTIFYD, ACCESSIBILITY, SYSTEM_PYTHON
)  # fmt: skip
NOTIFICATIONS = "org.freedesktop.Notifications"
_WATCHER = "org.kde.StatusNotifierWatcher"
_INHERITED = ("PATH", "LANG", "VIRTUAL_ENV", "PYTHONPATH")
_CHANNELS = {
    "xfce4-notifyd": """<channel name="xfce4-notifyd" version="1.0">
 <property name="do-fadeout" type="bool" value="false"/><property name="do-slideout" type="bool" value="false"/>
 <property name="initial-opacity" type="double" value="1.0"/><property name="expire-timeout" type="int" value="-1"/>
 <property name="notification-log" type="bool" value="false"/></channel>""",
    "xfce4-panel": """<channel name="xfce4-panel" version="1.0"><property name="configver" type="int" value="2"/>
 <property name="panels" type="array"><value type="int" value="1"/><property name="panel-1" type="empty">
  <property name="position" type="string" value="p=8;x=0;y=0"/><property name="length" type="double" value="100"/>
  <property name="size" type="uint" value="30"/>
  <property name="plugin-ids" type="array"><value type="int" value="1"/></property></property></property>
 <property name="plugins" type="empty"><property name="plugin-1" type="string" value="systray"/></property>
</channel>""",
}


def missing_programs() -> list[str]:
    return [program for program in PROGRAMS if shutil.which(program) is None]


class Desktop:
    def __init__(self, folder: Path, size: str = "1280x800") -> None:
        logs, home, runtime = folder / "logs", folder / "home", folder / "run"
        for made in (logs, home, runtime):
            made.mkdir(mode=0o700)
        self.processes = Processes(logs)
        self.folder = folder
        self.environment = {name: os.environ[name] for name in _INHERITED if name in os.environ} | {
            "HOME": str(home),
            "XDG_RUNTIME_DIR": str(runtime),
            "XDG_SESSION_TYPE": "x11",
            "GSETTINGS_BACKEND": "memory",
            "QT_LINUX_ACCESSIBILITY_ALWAYS_ON": "1",
        }
        self._notifyd: subprocess.Popen[bytes] | None = None
        self._panel: subprocess.Popen[bytes] | None = None
        self._size = size

    def open(self) -> None:
        self._configure()
        self.environment["DISPLAY"] = self._start_screen()
        # Services inherit the environment of the bus, so start the screen first.
        self.bus = PrivateBus(self.folder, self.processes, self.environment, ["org.xfce.Xfconf"])
        self.environment["DBUS_SESSION_BUS_ADDRESS"] = self.bus.address
        self.start(["openbox", "--sm-disable"])
        wait_until(lambda: b"window id" in self.run("xprop", "-root", "_NET_SUPPORTING_WM_CHECK"), "the window manager")
        self.start([ACCESSIBILITY, "--launch-immediately"])
        wait_until(lambda: self.bus.has_owner("org.a11y.Bus"), "accessibility")

    def close(self) -> None:
        self.processes.end_all()

    def start(self, command: Sequence[str], **environment: str) -> subprocess.Popen[bytes]:
        """Start a program on this desktop."""
        return self.processes.start(command, self.environment | environment)

    def run(self, *command: str) -> bytes:
        """The output of a command; empty if it fails."""
        done = subprocess.run(command, env=self.environment, capture_output=True, timeout=TIMEOUT_S, check=False)
        return done.stdout if done.returncode == 0 else b""

    def start_notifications(self) -> None:
        self._notifyd = self.start([NOTIFYD])
        wait_until(lambda: self.bus.has_owner(NOTIFICATIONS), "the notification daemon")

    def stop_notifications(self) -> None:
        """As if it had crashed; does nothing if it is not running."""
        if self._notifyd is None:
            return
        self.processes.end(self._notifyd)
        self._notifyd = None
        wait_until(lambda: not self.bus.has_owner(NOTIFICATIONS), "the end of the notification daemon")

    def start_tray(self) -> None:
        self._panel = self.start(["xfce4-panel", "--disable-wm-check", "--sm-client-disable"])
        wait_until(self._has_tray, "the tray")

    def stop_tray(self) -> None:
        """As above."""
        if self._panel is None:
            return
        self.processes.end(self._panel)
        self._panel = None
        wait_until(lambda: not self.bus.has_owner(_WATCHER), "the end of the tray")

    def tray_items(self) -> list[str]:
        """Each as its connection name, a slash, and its path."""
        body = (_WATCHER, "RegisteredStatusNotifierItems")
        properties = "org.freedesktop.DBus.Properties"
        ((_, items),) = self.bus.call(_WATCHER, "/StatusNotifierWatcher", properties, "Get", "ss", body)
        return list(items)

    def texts(self, app: str) -> list[str]:
        """Names and texts of everything an application shows."""
        output = self._run_accessibility("tree", app)
        return [text for _, *texts in json.loads(output or b"[]") for text in texts if text]

    def wait_for_text(self, app: str, text: str) -> None:
        wait_until(lambda: any(text in shown for shown in self.texts(app)), f"{text!r} on the screen")

    def press(self, app: str, name: str) -> None:
        """Press a button by its label, as soon as it appears."""
        wait_until(lambda: self._run_accessibility("press", app, name) is not None, f"the button {name!r}")

    def click(self, app: str, name: str) -> None:
        """The same with the mouse pointer."""
        x, y = json.loads(wait_until(lambda: self._run_accessibility("where", app, name), f"the button {name!r}"))
        self.run("xdotool", "mousemove", str(x), str(y), "click", "1")

    def take_screenshot(self, path: Path) -> None:
        """Save a screenshot."""
        self.run("maim", "-u", str(path))

    def _run_accessibility(self, *arguments: str) -> bytes | None:
        """The output of accessibility.py; None if it failed."""
        command = [SYSTEM_PYTHON, str(Path(__file__).with_name("accessibility.py")), *arguments]
        done = subprocess.run(command, env=self.environment, capture_output=True, timeout=TIMEOUT_S, check=False)
        return done.stdout if done.returncode == 0 else None

    def _has_tray(self) -> bool:
        if not self.bus.has_owner(_WATCHER):
            return False
        body = (_WATCHER, "IsStatusNotifierHostRegistered")
        properties = "org.freedesktop.DBus.Properties"
        ((_, registered),) = self.bus.call(_WATCHER, "/StatusNotifierWatcher", properties, "Get", "ss", body)
        return bool(registered)

    def _configure(self) -> None:
        folder = Path(self.environment["HOME"]) / ".config/xfce4/xfconf/xfce-perchannel-xml"
        folder.mkdir(parents=True)
        for name, text in _CHANNELS.items():
            (folder / f"{name}.xml").write_text(f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n', encoding="utf-8")

    def _start_screen(self) -> str:
        """On the first free display, whose number comes through a pipe."""
        reader, writer = os.pipe()
        try:
            self.processes.start(
                ["Xvfb", "-displayfd", str(writer), "-screen", "0", f"{self._size}x24", "-nolisten", "tcp", "-noreset"],
                self.environment,
                pass_fds=[writer],
            )
        finally:
            os.close(writer)
        with os.fdopen(reader) as pipe:
            number = pipe.readline().strip()
        assert number, self.processes.output()
        return f":{number}"


@contextmanager
def desktop(size: str = "1280x800") -> Iterator[Desktop]:
    with TemporaryDirectory(prefix="desk-") as folder:  # short, since socket paths are limited
        made = Desktop(Path(folder), size)
        try:
            made.open()
            yield made
        finally:
            made.close()
