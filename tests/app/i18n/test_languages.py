"""Every text of the interface can be translated and has a German translation."""

import ast
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree as ET

import pytest
from PySide6.QtCore import QCoreApplication, QLocale
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel, QWidget
from pytestqt.qtbot import QtBot

from app.data.preferences import Preferences, save_preferences
from app.i18n.languages import Language, install_language, load_language
from app.i18n.state_labels import RunState, run_state_label, workflow_state_label
from app.i18n.time_text import format_duration, format_number, format_time_until
from app.resources import find_resource
from app.session import Session
from app.theme.stylesheet import Theme
from app.theme.tokens import Appearance
from app.tray.menu import make_entries
from app.window.main_window import MainWindow
from app.window.navigation import PAGES, page_title
from app.window.settings.page import SettingsPage
from scheduler.rules.workflow_state import WorkflowState
from tests.app.app_fixture import LIMIT, Wait, overview_of, wait
from tests.app.window.session_fixture import few

__all__ = ["few", "wait"]

ROOT = Path(__file__).parents[3]
GERMAN = ROOT / "resources" / "translations" / "dayhand_de.ts"
COMMAND_LINE = ("app/cli/", "app/headless.py", "app/main.py")
"""Speaks English, as what it prints is read by scripts too."""
SHOWING = re.compile(
    r"(set(Text|PlainText|ToolTip|StatusTip|WhatsThis|WindowTitle|Title|InformativeText|DetailedText|LabelText"
    r"|PlaceholderText|AccessibleName|AccessibleDescription|Prefix|Suffix|SpecialValueText|TabText)"
    r"|Q(Label|PushButton|CheckBox|RadioButton|GroupBox|Action|MessageBox|ProgressDialog|ToolButton)"
    r"|add(Action|Menu|Item|Tab|Button|Row)|make_(button|text|section)|show_message|showMessage)"
)
VALUES = {
    "ActivityLine",
    "CardAction",
    "CardContent",
    "DetailSection",
    "DiffLine",
    "MenuEntry",
    "Notification",
    "OfferedAction",
    "OpenProblem",
    "PageEntry",
    "StatusSign",
    "TimelineBar",
}
"""Classes that carry shown texts in the fields listed in WORDS."""
WORDS = {"title", "text", "label", "words", "word", "done", "sentence", "when"}
TRANSLATING = {"tr", "translate"}
NAMES_OF_OURS = {"Dayhand"}
"""The same in every language."""
FROM_TABLES = {
    "app/lifecycle/early_tray.py",
    "app/i18n/connector_labels.py",
    "app/i18n/template_labels.py",
    "app/i18n/schedule_text.py",
    "app/i18n/state_labels.py",
    "app/window/navigation.py",
    "app/window/settings/labels.py",
}
"""Translate texts marked by QT_TRANSLATE_NOOP."""
SHORTCUT = re.compile(r"(Ctrl|Alt|Shift|Meta|F\d|Escape|Return|Delete)(\+.*)?")
PLACEHOLDERS = re.compile(r"\{\w*\}|%\d|%n")


class Entry(NamedTuple):
    context: str
    source: str
    translation: str
    is_finished: bool


def read_entries(path: Path) -> list[Entry]:
    return [
        Entry(
            context.findtext("name", ""),
            message.findtext("source", ""),
            message.findtext("translation", ""),
            message.find("translation[@type]") is None,
        )
        for context in ET.parse(path).getroot().iter("context")
        for message in context.iter("message")
    ]


def sources() -> Iterator[tuple[str, ast.Module]]:
    for path in sorted((ROOT / "app").rglob("*.py")):
        name = path.relative_to(ROOT).as_posix()
        if not name.startswith(COMMAND_LINE):
            yield name, ast.parse(path.read_text(encoding="utf-8"))


