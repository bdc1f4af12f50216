from collections.abc import Iterator

import pytest
from PySide6.QtCore import QCoreApplication, QLocale
from PySide6.QtWidgets import QApplication

from app.words.languages import Language, speak


@pytest.fixture
def in_german(qapp: QApplication) -> Iterator[None]:
    before = QLocale()
    installed = speak(Language.GERMAN, QLocale("de_DE"))
    yield
    for translator in installed:
        QCoreApplication.removeTranslator(translator)
    QLocale.setDefault(before)
