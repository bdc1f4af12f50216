"""What the person chose for the whole app, kept as a small JSON file in the data folder. Nothing secret is in it."""

import json
from contextlib import suppress
from dataclasses import dataclass, field, fields, replace
from datetime import time, timedelta
from pathlib import Path
from typing import Any, get_type_hints

from PySide6.QtCore import QCoreApplication

from app.keeping.replacing import replace_file
from app.look.theme import Appearance
from app.notices.quiet import QuietHours
from app.words.languages import PREFERENCES, Language
from scheduler.engine.fixing.choice import FixerChoice, FixerKind, read_choice
from scheduler.engine.settings import Settings
from scheduler.timing.policies import Catchup, Overlap

FILE = PREFERENCES
MOST_AT_ONCE = 16
LONGEST_KEPT = 3_650


class PreferencesError(Exception):
    """They could not be kept; the sentence says why and what to do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Preferences:
    concurrency: int = 4
    """How many runs may be under way at once."""
    overlap: Overlap = Overlap.SKIP
    """For jobs whose author says nothing of it."""
    catchup: Catchup = Catchup.ONE
    keep_days: int = 365
    """How long history is kept; zero is for ever."""
    is_quiet: bool = False
    quiet_from: time = time(22)
    quiet_until: time = time(7)
    approvals_pass: bool = False
    """Whether a question may disturb in quiet hours."""
    notices: bool = True
    appearance: Appearance = Appearance.SYSTEM
    language: Language = Language.SYSTEM
    """From the next start on."""
    welcomed: bool = False
    """Whether the first screens were shown; they never come again."""
    editor: str = ""
    """The command that opens a script; empty is what the system has for it."""
    fixer: FixerChoice = field(default_factory=FixerChoice)
    """Who repairs scripts that fail."""

    @property
    def quiet_hours(self) -> QuietHours | None:
        if not self.is_quiet:
            return None
        return QuietHours(start=self.quiet_from, end=self.quiet_until, approvals_pass=self.approvals_pass)

    def settle(self, settings: Settings) -> Settings:
        """What the engine goes by, with what the person chose in it."""
        overlap = {**settings.overlap, "job": self.overlap}
        kept = timedelta(days=self.keep_days) if self.keep_days else None
        return replace(
            settings,
            concurrency=self.concurrency,
            catchup=self.catchup,
            overlap=overlap,
            kept=kept,
            fixer=self.fixer,
        )

    def arrive(self) -> "Preferences":
        """As they hold after a move to another computer, where nobody chose who repairs scripts or what opens them."""
        return replace(self, editor="", fixer=replace(self.fixer, kind=FixerKind.OFF, has_key=False))

    def write(self) -> dict[str, Any]:
        return {one.name: _plain(getattr(self, one.name)) for one in fields(self)}


def read_preferences(folder: Path) -> Preferences:
    """As they were kept. What cannot be understood, or is of another version, counts as not chosen."""
    try:
        written = json.loads((folder / FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return Preferences()
    return understand(written if isinstance(written, dict) else {})


def set_aside_damaged(folder: Path) -> str:
    """Before a start: a file that nobody can read is kept under another name; a sentence if there was one."""
    path, kept = folder / FILE, folder / f"{FILE}-damaged"
    try:
        is_sound = isinstance(json.loads(path.read_text(encoding="utf-8")), dict)
    except OSError:
        is_sound = True  # there is none, or it may be readable another time
    except ValueError:
        is_sound = False
    if is_sound:
        return ""
    with suppress(OSError):
        path.replace(kept)
    return QCoreApplication.translate(
        "settings", "Your settings could not be read, so they begin anew; what was there is kept in {file}."
    ).format(file=kept)


def understand(written: dict[str, Any]) -> Preferences:
    """One value that makes no sense does not take the others with it."""
    chosen: dict[str, Any] = {}
    for name, kind in get_type_hints(Preferences).items():
        if name in written:
            with suppress(ValueError, TypeError):
                chosen[name] = _understand_one(name, kind, written[name])
    return Preferences(**chosen)


def keep_preferences(folder: Path, chosen: Preferences) -> None:
    """In place of the old ones. What a newer version keeps beside them stays."""
    path = folder / FILE
    try:
        known = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        known = {}
    text = json.dumps({**(known if isinstance(known, dict) else {}), **chosen.write()}, indent=2)
    try:
        replace_file(path, f"{text}\n".encode())
    except OSError as error:
        why = error.strerror or str(error)
        sentence = QCoreApplication.translate(
            "settings",
            "Your choice holds until Dayhand ends, but it could not be kept: {why}. "
            "Check that you may write to {folder}.",
        )
        raise PreferencesError(sentence.format(why=why, folder=folder)) from error


def _plain(value: object) -> object:
    if isinstance(value, FixerChoice):
        return value.write()
    return f"{value:%H:%M}" if isinstance(value, time) else value


def _understand_one(name: str, kind: type, value: Any) -> Any:
    if kind is FixerChoice:
        return read_choice(value)
    if kind is time:
        return time.fromisoformat(value).replace(second=0, microsecond=0, tzinfo=None)
    if kind in (int, bool):
        if type(value) is not kind:
            raise ValueError(name)
        low, high = {"concurrency": (1, MOST_AT_ONCE), "keep_days": (0, LONGEST_KEPT)}.get(name, (0, 1))
        if not low <= value <= high:
            raise ValueError(name)
        return value
    if kind is str and not isinstance(value, str):
        raise ValueError(name)
    return kind(value)
