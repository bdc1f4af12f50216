"""The language of the interface: the user's choice or the system's, with its number and date formats."""

import json
import os
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QLibraryInfo, QLocale, QTranslator

from app.resources import MissingResourceError, find_resource

_FORMAT_VARIABLES = ("LC_ALL", "LC_TIME", "LANG")
PREFERENCES_FILE = "preferences.json"
"""The settings file in the data folder."""


class Language(StrEnum):
    """The user's choice."""

    SYSTEM = "system"
    """Same as the desktop, if supported."""
    ENGLISH = "en"
    GERMAN = "de"


LANGUAGE_NAMES = {Language.ENGLISH: "English", Language.GERMAN: "Deutsch"}
"""Each in its own language, so that its speakers find it."""


def load_language(folder: Path) -> Language:
    """Read only the language: it is needed before the tray icon, and the other settings load slowly."""
    try:
        return Language(json.loads((folder / PREFERENCES_FILE).read_text(encoding="utf-8"))["language"])
    except (OSError, ValueError, LookupError, TypeError):
        return Language.SYSTEM


def resolve_language(chosen: Language, wanted: Sequence[str]) -> Language:
    """The language to use. `wanted` are the system's languages such as `de-AT`, in order of preference."""
    if chosen is not Language.SYSTEM:
        return chosen
    for tag in wanted:
        code = tag.replace("_", "-").partition("-")[0].lower()
        if code in LANGUAGE_NAMES:
            return Language(code)
    return Language.ENGLISH


def install_language(chosen: Language, system: QLocale | None = None) -> tuple[QTranslator, ...]:
    """Use the language for all widgets created from now on. The application owns the translators."""
    system = system or QLocale.system()
    language = resolve_language(chosen, system.uiLanguages())
    spoken = QLocale.Language.German if language is Language.GERMAN else QLocale.Language.English
    QLocale.setDefault(system if _speaks(system, spoken) else QLocale(spoken, _find_territory(system)))
    return () if language is Language.ENGLISH else tuple(_install(language))


def _speaks(system: QLocale, spoken: QLocale.Language) -> bool:
    """Whether the system's dates are in that language: on Linux its messages may be in another one than its dates."""
    return system.language() is spoken and system.dayName(1) == QLocale(spoken).dayName(1)


def _find_territory(system: QLocale) -> QLocale.Country:
    """The one whose formats the user chose."""
    chosen = next((value for name in _FORMAT_VARIABLES if (value := os.environ.get(name))), "")
    return QLocale(chosen.partition(".")[0]).territory() if "_" in chosen else system.territory()


def _install(language: Language) -> list[QTranslator]:
    """Qt's translations first, so that ours take precedence. Missing texts stay English."""
    app = QCoreApplication.instance()
    installed = []
    for path in (_qt_translation(language), _own_translation(language)):
        translator = QTranslator(app)
        if path is not None and translator.load(str(path)):
            QCoreApplication.installTranslator(translator)
            installed.append(translator)
    return installed


def _qt_translation(language: Language) -> Path:
    return Path(QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)) / f"qtbase_{language}.qm"


def _own_translation(language: Language) -> Path | None:
    try:
        return find_resource(f"translations/dayhand_{language}.qm")
    except MissingResourceError:
        return None
