"""Each template, from the list to its first real run, with nothing but the window."""

import os
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import trustme

from app.background import run_command
from app.session import Session
from app.templates import list_templates
from app.window.workflows.page import WorkflowsPage
from tests.app.window.new_workflow.dialog_walk import DialogWalk
from tests.connections.dovecot import running_dovecot
from tests.connections.radicale_server import PASSWORD, USER, ask, radicale
from tests.connections.smtp_server import SmtpServer, running_smtp_server
from tests.connections.web_servers import Reply, http_server

WALKED = {
    "calendar-reminder",
    "certificates-and-disks",
    "empty-script",
    "invoice-reminders",
    "mailed-receipts",
    "morning-digest",
    "run-command",
    "sort-folder",
    "watch-page",
}


def test_every_template_has_a_walk_here() -> None:
    assert {one.slug for one in list_templates()} == WALKED


@pytest.fixture
def smtp() -> Iterator[SmtpServer]:
    with running_smtp_server() as one:
        yield one


@pytest.fixture
def calendar(tmp_path: Path) -> Iterator[str]:
    folder = tmp_path / "radicale"
    folder.mkdir()
    with radicale(folder) as server:
        url = f"{server}/{USER}/mine/"
        ask("MKCALENDAR", url)
        yield url


def put_event(calendar: str, title: str, start: datetime) -> None:
    lines = ("BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:x", "BEGIN:VEVENT", "DTSTAMP:20260101T000000Z", "UID:a")
    text = (*lines, f"SUMMARY:{title}", f"DTSTART:{start:%Y%m%dT%H%M%SZ}", "END:VEVENT", "END:VCALENDAR", "")
    ask("PUT", f"{calendar}a.ics", "\r\n".join(text))


@pytest.mark.usefixtures("keyring")
def test_calendar_reminder(walk: DialogWalk, empty: Session, calendar: str) -> None:
    put_event(calendar, "Dentist", datetime.now(UTC) + timedelta(minutes=10))
    dialog = walk.open("calendar-reminder")
    walk.go_on()
    assert dialog.accounts.fields["CALENDAR"].missing.text() == "Needs a calendar"
    connected = walk.connect("CALENDAR", {"url": calendar, "user": USER, "password": PASSWORD})
    assert connected == "caldav:calendar"
    slug = walk.start()
    walk.wait(lambda: walk.messages)
    assert walk.messages[0][0] == "Dentist"
    assert run_command(empty, "show", workflow=slug)["state"] != "paused"


def test_certificates_and_disks(walk: DialogWalk) -> None:
    dialog = walk.open("certificates-and-disks")
    walk.type(dialog.answers.inputs["FULL"].lineEdit(), "0")
    slug = walk.start()
    walk.wait_for_run(slug, "% full")
    walk.wait(lambda: [title for title, _ in walk.messages] == ["Certificates and disks"])


def test_empty_script(
    walk: DialogWalk, page: WorkflowsPage, empty: Session, opened: list[str], documents: Path
) -> None:
    dialog = walk.open("empty-script")
    walk.type(dialog.name, "My chore")
    slug = walk.start()
    walk.wait(lambda: opened == [str(documents / "Dayhand" / "my_chore.py")])
    shown = run_command(empty, "show", workflow=slug)
    assert (slug, shown["state"], shown["watching"]) == ("my-chore", "paused", True)
    walk.click(page.pane.pause)
    walk.run_now()
    walk.wait_for_run(slug, "Nothing to do yet")


def test_invoice_reminders(walk: DialogWalk, smtp: SmtpServer, tmp_path: Path) -> None:
    table = tmp_path / "invoices.csv"
    table.write_text("number,customer,mail,amount,due,paid\n1,Anna,anna@example.org,100.00,2020-01-01,\n")
    walk.open("invoice-reminders")
    walk.answer(TABLE=str(table), SIGNED="Emma")
    walk.go_on()
    walk.connect("MAIL", smtp.settings())
    slug = walk.start()
    assert walk.approve()["to"] == ["anna@example.org"]
    walk.wait_for_run(slug, "Reminded Anna")
    assert len(smtp.taken) == 1


