"""Which language is used, and its number format."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtCore import QLocale
from PySide6.QtWidgets import QApplication

from app.data.preferences import Preferences, read_preferences, save_preferences
from app.i18n.languages import (
    LANGUAGE_NAMES,
    PREFERENCES_FILE,
    Language,
    install_language,
    load_language,
    resolve_language,
)
from app.i18n.time_text import format_number

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize(
    ("chosen", "languages", "spoken"),
    [
        (Language.SYSTEM, ["de-AT", "en"], Language.GERMAN),
        (Language.SYSTEM, ["de_DE"], Language.GERMAN),
        (Language.SYSTEM, ["fr-FR", "de"], Language.GERMAN),
        (Language.SYSTEM, ["en-GB", "de-DE"], Language.ENGLISH),
        (Language.SYSTEM, ["fr-FR"], Language.ENGLISH),
        (Language.SYSTEM, ["C"], Language.ENGLISH),
        (Language.SYSTEM, [], Language.ENGLISH),
        (Language.ENGLISH, ["de-DE"], Language.ENGLISH),
        (Language.GERMAN, ["en-US"], Language.GERMAN),
    ],
)
def test_the_choice_overrides_the_system_and_english_is_the_fallback(
    chosen: Language, languages: list[str], spoken: Language
) -> None:
    assert resolve_language(chosen, languages) is spoken


def test_the_language_is_read_from_the_preferences_file(tmp_path: Path) -> None:
    assert load_language(tmp_path) is Language.SYSTEM
    save_preferences(tmp_path, Preferences(language=Language.GERMAN, concurrency=7))
    assert load_language(tmp_path) is Language.GERMAN
    assert read_preferences(tmp_path) == Preferences(language=Language.GERMAN, concurrency=7)


@pytest.mark.parametrize("written", ["", "[]", "null", '{"language": "la"}', '{"language": 3}', '{"language": ["de"]}'])
def test_an_invalid_language_means_system(tmp_path: Path, written: str) -> None:
    (tmp_path / PREFERENCES_FILE).write_text(written, encoding="utf-8")
    assert load_language(tmp_path) is Language.SYSTEM
    assert read_preferences(tmp_path).language is Language.SYSTEM


def test_every_language_has_its_own_name_and_is_a_choice() -> None:
    assert LANGUAGE_NAMES == {Language.ENGLISH: "English", Language.GERMAN: "Deutsch"}
    assert set(LANGUAGE_NAMES) == set(Language) - {Language.SYSTEM}


def test_english_uses_the_number_format_of_the_territory(qapp: QApplication) -> None:
    before = QLocale()
    try:
        assert install_language(Language.ENGLISH, QLocale("de_DE")) == ()
        assert (format_number(1_234), QLocale().dayName(1)) == ("1.234", "Monday")
        assert install_language(Language.ENGLISH, QLocale("en_US")) == ()
        assert format_number(1_234) == "1,234"
    finally:
        QLocale.setDefault(before)


@pytest.mark.parametrize(
    ("variables", "date"),
    [
        ({"LANGUAGE": "de", "LANG": "en_US.UTF-8"}, "Mittwoch, 18. November 2026"),
        ({"LANGUAGE": "de", "LANG": "C.UTF-8"}, "Mittwoch, 18. November 2026"),
        ({"LANG": "en_US.UTF-8"}, "Wednesday, November 18, 2026"),
        ({"LANG": "en_US.UTF-8", "LC_TIME": "de_DE.UTF-8"}, "Wednesday, 18 November 2026"),
    ],
)
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="other systems have no such variables")
def test_dates_are_in_the_language_of_the_window(variables: dict[str, str], date: str) -> None:
    """A process of its own: Qt reads these variables once."""
    program = (
        "from PySide6.QtCore import QCoreApplication, QDate, QLocale\n"
        "from app.i18n.languages import Language, install_language\n"
        "app = QCoreApplication([])\n"
        "install_language(Language.SYSTEM)\n"
        "print(QLocale().toString(QDate(2026, 11, 18), QLocale.FormatType.LongFormat))\n"
    )
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("LC_", "LANG"))}
    line = [sys.executable, "-c", program]
    shown = subprocess.run(line, env={**kept, **variables}, capture_output=True, check=True, cwd=ROOT)
    assert shown.stdout.decode().strip() == date
