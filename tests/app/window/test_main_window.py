"""The main window: pages, shortcuts, size, dropped files, help and the status line."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from PySide6.QtCore import QLocale, QMimeData, QPoint, QPointF, QSize, Qt, QUrl
from PySide6.QtGui import QAccessible, QDragEnterEvent, QDropEvent, QFont, QKeySequence, QPixmapCache
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QComboBox,
    QLabel,
    QLineEdit,
    QPushButton,
    QScrollArea,
    QWidget,
)
from pytestqt.qtbot import QtBot
from shiboken6 import isValid

from app.background import run_command
from app.i18n.languages import Language, install_language
from app.overview import Overview
from app.session import Session
from app.theme.stylesheet import make_stylesheet
from app.theme.tokens import LIGHT, Tone
from app.widgets.schedule_picker import SchedulePicker
from app.window.attention.page import AttentionPage
from app.window.help import HelpDialog, list_page_shortcuts
from app.window.history.page import HistoryPage
from app.window.import_jobs.dialog import ImportJobsDialog
from app.window.main_window import MainWindow
from app.window.navigation import PAGES
from app.window.new_workflow.deploy_dialog import DeployDialog
from app.window.new_workflow.new_dialog import NewWorkflowDialog
from app.window.today.page import TodayPage
from app.window.workflows.page import WorkflowsPage
from scheduler.engine.queries.requests import RequestView
from scheduler.engine.runs.script_workers import ScriptWorkers
from scheduler.rules.requests import RequestKind
from scheduler.store import requests
from scheduler.store.requests import RequestRow
from tests.app.app_fixture import Wait, deploy, overview_of
from tests.app.window.request_samples import make_approval, make_failure, make_mail, make_overview, make_request
from tests.app.window.session_fixture import few
from tests.engine.engine_fixture import START

__all__ = ["few"]


@pytest.fixture
def open_window(qtbot: QtBot) -> Callable[[Session], MainWindow]:
    def make(installation: Session) -> MainWindow:
        window = MainWindow(installation)
        qtbot.addWidget(window)
        with qtbot.waitActive(window, timeout=60_000):
            window.bring_to_front()
        return window

    return make


@pytest.fixture
def window(empty: Session, open_window: Callable[[Session], MainWindow]) -> MainWindow:
    made = open_window(empty)
    made.resize(1000, 700)
    return made


def press(qtbot: QtBot, widget: QWidget, key: Qt.Key) -> None:
    qtbot.keyClick(widget, key, Qt.KeyboardModifier.ControlModifier)


def test_it_opens_today_and_shortcuts_open_the_pages(qtbot: QtBot, window: MainWindow) -> None:
    assert window.page is window.pages["today"]
    assert window.focusWidget() is window.navigation
    press(qtbot, window, Qt.Key.Key_3)
    assert window.page is window.pages["attention"]
    assert window.navigation.currentItem().text() == "Attention"
    press(qtbot, window, Qt.Key.Key_1)
    assert window.page is window.pages["today"]
    assert list(window.pages) == ["today", "attention"], "no page is created before it is opened"


def test_the_pixmap_cache_is_off_while_the_window_is_hidden(window: MainWindow) -> None:
    """Qt would wake up every ten seconds to evict from it."""
    assert QPixmapCache.cacheLimit() > 0
    window.hide()
    assert QPixmapCache.cacheLimit() == 0
    window.bring_to_front()
    assert QPixmapCache.cacheLimit() > 0


def test_the_navigation_lists_every_page_and_opens_it(window: MainWindow) -> None:
    names = [window.navigation.item(row).text() for row in range(window.navigation.count())]
    assert names == ["Today", "Workflows", "Attention", "History", "Connections", "Settings"]
    window.navigation.setCurrentRow(list(PAGES).index("attention"))
    assert window.page is window.pages["attention"]


def test_opening_a_page_before_the_first_show_does_not_break_the_navigation_layout(
    qapp: QApplication, qtbot: QtBot, empty: Session
) -> None:
    """As the tray menu and notification buttons do, while a screen reader asks for the layout."""
    qapp.setStyleSheet(make_stylesheet(LIGHT))
    QAccessible.setActive(True)
    try:
        window = MainWindow(empty)
        qtbot.addWidget(window)
        window.open_page("attention")
        window.bring_to_front()
        first, second = (window.navigation.visualItemRect(window.navigation.item(row)) for row in range(2))
        assert not first.intersects(second)
    finally:
        QAccessible.setActive(False)
        qapp.setStyleSheet("")


def test_a_narrow_window_shows_icons_with_tooltips_in_the_navigation(window: MainWindow) -> None:
    item = window.navigation.item(0)
    window.resize(632, 337)
    assert (item.text(), item.toolTip()) == ("", "Today")
    assert item.data(Qt.ItemDataRole.AccessibleTextRole) == "Today"
    narrow = window.navigation.width()
    window.resize(1000, 700)
    assert (item.text(), item.toolTip()) == ("Today", "")
    assert window.navigation.width() > narrow


@pytest.mark.parametrize("text_size", [1, 2])
@pytest.mark.parametrize(("is_narrow", "shown"), [(True, "9+"), (False, "Attention (300)")])
def test_titles_and_the_number_of_requests_are_not_cut(
    qapp: QApplication, window: MainWindow, *, text_size: int, is_narrow: bool, shown: str
) -> None:
    navigation = window.navigation
    font = QFont(navigation.font())
    font.setPointSizeF(text_size * font.pointSizeF())
    navigation.setFont(font)
    for number in (0, 7, 300):
        navigation.show_titles(attention=number, is_narrow=is_narrow)
        qapp.processEvents()
        assert navigation.sizeHintForColumn(0) <= navigation.viewport().width()
    assert navigation.item(2).text() == shown


@pytest.mark.parametrize("name", ["today", "attention", "settings"])
def test_a_page_fits_into_a_narrow_window(
    name: str, installation: Session, request_: RequestView, open_window: Callable[[Session], MainWindow], wait: Wait
) -> None:
    """Nothing scrolls sideways."""
    window = open_window(installation)
    window.show_overview(overview_of(installation))
    window.resize(480, 700)
    window.open_page(name)
    page = window.pages[name]
    if isinstance(page, TodayPage):
        wait(lambda: bool(page.activity.lines))
    wait(lambda: page.width() <= window._scroll_area.viewport().width())
    areas = [one for one in page.findChildren(QScrollArea) if one.isVisible()]
    wait(lambda: all(one.horizontalScrollBar().maximum() == 0 for one in areas))
    assert areas


@pytest.mark.parametrize("language", [Language.ENGLISH, Language.GERMAN])
def test_no_page_is_wider_than_a_small_screen(
    qapp: QApplication, few: Session, open_window: Callable[[Session], MainWindow], wait: Wait, language: Language
) -> None:
    """1280 by 800 pixels at 200 % scale. Pages may scroll vertically."""
    before, spoken = QLocale(), install_language(language, QLocale("en_GB"))
    qapp.setStyleSheet(make_stylesheet(LIGHT))
    try:
        window = open_window(few)
        window.resize(632, 337)
        for name in PAGES:
            window.open_page(name)
        workflows = window.pages["workflows"]
        assert isinstance(workflows, WorkflowsPage)
        pane = workflows.pane
        window.open_page("workflows", "chore-0")
        wait(lambda: pane.data is not None)
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


def test_no_page_scrolls_sideways_at_twice_the_text_size(
    qapp: QApplication, few: Session, open_window: Callable[[Session], MainWindow], wait: Wait
) -> None:
    """In German, whose words are longer, in half of a screen."""
    before, spoken, font = QLocale(), install_language(Language.GERMAN, QLocale("de_DE")), qapp.font()
    large = QFont(font)
    large.setPointSizeF(2 * font.pointSizeF())
    qapp.setFont(large)
    qapp.setStyleSheet(make_stylesheet(LIGHT))
    try:
        window = open_window(few)
        window.resize(640, 600)
        window.open_page("workflows", "chore-0")
        workflows = window.pages["workflows"]
        assert isinstance(workflows, WorkflowsPage)
        pane = workflows.pane
        wait(lambda: pane.data is not None)
        shown = [("workflows", place) for place in range(pane.tabs.count())]
        for name, tab in (*shown, *((name, 0) for name in PAGES)):
            window.open_page(name, "chore-0" if name == "workflows" else "")
            pane.tabs.setCurrentIndex(tab)
            wait(lambda: not is_scrolling_sideways(window))
    finally:
        qapp.setFont(font)
        qapp.setStyleSheet("")
        QLocale.setDefault(before)
        for translator in spoken:
            qapp.removeTranslator(translator)


def is_scrolling_sideways(window: MainWindow) -> bool:
    areas = [area for area in window.findChildren(QScrollArea) if area.isVisible()]
    assert areas
    return any(area.horizontalScrollBar().maximum() for area in areas)


def drop(
    window: MainWindow,
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


def test_workers_lower_their_priority_while_the_window_is_visible(
    window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[bool] = []
    monkeypatch.setattr(ScriptWorkers, "lower_priority", lambda _, *, on: seen.append(on))
    window.hide()
    window.show()
    assert seen == [False, True]


def test_a_script_dropped_on_any_page_opens_the_add_dialog(window: MainWindow, tmp_path: Path) -> None:
    script = tmp_path / "chore.py"
    script.write_text('import dayhand\nflow = dayhand.Workflow("Chore")\n', encoding="utf-8")
    assert window.page is window.pages["today"]
    assert drop(window, script).isAccepted()
    assert window.page is window.pages["workflows"]
    [dialog] = window.findChildren(DeployDialog)
    assert dialog.heading.text() == "chore.py"
    dialog.reject()


def test_only_a_single_script_can_be_dropped(window: MainWindow, tmp_path: Path) -> None:
    for names in (("photo.png",), ("a.py", "b.py"), ()):
        assert not drop(window, *(tmp_path / name for name in names)).isAccepted()
    assert window.page is window.pages["today"]


def test_a_dropped_script_is_copied_not_moved(window: MainWindow, tmp_path: Path) -> None:
    """After a move, which Shift proposes, the file manager would delete the file."""
    move, copy = Qt.DropAction.MoveAction, Qt.DropAction.CopyAction
    event = drop(window, tmp_path / "CHORE.PY", allowed=move | copy, keys=Qt.KeyboardModifier.ShiftModifier)
    assert (event.proposedAction(), event.dropAction(), event.isAccepted()) == (move, copy, True)
    window.findChildren(DeployDialog)[0].reject()
    assert not drop(window, tmp_path / "chore.py", allowed=move).isAccepted()


def test_a_new_time_zone_recreates_the_pages(empty: Session, window: MainWindow, wait: Wait) -> None:
    """But not while a dialog is open."""
    window.show_overview(overview_of(empty))
    window.open_page("history")
    old = window.pages["history"]
    window._help()
    [help_] = window.findChildren(HelpDialog)
    empty.engine_thread.submit(lambda engine: engine.change_zone("America/New_York")).result(60)
    window.show_overview(overview_of(empty))
    assert window.page is old
    help_.accept()
    assert isinstance(window.page, HistoryPage) and window.page is not old
    assert window.page.model._zone == ZoneInfo("America/New_York")
    assert list(window.pages) == ["history"]


def test_f5_refreshes_and_ctrl_f_searches_the_current_page(
    qtbot: QtBot, window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[str] = []
    page = window.pages["today"]
    monkeypatch.setattr(page, "refresh", lambda: done.append("refresh"))
    monkeypatch.setattr(page, "search", lambda: done.append("search"))
    qtbot.keyClick(window, Qt.Key.Key_F5)
    press(qtbot, window, Qt.Key.Key_F)
    assert done == ["refresh", "search"]


def test_a_burst_of_changes_refreshes_the_page_once_and_only_while_visible(
    qtbot: QtBot, empty: Session, window: MainWindow, wait: Wait, monkeypatch: pytest.MonkeyPatch
) -> None:
    refreshes: list[str] = []
    monkeypatch.setattr(window.pages["today"], "refresh", lambda: refreshes.append("refresh"))
    for _ in range(50):
        empty.announced.emit(None)
    wait(lambda: refreshes)
    assert refreshes == ["refresh"]
    window.hide()
    empty.announced.emit(None)
    assert not window._refresh_timer.isActive()


def test_it_remembers_its_size(
    qtbot: QtBot, empty: Session, window: MainWindow, open_window: Callable[[Session], MainWindow]
) -> None:
    window.resize(777, 555)
    window.close()
    assert open_window(empty).size() == QSize(777, 555)


def test_it_opens_no_larger_than_the_screen(empty: Session, open_window: Callable[[Session], MainWindow]) -> None:
    window = open_window(empty)
    room = window.screen().availableSize()
    assert window.size() == window.size().boundedTo(room)
    for page in PAGES:
        window.open_page(page)
    assert window.minimumSizeHint().height() < 485, (
        "half of 1080 less a title bar and a panel: every page fits at 200 %"
    )


def test_it_can_be_as_small_as_a_small_screen_at_twice_the_scale(
    empty: Session, open_window: Callable[[Session], MainWindow], monkeypatch: pytest.MonkeyPatch
) -> None:
    room = QSize(392, 252)
    monkeypatch.setattr("app.window.main_window.find_room", lambda _: room)
    assert open_window(empty).minimumSize() == room


@pytest.mark.parametrize("filled", ["empty", "few"])
def test_titles_stay_in_place_from_page_to_page(
    qapp: QApplication,
    filled: str,
    open_window: Callable[[Session], MainWindow],
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


def test_no_shortcut_of_a_page_is_used_by_text_fields(window: MainWindow) -> None:
    """On X11 a text field uses these to move, delete or select."""
    taken = {f"Ctrl+{letter}" for letter in "ACDEHKUVXYZ"}
    for name in PAGES:
        window.open_page(name)
        keys = {button.shortcut().toString() for button in window.pages[name].findChildren(QAbstractButton)}
        assert not keys & taken, name


def test_closing_emits_a_signal_and_keeps_the_window_open(qtbot: QtBot, window: MainWindow) -> None:
    with qtbot.waitSignal(window.close_requested):
        window.close()
    assert window.isVisible()


def test_the_status_line_shows_the_state_and_offers_to_resume(empty: Session, window: MainWindow, wait: Wait) -> None:
    deploy(empty, "Chore", "pass")
    run_command(empty, "pause", everything=True)
    window.show_overview(overview_of(empty))
    assert "Everything is paused until you resume" in window.status.text()
    assert window.pause_banner.resume_button.isVisible()
    window.pause_banner.resume_button.click()
    wait(lambda: window.snackbar.sentence == "Everything resumed.")
    window.show_overview(overview_of(empty))
    assert window.status.text().startswith("All is well")
    assert not window.pause_banner.resume_button.isVisible()


def test_a_banner_says_on_every_page_until_when_everything_is_paused(window: MainWindow) -> None:
    shown = Overview(now=START, zone=ZoneInfo("UTC"), paused_until=START + timedelta(hours=8, minutes=30))
    window.show_overview(shown)
    for name in PAGES:
        window.open_page(name)
        assert window.pause_banner.isVisible(), name
        assert window.pause_banner.label.text() == "Everything is paused until 18:30"
    window.show_overview(replace(shown, now=START + timedelta(hours=9)))
    assert not window.pause_banner.isVisible()


def test_the_navigation_shows_the_number_of_open_requests(
    installation: Session, request_: object, open_window: Callable[[Session], MainWindow]
) -> None:
    window = open_window(installation)
    window.resize(1000, 700)
    window.show_overview(overview_of(installation))
    assert window.navigation.item(list(PAGES).index("attention")).text() == "Attention (1)"


def test_every_combo_box_has_a_label_or_description(window: MainWindow, qtbot: QtBot) -> None:
    """Screen readers use the choice itself as the name of a box."""
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


def test_help_lists_the_shortcuts_of_the_window_and_the_current_page(window: MainWindow, qtbot: QtBot) -> None:
    window.open_page("workflows")
    dialog = HelpDialog(window, window.page, "Workflows")
    qtbot.addWidget(dialog)
    texts = {label.text() for label in dialog.findChildren(QLabel)}
    assert {"Today", "Ctrl+1", "Search", "Ctrl+F", "Help", "F1"} <= texts
    listed = dict(list_page_shortcuts(window.page))  # type: ignore[arg-type]
    assert listed, "the page has shortcuts of its own"
    assert set(listed) | set(listed.values()) <= texts


def test_help_lists_the_shortcuts_of_cards_and_the_timeline(
    qtbot: QtBot,
    installation: Session,
    request_: object,
    open_window: Callable[[Session], MainWindow],
    wait: Wait,
) -> None:
    window = open_window(installation)
    window.show_overview(overview_of(installation))
    today = window.pages["today"]
    assert isinstance(today, TodayPage)
    wait(lambda: today.day is not None and today.cards.cards)
    listed = dict(list_page_shortcuts(today))
    assert (listed["Approve"], listed["Reject…"]) == ("Ctrl+Return", "Ctrl+Backspace")
    assert listed["Timeline: move between runs"] == "Left, Right, Up, Down"
    window.open_page("settings")
    assert not dict(list_page_shortcuts(today)), "a hidden page has no shortcuts"


def test_f1_and_the_help_button_open_help(window: MainWindow, qtbot: QtBot) -> None:
    qtbot.keyClick(window, Qt.Key.Key_F1)
    [by_key] = window.findChildren(HelpDialog)
    by_key.accept()
    window.help_button.click()
    assert len(window.findChildren(HelpDialog)) == 2


def test_tab_follows_the_visual_order(
    qtbot: QtBot,
    installation: Session,
    request_: object,
    open_window: Callable[[Session], MainWindow],
    wait: Wait,
) -> None:
    """Navigation, then the requests, though created last, the timeline, and Help at the end."""
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
    expected = [window.navigation, card, card.buttons["approve"], today.timeline, window.help_button]
    assert [one for one in seen if one in expected] == expected
    assert seen[-1] is window.help_button


def test_tab_leads_past_a_question_and_back_to_its_start(
    window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A form is filled in on the way, and a panel with a field is opened and closed."""
    questions = [{"name": "folder", "text": "Which folder?", "kind": "text", "choices": []}]
    asked = make_request(1, RequestKind.QUESTION, "letters", questions=questions)
    overview = make_overview([asked, make_approval(2)])
    monkeypatch.setattr("app.window.attention.page.load_overview", lambda _: overview)
    window.open_page("attention")
    window.show_overview(overview)
    card = window.page.cards.cards[asked.id]  # type: ignore[union-attr]
    qtbot.waitUntil(card.isVisible)
    qtbot.keyClick(card.buttons["reject"], Qt.Key.Key_Space)
    assert card.panel is not None
    qtbot.keyClick(card.panel.form.inputs["reason"], Qt.Key.Key_Escape)
    card.setFocus()
    reached = []
    for _ in range(40):
        reached.append(window.focusWidget())
        window.focusNextPrevChild(True)  # noqa: FBT003  # Qt's
    assert {window.navigation, window.help_button, card, *card.buttons.values()} <= set(reached)
    assert card.forms["answer"].inputs["folder"] in reached and reached[1:].count(card) >= 1