@pytest.mark.usefixtures("keyring")
def test_mailed_receipts(walk: DialogWalk, tmp_path: Path) -> None:
    with running_dovecot(trustme.CA(), me="imap") as dovecot:
        mail = b"From: Shop <shop@example.org>\r\nSubject: Your receipt\r\nMessage-ID: <1@x>\r\n\r\nTotal: 12.50\r\n"
        dovecot.deliver("me", mail, "000000001")
        walk.open("mailed-receipts")
        walk.answer(TABLE=str(tmp_path / "expenses.csv"))
        walk.go_on()
        walk.connect("INBOX", dovecot.settings("me"))
        slug = walk.start()
        assert walk.approve()["rows"][0]["amount"] == "12.50"
        walk.wait_for_run(slug, "Added 1")
    assert "12.50" in (tmp_path / "expenses.csv").read_text()


def test_morning_digest(walk: DialogWalk, smtp: SmtpServer) -> None:
    feed = b"<rss version='2.0'><channel><title>x</title><item><guid>1</guid><title>News</title></item></channel></rss>"
    with http_server(lambda _: Reply(200, feed, {"Content-Type": "application/rss+xml"})) as server:
        walk.open("morning-digest")
        walk.answer(FEED=f"{server.url.rstrip('/')}/feed", TO="me@example.org")
        walk.go_on()
        walk.connect("MAIL", smtp.settings())
        walk.wait_for_run(walk.start(), handler="read")


def test_run_command(walk: DialogWalk, tmp_path: Path) -> None:
    dialog = walk.open("run-command")
    walk.answer(COMMAND="sh -c 'pwd > here'", FOLDER=str(tmp_path))
    assert "run-command" not in dialog.heading.text()
    slug = walk.start()
    walk.run_now()
    walk.wait_for_run(slug, "sh finished")
    assert (tmp_path / "here").read_text().strip() == str(tmp_path)


def test_a_failed_command_shows_the_last_lines_of_its_output(walk: DialogWalk, empty: Session) -> None:
    walk.open("run-command")
    walk.answer(COMMAND="sh -c 'echo the disk is full; exit 3'")
    walk.start()
    walk.run_now()
    [request] = walk.wait(empty.queries.attention)
    assert request.failed_run is not None and "the disk is full" in request.failed_run.output


def test_sort_folder(walk: DialogWalk, tmp_path: Path) -> None:
    inbox = tmp_path / "inbox"
    inbox.mkdir()
    for name in ("a.pdf", "b.jpg"):
        (inbox / name).write_text(name)
        os.utime(inbox / name, (0, 0))
    walk.open("sort-folder")
    walk.answer(FOLDER=str(inbox))
    slug = walk.start()
    assert [one["target"] for one in walk.approve()["moves"]] == ["Documents/a.pdf", "Pictures/b.jpg"]
    walk.wait_for_run(slug, "Moved 2 files")
    assert (inbox / "Documents/a.pdf").read_text() == "a.pdf"


def test_watch_page(walk: DialogWalk, page: WorkflowsPage, empty: Session) -> None:
    price = ["€ 20,00"]

    def answer(_: object) -> Reply:
        body = f"<html><h1>Lamp</h1><p>Now <b class=price>{price[0]}</b> only</p></html>"
        return Reply(200, body.encode(), {"Content-Type": "text/html; charset=utf-8"})

    with http_server(answer) as server:
        walk.open("watch-page")
        walk.answer(PAGE=f"{server.url.rstrip('/')}/lamp")
        walk.choose_on_page("WATCHED", "€ 20,00")
        slug = walk.start()
        walk.wait_for_run(slug, handler="check")
        price[0] = "€ 18,50"
        walk.run_now()
        walk.wait_for_run(slug, "€ 20,00 → € 18,50")
        walk.wait(lambda: [title for title, _ in walk.messages] == ["The page changed"])
        price[0] = ""
        walk.run_now()
        walk.wait(page.pane.answer.isVisible)
        walk.wait(lambda: "no longer on the page" in page.pane.state_text.text())
        price[0] = "€ 18,50"
        walk.run_now()
        walk.wait(lambda: not page.pane.answer.isVisible() and not empty.queries.attention())
