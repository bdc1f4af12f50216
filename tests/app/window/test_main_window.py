"""The window's frame: pages, keys, size, and the line that says how everything stands."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from PySide6.QtCore import QLocale, QMimeData, QPoint, QPointF, QSize, Qt, QUrl
from PySide6.QtGui import QAccessible, QDragEnterEvent, QDropEvent, QPixmapCache
from PySide6.QtWidgets import QAbstractButton, QApplication, QComboBox, QLabel, QScrollArea, QWidget
from pytestqt.qtbot import QtBot
from shiboken6 import isValid

from app.asking import command
from app.life.installation import Installation
from app.look.dressing import make_stylesheet
from app.look.theme import LIGHT
from app.widgets.schedule_picker import SchedulePicker
from app.window.attention import AttentionPage
from app.window.deploy_dialog import DeployDialog
from app.window.help import HelpDialog, list_page_keys
from app.window.history import HistoryPage
from app.window.pages import PAGES
from app.window.today import TodayPage
from app.window.window import Window
from app.window.workflow import WorkflowPane
from app.words.languages import Language, speak
from scheduler.engine.runs.workshop import Workshop
from scheduler.engine.workflows.views.requests import RequestView
from scheduler.store import requests
from scheduler.store.requests import RequestKind, RequestRow
from tests.app.living import Wait, deploy, overview_of
from tests.app.window.filling import few
from tests.engine.harness import START

__all__ = ["few"]


@pytest.fixture
def open_window(qtbot: QtBot) -> Callable[[Installation], Window]:
    def make(installation: Installation) -> Window:
        window = Window(installation)
        qtbot.addWidget(window)
        with qtbot.waitActive(window, timeout=60_000):
            window.come_up()
        return window

    return make


@pytest.fixture
def window(empty: Installation, open_window: Callable[[Installation], Window]) -> Window:
    made = open_window(empty)
    made.resize(1000, 700)
    return made


def press(qtbot: QtBot, widget: QWidget, key: Qt.Key) -> None:
    qtbot.keyClick(widget, key, Qt.KeyboardModifier.ControlModifier)


def test_it_opens_with_today_and_keys_lead_to_the_pages(qtbot: QtBot, window: Window) -> None:
    assert window.page is window.pages["today"]
    assert window.focusWidget() is window.navigation
    press(qtbot, window, Qt.Key.Key_3)
    assert window.page is window.pages["attention"]
    assert window.navigation.currentItem().text() == "Attention"
    press(qtbot, window, Qt.Key.Key_1)
    assert window.page is window.pages["today"]
    assert list(window.pages) == ["today", "attention"], "no page is made before it is opened"


def test_no_pictures_are_kept_while_nobody_sees_it(window: Window) -> None:
    """Qt would wake up every ten seconds to throw some of them away."""
    assert QPixmapCache.cacheLimit() > 0
    window.hide()
    assert QPixmapCache.cacheLimit() == 0
    window.come_up()
    assert QPixmapCache.cacheLimit() > 0


def test_the_navigation_names_every_page_and_leads_to_it(window: Window) -> None:
    names = [window.navigation.item(row).text() for row in range(window.navigation.count())]
    assert names == ["Today", "Workflows", "Attention", "History", "Connections", "Settings"]
    window.navigation.setCurrentRow(list(PAGES).index("attention"))
    assert window.page is window.pages["attention"]


def test_a_page_that_is_opened_before_the_first_show_leaves_the_navigation_its_room(
    qapp: QApplication, qtbot: QtBot, empty: Installation
) -> None:
    """As the menu of the tray and the buttons of notices do, while a screen reader asks where everything is."""
    qapp.setStyleSheet(make_stylesheet(LIGHT))
    QAccessible.setActive(True)  # Qt takes it so
    try:
        window = Window(empty)
        qtbot.addWidget(window)
        window.open_page("attention")
        window.come_up()
        first, second = (window.navigation.visualItemRect(window.navigation.item(row)) for row in range(2))
        assert not first.intersects(second)
    finally:
        QAccessible.setActive(False)
        qapp.setStyleSheet("")


def test_a_narrow_window_has_signs_at_its_side_that_say_their_names(window: Window) -> None:
    item = window.navigation.item(0)
    window.resize(632, 337)
    assert (item.text(), item.toolTip()) == ("", "Today")
    assert item.data(Qt.ItemDataRole.AccessibleTextRole) == "Today"
    narrow = window.navigation.width()
    window.resize(1000, 700)
    assert (item.text(), item.toolTip()) == ("Today", "")
    assert window.navigation.width() > narrow


@pytest.mark.parametrize("language", [Language.ENGLISH, Language.GERMAN])
def test_no_page_is_wider_than_a_small_screen(
    qapp: QApplication, few: Installation, open_window: Callable[[Installation], Window], wait: Wait, language: Language
) -> None:
    """1280 by 800 pixels at twice the size; lower ones than a page needs let it scroll."""
    before, spoken = QLocale(), speak(language, QLocale("en_GB"))
    qapp.setStyleSheet(make_stylesheet(LIGHT))
    try:
        window = open_window(few)
        window.resize(632, 337)
        for name in PAGES:
            window.open_page(name)
        pane = window.pages["workflows"].findChild(WorkflowPane)
        assert isinstance(pane, WorkflowPane)
        window.open_page("workflows", "chore-0")
        wait(lambda: pane.facts is not None)
        for name in PAGES:
            window.open_page(name)
            qapp.processEvents()
            areas = [area for area in window.findChildren(QScrollArea) if area.isVisible()]
            assert areas
            assert [area for area in areas if area.horizontalScrollBar().maximum()] == [], name
        assert window.width() == 632
    finally:
        qapp.setStyleSheet("")
        QLocale.setDefault(before)
        for translator in spoken:
            qapp.removeTranslator(translator)


def drop(
    window: Window,
    *paths: Path,
    allowed: Qt.DropAction = Qt.DropAction.CopyAction,
    keys: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier,
) -> QDropEvent:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    over = QDragEnterEvent(QPoint(5, 5), allowed, data, Qt.MouseButton.LeftButton, keys)
    over.ignore()
    QApplication.sendEvent(window, over)
    event = QDropEvent(QPointF(5, 5), allowed, data, Qt.MouseButton.LeftButton, keys)
    if over.isAccepted():
        QApplication.sendEvent(window, event)
    else:
        event.ignore()
    return event


def test_chores_step_back_while_it_is_in_sight(window: Window, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[bool] = []
    monkeypatch.setattr(Workshop, "step_back", lambda _, *, on: seen.append(on))
    window.hide()
    window.show()
    assert seen == [False, True]


def test_a_script_dropped_on_any_page_is_shown_before_it_is_deployed(window: Window, tmp_path: Path) -> None:
    script = tmp_path / "chore.py"
    script.write_text('import dayhand\nflow = dayhand.Workflow("Chore")\n', encoding="utf-8")
    assert window.page is window.pages["today"]
    assert drop(window, script).isAccepted()
    assert window.page is window.pages["workflows"]
    [dialog] = window.findChildren(DeployDialog)
    assert dialog.heading.text() == "chore.py"
    dialog.reject()


def test_what_is_no_single_script_is_not_taken(window: Window, tmp_path: Path) -> None:
    for names in (("photo.png",), ("a.py", "b.py"), ()):
        assert not drop(window, *(tmp_path / name for name in names)).isAccepted()
    assert window.page is window.pages["today"]


def test_a_script_that_is_dropped_stays_where_it_was(window: Window, tmp_path: Path) -> None:
    """A file manager that is told of a move deletes the file; with Shift held it proposes one."""
    move, copy = Qt.DropAction.MoveAction, Qt.DropAction.CopyAction
    event = drop(window, tmp_path / "CHORE.PY", allowed=move | copy, keys=Qt.KeyboardModifier.ShiftModifier)
    assert (event.proposedAction(), event.dropAction(), event.isAccepted()) == (move, copy, True)
    window.findChildren(DeployDialog)[0].reject()
    assert not drop(window, tmp_path / "chore.py", allowed=move).isAccepted()


def test_a_machine_that_travels_sees_its_times_by_the_new_clock_everywhere(
    empty: Installation, window: Window, wait: Wait
) -> None:
    """Not while a dialog is open: what the person does there goes on."""
    window.show_overview(overview_of(empty))
    window.open_page("history")
    old = window.pages["history"]
    window._help()
    [help_] = window.findChildren(HelpDialog)
    empty.host.ask(lambda engine: engine.follow_zone("America/New_York")).result(60)
    window.show_overview(overview_of(empty))
    assert window.page is old
    help_.accept()
    assert isinstance(window.page, HistoryPage) and window.page is not old
    assert window.page.model._zone == ZoneInfo("America/New_York")
    assert list(window.pages) == ["history"]


def test_f5_looks_again_and_ctrl_f_searches_on_the_page_in_sight(
    qtbot: QtBot, window: Window, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[str] = []
    page = window.pages["today"]
    monkeypatch.setattr(page, "refresh", lambda: done.append("refresh"))
    monkeypatch.setattr(page, "search", lambda: done.append("search"))
    qtbot.keyClick(window, Qt.Key.Key_F5)
    press(qtbot, window, Qt.Key.Key_F)
    assert done == ["refresh", "search"]


def test_a_burst_of_news_makes_the_page_look_once_and_only_while_it_is_seen(
    qtbot: QtBot, empty: Installation, window: Window, wait: Wait, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks: list[str] = []
    monkeypatch.setattr(window.pages["today"], "refresh", lambda: looks.append("look"))
    for _ in range(50):
        empty.announced.emit(None)
    wait(lambda: looks)
    assert looks == ["look"]
    window.hide()
    empty.announced.emit(None)
    assert not window._soon.isActive()


def test_it_remembers_its_size(
    qtbot: QtBot, empty: Installation, window: Window, open_window: Callable[[Installation], Window]
) -> None:
    window.resize(777, 555)
    window.close()
    assert open_window(empty).size() == QSize(777, 555)


def test_it_opens_no_larger_than_the_screen(empty: Installation, open_window: Callable[[Installation], Window]) -> None:
    window = open_window(empty)
    room = window.screen().availableSize()
    assert window.size() == window.size().boundedTo(room)
    for page in PAGES:
        window.open_page(page)
    assert window.minimumSizeHint().height() < 485, "half of 1080 less a title and a panel: every page at 200 %"


@pytest.mark.parametrize("filled", ["empty", "few"])
def test_titles_do_not_jump_from_page_to_page(
    qapp: QApplication,
    filled: str,
    open_window: Callable[[Installation], Window],
    wait: Wait,
    request: pytest.FixtureRequest,
) -> None:
    def find_title() -> QLabel | None:
        page = window.page
        labels = [] if page is None else page.findChildren(QLabel)
        return next((one for one in labels if page and one.isVisible() and one.text() == page.title), None)

    qapp.setStyleSheet(make_stylesheet(LIGHT))
    try:
        window = open_window(request.getfixturevalue(filled))
        window.resize(1000, 700)
        middles = {}
        for name in PAGES:
            window.open_page(name)
            title = wait(find_title)
            qapp.processEvents()
            middles[name] = title.mapTo(window, title.rect().center()).y()
        assert max(middles.values()) - min(middles.values()) <= 1, middles
    finally:
        qapp.setStyleSheet("")


def test_no_key_of_a_page_is_taken_by_the_field_one_searches_in(window: Window) -> None:
    """On X11 a line of text moves, deletes or marks by these."""
    taken = {f"Ctrl+{letter}" for letter in "ACDEHKUVXYZ"}
    for name in PAGES:
        window.open_page(name)
        keys = {button.shortcut().toString() for button in window.pages[name].findChildren(QAbstractButton)}
        assert not keys & taken, name


def test_closing_it_is_for_others_to_decide(qtbot: QtBot, window: Window) -> None:
    with qtbot.waitSignal(window.closing):
        window.close()
    assert window.isVisible()


def test_the_foot_says_how_everything_stands_and_a_pause_can_be_ended_there(
    empty: Installation, window: Window, wait: Wait
) -> None:
    deploy(empty, "Chore", "pass")
    command(empty, "pause", everything=True)
    window.show_overview(overview_of(empty))
    assert "Paused until you resume" in window.status.text()
    assert window.resume.isVisible()
    window.resume.click()
    wait(lambda: window.toast.sentence == "Everything goes on.")
    window.show_overview(overview_of(empty))
    assert window.status.text().startswith("All is well")
    assert not window.resume.isVisible()


def test_what_needs_the_person_is_numbered_in_the_navigation(
    installation: Installation, request_: object, open_window: Callable[[Installation], Window]
) -> None:
    window = open_window(installation)
    window.resize(1000, 700)
    window.show_overview(overview_of(installation))
    assert window.navigation.item(list(PAGES).index("attention")).text() == "Attention (1)"


def test_every_box_says_what_is_chosen_in_it(window: Window, qtbot: QtBot) -> None:
    """To a screen reader, which hears the choice itself as its name."""
    for name in PAGES:
        window.open_page(name)
    picker = SchedulePicker()
    qtbot.addWidget(picker)
    for place in (window, picker):
        labelled = {label.buddy() for label in place.findChildren(QLabel)}
        boxes = [box for box in place.findChildren(QComboBox) if box is not picker.kind]
        assert boxes and not [
            box.currentText() for box in boxes if not (box in labelled or box.accessibleDescription())
        ]


def test_help_lists_the_keys_of_the_window_and_of_the_page_in_sight(window: Window, qtbot: QtBot) -> None:
    window.open_page("workflows")
    dialog = HelpDialog(window, window.page, "Workflows")
    qtbot.addWidget(dialog)
    said = {label.text() for label in dialog.findChildren(QLabel)}
    assert {"Today", "Ctrl+1", "Search", "Ctrl+F", "Help", "F1"} <= said
    listed = dict(list_page_keys(window.page))  # type: ignore[arg-type]
    assert listed, "the page has keys of its own"
    assert set(listed) | set(listed.values()) <= said


def test_help_lists_the_keys_of_cards_and_of_the_timeline(
    qtbot: QtBot,
    installation: Installation,
    request_: object,
    open_window: Callable[[Installation], Window],
    wait: Wait,
) -> None:
    window = open_window(installation)
    window.show_overview(overview_of(installation))
    today = window.pages["today"]
    assert isinstance(today, TodayPage)
    wait(lambda: today.day is not None and today.cards.cards)
    listed = dict(list_page_keys(today))
    assert (listed["Approve"], listed["Reject"]) == ("Ctrl+Return", "Ctrl+Backspace")
    assert listed["Timeline: from run to run"] == "Left, Right, Up, Down"
    window.open_page("settings")
    assert not dict(list_page_keys(today)), "what cannot be seen has no keys"


def test_f1_and_the_foot_lead_to_help(window: Window, qtbot: QtBot) -> None:
    qtbot.keyClick(window, Qt.Key.Key_F1)
    [by_key] = window.findChildren(HelpDialog)
    by_key.accept()
    window.help.click()
    assert len(window.findChildren(HelpDialog)) == 2


def test_tab_goes_as_one_reads(
    qtbot: QtBot,
    installation: Installation,
    request_: object,
    open_window: Callable[[Installation], Window],
    wait: Wait,
) -> None:
    """The side, then what needs the person, though it was made last, the day, and Help at the end."""
    window = open_window(installation)
    window.show_overview(overview_of(installation))
    today = window.pages["today"]
    assert isinstance(today, TodayPage)
    wait(lambda: today.day is not None and today.cards.cards)
    window.navigation.setFocus()
    seen: list[QWidget] = []
    while (one := QApplication.focusWidget()) is not None and one not in seen:
        seen.append(one)
        window.focusNextChild()
    card = next(iter(today.cards.cards.values()))
    wanted = [window.navigation, card, card.buttons["approve"], today.timeline, window.help]
    assert [one for one in seen if one in wanted] == wanted
    assert seen[-1] is window.help


def test_a_card_that_goes_leaves_the_next_its_buttons(
    installation: Installation,
    request_: RequestView,
    open_window: Callable[[Installation], Window],
    wait: Wait,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Focus goes on when the button that has it cannot be pressed any more. What Python was told of the way there
    (`nextInFocusChain`) belongs to the widget that it was asked of, and is lost with it."""
    monkeypatch.setattr("app.window.cards.LINGER", 0)
    with installation.database.write() as db:
        requests.put(db, RequestRow("later", RequestKind.APPROVAL, request_.workflow, "later", "May I?", START))
    window = open_window(installation)
    window.open_page("attention")
    page = window.pages["attention"]
    assert isinstance(page, AttentionPage)
    overview = overview_of(installation)
    window.show_overview(overview)
    first, second = page.cards.cards[request_.id], page.cards.cards["later"]
    first.buttons["approve"].setFocus()
    first.set_busy(busy=True)
    window.show_overview(replace(overview, requests=tuple(one for one in overview.requests if one.id == "later")))
    wait(lambda: not isValid(first))
    second.buttons["approve"].hide()
    second.buttons["approve"].show()
    wait(lambda: second.buttons["approve"].geometry().bottom() < second.height())