def test_a_removed_card_does_not_affect_the_buttons_of_the_next(
    installation: Session,
    request_: RequestView,
    open_window: Callable[[Session], MainWindow],
    wait: Wait,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The focus moves on when the focused button is disabled. A wrapper that `nextInFocusChain` returned belongs to the
    widget it was called on, and is deleted with it."""
    monkeypatch.setattr("app.window.request_cards.ANSWERED_CARD_MS", 0)
    with installation._runtime.database.write() as db:
        requests.add(db, RequestRow("later", RequestKind.APPROVAL, request_.workflow, "later", "May I?", START))
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


def test_a_status_line_that_does_not_fit_ends_in_dots_and_its_tooltip_shows_all(window: MainWindow) -> None:
    window.resize(window.minimumSize())
    window.status.setText("A long sentence about what needs attention. " * 4)
    QApplication.processEvents()
    window.status.grab()
    assert window.status.shown_text.endswith("…")
    assert window.status.toolTip() == window.status.text()
    window.status.setText("All is well")
    window.status.grab()
    assert (window.status.shown_text, window.status.toolTip()) == ("All is well", "")


def test_the_focus_moves_to_the_navigation_when_its_page_is_left(window: MainWindow) -> None:
    """Else it would jump to the help button in the corner."""
    window.open_page("history")
    page = window.pages["history"]
    assert isinstance(page, HistoryPage)
    page.filters.setVisible(True)
    page.filters.search_field.setFocus()
    window.open_page("settings")
    assert window.focusWidget() is window.navigation


def test_a_message_is_above_the_status_line(window: MainWindow) -> None:
    window.show_message("Everything resumed.")
    bottom = window.snackbar.mapTo(window, window.snackbar.rect().bottomLeft()).y()
    assert bottom < window.status.mapTo(window, window.status.rect().topLeft()).y()


def click_navigation(qtbot: QtBot, window: MainWindow, name: str) -> None:
    item = window.navigation.item(list(PAGES).index(name))
    at = window.navigation.visualItemRect(item).center()
    qtbot.mouseClick(window.navigation.viewport(), Qt.MouseButton.LeftButton, pos=at)


def test_workflows_in_the_navigation_shows_the_list_not_the_workflow_that_was_open(
    qtbot: QtBot, few: Session, open_window: Callable[[Session], MainWindow]
) -> None:
    window = open_window(few)
    window.open_page("workflows", "chore-0")
    page = window.pages["workflows"]
    assert isinstance(page, WorkflowsPage) and page.pane.isVisible()
    click_navigation(qtbot, window, "workflows")
    assert page.list.isVisible() or not page.pane.isVisible()
    window.open_page("workflows", "chore-0")
    click_navigation(qtbot, window, "today")
    click_navigation(qtbot, window, "workflows")
    assert not page.pane.isVisible()


def test_the_shortcut_of_a_page_moves_the_focus_into_it(
    qtbot: QtBot, few: Session, open_window: Callable[[Session], MainWindow], wait: Wait
) -> None:
    window = open_window(few)
    for name in PAGES:
        window.open_page(name)
    workflows, today = window.pages["workflows"], window.pages["today"]
    assert isinstance(workflows, WorkflowsPage) and isinstance(today, TodayPage)
    window.open_page("workflows")
    wait(workflows.model.rowCount)
    window.open_page("today")
    wait(today.timeline.isVisible)
    for number, name in enumerate(PAGES, start=1):
        window.help_button.setFocus()
        qtbot.keyClick(window, Qt.Key(Qt.Key.Key_0 + number), Qt.KeyboardModifier.ControlModifier)
        focused = window.focusWidget()
        assert focused is not window.help_button, name
        assert window.page is window.pages[name]
        page = window.pages[name]
        assert focused is not None and (page is focused or page.isAncestorOf(focused)), name
    window.open_page("today")
    qtbot.keyClick(window, Qt.Key.Key_2, Qt.KeyboardModifier.ControlModifier)
    assert workflows.list.hasFocus() and workflows.selected_row() is not None


@pytest.mark.parametrize("name", list(PAGES))
def test_the_shortcut_of_a_page_without_content_moves_the_focus_into_it(
    qtbot: QtBot, window: MainWindow, name: str
) -> None:
    window.help_button.setFocus()
    press(qtbot, window, Qt.Key(Qt.Key.Key_1 + list(PAGES).index(name)))
    page, focused = window.pages[name], window.focusWidget()
    assert focused is not None and (page is focused or page.isAncestorOf(focused))
    assert focused is not page or page.accessibleName() == page.title


@pytest.mark.parametrize("name", list(PAGES))
def test_after_resume_the_focus_is_in_the_page(window: MainWindow, empty: Session, name: str) -> None:
    """The button that was pressed is gone."""
    window.open_page(name)
    overview = overview_of(empty)
    window.show_overview(replace(overview, paused_until=overview.now + timedelta(hours=1)))
    window.pause_banner.resume_button.setFocus()
    window.show_overview(overview)
    page, focused = window.pages[name], window.focusWidget()
    assert focused is not None and (page is focused or page.isAncestorOf(focused))


@pytest.mark.parametrize("name", ["today", "attention"])
def test_after_the_last_answer_the_focus_is_in_the_page(
    installation: Session,
    request_: RequestView,
    open_window: Callable[[Session], MainWindow],
    wait: Wait,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
) -> None:
    monkeypatch.setattr("app.window.request_cards.ANSWERED_CARD_MS", 1)
    window = open_window(installation)
    window.open_page(name)
    page = window.pages[name]
    assert isinstance(page, AttentionPage | TodayPage)
    card = wait(lambda: page.cards.cards.get(request_.id))
    wait(card.isVisible)
    card.setFocus()
    card.trigger_action("approve")
    wait(lambda: not page.cards.cards)
    wait(lambda: not installation.queries.attention())
    window.show_overview(overview_of(installation))
    focused = window.focusWidget()
    assert focused is not None and (page is focused or page.isAncestorOf(focused))


@pytest.fixture
def crowded(empty: Session, monkeypatch: pytest.MonkeyPatch) -> Overview:
    """Many groups of requests, more than fit into the window. The engine does not know them."""
    jobs = [make_failure(number, f"job-{number}") for number in range(10, 20)]
    overview = make_overview([*jobs, *(make_mail(number) for number in range(3))], empty.registry)
    monkeypatch.setattr("app.window.attention.page.load_overview", lambda _: overview)
    return overview


def is_seen(widget: QWidget) -> bool:
    return not widget.visibleRegion().isEmpty()


def test_back_from_a_log_returns_to_the_same_place(window: MainWindow, crowded: Overview, wait: Wait) -> None:
    window.show_overview(crowded)
    window.open_page("attention")
    page = window.pages["attention"]
    assert isinstance(page, AttentionPage) and not window.back_bar.isVisible()
    entry = wait(lambda: list(page.cards.entries.values())[7:8])[0]
    entry.header.toggle.click()
    [card] = entry.single.cards.values()
    bar = page._column.verticalScrollBar()
    wait(lambda: card.isVisible() and bar.maximum() > 0)
    bar.setValue(bar.maximum() // 2)
    before = bar.value()
    card.buttons["log"].setFocus()
    card.buttons["log"].click()
    assert window.page is window.pages["history"]
    assert window.back_bar.button.text() == "← Back to Attention" and window.back_bar.isVisible()
    later = replace(crowded, requests=(*crowded.requests, make_request(99, RequestKind.RECONNECT, "mail")))
    window.show_overview(later)
    press_back(window)
    assert window.page is page and not window.back_bar.isVisible()
    assert entry.is_open and page.cards.cards[card.content.id] is card
    wait(lambda: bar.value() == before)
    assert window.focusWidget() is card.buttons["log"]


def press_back(window: MainWindow) -> None:
    [action] = [one for one in window.actions() if one.shortcut() == QKeySequence("Alt+Left")]
    action.trigger()


def test_a_page_that_was_chosen_has_no_way_back(window: MainWindow, crowded: Overview, qtbot: QtBot) -> None:
    window.pages["today"].open_page.emit("history", "")
    window.pages["history"].open_page.emit("workflows", "")
    window.back_bar.button.click()
    assert window.page is window.pages["history"]
    assert window.back_bar.button.text() == "← Back to Today"
    window.open_page("settings")
    assert not window.back_bar.isVisible()
    press_back(window)
    assert window.page is window.pages["settings"]


def test_alt_left_follows_a_link_back_before_it_closes_a_workflow(
    few: Session, open_window: Callable[[Session], MainWindow], qtbot: QtBot, wait: Wait
) -> None:
    """One shortcut: two of them on the same keys would do nothing."""
    window = open_window(few)

    def press_keys() -> None:
        qtbot.keyClick(window, Qt.Key.Key_Left, Qt.KeyboardModifier.AltModifier)

    window.pages["today"].open_page.emit("workflows", "chore-0")
    page = window.pages["workflows"]
    assert isinstance(page, WorkflowsPage)
    wait(page.pane.isVisible)
    press_keys()
    assert window.page is window.pages["today"]
    window.open_page("workflows", "chore-0")
    wait(page.pane.isVisible)
    press_keys()
    assert window.page is page and not page.pane.isVisible()


@pytest.mark.parametrize("number", [0, 2])
def test_a_request_is_shown_and_focused_when_the_window_is_opened_for_it(
    empty: Session, crowded: Overview, qtbot: QtBot, wait: Wait, number: int
) -> None:
    """The window was not shown before, and the group is far down."""
    window = MainWindow(empty)
    qtbot.addWidget(window)
    window.resize(1000, 500)
    window.show_overview(crowded)
    window.open_page("attention", make_mail(number).id)
    window.bring_to_front()
    page = window.pages["attention"]
    assert isinstance(page, AttentionPage)
    entry = page.cards.find_entry(make_mail(number).id)
    wait(lambda: entry is not None and entry.table is not None and window.focusWidget() is entry.table.view)
    assert entry is not None and entry.table is not None
    assert entry.table.current_request() == make_mail(number)
    table = entry.table
    wait(lambda: is_seen(table.view))
    window.open_page("attention", make_failure(12, "job-12").id)
    card = page.cards.cards[make_failure(12, "job-12").id]
    wait(lambda: is_seen(card) and window.focusWidget() is card)


def test_return_presses_the_focused_button(qtbot: QtBot, window: MainWindow) -> None:
    button = QPushButton("Press me", window.centralWidget())
    button.setAutoDefault(False)
    button.show()
    button.setFocus()
    with qtbot.waitSignal(button.clicked):
        qtbot.keyClick(button, Qt.Key.Key_Return)
    button.setEnabled(False)
    window.navigation.setFocus()
    with qtbot.assertNotEmitted(button.clicked):
        qtbot.keyClick(window.navigation, Qt.Key.Key_Return)


def test_a_message_of_a_page_moves_nothing_and_an_error_stays(window: MainWindow) -> None:
    window.open_page("workflows")
    page = window.pages["workflows"]
    assert isinstance(page, WorkflowsPage)
    before = page.body.geometry()
    page.status_line.show_message("Receipts started.")
    assert window.snackbar.sentence == "Receipts started."
    assert not page.status_line.isVisible() and page.body.geometry() == before
    assert window.snackbar._timer.isActive()
    page.status_line.show_message("It is paused. Resume it first.", Tone.BAD)
    assert not window.snackbar._timer.isActive()
    assert window.snackbar.button.text() == "Close"
    page.status_line.clear()
    assert window.snackbar.sentence == ""
    window.show_message("Everything resumed.")
    page.status_line.clear()
    assert window.snackbar.sentence == "Everything resumed.", "the message of somebody else"


def test_return_in_a_field_presses_only_what_the_field_answers(qtbot: QtBot, window: MainWindow) -> None:
    """The field passes the key on to the window, and by then its answer may have moved the focus to Undo."""
    page = window.page
    assert page is not None
    field, undo = QLineEdit(page), QPushButton("Undo", page)
    for one in (field, undo):
        one.show()
    field.returnPressed.connect(undo.setFocus)
    pressed: list[bool] = []
    undo.clicked.connect(lambda: pressed.append(True))
    field.setFocus()
    qtbot.keyClick(field, Qt.Key.Key_Return)
    assert undo.hasFocus() and not pressed
    qtbot.keyClick(undo, Qt.Key.Key_Return)
    assert len(pressed) == 1


def test_an_empty_today_leads_straight_to_the_choice_of_templates(
    open_window: Callable[[Session], MainWindow], empty: Session
) -> None:
    window = open_window(empty)
    today = window.page
    assert isinstance(today, TodayPage)
    today.show_overview(overview_of(empty))
    [new] = [one for one in today.findChildren(QPushButton) if one.text() == "New workflow…"]
    assert new.isVisible() and new.shortcut() == QKeySequence("Ctrl+N")
    new.click()
    [dialog] = window.findChildren(NewWorkflowDialog)
    assert dialog.isVisible() and dialog.list.count() > 3
    assert not window.back_bar.isVisible()


def test_the_choice_of_templates_leads_to_an_import_as_well(
    open_window: Callable[[Session], MainWindow], empty: Session
) -> None:
    window = open_window(empty)
    window.open_page("workflows")
    workflows = window.pages["workflows"]
    assert isinstance(workflows, WorkflowsPage)
    workflows.create_workflow()
    [dialog] = window.findChildren(NewWorkflowDialog)
    assert dialog.import_button.isVisible()
    dialog.continue_button.click()
    assert not dialog.import_button.isVisible()
    dialog.back.click()
    dialog.import_button.click()
    assert not dialog.isVisible()
    [shown] = [one for one in window.findChildren(ImportJobsDialog) if one.isVisible()]
    shown.reject()