def calls(tree: ast.AST) -> Iterator[tuple[str, ast.Call]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            called = node.func
            yield called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", ""), node


def untranslated_literals(node: ast.AST) -> Iterator[str]:
    """Untranslated literals in an expression."""
    if isinstance(node, ast.Call):
        return
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        if re.search(r"[^\W\d_]{2}", node.value) and not SHORTCUT.fullmatch(node.value):
            yield node.value
        return
    if isinstance(node, ast.Compare | ast.Subscript):
        return
    for child in ast.iter_child_nodes(node):
        yield from untranslated_literals(child)


@pytest.fixture
def in_german(qapp: QApplication) -> Iterator[None]:
    before = QLocale()
    installed = install_language(Language.GERMAN, QLocale(QLocale.Language.English, QLocale.Country.Germany))
    yield
    for translator in installed:
        QCoreApplication.removeTranslator(translator)
    QLocale.setDefault(before)


def test_every_shown_text_is_translatable() -> None:
    shown = [
        f"{name}:{call.lineno}: {word!r}"
        for name, tree in sources()
        for called, call in calls(tree)
        if called in VALUES or SHOWING.fullmatch(called)
        for argument in _shown_arguments(called, call)
        for word in untranslated_literals(argument)
        if word not in NAMES_OF_OURS
    ]
    assert not shown, "wrap these in self.tr() or QCoreApplication.translate()"


def _shown_arguments(called: str, call: ast.Call) -> list[ast.expr]:
    """Of our own classes only the text fields count."""
    if called in VALUES:
        return [one.value for one in call.keywords if one.arg in WORDS]
    return call.args[:1] if called.startswith("make_") else call.args


def test_untranslated_literals_are_found_in_expressions() -> None:
    tree = ast.parse('label.setText(f"Next: {name}" if name else self.tr("Nothing") + "!?" + more["key"])')
    [(_, call), *_] = calls(tree)
    assert list(untranslated_literals(call.args[0])) == ["Next: "]


def test_translated_texts_are_literals_that_lupdate_finds() -> None:
    hidden = [
        f"{name}:{call.lineno}: {ast.unparse(call)}"
        for name, tree in sources()
        for called, call in calls(tree)
        if called in TRANSLATING
        and not (name in FROM_TABLES and called == "translate")
        and not _is_extractable(called, call)
    ]
    assert not hidden


def test_no_translated_text_is_within_an_f_string_where_lupdate_does_not_look() -> None:
    hidden = [
        f"{name}:{joined.lineno}: {ast.unparse(joined)}"
        for name, tree in sources()
        for joined in ast.walk(tree)
        if isinstance(joined, ast.JoinedStr) and any(called in TRANSLATING for called, _ in calls(joined))
    ]
    assert not hidden


def _is_extractable(called: str, call: ast.Call) -> bool:
    """A literal, translated in its own context: `parent.tr` would be extracted under another one."""
    literal = all(isinstance(argument, ast.Constant) for argument in call.args)
    if called == "translate":
        return literal and len(call.args) == 2
    return literal and isinstance(call.func, ast.Attribute) and ast.unparse(call.func.value) == "self"


@pytest.fixture(scope="module")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Translations extracted from the current sources."""
    folder = tmp_path_factory.mktemp("translations")
    subprocess.run([ROOT / "packaging" / "translate", folder], check=True, timeout=120)
    return folder


def test_every_text_is_translated_and_none_is_obsolete(fresh: Path) -> None:
    needed = {(one.context, one.source) for one in read_entries(fresh / GERMAN.name)}
    kept = read_entries(GERMAN)
    known = {(one.context, one.source) for one in kept}
    assert len(needed) > 500
    assert not needed - known, "run packaging/translate, and translate what is unfinished"
    assert not known - needed, "run packaging/translate"
    assert not [one.source for one in kept if not one.is_finished or not one.translation.strip()]


def test_the_compiled_translation_is_up_to_date(fresh: Path) -> None:
    assert (fresh / "dayhand_de.qm").read_bytes() == find_resource("translations/dayhand_de.qm").read_bytes()


def test_placeholders_are_the_same_in_both_languages() -> None:
    for one in read_entries(GERMAN):
        assert sorted(PLACEHOLDERS.findall(one.translation)) == sorted(PLACEHOLDERS.findall(one.source)), one.source


def test_german_has_the_same_punctuation_and_mnemonics() -> None:
    for one in read_entries(GERMAN):
        assert one.translation.count("&") == one.source.count("&"), one
        assert one.translation.endswith("…") == one.source.endswith("…"), one
        assert not one.source.endswith((".", "?")) or one.translation.endswith(one.source[-1]), one
        assert (one.translation[:1].isspace(), one.translation[-1:].isspace()) == (
            one.source[:1].isspace(),
            one.source[-1:].isspace(),
        ), one


def test_the_tray_menu_is_german_from_the_start(in_german: None) -> None:
    words = [one.text for one in make_entries(None)]
    assert words == ["Dayhand startet", "", "Dayhand öffnen", "Einstellungen", "", "Beenden"]


def test_the_app_starts_in_the_language_of_its_data_folder(tmp_path: Path) -> None:
    save_preferences(tmp_path, Preferences(language=Language.GERMAN))
    script = (
        "from pathlib import Path; from app.lifecycle.early_tray import show_tray; "
        "from app.tray.menu import make_entries;"
        f"kept = show_tray(Path({str(tmp_path)!r})); print(make_entries(None)[0].text)"
    )
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "DBUS_SESSION_BUS_ADDRESS": "", "LC_ALL": "C.UTF-8"}
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    assert done.stdout == "Dayhand startet\n"


def test_states_numbers_and_times_are_german(in_german: None) -> None:
    now = datetime(2026, 11, 16, 9, tzinfo=UTC)
    assert (workflow_state_label(WorkflowState.PAUSED), run_state_label(RunState.SKIPPED)) == (
        "Pausiert",
        "Übersprungen",
    )
    assert format_number(1_234_567) == "1.234.567"
    assert format_duration(timedelta(milliseconds=400)) == "0,4 s"
    assert format_time_until(now + timedelta(minutes=3), now) == "in 3 Min."
    assert format_time_until(now + timedelta(hours=50), now) == "in 2 Tg. 2 Std."


def test_qts_own_buttons_are_german(in_german: None) -> None:
    assert QCoreApplication.translate("QPlatformTheme", "Cancel") == "Abbrechen"


def texts(widget: QWidget) -> list[tuple[QWidget, str]]:
    shown: list[QWidget] = [*widget.findChildren(QLabel), *widget.findChildren(QAbstractButton)]
    return [(one, one.text()) for one in shown if one.isVisible() and one.text()]  # type: ignore[attr-defined]


@pytest.fixture
def window(in_german: None, qapp: QApplication, qtbot: QtBot, few: Session) -> Iterator[MainWindow]:
    look = Theme(qapp, Appearance.LIGHT)
    window = MainWindow(few)
    qtbot.addWidget(window)
    window.resize(1280, 800)
    with qtbot.waitActive(window, timeout=LIMIT):
        window.bring_to_front()
    yield window
    qapp.setStyleSheet("")
    look.deleteLater()


def test_every_page_is_german_and_not_cut_off(window: MainWindow, few: Session, wait: Wait) -> None:
    english = {str(entry.title) for entry in PAGES.values()}
    for name in PAGES:
        window.open_page(name)
        window.show_overview(overview_of(few))
        page = window.pages[name]
        wait(lambda page=page: texts(page) and not _cut_texts(page))  # once it is laid out
        words = {text for _, text in texts(window)}
        assert not words & english, name
        assert page_title(name) in words or name == "attention"


def _cut_texts(page: QWidget) -> list[str]:
    return [text for one, text in texts(page) if _is_cut(one)]


def _is_cut(one: QWidget) -> bool:
    if isinstance(one, QLabel) and one.wordWrap():
        return one.heightForWidth(one.width()) > one.height()
    return one.sizeHint().width() > one.width()


def test_navigation_and_status_line_are_german(window: MainWindow, few: Session, wait: Wait) -> None:
    names = [window.navigation.item(row).text() for row in range(window.navigation.count())]
    assert names == ["Heute", "Abläufe", "Zu klären", "Verlauf", "Verbindungen", "Einstellungen"]
    window.show_overview(overview_of(few))
    assert wait(window.status.text).startswith("Alles gut · Als Nächstes: ")
    assert window.navigation.sizeHintForColumn(0) <= window.navigation.viewport().width()


def test_the_settings_offer_every_language_and_save_the_choice(window: MainWindow, few: Session, wait: Wait) -> None:
    window.open_page("settings")
    page = window.pages["settings"]
    assert isinstance(page, SettingsPage)
    box = page.language
    assert [box.itemText(row) for row in range(box.count())] == ["Wie mein System", "English", "Deutsch"]
    wait(lambda: page._has_read)
    box.setCurrentIndex(box.findData(Language.ENGLISH))
    box.activated.emit(box.currentIndex())
    wait(lambda: load_language(few.folder) is Language.ENGLISH)
    assert page_title("today") == "Heute", "applies after a restart"


def test_mnemonics_of_the_settings_are_unique(window: MainWindow) -> None:
    window.open_page("settings")
    matches = [re.search(r"&(\w)", text) for _, text in texts(window.pages["settings"])]
    keys = [one[1].lower() for one in matches if one]
    assert len(keys) > 10
    assert len(keys) == len(set(keys))
