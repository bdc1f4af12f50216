"""Every word that a person sees can be said in their language, and is said in German."""

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

from app.keeping.preferences import Preferences, keep_preferences, read_preferences
from app.life.installation import Installation
from app.look.dressing import Look
from app.look.theme import Appearance
from app.resources import find_resource
from app.tray.menu import list_entries
from app.window.pages import PAGES, say_title
from app.window.settings import SettingsPage
from app.window.window import Window
from app.words.languages import NAMES, PREFERENCES, Language, find_language, read_language, speak
from app.words.states import RunState, say_run, say_workflow
from app.words.times import say_number, say_span, say_until
from scheduler.rules.states import WorkflowState
from tests.app.living import LIMIT, Wait, overview_of, wait
from tests.app.window.filling import few

__all__ = ["few", "wait"]

CLONE = Path(__file__).parents[3]
GERMAN = CLONE / "resources" / "translations" / "dayhand_de.ts"
COMMAND_LINE = ("app/verbs/", "app/cli.py", "app/headless.py", "app/narrator.py", "app/main.py")
"""Speaks English, as what it prints is read by scripts too."""
SHOWING = re.compile(
    r"(set(Text|PlainText|ToolTip|StatusTip|WhatsThis|WindowTitle|Title|InformativeText|DetailedText|LabelText"
    r"|PlaceholderText|AccessibleName|AccessibleDescription|Prefix|Suffix|SpecialValueText|TabText)"
    r"|Q(Label|PushButton|CheckBox|RadioButton|GroupBox|Action|MessageBox|ProgressDialog|ToolButton)"
    r"|add(Action|Menu|Item|Tab|Button|Row)|make_(button|text|section)|say|showMessage)"
)
VALUES = {"Action", "Answer", "Bar", "CardValue", "Entry", "Line", "Notice", "Problem", "Section", "Sign"}
"""What we show is often carried by one of these, as one of their words."""
WORDS = {"title", "text", "label", "words", "word", "done", "sentence", "when"}
TRANSLATING = {"tr", "translate"}
NAMES_OF_OURS = {"Dayhand"}
"""What is called the same in every language."""
FROM_TABLES = {
    "app/life/appearing.py",
    "app/words/connectors.py",
    "app/words/templates.py",
    "app/words/schedules.py",
    "app/words/states.py",
    "app/window/pages.py",
    "app/window/settings_words.py",
}
"""Look up what QT_TRANSLATE_NOOP marked."""
KEYS = re.compile(r"(Ctrl|Alt|Shift|Meta|F\d|Escape|Return|Delete)(\+.*)?")
HOLES = re.compile(r"\{\w*\}|%\d|%n")


class Entry(NamedTuple):
    context: str
    source: str
    said: str
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
    for path in sorted((CLONE / "app").rglob("*.py")):
        name = path.relative_to(CLONE).as_posix()
        if not name.startswith(COMMAND_LINE):
            yield name, ast.parse(path.read_text(encoding="utf-8"))


