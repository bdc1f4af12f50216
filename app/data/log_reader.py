"""Reads the app's rotated logs, with or without a running app: first what is there, then what is added."""

import heapq
import json
import os
import re
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO

from app.data.log_file import OLD_FILES, decisions_path, log_path

_FIRST_LINE = re.compile(r"(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3}) ([A-Z]+) (\S+): (.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class LogEntry:
    at: datetime
    values: dict[str, Any]
    """A decision, or `level`, `logger` and `message` of the app's own log; always with `at`, in UTC."""

    @property
    def is_decision(self) -> bool:
        return "decision" in self.values


class RotatedLog:
    """The complete lines of a log and its rotated files, oldest first, each once."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._known: tuple[int, int] | None = None
        """The file read last; whatever its name is by now."""
        self._offset = 0

    def read_lines(self) -> Iterator[str]:
        """The lines since the last call."""
        with ExitStack() as stack:
            files = self._open_unread(stack)
            for place, (identity, file) in enumerate(files):
                start = self._offset if identity == self._known else 0
                if start > os.fstat(file.fileno()).st_size:  # somebody emptied it
                    start = 0
                self._known, self._offset = identity, start
                file.seek(start)
                for line in file:
                    if line.endswith(b"\n"):
                        self._offset += len(line)
                        yield line.decode("utf-8", "replace")[:-1]
                    elif place == len(files) - 1:
                        break  # its rest may still come

    def _open_unread(self, stack: ExitStack) -> list[tuple[tuple[int, int], BinaryIO]]:
        """From the file read last to the newest. Opened newest first, so that a rotation meanwhile hides none."""
        found: dict[tuple[int, int], BinaryIO] = {}
        for number in range(OLD_FILES + 1):
            path = self._path if number == 0 else self._path.with_name(f"{self._path.name}.{number}")
            try:
                file = stack.enter_context(path.open("rb"))
            except OSError:
                continue
            status = os.fstat(file.fileno())
            identity = (status.st_dev, status.st_ino)
            found.setdefault(identity, file)
            if identity == self._known:
                break
        return list(reversed(found.items()))


class LogReader:
    """The entries of the logs in the data folder, in order of time."""

    def __init__(self, folder: Path, *, only_decisions: bool = False) -> None:
        self._decisions = RotatedLog(decisions_path(folder))
        self._messages = None if only_decisions else RotatedLog(log_path(folder))

    def read(self) -> Iterator[LogEntry]:
        """The entries since the last call."""
        sources = [_parse_decisions(self._decisions.read_lines())]
        if self._messages is not None:
            sources.append(_parse_messages(self._messages.read_lines()))
        return heapq.merge(*sources, key=lambda entry: entry.at)


def _parse_decisions(lines: Iterator[str]) -> Iterator[LogEntry]:
    """A line that was torn by a crash is left out."""
    for line in lines:
        try:
            values = json.loads(line)
            yield LogEntry(datetime.fromisoformat(values["at"]), values)
        except (ValueError, TypeError, KeyError):
            continue


def _parse_messages(lines: Iterator[str]) -> Iterator[LogEntry]:
    """A line without a time, such as one of a traceback, belongs to the entry before."""
    entry: LogEntry | None = None
    for line in lines:
        match = _FIRST_LINE.fullmatch(line)
        if match is None:
            if entry is not None:
                entry.values["message"] += f"\n{line}"
            continue
        if entry is not None:
            yield entry
        written, level, logger, message = match.groups()
        at = datetime.strptime(written, "%Y-%m-%d %H:%M:%S,%f").astimezone(UTC)
        shown = at.isoformat(timespec="milliseconds").replace("+00:00", "Z")
        entry = LogEntry(at, {"at": shown, "level": level, "logger": logger, "message": message})
    if entry is not None:
        yield entry
