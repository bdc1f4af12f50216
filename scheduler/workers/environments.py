"""The packages a script declares (PEP 723), and one virtual environment per set of them, built with uv."""

import hashlib
import json
import math
import os
import re
import secrets
import shutil
import subprocess
import sys
import tomllib
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scheduler.file_lock import wait_for_lock
from scheduler.user_text import UserText
from scheduler.workers.processes import MARK_VARIABLE
from scheduler.workers.sandbox import sandboxed
from scheduler.workers.system import (
    PASSED_VARIABLES,
    PYTHON_IN_ENVIRONMENT,
    kill_with_descendants,
    start_process,
)
from scheduler.workers.worker_records import MARK_LENGTH, WorkerRecords

_BLOCK = re.compile(r"(?m)^# /// (?P<type>[a-zA-Z0-9-]+)[ \t]*$\s(?P<content>(^#(| .*)$\s?)+)^# ///[ \t]*$")
_BEGIN = re.compile(r"(?m)^# /// script[ \t]*$")
_READY = "dayhand-ready"
_PROXIES = ("https_proxy", "http_proxy", "no_proxy", "all_proxy")
"""Most programs read the lower-case names; uv reads both."""
_PASSED = frozenset((*PASSED_VARIABLES, "SSL_CERT_FILE", *_PROXIES, *(name.upper() for name in _PROXIES)))
_MAX_REASON_CHARS = 600
_KEPT_LINES, _MAX_LINE_BYTES = 12, 10_000
_PROGRESS = ("Using ", "Resolved ", "Prepared ", "Updating ", "Building ", "Downloading ")
_MAX_PROGRESS_CHARS = 1 << 20
"""uv's output that is passed on; the rest is dropped."""
_DEFAULT_PYTHON = ">=3.9" if getattr(sys, "frozen", False) else sys.executable
"""A frozen app is not a Python an environment can be built from, so uv finds one."""


class InvalidDependenciesError(Exception):
    """The block is invalid; `line` is where it starts."""

    def __init__(self, sentence: str, line: int) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.line = line


@dataclass(frozen=True, slots=True, kw_only=True)
class Dependencies:
    packages: tuple[str, ...] = ()
    """Requirements as written, sorted."""
    python: str | None = None
    """A version specifier such as >=3.10, or a path; None for Dayhand's own."""


def parse_dependencies(source: str) -> Dependencies:
    """Parse the script's `# /// script` block; no block means no dependencies."""
    source = source.replace("\r\n", "\n")
    blocks = [block for block in _BLOCK.finditer(source) if block["type"] == "script"]
    if not blocks:
        begun = _BEGIN.search(source)
        if begun is not None:
            raise InvalidDependenciesError(
                UserText("The # /// script block has no end; add a line # /// after its last line."),
                source[: begun.start()].count("\n") + 1,
            )
        return Dependencies()
    line = source[: blocks[-1].start()].count("\n") + 1
    if len(blocks) > 1:
        raise InvalidDependenciesError(UserText("The script has two # /// script blocks; keep one."), line)
    lines = blocks[0]["content"].splitlines()
    try:
        block = tomllib.loads("\n".join(text[2:] if text.startswith("# ") else text[1:] for text in lines))
    except tomllib.TOMLDecodeError as error:
        raise InvalidDependenciesError(
            UserText("The # /// script block is not valid TOML: {error}.", error=error), line
        ) from error
    packages = block.get("dependencies", [])
    if not isinstance(packages, list) or not all(_is_requirement(package) for package in packages):
        raise InvalidDependenciesError(
            UserText('dependencies is not a list of packages; write # dependencies = ["python-dateutil>=2.9"].'), line
        )
    python = block.get("requires-python")
    if python is not None and not (isinstance(python, str) and python.strip()):
        raise InvalidDependenciesError(
            UserText('requires-python is not a string; write # requires-python = ">=3.10".'), line
        )
    return Dependencies(packages=tuple(sorted({package.strip() for package in packages})), python=python)


def _is_requirement(package: Any) -> bool:
    """A string that no tool can mistake for a command-line option."""
    return isinstance(package, str) and package.strip() != "" and not package.strip().startswith("-")


class InstallFailedError(Exception):
    """The script's packages could not be installed; the message says why."""


def find_uv() -> Path | None:
    """Next to our own Python, or on the PATH."""
    found = shutil.which("uv", path=str(Path(sys.executable).parent)) or shutil.which("uv")
    return Path(found) if found else None


