"""The settings for the engine, as part of the user's preferences. Loads no Qt, so that commands start fast."""

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

from app.data.atomic_file import write_atomically
from scheduler.engine.errors import RefusedError
from scheduler.engine.setting_values import SETTINGS, SettingValue, apply_settings, check_stored
from scheduler.engine.settings import Settings

SETTINGS_FILE = "preferences.json"
_EARLIER_NAMES = {"overlap_jobs": "overlap"}


class SavedSettings:
    def __init__(self, folder: Path) -> None:
        self._path = folder / SETTINGS_FILE

    def read(self) -> dict[str, SettingValue]:
        """Every setting; what is missing or invalid has its default."""
        written = use_current_names(_load(self._path))
        values = {key: rule.default for key, rule in SETTINGS.items()}
        for key in SETTINGS.keys() & written.keys():
            with suppress(ValueError):
                values[key] = check_stored(key, written[key])
        return values

    def save(self, key: str, value: SettingValue) -> None:
        """RefusedError if it cannot be written."""
        text = json.dumps({**_load(self._path), key: value}, indent=2)
        try:
            write_atomically(self._path, f"{text}\n".encode())
        except OSError as error:
            why = error.strerror or str(error)
            raise RefusedError(
                "settings", f"The setting could not be saved: {why}. Check that you may write to {self._path.parent}."
            ) from error

    def apply_to(self, settings: Settings) -> Settings:
        return apply_settings(settings, self.read())


def use_current_names(written: dict[str, Any]) -> dict[str, Any]:
    """Settings that an earlier version stored under another name."""
    found = {new: written[old] for new, old in _EARLIER_NAMES.items() if old in written and new not in written}
    return {**written, **found}


def _load(path: Path) -> dict[str, Any]:
    try:
        written = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return written if isinstance(written, dict) else {}
