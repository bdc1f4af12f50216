"""Power on macOS, against a fake library with the same functions; not run on macOS."""

import ctypes
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from app.platform import macos_power
from app.platform.dbus import Bus
from app.platform.detect import watch_machine
from app.platform.machine_conditions import UnknownNetwork
from app.platform.macos_power import IOKitPower, PowerSources
from app.platform.zone_watch import ZoneWatch
from scheduler.timing.policies import Need

STAND_IN = r"""
#include <stdbool.h>
#include <string.h>
static int info, source, loop, mode;
static const char *kind = "AC Power";
static void (*heard)(void *);
int released, added;
void *kCFRunLoopDefaultMode = &mode;
void *IOPSCopyPowerSourcesInfo(void) { return kind ? &info : 0; }
const char *IOPSGetProvidingPowerSourceType(void *from) { return from == &info && *kind ? kind : 0; }
void *IOPSCreateLimitedPowerNotification(void (*callback)(void *), void *context) { heard = callback; return &source; }
void *CFRunLoopGetMain(void) { return &loop; }
void CFRunLoopAddSource(void *to, void *what, void *when) { added += to == &loop && what == &source && when == &mode; }
bool CFStringGetCString(const char *text, char *to, long size, unsigned encoding) {
    if (encoding != 0x08000100 || (long)strlen(text) >= size) return false;
    strcpy(to, text);
    return true;
}
void CFRelease(void *what) { released += what == &info; }
void become(const char *other) { kind = other; heard(0); }
"""

Load = Callable[[str], ctypes.CDLL]


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("cc is not installed")
    folder = tmp_path_factory.mktemp("iokit")
    (folder / "iokit.c").write_text(STAND_IN, encoding="ascii")
    subprocess.run([compiler, "-shared", "-fPIC", "-o", "iokit.so", "iokit.c"], cwd=folder, check=True, timeout=60)
    return folder / "iokit.so"


@pytest.fixture
def kit(library: Path, tmp_path: Path) -> ctypes.CDLL:
    """A copy for each test, since its state stays in memory."""
    return ctypes.CDLL(str(shutil.copy(library, tmp_path / "iokit.so")))


@pytest.fixture
def power(qtbot: QtBot, kit: ctypes.CDLL) -> IOKitPower:
    return IOKitPower(PowerSources(lambda _: kit))


def value(kit: ctypes.CDLL, name: str) -> int:
    return ctypes.c_int.in_dll(kit, name).value


def test_it_registers_with_the_main_run_loop(power: IOKitPower, kit: ctypes.CDLL) -> None:
    assert value(kit, "added") == 1


@pytest.mark.parametrize(
    ("kind", "expected"),
    [(b"AC Power", False), (b"Battery Power", True), (b"UPS Power", True), (b"Steam", None), (b"", None), (None, None)],
)
def test_each_power_source_is_recognised(
    qtbot: QtBot, power: IOKitPower, kit: ctypes.CDLL, kind: Any, *, expected: bool | None
) -> None:
    with qtbot.waitSignal(power.changed, timeout=60_000):
        kit.become(kind)
    assert power.is_on_battery is expected
    assert value(kit, "released") == (1 if kind is None else 2), "copied objects are released"


def test_machine_conditions_on_macos_include_power(
    qtbot: QtBot, kit: ctypes.CDLL, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(macos_power, "IOKitPower", lambda: IOKitPower(PowerSources(lambda _: kit)))
    (tmp_path / "etc").mkdir()
    moods = watch_machine(Bus(None), ZoneWatch({}, tmp_path), UnknownNetwork, "darwin")
    assert moods.holds(Need.POWER) is True
    kit.become(b"Battery Power")
    assert moods.holds(Need.POWER) is False


def test_a_machine_without_these_libraries_still_starts(qtbot: QtBot, tmp_path: Path) -> None:
    """Like this one."""
    (tmp_path / "etc").mkdir()
    for platform in ("darwin", "win32"):
        moods = watch_machine(Bus(None), ZoneWatch({}, tmp_path), UnknownNetwork, platform)
        assert moods.holds(Need.POWER) is None
