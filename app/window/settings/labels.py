"""Labels of the choices in the settings."""

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication

from app.i18n.languages import LANGUAGE_NAMES, Language
from app.i18n.translate import translate_text
from app.theme.tokens import Appearance
from scheduler.engine.fixer_config import FixerKind
from scheduler.timing.durations import describe_duration
from scheduler.timing.jitter import parse_jitter
from scheduler.timing.policies import Catchup, Overlap

OVERLAPS: dict[Overlap, object] = {
    Overlap.SKIP: QT_TRANSLATE_NOOP("settings", "Skip the new run"),
    Overlap.BUFFER_ONE: QT_TRANSLATE_NOOP("settings", "Start the latest one afterwards"),
    Overlap.BUFFER_ALL: QT_TRANSLATE_NOOP("settings", "Start all of them afterwards, in order"),
    Overlap.CANCEL_OTHER: QT_TRANSLATE_NOOP("settings", "Ask the running one to stop, then start the new one"),
    Overlap.TERMINATE_OTHER: QT_TRANSLATE_NOOP("settings", "Kill the running one, then start the new one"),
    Overlap.ALLOW_ALL: QT_TRANSLATE_NOOP("settings", "Run them in parallel"),
}
PRODUCER_OVERLAPS: dict[Overlap, object] = {
    Overlap.BUFFER_ONE: OVERLAPS[Overlap.BUFFER_ONE],
    Overlap.SKIP: OVERLAPS[Overlap.SKIP],
    Overlap.BUFFER_ALL: OVERLAPS[Overlap.BUFFER_ALL],
    Overlap.CANCEL_OTHER: OVERLAPS[Overlap.CANCEL_OTHER],
    Overlap.TERMINATE_OTHER: OVERLAPS[Overlap.TERMINATE_OTHER],
}
"""Producers keep state, so they cannot run in parallel."""
JITTERS: dict[str, object] = {
    "0s": QT_TRANSLATE_NOOP("settings", "No, start exactly on time"),
    "+30s": QT_TRANSLATE_NOOP("settings", "By up to 30 seconds later"),
    "+1m": QT_TRANSLATE_NOOP("settings", "By up to 1 minute later"),
    "+5m": QT_TRANSLATE_NOOP("settings", "By up to 5 minutes later"),
    "+15m": QT_TRANSLATE_NOOP("settings", "By up to 15 minutes later"),
}
LOOKAHEADS: dict[str, object] = {
    "1m": QT_TRANSLATE_NOOP("settings", "1 minute"),
    "5m": QT_TRANSLATE_NOOP("settings", "5 minutes"),
    "15m": QT_TRANSLATE_NOOP("settings", "15 minutes"),
    "1h": QT_TRANSLATE_NOOP("settings", "1 hour"),
}
CATCHUPS: dict[Catchup, object] = {
    Catchup.ONE: QT_TRANSLATE_NOOP("settings", "Run the latest one"),
    Catchup.NONE: QT_TRANSLATE_NOOP("settings", "Skip them"),
    Catchup.ALL: QT_TRANSLATE_NOOP("settings", "Run all of them"),
    Catchup.SPREAD: QT_TRANSLATE_NOOP("settings", "Run all of them, spread over some time"),
}
APPEARANCES: dict[Appearance, object] = {
    Appearance.SYSTEM: QT_TRANSLATE_NOOP("settings", "Same as desktop"),
    Appearance.LIGHT: QT_TRANSLATE_NOOP("settings", "Light"),
    Appearance.DARK: QT_TRANSLATE_NOOP("settings", "Dark"),
}
LANGUAGES: dict[Language, object] = {
    Language.SYSTEM: QT_TRANSLATE_NOOP("settings", "Same as system"),
    **LANGUAGE_NAMES,
}
HISTORY_AGES: dict[int, object] = {
    30: QT_TRANSLATE_NOOP("settings", "30 days"),
    90: QT_TRANSLATE_NOOP("settings", "90 days"),
    365: QT_TRANSLATE_NOOP("settings", "1 year"),
    0: QT_TRANSLATE_NOOP("settings", "Forever"),
}
FIXERS: dict[FixerKind, object] = {
    FixerKind.OFF: QT_TRANSLATE_NOOP("settings", "Off"),
    FixerKind.COMMAND: QT_TRANSLATE_NOOP("settings", "A command on this computer"),
    FixerKind.SERVER: QT_TRANSLATE_NOOP("settings", "A model server"),
}
SEND_CHOICES: dict[bool, object] = {
    False: QT_TRANSLATE_NOOP("settings", "Immediately"),
    True: QT_TRANSLATE_NOOP("settings", "After I review it"),
}
APPLY_CHOICES: dict[bool, object] = {
    False: QT_TRANSLATE_NOOP("settings", "Only after I approve"),
    True: QT_TRANSLATE_NOOP("settings", "Immediately, unless it needs my approval"),
}


def label_text(words: object) -> str:
    return QCoreApplication.translate("settings", str(words))


def describe_jitter(written: str) -> str:
    """A jitter that is not among the choices."""
    jitter = parse_jitter(written)
    assert jitter is not None
    length = translate_text(describe_duration(jitter.max_shift))
    if jitter.only_later:
        return label_text(QT_TRANSLATE_NOOP("settings", "By up to {length} later")).format(length=length)
    return label_text(QT_TRANSLATE_NOOP("settings", "By up to {length} earlier or later")).format(length=length)
