"""The user's preferences, stored as JSON in the data folder. Contains no secrets."""

import json
from contextlib import suppress
from dataclasses import dataclass, field, fields, replace
from datetime import time
from pathlib import Path
from typing import Any, get_type_hints

from PySide6.QtCore import QCoreApplication

from app.data.atomic_file import write_atomically
from app.data.saved_settings import use_current_names
from app.i18n.languages import PREFERENCES_FILE, Language
from app.theme.tokens import Appearance
from scheduler.engine.errors import RefusedError
from scheduler.engine.fixer_config import FixerConfig, FixerKind, read_config
from scheduler.engine.setting_values import SETTINGS, apply_settings, check_stored
from scheduler.engine.settings import Settings
from scheduler.rules.quiet_hours import QuietHours
from scheduler.rules.report_periods import ReportInterval
from scheduler.timing.policies import Catchup, Overlap

FILE = PREFERENCES_FILE


class PreferencesError(Exception):
    """They could not be saved; the message says why and what to do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Preferences:
    concurrency: int = 4
    """How many runs may be active at the same time."""
    overlap_jobs: Overlap = Overlap.SKIP
    """For jobs whose script does not set it."""
    overlap_producers: Overlap = Overlap.BUFFER_ONE
    catchup: Catchup = Catchup.ONE
    jitter: str = "0s"
    lookahead: str = "1m"
    """The time over which `spread` distributes missed runs."""
    catchup_per_tick: int = 100
    buffer_limit: int = 1_000
    keep_days: int = 365
    """How long history is kept; 0 means forever."""
    is_quiet: bool = False
    quiet_from: time = time(22)
    quiet_until: time = time(7)
    approvals_pass: bool = False
    """Whether approval requests notify during quiet hours."""
    notices: bool = True
    appearance: Appearance = Appearance.SYSTEM
    language: Language = Language.SYSTEM
    """Takes effect at the next start."""
    welcomed: bool = False
    """Whether the welcome screens were shown."""
    editor: str = ""
    """The command that opens a script; empty means the system default."""
    fixer: FixerConfig = field(default_factory=FixerConfig)
    writes_metrics: bool = False
    """Whether a file with metrics is written each minute."""
    metrics_folder: str = ""
    ping: str = ""
    """The connection that is told that Dayhand runs; empty for none."""
    ping_every: str = "5m"
    report: ReportInterval = ReportInterval.OFF
    """How often a report is mailed."""
    report_connection: str = ""
    report_to: str = ""
    """Empty for the sender of the connection."""

    @property
    def quiet_hours(self) -> QuietHours | None:
        if not self.is_quiet:
            return None
        return QuietHours(start=self.quiet_from, end=self.quiet_until, approvals_pass=self.approvals_pass)

    def apply_to(self, settings: Settings) -> Settings:
        """The engine's settings with these preferences applied."""
        values = {key: getattr(self, key) for key in SETTINGS}
        return replace(apply_settings(settings, values), fixer=self.fixer)

    def for_other_computer(self) -> "Preferences":
        """For another computer, where the user has chosen no fixer, no editor and no folder."""
        fixer = replace(self.fixer, kind=FixerKind.OFF, has_key=False)
        return replace(
            self, editor="", fixer=fixer, writes_metrics=False, metrics_folder="", ping="", report=ReportInterval.OFF
        )

    def to_json(self) -> dict[str, Any]:
        return {one.name: _to_json(getattr(self, one.name)) for one in fields(self)}


def read_preferences(folder: Path) -> Preferences:
    """Invalid and unknown values are replaced by their defaults."""
    try:
        written = json.loads((folder / FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return Preferences()
    return parse_preferences(written if isinstance(written, dict) else {})


def set_aside_damaged(folder: Path) -> str:
    """Rename an unreadable file, before a start; return a message for the user if there was one."""
    path, kept = folder / FILE, folder / f"{FILE}-damaged"
    try:
        is_sound = isinstance(json.loads(path.read_text(encoding="utf-8")), dict)
    except OSError:
        is_sound = True  # there is none, or it may be readable later
    except ValueError:
        is_sound = False
    if is_sound:
        return ""
    with suppress(OSError):
        path.replace(kept)
    return QCoreApplication.translate(
        "settings", "Your settings could not be read and were reset. The old file is kept as {file}."
    ).format(file=kept)


def parse_preferences(written: dict[str, Any]) -> Preferences:
    """An invalid value does not affect the others."""
    written = use_current_names(written)
    chosen: dict[str, Any] = {}
    for name, kind in get_type_hints(Preferences).items():
        if name in written:
            with suppress(ValueError, TypeError):
                chosen[name] = _parse_value(name, kind, written[name])
    return Preferences(**chosen)


def save_preferences(folder: Path, chosen: Preferences) -> None:
    """Save them; keys of a newer version are preserved."""
    path = folder / FILE
    try:
        known = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        known = {}
    text = json.dumps({**(known if isinstance(known, dict) else {}), **chosen.to_json()}, indent=2)
    try:
        write_atomically(path, f"{text}\n".encode())
    except OSError as error:
        why = error.strerror or str(error)
        sentence = QCoreApplication.translate(
            "settings",
            "Your settings could not be saved and apply only until Dayhand quits: {why}. "
            "Check that you have write permission in {folder}.",
        )
        raise PreferencesError(sentence.format(why=why, folder=folder)) from error


class SavedFixer:
    """The chosen fixer as part of the preferences."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def read(self) -> FixerConfig:
        return read_preferences(self._folder).fixer

    def save(self, chosen: FixerConfig) -> None:
        """RefusedError if it cannot be written."""
        try:
            save_preferences(self._folder, replace(read_preferences(self._folder), fixer=chosen))
        except PreferencesError as error:
            raise RefusedError("settings", str(error)) from error


def _to_json(value: object) -> object:
    if isinstance(value, FixerConfig):
        return value.write()
    return f"{value:%H:%M}" if isinstance(value, time) else value


def _parse_value(name: str, kind: type, value: Any) -> Any:
    if kind is FixerConfig:
        return read_config(value)
    if name in SETTINGS:
        return kind(check_stored(name, value))
    if kind is time:
        return time.fromisoformat(value).replace(second=0, microsecond=0, tzinfo=None)
    if kind in (bool, str) and type(value) is not kind:
        raise ValueError(name)
    return kind(value)
