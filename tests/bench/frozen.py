"""The app built by packaging/build compared with the clone: short commands, one that needs a worker, and the tray icon.

Uses the build in .build, or the one in DAYHAND_FROZEN. Commands are measured in CPU time, which varies less than wall
time on a busy machine.
"""

import os
import resource
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.bench.desktop import ROOT, _App
from tests.bench.measure import Figure, alternate
from tests.desktop.desktop import Desktop, desktop, missing_programs

_CLONE = (sys.executable, "-m", "app.main")
_AS_FAST = 0.9
"""Not slower than the clone, apart from noise."""
_COMMANDS = {
    "dayhand --version": ("--version",),
    "dayhand preview": ("preview", "every 5m"),
    "dayhand list": ("list",),
    "dayhand deploy --check": ("deploy", "--check", str(ROOT / "resources" / "samples" / "receipts.py")),
}


def against_clone() -> list[Figure]:
    program = Path(os.environ.get("DAYHAND_FROZEN", ROOT / ".build" / "dist" / "dayhand" / "dayhand"))
    if not program.exists():
        print("not measured, since nothing is built; packaging/build makes it", file=sys.stderr)
        return []
    with TemporaryDirectory(prefix="frozen-") as name:
        return [*_short_commands(program, Path(name)), *_icon(program, Path(name))]


def _short_commands(program: Path, folder: Path) -> list[Figure]:
    _costing([*_CLONE, "--headless", "--until-idle"], folder)()  # creates the store
    figures = []
    for name, words in _COMMANDS.items():
        work = {"ours": _costing([str(program), *words], folder), "clone": _costing([*_CLONE, *words], folder)}
        for act in work.values():
            act()  # the first one reads the files from disk
        costs = alternate(work)
        ours = costs.pop("ours")
        figures.append(
            Figure(name=f"{name}, frozen", unit="s CPU", ours=ours, peers=costs, against="clone", target=_AS_FAST)
        )
    return figures


def _costing(command: Sequence[str], folder: Path) -> Callable[[], float]:
    """Measures the CPU seconds of a command."""
    surroundings = {"PATH": os.environ["PATH"], "HOME": str(folder), "PYTHONPATH": str(ROOT), "LANG": "C.UTF-8"}

    def act() -> float:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, env=surroundings, check=True, stdout=subprocess.DEVNULL, timeout=120)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    return act


def _icon(program: Path, folder: Path) -> list[Figure]:
    if lacking := missing_programs():
        print(f"not measured, since these are not installed: {', '.join(lacking)}", file=sys.stderr)
        return []
    with desktop() as desk:
        desk.start_tray()
        apps = {"ours": _Started(desk, folder, [str(program)]), "clone": _Started(desk, folder, _CLONE)}
        for app in apps.values():
            app.clocked()
        starts = alternate({name: app.clocked for name, app in apps.items()})
    return [
        Figure(
            name="start to an icon in the tray, frozen", unit="s", ours=starts.pop("ours"), peers=starts,
            against="clone", target=_AS_FAST,
        )
    ]  # fmt: skip


class _Started(_App):
    def __init__(self, desk: Desktop, folder: Path, command: Sequence[str]) -> None:
        super().__init__(desk, folder)
        self._command = command

    def _run(self) -> None:
        line = [*self._command, "--background", "--data-dir", str(self._folder / "data")]
        self._desk.start(line, PYTHONPATH=str(ROOT))
