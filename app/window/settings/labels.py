"""The choices of the settings, in words that a person understands."""

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication

from app.look.theme import Appearance
from app.words.languages import NAMES, Language
from scheduler.engine.fixing.choice import FixerKind
from scheduler.timing.policies import Catchup, Overlap

OVERLAPS: dict[Overlap, object] = {
    Overlap.SKIP: QT_TRANSLATE_NOOP("settings", "Skip the new one"),
    Overlap.BUFFER_ONE: QT_TRANSLATE_NOOP("settings", "Run the latest one afterwards"),
    Overlap.BUFFER_ALL: QT_TRANSLATE_NOOP("settings", "Run all of them afterwards, in order"),
    Overlap.CANCEL_OTHER: QT_TRANSLATE_NOOP("settings", "Ask the running one to stop, then run the new one"),
    Overlap.TERMINATE_OTHER: QT_TRANSLATE_NOOP("settings", "Kill the running one, then run the new one"),
    Overlap.ALLOW_ALL: QT_TRANSLATE_NOOP("settings", "Run them side by side"),
}
CATCHUPS: dict[Catchup, object] = {
    Catchup.ONE: QT_TRANSLATE_NOOP("settings", "Run the latest one, once"),
    Catchup.NONE: QT_TRANSLATE_NOOP("settings", "Let them go"),
    Catchup.ALL: QT_TRANSLATE_NOOP("settings", "Run all of them"),
    Catchup.SPREAD: QT_TRANSLATE_NOOP("settings", "Run all of them, spread over a minute"),
}
APPEARANCES: dict[Appearance, object] = {
    Appearance.SYSTEM: QT_TRANSLATE_NOOP("settings", "As my desktop"),
    Appearance.LIGHT: QT_TRANSLATE_NOOP("settings", "Light"),
    Appearance.DARK: QT_TRANSLATE_NOOP("settings", "Dark"),
}
LANGUAGES: dict[Language, object] = {
    Language.SYSTEM: QT_TRANSLATE_NOOP("settings", "As my system"),
    **NAMES,
}
KEPT: dict[int, object] = {
    30: QT_TRANSLATE_NOOP("settings", "30 days"),
    90: QT_TRANSLATE_NOOP("settings", "90 days"),
    365: QT_TRANSLATE_NOOP("settings", "A year"),
    0: QT_TRANSLATE_NOOP("settings", "For ever"),
}
FIXERS: dict[FixerKind, object] = {
    FixerKind.OFF: QT_TRANSLATE_NOOP("settings", "Nobody"),
    FixerKind.COMMAND: QT_TRANSLATE_NOOP("settings", "A command of this computer"),
    FixerKind.SERVER: QT_TRANSLATE_NOOP("settings", "A model server"),
}
SENDS: dict[bool, object] = {
    False: QT_TRANSLATE_NOOP("settings", "At once"),
    True: QT_TRANSLATE_NOOP("settings", "After I looked at it"),
}
USES: dict[bool, object] = {
    False: QT_TRANSLATE_NOOP("settings", "After my yes"),
    True: QT_TRANSLATE_NOOP("settings", "At once, unless it must ask me"),
}


def say(words: object) -> str:
    return QCoreApplication.translate("settings", str(words))
