"""Whether the user is at the computer: fakes of logind and desktops on a private bus, and of Windows."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from app.platform.dbus import Bus
from app.platform.detect import system_bus
from app.platform.user_presence import LinuxPresence, UnknownPresence, WindowsPresence, find_presence
from scheduler.rules.channels import Presence
from tests.desktop.buses import FakeDBusService, PrivateBus

LIMIT = 60_000
NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MINUTE = timedelta(minutes=1)

FakeService = Callable[..., FakeDBusService]


@pytest.fixture
def bus(qtbot: QtBot, daemon: PrivateBus) -> Iterator[Bus]:
    """For both the system and the session."""
    made = system_bus({"DBUS_SYSTEM_BUS_ADDRESS": daemon.address}, "linux")
    yield made
    made.close()


@pytest.fixture
def presence(bus: Bus) -> Iterator[LinuxPresence]:
    made = LinuxPresence(bus, bus, lambda: NOW)
    bus.open()
    yield made
    made.watch(on=False)


def logind(fake_service: FakeService, *, locked: bool, idle_since: datetime | None = None) -> FakeDBusService:
    micros = 0 if idle_since is None else int((idle_since - EPOCH).total_seconds() * 1_000_000)
    return fake_service(
        "org.freedesktop.login1",
        "/org/freedesktop/login1/session/auto",
        "org.freedesktop.login1.Session",
        LockedHint=("b", locked),
        IdleHint=("b", idle_since is not None),
        IdleSinceHint=("t", micros),
    )


def wait_for(qtbot: QtBot, presence: LinuxPresence, expected: Presence) -> None:
    qtbot.waitUntil(lambda: presence.read() == expected, timeout=LIMIT)


def test_without_anybody_who_knows_nothing_is_known(presence: LinuxPresence) -> None:
    presence.watch(on=True)
    assert presence.read() == Presence()


def test_logind_says_that_the_screen_is_locked_and_since_when_nobody_is_there(
    qtbot: QtBot, presence: LinuxPresence, fake_service: FakeService
) -> None:
    service = logind(fake_service, locked=False)
    presence.watch(on=True)
    wait_for(qtbot, presence, Presence(is_locked=False))
    service.properties["LockedHint"] = ("b", True)
    service.properties["IdleHint"] = ("b", True)
    service.properties["IdleSinceHint"] = ("t", int((NOW - 7 * MINUTE - EPOCH).total_seconds() * 1_000_000))
    presence.poll()
    wait_for(qtbot, presence, Presence(is_locked=True, idle_since=NOW - 7 * MINUTE))


def test_a_desktop_says_it_too(qtbot: QtBot, presence: LinuxPresence, fake_service: FakeService) -> None:
    monitor = "org.gnome.Mutter.IdleMonitor"
    mutter = fake_service(monitor, "/org/gnome/Mutter/IdleMonitor/Core", monitor)
    mutter.replies["GetIdletime"] = ("t", (90_000,))
    saver = fake_service("org.gnome.ScreenSaver", "/org/gnome/ScreenSaver", "org.gnome.ScreenSaver")
    saver.replies["GetActive"] = ("b", (True,))
    logind(fake_service, locked=False)
    presence.watch(on=True)
    wait_for(qtbot, presence, Presence(is_locked=True, idle_since=NOW - 1.5 * MINUTE))


def test_nobody_is_asked_while_it_is_not_watched(
    qtbot: QtBot, presence: LinuxPresence, fake_service: FakeService
) -> None:
    logind(fake_service, locked=True)
    presence.watch(on=True)
    wait_for(qtbot, presence, Presence(is_locked=True))
    presence.watch(on=False)
    assert presence.read() == Presence()


class FakeWindows:
    """Its last input, its tick counter, and whether the desktop of the user can be opened."""

    def __init__(self, *, ticks: int, last: int, desktop: int, knows: bool = True) -> None:
        self.user32 = SimpleNamespace(
            GetLastInputInfo=self._answer, OpenInputDesktop=lambda *_: desktop, CloseDesktop=lambda _: None
        )
        self.kernel32 = SimpleNamespace(GetTickCount=lambda: ticks)
        self._last, self._knows = last, knows

    def _answer(self, reference: Any) -> int:
        reference._obj.ticks = self._last
        return int(self._knows)


@pytest.mark.parametrize(
    ("windows", "expected"),
    [
        (FakeWindows(ticks=90_000, last=30_000, desktop=1), Presence(is_locked=False, idle_since=NOW - MINUTE)),
        (FakeWindows(ticks=90_000, last=90_000, desktop=0), Presence(is_locked=True, idle_since=NOW)),
        (FakeWindows(ticks=20_000, last=2**32 - 40_000, desktop=1), Presence(is_locked=False, idle_since=NOW - MINUTE)),
        (FakeWindows(ticks=0, last=0, desktop=1, knows=False), Presence(is_locked=False)),
    ],
)
def test_windows(windows: FakeWindows, expected: Presence) -> None:
    assert WindowsPresence(windows, lambda: NOW).read() == expected


def test_each_system_has_its_source(bus: Bus) -> None:
    assert isinstance(find_presence(bus, bus, "linux"), LinuxPresence)
    assert isinstance(find_presence(bus, bus, "win32"), WindowsPresence)
    assert isinstance(find_presence(bus, bus, "darwin"), UnknownPresence)
