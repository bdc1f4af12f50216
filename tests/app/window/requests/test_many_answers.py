"""How long it takes to answer everything: 133 open requests of 28 workflows, with the mouse and with the keyboard."""

from collections import Counter
from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from app.overview import Overview
from app.session import Session
from app.window.attention.filters import make_kind_subject
from app.window.attention.page import AttentionPage
from app.window.main_window import MainWindow
from app.window.requests import delayed_answers
from app.window.requests.group_entry import GroupEntry
from app.window.today import page as today_page
from app.window.today.page import TodayPage
from app.window.today.today_data import Day
from scheduler.rules.requests import RequestKind
from tests.app.app_fixture import Wait
from tests.app.window.request_samples import make_busy_desk, make_overview

MAX_CLICKS = 15
"""Less than a minute, at four seconds each."""


class Desk:
    """The window over an engine that knows these requests and takes answers to them."""

    def __init__(self, session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
        self._session = session
        self.requests = make_busy_desk()
        self.answers: Counter[str] = Counter()
        monkeypatch.setattr(delayed_answers, "run_command", self._take)
        monkeypatch.setattr("app.window.attention.page.load_overview", lambda _: self.overview())
        day = Day(overview=self.overview(), lanes=(), bars=(), lines=(), running=(), quiet_runs=0, known_since=None)
        monkeypatch.setattr(today_page, "read_day", lambda *_: day)
        self.window = MainWindow(session)
        self.window.resize(1280, 800)

    @property
    def page(self) -> AttentionPage:
        page = self.window.pages["attention"]
        assert isinstance(page, AttentionPage)
        return page

    @property
    def row(self) -> GroupEntry:
        """Of Today, with the approvals."""
        today = self.window.pages["today"]
        assert isinstance(today, TodayPage)
        return next(one for one in today.cards.entries.values() if one.group.kind is RequestKind.APPROVAL)

    def overview(self) -> Overview:
        return make_overview(self.requests, self._session.registry)

    def is_answered(self) -> bool:
        return not any(one.kind is RequestKind.APPROVAL for one in self.requests)

    def find_open_table(self) -> GroupEntry | None:
        entries = self.page.cards.entries.values()
        return next((one for one in entries if one.is_open and one.can_be_answered_together), None)

    def _take(self, _session: Session, verb: str, **given: Any) -> dict[str, Any]:
        assert verb == "answer_each" and given["answer"] == "approve"
        asked = [one["request"] for one in given["requests"]]
        self.answers.update(asked)
        self.requests = [one for one in self.requests if one.id not in asked]
        return {"results": [{"request": one, "is_repeated": False, "before": ""} for one in asked]}


@pytest.fixture
def desk(empty: Session, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> Desk:
    monkeypatch.setattr(delayed_answers, "UNDO_MS", 600_000)
    made = Desk(empty, monkeypatch)
    qtbot.addWidget(made.window)
    with qtbot.waitActive(made.window, timeout=60_000):
        made.window.bring_to_front()
    made.window.show_overview(made.overview())
    return made


def all_approvals() -> Counter[str]:
    return Counter(one.id for one in make_busy_desk() if one.kind is RequestKind.APPROVAL)


def test_the_sample_has_133_requests_in_28_workflows() -> None:
    requests = make_busy_desk()
    assert (len(requests), len({one.workflow for one in requests})) == (133, 28)


def test_all_approvals_are_answered_with_a_few_clicks(desk: Desk, qtbot: QtBot, wait: Wait) -> None:
    clicks = 0

    def click(button: QWidget) -> None:
        nonlocal clicks
        wait(lambda: button.isEnabled() and not button.visibleRegion().isEmpty())
        qtbot.mouseClick(button, Qt.MouseButton.LeftButton, pos=QPoint(10, button.height() // 2))
        clicks += 1

    assert desk.row.header is not None
    click(desk.row.header.toggle)
    while True:
        entry = wait(desk.find_open_table)
        click(entry.table.select_all)
        click(entry.table.approve)
        if not entry.header.next.isVisible():
            break
        click(entry.header.next)
    desk.page.send_delayed_answers()
    wait(desk.is_answered)
    assert desk.answers == all_approvals(), "each of them once"
    assert clicks <= MAX_CLICKS, clicks


def test_all_approvals_are_answered_with_a_few_keys(desk: Desk, qtbot: QtBot, wait: Wait) -> None:
    keys = 0

    def press(key: Qt.Key, modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
        nonlocal keys
        qtbot.keyClick(QApplication.focusWidget() or desk.window, key, modifier)
        keys += 1

    assert desk.row.header is not None
    press(Qt.Key.Key_1, Qt.KeyboardModifier.ControlModifier)
    while QApplication.focusWidget() is not desk.row.header.toggle:
        press(Qt.Key.Key_Tab)
        assert keys <= MAX_CLICKS
    press(Qt.Key.Key_Return)
    while True:
        entry = wait(desk.find_open_table)
        wait(lambda entry=entry: QApplication.focusWidget() is entry.table.view and entry.table.view.isVisible())
        press(Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
        press(Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
        if not entry.header.next.isVisible():
            assert QApplication.focusWidget() is entry.header.undo
            break
        assert QApplication.focusWidget() is entry.header.next
        press(Qt.Key.Key_Return)
    desk.page.send_delayed_answers()
    wait(desk.is_answered)
    assert desk.answers == all_approvals(), "each of them once"
    assert keys <= MAX_CLICKS, keys


def test_a_table_of_several_workflows_shows_whose_and_where(desk: Desk) -> None:
    desk.window.open_page("attention", make_kind_subject(RequestKind.APPROVAL))
    entries = {len(one.group.requests): one for one in desk.page.cards.entries.values() if one.group.is_table}
    assert sorted(entries) == [8, 15, 40, 60]
    tables, mails = entries[60], entries[40]
    tables.open()
    assert tables.table is not None and tables.header is not None
    table = tables.table.model.table
    assert table.columns == ("Shop", "Date", "Amount", "Workflow", "Where")
    assert {row.cells[3] for row in table.rows} == {f"Receipts {number}" for number in range(6)}
    for row in table.rows:
        name, path = row.request.call["connection"].partition(":")[2], row.request.call["endpoint"]["path"]
        assert row.cells[4] == f"{name} · {path}" and row.is_complete
    assert "Type: Table" in tables.table.facts.text().split("\n"), "what is the same for all is said once"
    said = tables.header.summary.text()
    assert said.startswith("60 requests of 6 workflows · ")
    assert said.endswith(
        " · Add 1 row to expenses5 (10), Add 1 row to expenses4 (10), Add 1 row to expenses3 (10), and 30 others"
    )
    mails.open()
    assert mails.table is not None and mails.table.model.table.columns == ("To", "Subject", "Text", "Workflow")
    assert "mail.example.com" in mails.table.facts.text()


def test_groups_are_neither_merged_nor_split_while_they_are_shown(desk: Desk) -> None:
    desk.window.open_page("attention")
    before = set(desk.page.cards.entries)
    kept = ("receipts-0", "reminders-0", "backup-0")
    desk.requests = [one for one in desk.requests if one.workflow in kept]
    desk.page.show_overview(desk.overview())
    assert set(desk.page.cards.entries) <= before
    desk.window.open_page("settings")
    desk.window.open_page("attention")
    desk.page.show_overview(desk.overview())
    assert {one.group.workflows for one in desk.page.cards.entries.values()} == {(one,) for one in kept}