def calls(tree: ast.AST) -> Iterator[tuple[str, ast.Call]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            called = node.func
            yield called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", ""), node


def bare_words(node: ast.AST) -> Iterator[str]:
    """Literals in an expression that nobody translates."""
    if isinstance(node, ast.Call):
        return
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        if re.search(r"[^\W\d_]{2}", node.value) and not KEYS.fullmatch(node.value):
            yield node.value
        return
    if isinstance(node, ast.Compare | ast.Subscript):
        return
    for child in ast.iter_child_nodes(node):
        yield from bare_words(child)


@pytest.fixture
def in_german(qapp: QApplication) -> Iterator[None]:
    before = QLocale()
    installed = speak(Language.GERMAN, QLocale(QLocale.Language.English, QLocale.Country.Germany))
    yield
    for translator in installed:
        QCoreApplication.removeTranslator(translator)
    QLocale.setDefault(before)


def test_no_word_is_shown_that_cannot_be_translated() -> None:
    shown = [
        f"{name}:{call.lineno}: {word!r}"
        for name, tree in sources()
        for called, call in calls(tree)
        if called in VALUES or SHOWING.fullmatch(called)
        for argument in _shown_arguments(called, call)
        for word in bare_words(argument)
        if word not in NAMES_OF_OURS
    ]
    assert not shown, "wrap these in self.tr() or QCoreApplication.translate()"


def _shown_arguments(called: str, call: ast.Call) -> list[ast.expr]:
    """Our own values take words and identifiers; only the words count."""
    if called in VALUES:
        return [one.value for one in call.keywords if one.arg in WORDS]
    return call.args[:1] if called.startswith("make_") else call.args


def test_a_bare_word_is_found_wherever_it_hides() -> None:
    tree = ast.parse('label.setText(f"Next: {name}" if name else self.tr("Nothing") + "!?" + more["key"])')
    [(_, call), *_] = calls(tree)
    assert list(bare_words(call.args[0])) == ["Next: "]


def test_what_is_translated_is_written_out_where_the_tools_can_find_it() -> None:
    hidden = [
        f"{name}:{call.lineno}: {ast.unparse(call)}"
        for name, tree in sources()
        for called, call in calls(tree)
        if called in TRANSLATING and not (name in FROM_TABLES and called == "translate") and not _is_plain(called, call)
    ]
    assert not hidden


def _is_plain(called: str, call: ast.Call) -> bool:
    """A literal, and the context that it is looked up in when it is said: `parent.tr` would be found under another."""
    literal = all(isinstance(argument, ast.Constant) for argument in call.args)
    if called == "translate":
        return literal and len(call.args) == 2
    return literal and isinstance(call.func, ast.Attribute) and ast.unparse(call.func.value) == "self"


@pytest.fixture(scope="module")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The translations as the sources of this moment need them."""
    folder = tmp_path_factory.mktemp("translations")
    subprocess.run([CLONE / "packaging" / "translate", folder], check=True, timeout=120)
    return folder


def test_everything_is_said_in_german_and_nothing_is_left_over(fresh: Path) -> None:
    needed = {(one.context, one.source) for one in read_entries(fresh / GERMAN.name)}
    kept = read_entries(GERMAN)
    known = {(one.context, one.source) for one in kept}
    assert len(needed) > 500
    assert not needed - known, "run packaging/translate, and translate what is unfinished"
    assert not known - needed, "run packaging/translate"
    assert not [one.source for one in kept if not one.is_finished or not one.said.strip()]


def test_what_is_compiled_is_what_is_written(fresh: Path) -> None:
    assert (fresh / "dayhand_de.qm").read_bytes() == find_resource("translations/dayhand_de.qm").read_bytes()


def test_what_is_filled_in_is_the_same_in_both_languages() -> None:
    for one in read_entries(GERMAN):
        assert sorted(HOLES.findall(one.said)) == sorted(HOLES.findall(one.source)), one.source


def test_german_has_the_same_ends_and_keys() -> None:
    for one in read_entries(GERMAN):
        assert one.said.count("&") == one.source.count("&"), one
        assert one.said.endswith("…") == one.source.endswith("…"), one
        assert not one.source.endswith((".", "?")) or one.said.endswith(one.source[-1]), one
        assert (one.said[:1].isspace(), one.said[-1:].isspace()) == (
            one.source[:1].isspace(),
            one.source[-1:].isspace(),
        ), one


@pytest.mark.parametrize(
    ("chosen", "wanted", "spoken"),
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
def test_the_choice_comes_before_the_system_and_english_is_always_there(
    chosen: Language, wanted: list[str], spoken: Language
) -> None:
    assert find_language(chosen, wanted) is spoken


def test_the_choice_is_read_alone_as_it_is_kept_with_all_others(tmp_path: Path) -> None:
    assert read_language(tmp_path) is Language.SYSTEM
    keep_preferences(tmp_path, Preferences(language=Language.GERMAN, concurrency=7))
    assert read_language(tmp_path) is Language.GERMAN
    assert read_preferences(tmp_path) == Preferences(language=Language.GERMAN, concurrency=7)


@pytest.mark.parametrize("written", ["", "[]", "null", '{"language": "la"}', '{"language": 3}', '{"language": ["de"]}'])
def test_a_choice_that_makes_no_sense_is_none(tmp_path: Path, written: str) -> None:
    (tmp_path / PREFERENCES).write_text(written, encoding="utf-8")
    assert read_language(tmp_path) is Language.SYSTEM
    assert read_preferences(tmp_path).language is Language.SYSTEM


def test_every_language_has_its_own_name_and_is_a_choice() -> None:
    assert NAMES == {Language.ENGLISH: "English", Language.GERMAN: "Deutsch"}
    assert set(NAMES) == set(Language) - {Language.SYSTEM}


def test_german_holds_from_the_first_word_of_the_tray(in_german: None) -> None:
    words = [one.words for one in list_entries(None)]
    assert words == ["Dayhand startet", "", "Dayhand öffnen", "Einstellungen", "", "Beenden"]


def test_the_app_appears_in_the_language_of_its_folder(tmp_path: Path) -> None:
    keep_preferences(tmp_path, Preferences(language=Language.GERMAN))
    script = (
        "from pathlib import Path; from app.life.appearing import appear; from app.tray.menu import list_entries;"
        f"kept = appear(Path({str(tmp_path)!r})); print(list_entries(None)[0].words)"
    )
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "DBUS_SESSION_BUS_ADDRESS": "", "LC_ALL": "C.UTF-8"}
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=CLONE,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    assert done.stdout == "Dayhand startet\n"


def test_states_numbers_and_times_are_german(in_german: None) -> None:
    now = datetime(2026, 11, 16, 9, tzinfo=UTC)
    assert (say_workflow(WorkflowState.PAUSED), say_run(RunState.SKIPPED)) == ("Pausiert", "Übersprungen")
    assert say_number(1_234_567) == "1.234.567"
    assert say_span(timedelta(milliseconds=400)) == "0,4 s"
    assert say_until(now + timedelta(minutes=3), now) == "in 3 Min."
    assert say_until(now + timedelta(hours=50), now) == "in 2 Tg. 2 Std."


def test_qts_own_buttons_are_german(in_german: None) -> None:
    assert QCoreApplication.translate("QPlatformTheme", "Cancel") == "Abbrechen"


def test_english_has_numbers_as_they_are_written_at_home(qapp: QApplication) -> None:
    before = QLocale()
    try:
        assert speak(Language.ENGLISH, QLocale("de_DE")) == ()
        assert (say_number(1_234), QLocale().dayName(1)) == ("1.234", "Monday")
        assert speak(Language.ENGLISH, QLocale("en_US")) == ()
        assert say_number(1_234) == "1,234"
    finally:
        QLocale.setDefault(before)


def texts(widget: QWidget) -> list[tuple[QWidget, str]]:
    shown: list[QWidget] = [*widget.findChildren(QLabel), *widget.findChildren(QAbstractButton)]
    return [(one, one.text()) for one in shown if one.isVisible() and one.text()]  # type: ignore[attr-defined]


@pytest.fixture
def window(in_german: None, qapp: QApplication, qtbot: QtBot, few: Installation) -> Iterator[Window]:
    look = Look(qapp, Appearance.LIGHT)
    window = Window(few)
    qtbot.addWidget(window)
    window.resize(1280, 800)
    with qtbot.waitActive(window, timeout=LIMIT):
        window.come_up()
    yield window
    qapp.setStyleSheet("")
    look.deleteLater()


def test_every_page_is_german_and_nothing_on_it_is_cut_off(window: Window, few: Installation, wait: Wait) -> None:
    english = {str(entry.title) for entry in PAGES.values()}
    for name in PAGES:
        window.open_page(name)
        window.show_overview(overview_of(few))
        page = window.pages[name]
        wait(lambda page=page: texts(page))
        words = {text for _, text in texts(window)}
        assert not words & english, name
        assert say_title(name) in words or name == "attention"
        cut = [text for one, text in texts(page) if _is_cut(one)]
        assert not cut, name


def _is_cut(one: QWidget) -> bool:
    if isinstance(one, QLabel) and one.wordWrap():
        return one.heightForWidth(one.width()) > one.height()
    return one.sizeHint().width() > one.width()


def test_the_frame_speaks_german(window: Window, few: Installation, wait: Wait) -> None:
    names = [window.navigation.item(row).text() for row in range(window.navigation.count())]
    assert names == ["Heute", "Abläufe", "Zu klären", "Verlauf", "Verbindungen", "Einstellungen"]
    window.show_overview(overview_of(few))
    assert wait(window.status.text).startswith("Alles gut · Als Nächstes: ")
    assert window.navigation.sizeHintForColumn(0) <= window.navigation.viewport().width()


def test_the_settings_offer_every_language_and_keep_the_choice(window: Window, few: Installation, wait: Wait) -> None:
    window.open_page("settings")
    page = window.pages["settings"]
    assert isinstance(page, SettingsPage)
    box = page.language
    assert [box.itemText(row) for row in range(box.count())] == ["Wie mein System", "English", "Deutsch"]
    wait(lambda: page._has_read)
    box.setCurrentIndex(box.findData(Language.ENGLISH))
    box.activated.emit(box.currentIndex())
    wait(lambda: read_language(few.folder) is Language.ENGLISH)
    assert say_title("today") == "Heute", "it holds from the next start on"


def test_no_key_of_the_settings_is_taken_twice(window: Window) -> None:
    window.open_page("settings")
    found = [re.search(r"&(\w)", text) for _, text in texts(window.pages["settings"])]
    keys = [one[1].lower() for one in found if one]
    assert len(keys) > 10
    assert len(keys) == len(set(keys))
