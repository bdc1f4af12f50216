"""A Windows to test on: Wine with a screen, in namespaces of its own over a cached folder that it does not change.

packaging/windows/wine.sh makes that folder. Needs root. Its processes, mounts and changes end with the machine.
"""

import os
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

CLONE = Path(__file__).parents[2]
PYTHON = r"Z:\python\python\python.exe"
"""With the packages of the tests; it imports Dayhand from Z:\\dayhand, which is this clone."""

# The first process in there: everything ends with it, and it ends with its input.
_START = """
set -e
cd "$1"
overlay() { mount -t overlay overlay -o "lowerdir=$1,upperdir=$PWD/$2/upper,workdir=$PWD/$2/work" "$3"; }
mkdir -p root/upper root/work python/upper python/work dayhand/upper dayhand/work all
overlay "$2" root all
mkdir all/python all/dayhand
overlay "$3" python all/python
overlay "$4" dayhand all/dayhand
mount -t proc proc all/proc
mount --rbind /dev all/dev
mount -t tmpfs tmpfs all/dev/shm
exec chroot all sh -c 'ip link set lo up && mkdir -p /tmp/.X11-unix && echo ready && exec cat >/dev/null'
"""
_VARIABLES = {
    "HOME": "/root",
    "PATH": "/usr/bin:/bin",
    "DISPLAY": ":87",
    "WINEDEBUG": "-all",
    "WINEDLLOVERRIDES": "mscoree,mshtml=",
    "LC_ALL": "C.UTF-8",
}


class WindowsMachine:
    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._started: list[subprocess.Popen[bytes]] = []
        self.root = Path(f"/proc/{pid}/root")
        self.drive = self.root / "root" / ".wine" / "drive_c"
        self.home = self.drive / "users" / "root"

    def run(
        self, *command: str, seconds: float = 300, variables: Mapping[str, str] | None = None
    ) -> "subprocess.CompletedProcess[str]":
        """Run a Windows program to completion."""
        # Python under Wine needs streams that are files or pipes.
        return subprocess.run(
            self.line("wine", *command, variables=variables),
            stdin=subprocess.PIPE,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=seconds,
            check=False,
        )

    def do(self, *command: str, seconds: float = 300) -> str:
        """Like `run`, but it must succeed; returns its output."""
        done = self.run(*command, seconds=seconds)
        assert done.returncode == 0, f"{' '.join(command)}: {done.stdout[-3000:]}{done.stderr[-3000:]}"
        return done.stdout

    def start(self, *command: str) -> "subprocess.Popen[bytes]":
        """Start a program of Linux in there, such as wine."""
        null = subprocess.DEVNULL
        self._started.append(subprocess.Popen(self.line(*command), stdin=null, stdout=null, stderr=null))
        return self._started[-1]

    def wait(self) -> None:
        """For everything that was started, once the machine has ended."""
        for process in self._started:
            process.wait()

    def line(self, *command: str, variables: Mapping[str, str] | None = None) -> list[str]:
        """The command line that runs it in there."""
        inside = ["nsenter", "--target", str(self._pid), "--mount", "--net", "--pid", "--root"]
        given = {**_VARIABLES, **(variables or {})}
        return [*inside, "env", "-C", "/root", "-i", *(f"{name}={value}" for name, value in given.items()), *command]

    def named(self, name: str) -> list[Path]:
        return sorted(self.drive.rglob(name))

    def take_picture(self, path: Path) -> None:
        subprocess.run(self.line("maim", "/tmp/picture.png"), check=True)
        shutil.copy(self.root / "tmp" / "picture.png", path)


@contextmanager
def windows_machine(*, taskbar: bool = False) -> Iterator[WindowsMachine]:
    """With a screen; also with a taskbar that shows tray icons, if wanted."""
    root, python = Path(os.environ["DAYHAND_WINE_ROOT"]), Path(os.environ["DAYHAND_WINDOWS_PYTHON"])
    # Beside the cache, since an overlay does not work everywhere.
    with TemporaryDirectory(prefix="run-", dir=root.parent, ignore_cleanup_errors=True) as folder:
        own = ["--mount", "--pid", "--net", "--fork", "--kill-child", "--propagation", "private"]
        command = ["unshare", *own, "sh", "-c", _START, "-", folder, str(root), str(python), str(CLONE)]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as first:
            assert first.stdout is not None and first.stdin is not None
            try:
                assert first.stdout.readline() == "ready\n"
                children = Path(f"/proc/{first.pid}/task/{first.pid}/children").read_text().split()
                machine = WindowsMachine(int(children[0]))
                try:
                    _start_screen(machine, taskbar=taskbar)
                    yield machine
                finally:
                    first.stdin.close()
                    first.wait()
                    machine.wait()
            finally:
                first.stdin.close()


def _start_screen(machine: WindowsMachine, *, taskbar: bool) -> None:
    machine.start("Xvfb", ":87", "-screen", "0", "1400x900x24", "-nolisten", "tcp")
    wait_until((machine.root / "tmp" / ".X11-unix" / "X87").exists, "the screen")
    if taskbar:
        programs = 'eval "$(dbus-launch --sh-syntax)"; openbox & exec xfce4-panel --disable-wm-check'
        machine.start("sh", "-c", programs)
    # Otherwise the first program starts what stays in the background, which then keeps its output open.
    machine.start("wineserver", "--persistent").wait()
    machine.start("wineboot").wait()


def wait_until(condition: Callable[[], Any], what: str) -> Any:
    """The first truthy result; programs start slowly under Wine."""
    end = time.monotonic() + 300
    while not (result := condition()):
        assert time.monotonic() < end, f"{what}: not within 5 minutes"
        time.sleep(0.05)
    return result
