"""A bare Debian 12 in a folder with one ordinary user, whose programs use the desktop of the test.

Needs root and debootstrap. DAYHAND_DEBIAN is the path of a fresh one, which is copied instead.
"""

import atexit
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.desktop import buses
from tests.desktop.desktop import Desktop, desktop
from tests.desktop.processes import _MARK, wait_until

USER = "ada"
HOME = f"/home/{USER}"
"""As seen by that user."""
_UID = 65534
"""The bus outside looks up the user who connects, so it must exist there too: nobody, without any rights."""
_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
_LONGEST = 1_800


def missing_programs() -> list[str]:
    """The programs missing on this machine."""
    programs = [name for name in ("debootstrap", "chroot", "mount") if shutil.which(name) is None]
    return programs if os.geteuid() == 0 else [*programs, "to be root"]


class Machine:
    def __init__(self, root: Path, desk: Desktop) -> None:
        self.root = root
        self.desk = desk
        self.home = root / "home" / USER

    def run(self, *command: str, user: str = "root", given: str = "") -> "subprocess.CompletedProcess[str]":
        """Run a program to completion; `given` is its input."""
        line = self._inside(command, user)
        return subprocess.run(line, input=given, capture_output=True, text=True, timeout=_LONGEST, check=False)

    def do(self, *command: str, user: str = "root", given: str = "") -> str:
        """Like `run`, but it must succeed; returns its output."""
        done = self.run(*command, user=user, given=given)
        assert done.returncode == 0, f"{' '.join(command)}: {done.stdout[-3000:]}{done.stderr[-3000:]}"
        return done.stdout

    def start(self, *command: str) -> "subprocess.Popen[bytes]":
        """Start a program of the user on the desktop."""
        return self.desk.processes.start(self._inside(command, USER), {"PATH": _PATH})

    def copy_package(self, package: Path) -> str:
        """Copy the package, as if downloaded; returns its path."""
        place = f"{HOME}/{package.name}"
        shutil.copy(package, f"{self.root}{place}")
        return place

    def install(self, package: Path) -> None:
        self.do("apt-get", "install", "-y", "--no-install-recommends", self.copy_package(package))

    @contextmanager
    def keyring(self) -> Iterator[None]:
        """An unlocked keyring on the bus of the desktop."""
        control = f"--control-directory={self.desk.folder}/keyring"
        command = ["gnome-keyring-daemon", "--foreground", "--components=secrets", control, "--unlock"]
        with subprocess.Popen(
            command, env=self.desk.environment, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL
        ) as daemon:
            assert daemon.stdin is not None
            daemon.stdin.write(b"pw")
            daemon.stdin.close()
            try:
                wait_until(lambda: self.desk.bus.has_owner("org.freedesktop.secrets"), "the keyring")
                yield
            finally:
                daemon.kill()

    def pids(self, program: str = "/usr/lib/dayhand/dayhand") -> list[int]:
        """The processes that run that program in here."""
        pids = []
        for link in Path("/proc").glob("[0-9]*/exe"):
            try:
                target = str(link.readlink())
            except OSError:
                continue
            if target.removesuffix(" (deleted)") == f"{self.root}{program}":
                pids.append(int(link.parent.name))
        return pids

    def find_paths(self, word: str) -> list[str]:
        """All paths with that word outside of home folders and of mounts of this test."""
        places = [path.name for path in self.root.iterdir() if path.name not in ("proc", "sys", "dev", "tmp", "home")]
        return self.do("find", *(f"/{name}" for name in sorted(places)), "-name", f"*{word}*").split()

    def _inside(self, command: tuple[str, ...], user: str) -> list[str]:
        home, uid = ("/root", 0) if user == "root" else (HOME, _UID)
        variables = {
            "PATH": _PATH,
            "HOME": home,
            "USER": user,
            "LANG": "C.UTF-8",
            "DEBIAN_FRONTEND": "noninteractive",
            _MARK: self.desk.processes.mark,
        }
        if user != "root":
            variables |= {
                "DISPLAY": self.desk.environment["DISPLAY"],
                "DBUS_SESSION_BUS_ADDRESS": self.desk.bus.address,
                "XDG_RUNTIME_DIR": f"/run/user/{_UID}",
            }
        inside = ["chroot", f"--userspec={uid}:{uid}", "--groups=", str(self.root), "/usr/bin/env", "-i"]
        return [*inside, *(f"{name}={value}" for name, value in variables.items()), *command]


@contextmanager
def bare_debian() -> Iterator[Machine]:
    """With a desktop that its user can use; the desktop itself runs outside."""
    # Outside of /tmp, which the machine has mounted.
    with TemporaryDirectory(prefix="debian-", dir="/var/tmp") as folder:
        root = Path(folder) / "root"
        _make(root)
        with _mounted(root), _open_to_all(), desktop() as desk:
            desk.folder.chmod(0o711)
            (desk.folder / "bus").chmod(0o777)
            machine = Machine(root, desk)
            machine.do("useradd", "--create-home", "--non-unique", "--uid", str(_UID), "--gid", str(_UID), USER)
            machine.do("install", "-d", "-o", str(_UID), "-m", "700", f"/run/user/{_UID}")
            machine.do("apt-get", "update")
            yield machine


def _make(root: Path) -> None:
    fresh = os.environ.get("DAYHAND_DEBIAN") or str(_bootstrap())
    subprocess.run(["cp", "-a", fresh, str(root)], check=True, capture_output=True, timeout=_LONGEST)
    shutil.copy("/etc/resolv.conf", root / "etc" / "resolv.conf")
    (root / "etc" / "hosts").write_text("127.0.0.1 localhost\n")  # as every installer of Debian does


@cache
def _bootstrap() -> Path:
    """Built once for all tests."""
    folder = TemporaryDirectory(prefix="debian-", dir="/var/tmp")
    atexit.register(folder.cleanup)
    root = Path(folder.name) / "fresh"
    command = ["debootstrap", "--variant=minbase", "bookworm", str(root)]
    subprocess.run(command, check=True, capture_output=True, timeout=_LONGEST)
    return root


@contextmanager
def _mounted(root: Path) -> Iterator[None]:
    places = [("-t", "proc", "proc", root / "proc")]
    places += [("--bind", name, root / name[1:]) for name in ("/dev", "/dev/pts", "/tmp")]
    done: list[str] = []
    try:
        for place in places:
            subprocess.run(["mount", *map(str, place)], check=True)
            done.append(str(place[-1]))
        yield
    finally:
        for place in reversed(done):
            subprocess.run(["umount", "--lazy", place], check=False)


@contextmanager
def _open_to_all() -> Iterator[None]:
    """A session bus accepts only its own user; this one belongs to root, and another user must reach it."""
    kept = buses._CONFIGURATION
    buses._CONFIGURATION = kept.replace('<policy context="default">', '<policy context="default"><allow user="*"/>')
    try:
        yield
    finally:
        buses._CONFIGURATION = kept