class Environments:
    """Virtual environments in the data folder, named after a hash of their contents."""

    def __init__(self, folder: Path, python: str = _DEFAULT_PYTHON) -> None:
        self._folder = folder / "environments"
        self._data = folder
        self._python = python

    def key_for(self, dependencies: Dependencies) -> str:
        """The name of the environment that these dependencies share."""
        contents = json.dumps([dependencies.packages, dependencies.python or self._python])
        return hashlib.sha256(contents.encode()).hexdigest()[:16]

    def prepare(self, dependencies: Dependencies, progress: Callable[[str], None] = lambda _: None) -> str | None:
        """The Python with these packages, built now if needed; None if the script declares nothing.

        `progress` gets uv's output. Concurrent calls for the same environment wait. After a InstallFailedError the
        next call tries again.
        """
        if not dependencies.packages and dependencies.python is None:
            return None
        place = self._folder / self.key_for(dependencies)
        python = place / PYTHON_IN_ENVIRONMENT
        if (place / _READY).exists():
            return str(python)
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        with _locked(place.with_suffix(".lock")):
            if not (place / _READY).exists():
                self._build(place, dependencies, progress)
        return str(python)

    def is_empty(self) -> bool:
        return not any(path.is_dir() for path in self._folder.glob("*"))

    def remove_unused(self, used: Collection[str]) -> list[str]:
        """Remove all but the given environments, and the remains of interrupted builds; returns the removed names."""
        removed = []
        for place in sorted(path for path in self._folder.glob("*") if path.is_dir() and path.name not in used):
            with _locked(place.with_suffix(".lock")):
                (place / _READY).unlink(missing_ok=True)  # first, so that half an environment never counts as ready
                shutil.rmtree(place, ignore_errors=True)
            removed.append(place.name)
        return removed

    def _build(self, place: Path, needs: Dependencies, progress: Callable[[str], None]) -> None:
        uv = find_uv()
        if uv is None:
            what = ", ".join(needs.packages) or f"Python {needs.python}"
            raise InstallFailedError(
                UserText(
                    "This script needs {what}, but uv, which installs packages, was not found. Install uv, "
                    "then try again.",
                    what=what,
                )
            )
        shutil.rmtree(place, ignore_errors=True)
        try:
            progress("Creating an environment for the script's packages\n")
            self._run(uv, ["venv", "--no-project", "--python", needs.python or self._python, str(place)], progress)
            if needs.packages:
                python = str(place / PYTHON_IN_ENVIRONMENT)
                self._run(uv, ["pip", "install", "--python", python, "--", *needs.packages], progress)
        except InstallFailedError as error:
            shutil.rmtree(place, ignore_errors=True)
            what = ", ".join(needs.packages) or f"Python {needs.python}"
            raise InstallFailedError(
                UserText(
                    "The script's packages ({what}) could not be installed: {error} Check the names under # "
                    "dependencies and the network, then try again.",
                    what=what,
                    error=error,
                )
            ) from error
        (place / _READY).touch()

    def _run(self, uv: Path, arguments: list[str], progress: Callable[[str], None]) -> None:
        """Run uv. It dies with this process; anything it leaves behind is killed at the next start, as workers are."""
        passed = {
            name: value for name, value in os.environ.items() if name in _PASSED or name.startswith(("LC_", "UV_"))
        }
        mark, records = secrets.token_hex(MARK_LENGTH // 2), WorkerRecords(self._data)
        with start_process(
            sandboxed(
                [str(uv), "--no-config", "--color", "never", *arguments]
            ),  # packages run code while they are built
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env={**passed, MARK_VARIABLE: mark},
            mark=mark,
        ) as process:
            records.add(process.pid, mark)
            try:
                output = _read_output(process, progress)
            finally:
                if process.poll() is None and sys.exc_info()[0] is not None:
                    kill_with_descendants(process.pid, mark)
                records.remove(mark)
        if process.returncode:
            raise InstallFailedError(_format_reason(output))


def _read_output(process: "subprocess.Popen[bytes]", progress: Callable[[str], None]) -> deque[str]:
    """The last lines of its output; all lines go to `progress`, up to a limit."""
    assert process.stdout is not None
    lines: deque[str] = deque(maxlen=_KEPT_LINES)
    left = _MAX_PROGRESS_CHARS
    while read := process.stdout.readline(_MAX_LINE_BYTES):
        line = read.decode(errors="replace").replace("\r\n", "\n")
        lines.append(line)
        if left > 0:
            progress(line)
        left -= len(line)
    return lines


def _format_reason(lines: Iterable[str]) -> str:
    """Uv's output as one line, without its progress and the characters it draws its tree of causes with."""
    told = "".join(line for line in lines if not line.startswith(_PROGRESS))
    text = " ".join(re.sub("[\u00d7╰─▶│├]", " ", told).split()).removeprefix("error: ")
    return (text[-_MAX_REASON_CHARS:] or UserText("uv printed nothing")).rstrip(".") + "."


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """One builder per environment across processes; the system releases the lock when its holder dies."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        wait_for_lock(descriptor, math.inf)
        yield
    finally:
        os.close(descriptor)
