"""The app and Vorta on a virtual desktop: time from start to tray icon, memory and wake-ups when hidden."""

import os
import stat
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.bench.measure import Figure, alternate
from tests.desktop.desktop import Desktop, desktop, missing_programs
from tests.desktop.processes import wait_until

ROOT = Path(__file__).parents[2]
_QUIET_AFTER_S = 5.0
"""After which a started application is idle."""
_CALM, _IDLE = 150.0, 120.0
"""After which start-up work and the daily backup are done; and over which wake-ups are counted, in seconds."""


def against_vorta() -> list[Figure]:
    if lacking := missing_programs():
        print(f"not measured, since these are not installed: {', '.join(lacking)}", file=sys.stderr)
        return []
    with desktop() as desk, TemporaryDirectory() as name:
        desk.start_tray()
        ours, vorta = _Ours(desk, Path(name)), _Vorta(desk, Path(name))
        for one in (ours, vorta):
            one.start()  # the first start creates folders and fills caches
            one.end()
        starts = alternate({"ours": ours.clocked, "Vorta": vorta.clocked})
        sizes = alternate({"ours": ours.weighed, "Vorta": vorta.weighed})
        wakings = ours.woken()
    target = 1 / 0.85
    return [
        Figure(
            name="start to an icon in the tray", unit="s", ours=starts.pop("ours"), peers=starts,
            against="Vorta", target=target,
        ),
        Figure(
            name="memory, window hidden", unit="MB", ours=sizes.pop("ours"), peers=sizes,
            against="Vorta", target=target,
        ),
        Figure(name="wake-ups a minute, idle and window hidden", unit="", ours=wakings, target=3),
    ]  # fmt: skip


class _App:
    """An application with a tray icon."""

    def __init__(self, desk: Desktop, folder: Path) -> None:
        self._desk = desk
        self._folder = folder
        self._pid = 0

    def _run(self) -> None:
        raise NotImplementedError

    def start(self) -> float:
        """Start it; returns the seconds until its tray icon appears."""
        before = set(self._desk.tray_items())
        begin = time.perf_counter()
        self._run()
        end = begin + 60
        while not (new := set(self._desk.tray_items()) - before):
            assert time.perf_counter() < end, "no icon within a minute"
            time.sleep(0.005)
        took = time.perf_counter() - begin
        self._pid = self._owner(new.pop().partition("/")[0])
        return took

    def end(self) -> None:
        os.kill(self._pid, 15)
        wait_until(lambda: not self._is_there(), "the end of the application")

    def clocked(self) -> float:
        took = self.start()
        self.end()
        return took

    def weighed(self) -> float:
        self.start()
        time.sleep(_QUIET_AFTER_S)
        kilobytes = next(
            int(line.split()[1])
            for line in Path(f"/proc/{self._pid}/status").read_text(encoding="utf-8").splitlines()
            if line.startswith("VmRSS")
        )
        self.end()
        return kilobytes / 1024

    def woken(self) -> float:
        """Wake-ups of all its threads per minute."""
        self.start()
        time.sleep(_CALM)
        before = self._switches()
        time.sleep(_IDLE)
        after = self._switches()
        self.end()
        return (after - before) * 60 / _IDLE

    def _switches(self) -> int:
        return sum(
            int(line.split()[1])
            for thread in Path(f"/proc/{self._pid}/task").iterdir()
            for line in (thread / "status").read_text(encoding="utf-8").splitlines()
            if line.startswith("voluntary_ctxt_switches")
        )

    def _owner(self, name: str) -> int:
        bus = "org.freedesktop.DBus"
        (pid,) = self._desk.bus.call(bus, "/org/freedesktop/DBus", bus, "GetConnectionUnixProcessID", "s", (name,))
        return int(pid)

    def _is_there(self) -> bool:
        try:
            state = Path(f"/proc/{self._pid}/stat").read_text(errors="replace").rpartition(")")[2].split()[0]
        except OSError:
            return False
        return state not in "ZX"


class _Ours(_App):
    def _run(self) -> None:
        line = [sys.executable, "-m", "app.main", "--background", "--data-dir", str(self._folder / "data")]
        self._desk.start(line, PYTHONPATH=str(ROOT))


class _Vorta(_App):
    """With a fake borg that only prints its version: without one Vorta waits in a dialog."""

    def _run(self) -> None:
        tools = self._folder / "tools"
        if not tools.exists():
            tools.mkdir()
            borg = tools / "borg"
            borg.write_text("#!/bin/sh\necho borg 1.4.0\n", encoding="utf-8")
            borg.chmod(borg.stat().st_mode | stat.S_IXUSR)
        path = f"{tools}:{self._desk.environment['PATH']}"
        self._desk.start([str(Path(sys.executable).with_name("vorta")), "--daemonize"], PATH=path)
