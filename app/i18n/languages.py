"""The language that Dayhand speaks: the person's choice or their system's, with its way to write numbers and dates."""

import json
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QLibraryInfo, QLocale, QTranslator

from app.resources import MissingResourceError, find_resource

PREFERENCES = "preferences.json"
"""The file in the data folder that the choice is kept in, with all others."""


class Language(StrEnum):
    """What the person chose."""

    SYSTEM = "system"
    """As the rest of their desktop, as far as we speak it."""
    ENGLISH = "en"
    GERMAN = "de"


NAMES = {Language.ENGLISH: "English", Language.GERMAN: "Deutsch"}
"""Each in its own words, so that it is found by who needs it."""


def read_language(folder: Path) -> Language:
    """The choice alone: it is needed before the icon is there, and the other preferences take long to load."""
    try:
        return Language(json.loads((folder / PREFERENCES).read_text(encoding="utf-8"))["language"])
    except (OSError, ValueError, LookupError, TypeError):
        return Language.SYSTEM


def find_language(chosen: Language, wanted: Sequence[str]) -> Language:
    """What is spoken. `wanted` are the system's languages such as `de-AT`, the dearest first."""
    if chosen is not Language.SYSTEM:
        return chosen
    for tag in wanted:
        spoken = tag.replace("_", "-").partition("-")[0].lower()
        if spoken in NAMES:
            return Language(spoken)
    return Language.ENGLISH


def speak(chosen: Language, system: QLocale | None = None) -> tuple[QTranslator, ...]:
    """From now on, in what is made from now on. The translators belong to the application."""
    system = system or QLocale.system()
    language = find_language(chosen, system.uiLanguages())
    # Words and dates of one language, as they are written where the person lives.
    spoken = QLocale.Language.German if language is Language.GERMAN else QLocale.Language.English
    if system.language() is not spoken:
        system = QLocale(spoken, system.territory())
    QLocale.setDefault(system)
    return () if language is Language.ENGLISH else tuple(_install(language))


def _install(language: Language) -> list[QTranslator]:
    """Qt's own words first: ours are looked up before those. What is missing is said in English."""
    app = QCoreApplication.instance()
    installed = []
    for path in (_of_qt(language), _of_ours(language)):
        translator = QTranslator(app)
        if path is not None and translator.load(str(path)):
            QCoreApplication.installTranslator(translator)
            installed.append(translator)
    return installed


def _of_qt(language: Language) -> Path:
    return Path(QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)) / f"qtbase_{language}.qm"


def _of_ours(language: Language) -> Path | None:
    try:
        return find_resource(f"translations/dayhand_{language}.qm")
    except MissingResourceError:
        return None
