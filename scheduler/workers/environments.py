"""An isolated Python per set of dependencies, built once with uv and removed when nobody uses it any longer."""

import hashlib
import json
import os
import re
import secrets
import shutil
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from scheduler.workers.dependencies import Dependencies
from scheduler.workers.fencing import fenced
from scheduler.workers.origin import MARK_AS_SCRIPT
from scheduler.workers.processes import MARK
from scheduler.workers.records import MARK_LENGTH, Records
from scheduler.workers.system import end_family, hand_over

_READY = "dayhand-ready"
_PROXIES = ("https_proxy", "http_proxy", "no_proxy", "all_proxy")
"""Most programs read the small ones; uv reads both."""
_PASSED_ON = frozenset(
    ("PATH", "HOME", "LANG", "TMPDIR", "USER", "SSL_CERT_FILE", *_PROXIES, *(name.upper() for name in _PROXIES))
)
_LONGEST = 600
_LAST_LINES, _LONGEST_LINE = 12, 10_000
_MOST_SAID = 1 << 20
"""Letters of what uv says that are passed on; the rest is left out."""
_OWN = ">=3.9" if getattr(sys, "frozen", False) else sys.executable
"""A frozen app is no Python that an environment could be made of, so uv looks for one."""


class CouldNotInstallError(Exception):
    """The packages of a script could not be installed; the sentence says why."""


def find_uv() -> Path | None:
    """Beside our own Python, or on the path."""
    own = Path(sys.executable).with_name("uv")
    if own.is_file():
        return own
    found = shutil.which("uv")
    return Path(found) if found else None


class Environments:
    """Folders below the data folder, named by what is in them."""

    def __init__(self, folder: Path, python: str = _OWN) -> None:
        self._folder = folder / "environments"
        self._data = folder
        self._python = python

    def key_of(self, needs: Dependencies) -> str:
        """The name of the environment that these dependencies share."""
        told = json.dumps([needs.packages, needs.python or self._python])
        return hashlib.sha256(told.encode()).hexdigest()[:16]

    def prepare(self, needs: Dependencies, progress: Callable[[str], None] = lambda _: None) -> str | None:
        """The Python with these packages, built now if need be; None where the script needs none of its own.

        `progress` gets what uv says on the way. Others that want the same wait for it. CouldNotInstallError says why
        it could not be built; the next call tries again.
        """
        if not needs.packages and needs.python is None:
            return None
        place = self._folder / self.key_of(needs)
        python = place / "bin" / "python"
        if (place / _READY).exists():
            return str(python)
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        with _locked(place.with_suffix(".lock")):
            if not (place / _READY).exists():
                self._build(place, needs, progress)
        return str(python)

    def is_empty(self) -> bool:
        return not any(path.is_dir() for path in self._folder.glob("*"))

    def remove_unused(self, used: Collection[str]) -> list[str]:
        """Remove those whose names are not given, and what an interrupted build left; the names removed."""
        removed = []
        for place in sorted(path for path in self._folder.glob("*") if path.is_dir() and path.name not in used):
            with _locked(place.with_suffix(".lock")):
                (place / _READY).unlink(missing_ok=True)  # first: half an environment is never taken for a whole one
                shutil.rmtree(place, ignore_errors=True)
            removed.append(place.name)
        return removed

    def _build(self, place: Path, needs: Dependencies, progress: Callable[[str], None]) -> None:
        uv = find_uv()
        if uv is None:
            what = ", ".join(needs.packages) or f"Python {needs.python}"
            raise CouldNotInstallError(
                f"This script needs {what}, and uv, which installs it, was not found. Install uv, then try again."
            )
        shutil.rmtree(place, ignore_errors=True)
        try:
            progress("Making an environment for the script's packages\n")
            self._run(uv, ["venv", "--no-project", "--python", needs.python or self._python, str(place)], progress)
            if needs.packages:
                python = str(place / "bin" / "python")
                self._run(uv, ["pip", "install", "--python", python, "--", *needs.packages], progress)
        except CouldNotInstallError as error:
            shutil.rmtree(place, ignore_errors=True)
            what = ", ".join(needs.packages) or f"Python {needs.python}"
            raise CouldNotInstallError(
                f"What the script needs ({what}) could not be installed: {error} "
                "Check the names in its # dependencies and the network, then try again."
            ) from error
        (place / _READY).touch()

    def _run(self, uv: Path, arguments: list[str], progress: Callable[[str], None]) -> None:
        """It dies with this process, and what it started is ended by the next start, as workers are."""
        passed = {
            name: value for name, value in os.environ.items() if name in _PASSED_ON or name.startswith(("LC_", "UV_"))
        }
        mark, records = secrets.token_hex(MARK_LENGTH // 2), Records(self._data)
        with subprocess.Popen(  # noqa: S603  a list, never a shell
            fenced([str(uv), "--no-config", "--color", "never", *arguments]),  # packages run code while they are built
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env={**passed, MARK: mark},
            preexec_fn=MARK_AS_SCRIPT,  # noqa: PLW1509  one call that takes no lock
            text=True,
            errors="replace",
            **hand_over(),
        ) as process:
            records.add(process.pid, mark)
            try:
                said = _listen(process, progress)
            finally:
                if process.poll() is None and sys.exc_info()[0] is not None:
                    end_family(process.pid, mark)
                records.remove(mark)
        if process.returncode:
            raise CouldNotInstallError(_reason(said))


def _listen(process: "subprocess.Popen[str]", progress: Callable[[str], None]) -> deque[str]:
    """The last lines that it said; all of them were passed on, up to a limit."""
    assert process.stdout is not None
    said: deque[str] = deque(maxlen=_LAST_LINES)
    left = _MOST_SAID
    while line := process.stdout.readline(_LONGEST_LINE):
        said.append(line)
        if left > 0:
            progress(line)
        left -= len(line)
    return said


def _reason(said: Iterable[str]) -> str:
    """What uv said, as one line: its tree of causes without the drawing."""
    words = " ".join(re.sub("[\u00d7╰─▶│├]", " ", "".join(said)).split())
    return (words[-_LONGEST:] or "uv said nothing").rstrip(".") + "."


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """One builder per environment, in this process and in others; the system lets go when its holder dies."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        with suppress(ImportError):
            import fcntl  # noqa: PLC0415  Unix only

            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
