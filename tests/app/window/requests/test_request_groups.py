"""Open requests on a page: rows, cards and tables, answers to several at once, and what others answered before."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from app.background import run_command
from app.session import Session
from app.widgets.request_card import RequestCard
from app.window import request_cards
from app.window.attention.filters import make_kind_subject
from app.window.attention.page import AttentionPage
from app.window.requests import delayed_answers
from app.window.requests.approval_table import ApprovalTable
from app.window.requests.group_entry import GroupEntry
from app.window.requests.request_groups import RequestGroups
from scheduler.engine.queries.requests import RequestView
from scheduler.engine.workflows.deployment import DeployOptions
from scheduler.rules.requests import RequestKind
from tests.app.app_fixture import Wait, deploy, overview_of
from tests.app.cli.live_cli import ASKING
from tests.app.window.request_samples import make_approval, make_failure, make_mail, make_overview, make_request

QUIET = ASKING.replace("limit=10", "limit=1").replace(
    '    ctx.publish(mails, id="m1", title="A receipt", data={"amount": 1})\n', ""
)
Show = Callable[[Sequence[RequestView]], AttentionPage]


@pytest.fixture
def show(empty: Session, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> Show:
    """The Attention page with these requests, which the engine does not know."""
    monkeypatch.setattr(AttentionPage, "refresh", lambda _: None)
    page = AttentionPage(empty)
    qtbot.addWidget(page)
    page.resize(1000, 800)
    page.show()

    def show_these(requests: Sequence[RequestView]) -> AttentionPage:
        page.show_overview(make_overview(requests, empty.registry))
        return page

    return show_these


@pytest.fixture
def waiting(empty: Session, wait: Wait) -> list[RequestView]:
    """Three requests of a real workflow."""
    run_command(empty, "connect", name="table:expenses", settings={"path": str(table_of(empty))})
    path = empty.folder / "receipts.py"
    path.write_text(QUIET, encoding="utf-8")
    validated = empty._runtime.validation.validate(str(path), QUIET)
    empty.engine_thread.submit(
        lambda _: empty._runtime.workflow_commands.deploy(validated, DeployOptions(grant=True))
    ).result(60)
    for number in range(1, 4):
        publish(empty, number)
        wait(lambda number=number: len(empty.queries.attention()) == number)
    return empty.queries.attention()


@pytest.fixture
def page(empty: Session, waiting: list[RequestView], qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> AttentionPage:
    """With the table of the three requests open. Answers can be undone until the test sends them."""
    monkeypatch.setattr(delayed_answers, "UNDO_MS", 600_000)
    return make_page(empty, qtbot)


def make_page(session: Session, qtbot: QtBot) -> AttentionPage:
    page = AttentionPage(session)
    qtbot.addWidget(page)
    page.resize(1000, 800)
    page.show()
    page.show_overview(overview_of(session))
    return page


def publish(session: Session, amount: int) -> None:
    run_command(session, "publish", workflow="receipts", topic="mails", identity=f"r{amount}", data={"amount": amount})


def table_of(session: Session) -> Path:
    return session.folder / "expenses.csv"


def amounts(session: Session) -> list[str]:
    path = table_of(session)
    return sorted(path.read_text().split()[1:]) if path.exists() else []


def entries(page: AttentionPage) -> list[GroupEntry]:
    return list(page.cards.entries.values())


def summaries(page: AttentionPage) -> list[str]:
    return [f"{one.header.name.text()}: {one.header.summary.text()}" for one in entries(page) if one.header]


def open_table(page: AttentionPage) -> ApprovalTable:
    [entry] = entries(page)
    assert entry.table is not None
    return entry.table


def outcome(page: AttentionPage) -> str:
    [entry] = entries(page)
    assert entry.header is not None
    return entry.header.outcome.text()


def cells(table: ApprovalTable, column: int) -> list[Any]:
    return [table.model.index(row, column).data() for row in range(table.model.rowCount())]


def count_widgets(page: QWidget) -> int:
    return len(page.findChildren(QWidget))


# What is shown


def test_a_few_single_requests_are_cards_and_a_group_is_a_row(show: Show) -> None:
    page = show([make_approval(1), make_failure(2), make_mail(3), make_mail(4)])
    assert list(page.cards.cards) == [make_failure(2).id, make_approval(1).id]
    sent = 'Send mail from work to customer4@example.com: "Invoice 4", "Please pay until Friday.", and 1 other'
    assert summaries(page) == [f"Reminders: 2 requests · today 14:16 to 14:17 · {sent}"]


def test_a_row_says_how_many_go_where(show: Show) -> None:
    """No call stands for others that go elsewhere, even if the first few are alike."""
    many = [make_approval(1, "a", call={"connection": "table:invoices"})]
    many += [make_approval(2 + number, f"flow-{number}") for number in range(6)]
    [said] = summaries(show(many))
    assert said.endswith(" · Add 1 row to expenses (6), Add 1 row to invoices (1)")
    many += [make_approval(10 + one, "b", call={"connection": f"table:t{one // 2}"}) for one in range(6)]
    [said] = summaries(show(many))
    assert said.endswith(" · Add 1 row to expenses (6), Add 1 row to t2 (2), Add 1 row to t1 (2), and 3 others")


def test_many_single_requests_are_rows_that_open_as_cards(show: Show) -> None:
    page = show([make_approval(number, f"flow-{number}") for number in range(6)])
    assert not page.cards.cards and len(entries(page)) == 6
    header = entries(page)[2].header
    assert header is not None
    header.toggle.click()
    assert list(page.cards.cards) == [make_approval(3, "flow-3").id]
    header.toggle.click()
    assert not entries(page)[2].is_open


def test_broken_things_are_the_first_rows(show: Show) -> None:
    given = [make_approval(50 + number, f"flow-{number}") for number in range(4)]
    page = show([*given, make_failure(1), make_request(2, RequestKind.RECONNECT, "mail", subject="imap:home")])
    assert [one.group.workflow for one in entries(page)][:3] == ["mail", "backup", "flow-3"]


def test_the_number_of_widgets_does_not_grow_with_the_number_of_requests(show: Show) -> None:
    def make(number: int) -> list[RequestView]:
        grouped = [make_approval(one, f"flow-{one % 15}") for one in range(number)]
        return [*grouped, *(make_failure(one, f"copy-{one}") for one in range(number))]

    page = show(make(30))
    few = count_widgets(page)
    show([])
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    show(make(300))
    assert count_widgets(page) <= few
    assert page.cards.more.isVisibleTo(page) and page.cards.more.text().startswith("Show ")
    page.cards.more.click()
    assert len(entries(page)) == 24


def test_a_table_of_300_rows_has_as_many_widgets_as_one_of_3(show: Show) -> None:
    page = show([make_approval(number) for number in range(3)])
    few = count_widgets(page)
    show([make_approval(number) for number in range(300)])
    assert open_table(page).model.rowCount() == 300
    assert count_widgets(page) == few


def test_the_filters_choose_kind_and_workflow(show: Show) -> None:
    given = [make_approval(1), make_approval(2), make_failure(3), make_failure(4, "copy"), make_mail(5)]
    page = show(given)
    assert page.filters.isVisibleTo(page)
    page.filters.kind.setCurrentText("Failed")
    assert [one.group.workflow for one in entries(page)] == ["copy", "backup"]
    page.filters.workflow.setCurrentText("Copy")
    assert [one.group.workflow for one in entries(page)] == ["copy"]
    page.filters.kind.setCurrentIndex(0)
    page.filters.workflow.setCurrentText("Receipts")
    assert [one.group.workflow for one in entries(page)] == ["receipts"]
    show(given[2:])
    assert not page.filters.is_active, "what was chosen is gone"
    assert len(entries(page)) == 3


def test_new_groups_appear_at_the_end_until_the_page_is_shown_again(show: Show) -> None:
    """Nothing moves while the user is about to click."""
    old = [make_approval(number, f"flow-{number}") for number in range(4)]
    page = show(old)
    page = show([*old, make_failure(1)])
    assert [one.group.workflow for one in entries(page)][-1] == "backup"
    page.hide()
    page.show()
    show([*old, make_failure(1)])
    assert entries(page)[0].group.workflow == "backup"


def test_a_card_stays_a_card_when_another_request_like_it_arrives(show: Show) -> None:
    page = show([make_approval(5)])
    card = page.cards.cards[make_approval(5).id]
    show([make_approval(5, handler="FileReceipt"), make_approval(1)])
    assert len(page.cards.cards) == 2
    assert page.cards.cards[make_approval(5).id].geometry().top() <= card.geometry().top()


def test_a_request_is_opened_in_its_group(show: Show) -> None:
    page = show([*(make_approval(number, f"flow-{number}") for number in range(40)), make_mail(1), make_mail(2)])
    page.open_subject(make_mail(1).id)
    [entry] = [one for one in entries(page) if one.group.workflow == "reminders"]
    assert entry.table is not None and entry.table.current_request() == make_mail(1)


# The table


def test_a_table_has_a_column_per_parameter_the_time_and_what_the_script_says(show: Show) -> None:
    table = open_table(show([make_mail(1), make_mail(2)]))
    assert list(table.model.heads()) == ["Asked", "To", "Subject", "Text", "The workflow says", "Result"]
    assert table.view.isColumnHidden(5)
    assert cells(table, 1) == ["customer2@example.com", "customer1@example.com"]
    assert cells(table, 0) == ["today 14:18", "today 14:19"]
    assert "mail.example.com" in table.facts.text(), "the account is shown once for all"


def test_nothing_is_ticked_at_first_nor_what_arrives_later(show: Show) -> None:
    page = show([make_mail(2), make_mail(3)])
    table = open_table(page)
    assert not table.model.ticked() and not table.approve.isEnabled()
    table.select_all.click()
    assert (table.approve.text(), table.reject.text()) == ("Approve 2", "Reject 2")
    show([make_mail(2), make_mail(3), make_mail(1)])
    assert [one.id for one in table.model.ticked()] == [make_mail(3).id, make_mail(2).id]
    assert table.approve.text() == "Approve 2"


def test_a_request_whose_call_changed_is_no_longer_ticked(show: Show) -> None:
    page = show([make_mail(2), make_mail(3)])
    table = open_table(page)
    table.select_all.click()
    show([replace(make_mail(2), call_hash="another"), make_mail(3)])
    assert [one.id for one in table.model.ticked()] == [make_mail(3).id]


def test_a_text_of_a_few_lines_is_shown_in_full(show: Show) -> None:
    short, long = "Please pay until Friday.", "Please pay the whole amount until Friday, or call us. " * 4
    page = show([make_mail(1, text=short), make_mail(2, text=long.strip()), make_mail(3, text="x" * 150)])
    table = open_table(page)
    texts = [row.cells[2] for row in table.model.table.rows]
    assert texts == ["x" * 150, long.strip(), short]
    heights = [table.view.rowHeight(row) for row in range(3)]
    assert heights[1] > 2 * heights[2] and heights[0] > 2 * heights[2]
    assert all(table.model.can_tick(row.request) for row in table.model.table.rows)


def test_a_long_path_has_several_lines_and_is_not_cut(show: Show) -> None:
    path = "/home/anna/Documents/Customers and orders/" + "a-long-name-of-a-folder/" * 4 + "list.csv"
    page = show([make_mail(1), make_mail(2, text=path)])
    table = open_table(page)
    row = next(place for place, one in enumerate(table.model.table.rows) if path in one.cells)
    assert table.model.can_tick(table.model.table.rows[row].request) and table.hint.isHidden()
    assert table.view.rowHeight(row) > table.view.rowHeight(1 - row)
    index = table.model.index(row, 3)
    shown = str(index.data())
    assert shown.replace("\u200b", "") == path and "a-long-name-of-a-folder/\u200ba-long" in shown
    assert index.data(Qt.ItemDataRole.ToolTipRole) == path


def test_a_row_that_does_not_fit_is_marked_and_must_be_opened_before_it_is_ticked(show: Show) -> None:
    long = make_mail(5, text="Dear customer, " * 40)
    page = show([make_mail(2), long])
    table = open_table(page)
    assert cells(table, 0) == ["today 14:15, does not fit", "today 14:18"]
    assert "1 row does not fit" in table.hint.text() and not table.hint.isHidden()
    table.select_all.click()
    assert [one.id for one in table.model.ticked()] == [make_mail(2).id]
    table.select_row(0)
    table._toggle()
    assert list(table.cards.cards) == [long.id], "its card is opened instead"
    assert len(table.model.ticked()) == 1
    table._toggle()
    assert len(table.model.ticked()) == 2 and table.hint.isHidden()


def test_space_ticks_the_row_and_ctrl_return_approves_what_is_ticked(show: Show, qtbot: QtBot) -> None:
    page = show([make_mail(1), make_mail(2), make_mail(3)])
    table = open_table(page)
    page.activateWindow()
    table.view.setFocus()
    qtbot.waitUntil(lambda: QApplication.focusWidget() is table.view and table.view.isVisible())
    table.select_row(0)
    qtbot.keyClick(table.view, Qt.Key.Key_Space)
    qtbot.keyClick(table.view, Qt.Key.Key_Down)
    qtbot.keyClick(table.view, Qt.Key.Key_Down)
    qtbot.keyClick(table.view, Qt.Key.Key_Space)
    assert [one.id for one in table.model.ticked()] == [make_mail(3).id, make_mail(1).id]
    qtbot.keyClick(table.view, Qt.Key.Key_Space)
    assert [one.id for one in table.model.ticked()] == [make_mail(3).id]
    qtbot.keyClick(table.view, Qt.Key.Key_Return)
    assert list(table.cards.cards) == [make_mail(1).id]
    with qtbot.waitSignal(table.answer_chosen) as chosen:
        qtbot.keyClick(table.view, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert chosen.args == ["approve", [make_mail(3)]]


# Answers


def test_approving_several_acts_once_each_and_the_group_disappears(
    page: AttentionPage, empty: Session, wait: Wait, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(request_cards, "ANSWERED_CARD_MS", 1)
    table = open_table(page)
    table.select_all.click()
    table.approve.click()
    assert outcome(page) == "3 approved." and len(empty.queries.attention()) == 3, "nothing was sent yet"
    page.send_delayed_answers()
    wait(lambda: amounts(empty) == ["1", "2", "3"])
    wait(lambda: not entries(page))


def test_an_answer_can_be_undone_before_it_is_sent(page: AttentionPage, empty: Session, wait: Wait) -> None:
    table = open_table(page)
    table.select_all.click()
    table.approve.click()
    assert not table.approve.isEnabled() and not table.select_all.isEnabled()
    [entry] = entries(page)
    assert entry.header is not None
    entry.header.undo.click()
    assert outcome(page) == "Nothing was sent." and len(table.model.ticked()) == 3
    page.send_delayed_answers(wait=True)
    assert len(empty.queries.attention()) == 3


@pytest.mark.parametrize("leave", ["hide", "quit"])
def test_leaving_sends_the_answer(page: AttentionPage, empty: Session, wait: Wait, leave: str) -> None:
    open_table(page).select_all.click()
    open_table(page).reject.click()
    assert len(empty.queries.attention()) == 3
    if leave == "hide":
        page.hide()
        wait(lambda: not empty.queries.attention())
    else:
        page.send_delayed_answers(wait=True)
        assert not empty.queries.attention()


def reject(card: RequestCard) -> None:
    """Without a reason."""
    card.buttons["reject"].click()
    assert card.panel is not None
    card.panel.confirm.click()


def test_the_next_answer_sends_the_one_before(
    page: AttentionPage, empty: Session, waiting: list[RequestView], wait: Wait
) -> None:
    table = open_table(page)
    table.model.set_ticked(waiting[:1], on=True)
    table.approve.click()
    table.select_row(2)
    table.open_row()
    reject(table.cards.cards[waiting[2].id])
    page.send_delayed_answers()
    wait(lambda: [one.id for one in empty.queries.attention()] == [waiting[1].id])
    wait(lambda: amounts(empty) == ["1"])


@pytest.mark.parametrize("other", ["single", "window", "command line"])
def test_each_request_is_answered_once_and_the_loser_says_so(
    page: AttentionPage, empty: Session, waiting: list[RequestView], wait: Wait, qtbot: QtBot, other: str
) -> None:
    """Another answer arrives while this one can still be undone."""
    table = open_table(page)
    table.select_all.click()
    table.approve.click()
    if other == "window":
        second = make_page(empty, qtbot)
        open_table(second).model.set_ticked(waiting[:1], on=True)
        open_table(second).reject.click()
        second.send_delayed_answers()
        wait(lambda: "1 rejected." in outcome(second))
    elif other == "single":
        run_command(empty, "reject", request=waiting[0].id, call_hash=waiting[0].call_hash)
    else:
        run_command(empty, "answer_each", answer="reject", requests=[{"request": waiting[0].id}])
    page.send_delayed_answers()
    refused = "You rejected this at"
    wait(lambda: outcome(page).startswith(f"2 approved. 1 could not be answered: {refused}"))
    page.show_overview(overview_of(empty))
    result = table.model.columnCount() - 1
    [shown] = [cell for cell in cells(table, result) if cell]
    assert shown.startswith(refused) and shown.endswith("Nothing was changed.")
    assert not table.view.isColumnHidden(result)
    wait(lambda: amounts(empty) == ["2", "3"])


def test_the_same_answer_given_twice_acts_once(
    page: AttentionPage, empty: Session, waiting: list[RequestView], wait: Wait
) -> None:
    open_table(page).select_all.click()
    open_table(page).approve.click()
    run_command(empty, "approve", request=waiting[1].id)
    page.send_delayed_answers()
    wait(lambda: outcome(page).startswith("2 approved. 1 could not be answered: You approved this at"))
    wait(lambda: amounts(empty) == ["1", "2", "3"])


def test_a_call_that_changed_meanwhile_is_refused_on_its_row(
    page: AttentionPage, empty: Session, waiting: list[RequestView], wait: Wait
) -> None:
    stale = [replace(waiting[0], call_hash="of another call"), *waiting[1:]]
    page.show_overview(replace(overview_of(empty), requests=tuple(stale)))
    table = open_table(page)
    table.select_all.click()
    table.approve.click()
    page.send_delayed_answers()
    wait(lambda: outcome(page).startswith("2 approved. 1 could not be answered: What it would do has changed"))
    assert [one.id for one in empty.queries.attention()] == [waiting[0].id]


def test_a_group_answered_elsewhere_says_so(
    page: AttentionPage, empty: Session, waiting: list[RequestView], wait: Wait
) -> None:
    for one in waiting:
        run_command(empty, "reject", request=one.id)
    page.show_overview(overview_of(empty))
    assert outcome(page) == "Answered elsewhere, or no longer needed."


def test_all_failed_jobs_of_a_workflow_are_run_again_or_dismissed(
    empty: Session, qtbot: QtBot, wait: Wait, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(delayed_answers, "UNDO_MS", 600_000)
    second = '@flow.job(cron="0 5 1 1 *")\ndef other(ctx):\n    raise ValueError("no")\n'
    deploy(empty, "Broken", f'raise ValueError("no")\n{second}')
    for handler in ("go", "other"):
        run_command(empty, "run", target=f"broken/{handler}")
    before = wait(lambda: len(empty.queries.attention()) == 2 and empty.queries.attention())
    page = make_page(empty, qtbot)
    [entry] = entries(page)
    assert entry.header is not None
    assert [one.text() for one in entry.header.bulk.values()] == ["Run all 2 again", "Dismiss all 2"]
    entry.header.bulk["retry"].click()
    page.send_delayed_answers()
    wait(lambda: {one.run for one in empty.queries.attention()}.isdisjoint(one.run for one in before))
    again = wait(lambda: len(empty.queries.attention()) == 2 and empty.queries.attention())
    page = make_page(empty, qtbot)
    [entry] = entries(page)
    assert entry.header is not None and len(again) == 2
    entry.header.bulk["dismiss"].click()
    page.send_delayed_answers()
    wait(lambda: not empty.queries.attention())


# The focus


def test_after_an_answer_the_focus_moves_to_the_next_card_then_to_the_page(
    show: Show, monkeypatch: pytest.MonkeyPatch, wait: Wait
) -> None:
    monkeypatch.setattr(delayed_answers, "UNDO_MS", 600_000)
    monkeypatch.setattr(delayed_answers, "run_command", lambda *_, **__: None)
    page = show([make_failure(9), make_approval(5, "other"), make_mail(1)])
    first, second, third = page.cards.cards.values()
    second.buttons["approve"].setFocus()
    second.trigger_action("approve")
    assert page.focusWidget() is third
    reject(third)
    assert page.focusWidget() is first
    first.trigger_action("dismiss")
    assert page.focusWidget() is first.undo


def test_after_a_group_is_answered_the_focus_moves_to_the_next(show: Show) -> None:
    page = show([*(make_approval(number, f"flow-{number}") for number in range(4)), make_mail(8), make_mail(9)])
    group, following, *_ = entries(page)
    assert group.header is not None and following.header is not None
    group.header.toggle.click()
    assert group.table is not None and page.focusWidget() is group.table.view
    group.table.select_all.click()
    group.table.approve.setFocus()
    group.table.approve.click()
    assert page.focusWidget() is group.header.undo
    show([make_approval(number, f"flow-{number}") for number in range(4)])
    group._show_results("approve", [], [{"request": "a", "is_repeated": False, "before": ""}])
    assert page.focusWidget() is following.header.toggle


def test_rows_of_today_open_the_attention_page(empty: Session, qtbot: QtBot) -> None:
    groups = RequestGroups(empty, is_short=True)
    qtbot.addWidget(groups)
    groups.show()
    groups.show_requests(make_overview([make_approval(number, f"flow-{number % 4}") for number in range(12)]))
    assert len(groups.entries) == 4 and not groups.more.isVisibleTo(groups)
    entry = next(iter(groups.entries.values()))
    assert entry.header is not None
    with qtbot.waitSignal(groups.open_page) as opened:
        entry.header.toggle.click()
    assert opened.args == ["attention", entry.group.requests[0].id]


def test_today_says_what_all_of_many_groups_are_about(empty: Session, qtbot: QtBot) -> None:
    """Failures do not hide that approvals wait."""
    groups = RequestGroups(empty, is_short=True)
    qtbot.addWidget(groups)
    groups.show()
    failed = [make_failure(number, f"job-{number}") for number in range(5)]
    asking = [make_approval(number, f"flow-{number % 3}") for number in range(12)]
    groups.show_requests(make_overview([*failed, *asking]))
    broken, waiting = groups.entries.values()
    assert broken.header is not None and waiting.header is not None
    assert broken.header.name.text() == "Job 4, Job 3, Job 2, Job 1, Job 0"
    assert broken.header.summary.text().startswith("5 workflows · ") and not broken.header.bulk
    assert waiting.header.name.text() == "Flow 2, Flow 1, Flow 0"
    assert waiting.header.summary.text().startswith("12 requests of 3 workflows · ")
    with qtbot.waitSignal(groups.open_page) as opened:
        waiting.header.toggle.click()
    assert opened.args == ["attention", make_kind_subject(RequestKind.APPROVAL)]


def test_the_attention_page_opens_with_one_kind(show: Show) -> None:
    requests = [make_failure(1), *(make_approval(number, f"flow-{number}") for number in range(5))]
    page = show(requests)
    assert len(page.cards.entries) == 6
    page.open_subject(make_kind_subject(RequestKind.RUN_FAILED))
    assert [one.group.kind for one in page.cards.entries.values()] == [RequestKind.RUN_FAILED]
    page.open_subject(make_kind_subject(RequestKind.APPROVAL))
    assert len(page.cards.entries) == 5
    page.open_subject("")
    assert len(page.cards.entries) == 6


def test_a_row_says_what_went_wrong_or_what_is_asked(show: Show) -> None:
    """Its name and time are shown already."""
    given = [make_failure(1), *(make_approval(number) for number in range(3)), make_mail(8), make_mail(9)]
    page = show([*given, make_approval(1, "other")])
    failed, *asking = (one.header for one in entries(page))
    assert failed is not None
    assert failed.summary.text().endswith(" · go failed 2 times in a row since 06:04 · no such host")
    said = [one.summary.text() for one in asking if one is not None]
    assert any(text.startswith("3 requests · ") and text.endswith(" · Add 1 row to expenses") for text in said), said
    sent = 'Send mail from work to customer9@example.com: "Invoice 9", "Please pay until Friday.", and 1 other'
    assert any(text.startswith("2 requests · ") and text.endswith(sent) for text in said), said


def test_undo_is_scrolled_into_view(show: Show, wait: Wait, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(delayed_answers, "UNDO_MS", 600_000)
    page = show([*(make_failure(number, f"job-{number}") for number in range(8)), *map(make_approval, range(30))])
    page.resize(900, 400)
    group = next(one for one in entries(page) if one.group.is_table)
    assert group.header is not None
    group.header.toggle.click()
    assert group.table is not None
    group.table.select_all.click()
    wait(lambda: page._column.verticalScrollBar().maximum() > 0)
    page._column.ensureWidgetVisible(group.table.approve)
    assert group.header.visibleRegion().isEmpty(), "what follows would show nothing"
    group.table.approve.click()
    undo = group.header.undo
    wait(lambda: not undo.visibleRegion().isEmpty())


def test_what_is_opened_is_scrolled_into_view(show: Show, wait: Wait, qtbot: QtBot) -> None:
    page = show([*(make_failure(number, f"job-{number}") for number in range(8)), *map(make_approval, range(30))])
    page.resize(900, 500)
    rows = entries(page)
    wait(lambda: page._column.verticalScrollBar().maximum() > 0)
    rows[4].header.toggle.click()  # type: ignore[union-attr]
    [card] = rows[4].single.cards.values()  # type: ignore[union-attr]
    wait(lambda: page._column.verticalScrollBar().value() > 0 and is_in_view(page, card))
    group = next(one for one in rows if one.group.is_table)
    group.header.toggle.click()  # type: ignore[union-attr]
    assert group.table is not None and group.header is not None
    wait(lambda: is_in_view(page, group.header))
    group.table.select_row(3)
    qtbot.keyClick(group.table.view, Qt.Key.Key_Return)
    [card] = group.table.cards.cards.values()
    wait(lambda: is_in_view(page, card.buttons["approve"]))
    before = page._column.verticalScrollBar().value()
    qtbot.keyClick(group.table.view, Qt.Key.Key_Down)
    qtbot.wait(20)
    assert page._column.verticalScrollBar().value() == before, "the table is still used"


def test_the_card_of_the_last_table_is_scrolled_into_view(show: Show, wait: Wait) -> None:
    """The page is at its end, and only becomes longer with the card."""
    page, table = show_long_page(show, wait)
    table.select_row(2)
    table.open_button.click()
    [card] = table.cards.cards.values()
    wait(lambda: is_in_view(page, card.buttons["approve"]))


def test_the_reason_of_a_rejection_is_in_view(show: Show, wait: Wait) -> None:
    """The button that is pressed has the focus and is hidden, so that Qt moves the focus to the start of the page."""
    page, table = show_long_page(show, wait)
    table.select_row(2)
    table.open_button.click()
    [card] = table.cards.cards.values()
    wait(lambda: is_in_view(page, card.buttons["approve"]))
    card.buttons["reject"].setFocus()
    card.buttons["reject"].click()
    focused = page.window().focusWidget()
    assert focused is not None and focused.accessibleName() == "Reason (optional)"
    wait(lambda: is_in_view(page, focused))


def test_a_group_stays_in_view_after_undo(show: Show, wait: Wait, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(delayed_answers, "UNDO_MS", 600_000)
    page, table = show_long_page(show, wait)
    group = next(one for one in entries(page) if one.group.is_table)
    assert group.header is not None
    undo = group.header.undo
    table.select_all.click()
    table.approve.click()
    wait(lambda: is_in_view(page, undo))
    undo.setFocus()
    undo.click()
    QApplication.processEvents()
    assert group.header.outcome.text() == "Nothing was sent."
    wait(lambda: is_in_view(page, group.header))


def show_long_page(show: Show, wait: Wait) -> tuple[AttentionPage, ApprovalTable]:
    """Scrolled to its end, where a table is open."""
    page = show([*(make_failure(number, f"job-{number}") for number in range(8)), *map(make_approval, range(8))])
    page.resize(900, 700)
    page.activateWindow()
    wait(page.isActiveWindow)
    group = next(one for one in entries(page) if one.group.is_table)
    assert group.header is not None
    group.header.toggle.click()
    assert group.table is not None
    bar = page._column.verticalScrollBar()
    QApplication.processEvents()
    wait(lambda: bar.maximum() > 0 and group.table is not None and group.table.isVisible())
    bar.setValue(bar.maximum())
    return page, group.table


def test_escape_closes_the_card_then_the_group(show: Show, qtbot: QtBot) -> None:
    page = show([*(make_failure(number, f"job-{number}") for number in range(4)), *map(make_approval, range(3))])
    group = next(one for one in entries(page) if one.group.is_table)
    assert group.header is not None
    group.header.toggle.setFocus()
    qtbot.keyClick(group.header.toggle, Qt.Key.Key_Space)
    assert group.table is not None and group.table.view.hasFocus()
    group.table.select_row(1)
    qtbot.keyClick(group.table.view, Qt.Key.Key_Return)
    [card] = group.table.cards.cards.values()
    card.buttons["approve"].setFocus()
    qtbot.keyClick(card.buttons["approve"], Qt.Key.Key_Escape)
    assert not group.table.cards.cards and group.table.view.hasFocus() and group.is_open
    qtbot.keyClick(group.table.view, Qt.Key.Key_Escape)
    assert not group.is_open and group.header.toggle.hasFocus()


def is_in_view(page: AttentionPage, part: QWidget) -> bool:
    """All of it."""
    top = part.mapTo(page._column.viewport(), part.rect().topLeft()).y()
    return top >= 0 and top + part.height() <= page._column.viewport().height()


def test_a_filtered_list_says_how_many_of_how_many_it_shows(show: Show) -> None:
    page = show([*map(make_approval, range(30)), make_failure(1)])
    assert page.filters.count.isHidden()
    page.filters.kind.setCurrentText("Failed")
    assert (page.filters.count.text(), page.filters.count.isVisible()) == ("1 of 31", True)
    page.filters.clear()
    assert page.filters.count.isHidden()


def test_ctrl_a_ticks_all(show: Show, qtbot: QtBot) -> None:
    table = open_table(show(list(map(make_approval, range(5)))))
    qtbot.keyClick(table.view, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    assert len(table.model.ticked()) == 5 and table.approve.text() == "Approve 5"


def test_select_all_is_not_fully_ticked_while_rows_must_be_opened(show: Show) -> None:
    table = open_table(show([make_mail(1), make_mail(2), make_mail(3, text="x" * 500)]))
    table.select_all.click()
    assert len(table.model.ticked()) == 2
    assert table.select_all.checkState() is Qt.CheckState.PartiallyChecked


def test_choosing_attention_in_the_navigation_shows_everything(show: Show) -> None:
    page = show([make_failure(1), *(make_approval(number, f"flow-{number}") for number in range(5))])
    page.open_subject(make_kind_subject(RequestKind.RUN_FAILED))
    page.show_start()
    assert len(page.cards.entries) == 6
