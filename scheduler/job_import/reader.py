"""Finds the jobs of other schedulers on this computer: in files, the user's crontab and the user's systemd units."""

import getpass
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from scheduler.job_import.crontab import CronProgram, read_crontab
from scheduler.job_import.result import TranslationResult
from scheduler.job_import.systemd import find_service, read_systemd
from scheduler.job_import.windows_tasks import read_task
from scheduler.user_text import UserText

STDIN = "-"
USER_CRONTAB = "crontab"
"""The place of a job in the crontab of this user."""
_MAX_FILE_BYTES = 1_000_000
_CRONTAB_TIMEOUT_S = 20
_UNIT_SUFFIXES = (".timer", ".service", ".conf")
_UNIT_FOLDERS = ("~/.config/systemd/user", "/etc/systemd/user", "/usr/local/lib/systemd/user", "/usr/lib/systemd/user")
"""Where systemd looks for the units of a user, the first wins."""


class JobSource(StrEnum):
    CRONTAB = "crontab"
    SYSTEMD = "systemd"
    TASKS = "tasks"


class JobFileError(Exception):
    """A file or crontab cannot be read; the sentence says why."""

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence)
        self.sentence = sentence


@dataclass(frozen=True, slots=True, kw_only=True)
class JobQuery:
    """What to read."""

    source: JobSource
    files: tuple[str, ...] = ()
    """None: the crontab or the timers of this user."""
    has_user_field: bool = False
    """The crontab has a user in its sixth field, like /etc/crontab."""
    cron: CronProgram | None = None

    @property
    def is_own_crontab(self) -> bool:
        return self.source is JobSource.CRONTAB and self.files in ((), (STDIN,))


def read_jobs(query: JobQuery) -> TranslationResult:
    """Every job that is found, and what could not be translated. Reads files and may start `crontab -l`."""
    match query.source:
        case JobSource.SYSTEMD:
            return _read_units(query.files)
        case JobSource.TASKS:
            if not query.files:
                raise JobFileError(UserText("Give the XML files of the tasks; Task Scheduler exports them."))
            return _join(read_task(_read(name, is_xml=True), place=Path(name).name) for name in query.files)
        case JobSource.CRONTAB:
            texts = {name: _read(name) for name in query.files} or {STDIN: _read_user_crontab()}
            return _join(
                read_crontab(
                    text,
                    place=USER_CRONTAB if name == STDIN else Path(name).name,
                    system=query.has_user_field or is_system_crontab(name),
                    user=getpass.getuser(),
                    cron=query.cron,
                )
                for name, text in texts.items()
            )


def find_user_timers() -> list[str]:
    """The timers that this user has written, by their files."""
    folder = Path(_UNIT_FOLDERS[0]).expanduser()
    return sorted(str(path) for path in folder.glob("*.timer")) if folder.is_dir() else []


def _read_user_crontab() -> str:
    try:
        done = subprocess.run(["crontab", "-l"], capture_output=True, timeout=_CRONTAB_TIMEOUT_S, check=False)  # noqa: S607  as the user would type it
    except FileNotFoundError as error:
        raise JobFileError(UserText("There is no crontab program on this computer.")) from error
    except (OSError, subprocess.TimeoutExpired) as error:
        raise JobFileError(UserText("crontab -l could not be run: {error}.", error=error)) from error
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip()
        if "no crontab" in said:
            raise JobFileError(UserText("You have no crontab."))
        raise JobFileError(UserText("crontab -l failed: {reason}.", reason=said or done.returncode))
    return done.stdout.decode(errors="replace")


def _read_units(files: Sequence[str]) -> TranslationResult:
    names = list(_list_unit_files(files or find_user_timers()))
    if not files and not names:
        raise JobFileError(UserText("You have no systemd timers of your own."))
    if not any(name.endswith(".timer") for name in names):
        raise JobFileError(UserText("None of the files is a timer; give the .timer files."))
    by_unit: dict[str, str] = {}
    for name in names:
        unit = _unit_name(Path(name))
        if unit in by_unit:
            raise JobFileError(UserText("Two of the files have the same name; import them one at a time."))
        by_unit[unit] = _read(name)
    return read_systemd(by_unit, home=str(Path.home()), user=getpass.getuser())


def _list_unit_files(names: Iterable[str]) -> Iterator[str]:
    """The files, those in folders, and what belongs to the timers; folders of links to enabled units are left out."""
    given = list(dict.fromkeys(_expand_folders(names)))
    yield from given
    known = {_unit_name(Path(name)) for name in given}
    for name in given:
        if name.endswith(".timer"):
            for path in _list_parts(Path(name).expanduser()):
                if _unit_name(path) not in known:
                    known.add(_unit_name(path))
                    yield str(path)


def _expand_folders(names: Iterable[str]) -> Iterator[str]:
    for name in names:
        path = Path(name).expanduser()
        if not path.is_dir():
            yield name
        elif path.suffix not in (".wants", ".requires"):
            yield from _expand_folders(str(one) for one in sorted(path.iterdir()) if _may_be_unit(one))


def _may_be_unit(path: Path) -> bool:
    return path.is_dir() or path.suffix in _UNIT_SUFFIXES


def _list_parts(timer: Path) -> Iterator[Path]:
    """The service that a timer starts, beside it or where systemd looks, and the drop-ins of both."""
    if not timer.is_file():
        return
    service = find_service(timer.name, _read(str(timer)))
    folders = [timer.parent, *(Path(folder).expanduser() for folder in _UNIT_FOLDERS)]
    found = next((folder / service for folder in folders if (folder / service).is_file()), None)
    if found is not None:
        yield found
    for unit in (timer.name, service):
        yield from sorted(timer.parent.glob(f"{unit}.d/*.conf"))


def _read(name: str, *, is_xml: bool = False) -> str:
    try:
        data = sys.stdin.buffer.read(_MAX_FILE_BYTES + 1) if name == STDIN else Path(name).expanduser().read_bytes()
    except OSError as error:
        raise JobFileError(
            UserText("{name} cannot be read: {reason}.", name=name, reason=error.strerror or error)
        ) from error
    if len(data) > _MAX_FILE_BYTES:
        raise JobFileError(UserText("{name} is too large to be a list of jobs.", name=name))
    is_wide = is_xml and data[:2] in (b"\xff\xfe", b"\xfe\xff")
    try:
        return data.decode("utf-16" if is_wide else "utf-8-sig")
    except UnicodeDecodeError as error:
        encoding = "UTF-16" if is_wide else "UTF-8"
        raise JobFileError(UserText("{name} is not {encoding} text.", name=name, encoding=encoding)) from error


def _unit_name(path: Path) -> str:
    """The name in systemd; a drop-in has that of its unit before it."""
    return f"{path.parent.name}/{path.name}" if path.parent.suffix == ".d" else path.name


def is_system_crontab(name: str) -> bool:
    path = Path(name).absolute()
    return path == Path("/etc/crontab") or path.parent == Path("/etc/cron.d")


def _join(found: Iterable[TranslationResult]) -> TranslationResult:
    every = list(found)
    return TranslationResult(
        tuple(job for one in every for job in one.jobs), tuple(left for one in every for left in one.left)
    )
