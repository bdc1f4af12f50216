"""The templates that use servers, against real ones: web, feed, IMAP, SMTP, CalDAV."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import trustme
from dayhand.page_text import read_blocks

from scheduler.rules.mutations import MutationStatus
from tests.connections.dovecot import Dovecot, running_dovecot
from tests.connections.radicale_server import USER, ask, radicale
from tests.connections.smtp_server import SmtpServer, running_smtp_server
from tests.connections.web_servers import ReceivedRequest, Reply, http_server
from tests.engine.engine_fixture import DAY, HOUR, MINUTE
from tests.templates.template_runtime import TEMPLATES, TemplateRuntime

PAGE = "<html><b class='price'>{price}</b></html>"
ENTRY = "<item><guid>{0}</guid><title>News {0}</title><link>https://example.org/{0}</link></item>"
AT_THREE = datetime(2026, 11, 16, 15, tzinfo=UTC)
FEED = "<rss version='2.0'><channel><title>x</title>{0}</channel></rss>"


class Site:
    """A page whose content the test changes."""

    def __init__(self) -> None:
        self.body = ""
        self.status = 200
        self.kind = "text/html"

    def answer(self, _: ReceivedRequest) -> Reply:
        return Reply(self.status, self.body.encode(), {"Content-Type": self.kind})


@pytest.fixture
def site() -> Site:
    return Site()


@pytest.fixture
def url(site: Site) -> Iterator[str]:
    with http_server(site.answer) as server:
        yield server.url.rstrip("/")


@pytest.fixture
def box() -> Iterator[SmtpServer]:
    with running_smtp_server() as one:
        yield one


def begin_watching(home: TemplateRuntime, url: str, below: float = 0) -> None:
    [mark] = [one.mark for one in read_blocks(PAGE.format(price="€ 20,00"))]
    answers = {"PAGE": f"{url}/lamp?lang=en", "WATCHED": mark, "BELOW": below}
    home.deploy_template(TEMPLATES["watch-page"], answers, {})


def test_a_changed_price_is_reported_once(home: TemplateRuntime, site: Site, url: str) -> None:
    site.body = PAGE.format(price="€ 20,00")
    begin_watching(home, url)
    home.pass_time(2 * HOUR)
    assert home.notifications == []
    site.body = PAGE.format(price="€ 18,50")
    home.pass_time(3 * HOUR)
    assert home.notifications == [("The page changed", f"€ 20,00 → € 18,50 ({url}/lamp?lang=en)")]


def test_only_a_low_enough_price_is_reported(home: TemplateRuntime, site: Site, url: str) -> None:
    site.body = PAGE.format(price="€ 1.200,00")
    begin_watching(home, url, below=1000.5)
    for price in ("€ 1.100,00", "€ 1.000,50", "$1,000.49"):
        site.body = PAGE.format(price=price)
        home.pass_time(HOUR)
    assert [text.partition(" (")[0] for _, text in home.notifications] == [
        "€ 1.100,00 → € 1.000,50",
        "€ 1.000,50 → $1,000.49",
    ]


def test_a_busy_page_is_retried_without_a_message(home: TemplateRuntime, site: Site, url: str) -> None:
    site.status, site.body = 503, "busy"
    begin_watching(home, url)
    assert home.runtime.requests() == []
    site.status, site.body = 200, PAGE.format(price="1")
    home.pass_time(5 * MINUTE)
    assert home.runtime.state("check", home.slug)["value"] == "1"
    assert (home.notifications, home.runtime.requests()) == ([], [])


def problems(home: TemplateRuntime) -> list[str]:
    return [one.sentence for one in home.runtime.requests()]


GONE = "The watched text is no longer on the page. Choose it again: Change answers…"


def test_a_missing_text_needs_attention_until_it_is_back(home: TemplateRuntime, site: Site, url: str) -> None:
    site.body = PAGE.format(price="1 €")
    begin_watching(home, url)
    site.body = "<html>Closed</html>"
    home.pass_time(HOUR)
    [asked] = home.runtime.requests()
    home.pass_time(5 * HOUR)
    assert (problems(home), home.runtime.requests()[0].id) == ([GONE], asked.id)
    assert (home.notifications, home.errors) == ([], [])
    site.body = PAGE.format(price="2 €")
    home.pass_time(HOUR)
    assert problems(home) == []
    assert [text.partition(" (")[0] for _, text in home.notifications] == ["1 € → 2 €"]


@pytest.mark.parametrize(
    ("status", "said"),
    [
        (404, "The page {page} is gone (404). If it has moved, enter its new address: Change answers…"),
        (410, "The page {page} is gone (410). If it has moved, enter its new address: Change answers…"),
        (401, "The page {page} can now be read only after signing in (401)."),
        (403, "The website does not let programs read the page {page} (403)."),
    ],
)
def test_a_page_that_is_gone_needs_attention_until_it_is_back(
    home: TemplateRuntime, site: Site, url: str, status: int, said: str
) -> None:
    site.body = PAGE.format(price="1 €")
    begin_watching(home, url)
    site.status = status
    home.pass_time(HOUR)
    assert problems(home) == [said.format(page=f"{url}/lamp?lang=en")]
    site.status, site.body = 200, PAGE.format(price="2 €")
    home.pass_time(HOUR)
    assert (problems(home), home.errors) == ([], [])
    assert [text.partition(" (")[0] for _, text in home.notifications] == ["1 € → 2 €"]


def test_a_page_that_is_busy_for_long_needs_attention_until_it_answers(
    home: TemplateRuntime, site: Site, url: str
) -> None:
    site.body = PAGE.format(price="1 €")
    begin_watching(home, url)
    site.status = 500
    home.pass_time(HOUR + 5 * MINUTE)
    assert problems(home) == []
    for _ in range(5):
        home.pass_time(HOUR)
        [said] = problems(home)
        assert said.startswith(f"The page {url}/lamp?lang=en cannot be read: ") and said.endswith(
            "is not available right now (500 Internal Server Error)."
        )
    site.status = 200
    home.pass_time(HOUR)
    assert problems(home) == []


def test_a_site_that_is_not_reached_for_long_needs_attention(home: TemplateRuntime, site: Site) -> None:
    with http_server(site.answer) as server:
        url = server.url.rstrip("/")
        site.body = PAGE.format(price="1 €")
        begin_watching(home, url)
    home.pass_time(5 * HOUR)
    [said] = problems(home)
    assert said.startswith(f"The page {url}/lamp?lang=en cannot be read: ")


def test_a_dismissed_missing_text_is_not_asked_about_before_it_was_back(
    home: TemplateRuntime, site: Site, url: str
) -> None:
    site.body = "<html>Closed</html>"
    begin_watching(home, url)
    home.runtime.request_commands.dismiss(home.runtime.requests()[0].id)
    home.pass_time(3 * HOUR)
    assert problems(home) == []
    for body, said in ((PAGE.format(price="1 €"), []), ("<html>Closed</html>", [GONE])):
        site.body = body
        home.pass_time(HOUR)
        assert problems(home) == said


def test_another_text_instead_of_a_price_with_a_limit_needs_attention(
    home: TemplateRuntime, site: Site, url: str
) -> None:
    site.body = PAGE.format(price="€ 20,00")
    begin_watching(home, url, below=19)
    for said in ("Sold out", "Back in 3 days"):
        site.body = PAGE.format(price=said)
        home.pass_time(2 * HOUR)
        assert problems(home) == [f"The price can no longer be read; the page now says: {said}"]
    site.body = PAGE.format(price="€ 18,00")
    home.pass_time(HOUR)
    assert problems(home) == []
    assert [text.partition(" (")[0] for _, text in home.notifications] == ["€ 20,00 → € 18,00"]


def test_a_price_that_is_low_enough_already_is_told_at_once(home: TemplateRuntime, site: Site, url: str) -> None:
    site.body = PAGE.format(price="€ 20,00")
    begin_watching(home, url, below=20)
    home.pass_time(3 * HOUR)
    assert [text.partition(" (")[0] for _, text in home.notifications] == ["€ 20,00"]


def begin_digest(home: TemplateRuntime, site: Site, url: str, box: SmtpServer) -> None:
    site.kind, site.body = "application/rss+xml", FEED.format(ENTRY.format(1) + ENTRY.format(2))
    answers = {"FEED": f"{url}/feed", "TO": "me@example.org", "AT": "09:00", "ZONE": "Europe/Berlin"}
    home.deploy_template(TEMPLATES["morning-digest"], answers, {"smtp:mail": box.settings()})


def test_new_entries_wait_for_the_morning_and_go_out_in_one_mail(
    home: TemplateRuntime, site: Site, url: str, box: SmtpServer
) -> None:
    """The test starts at 11:00 in Berlin."""
    begin_digest(home, site, url, box)
    home.pass_time(20 * HOUR)
    site.body = FEED.format(ENTRY.format(2) + ENTRY.format(3))
    home.pass_time(HOUR + 50 * MINUTE)
    assert home.runtime.requests() == []
    home.pass_time(20 * MINUTE)
    sentence, call = home.answer()
    assert (sentence, call["to"]) == ("Email you 3 new entries", ["me@example.org"])
    [mail] = box.taken
    assert mail.recipients == ["me@example.org"]
    lines = mail.read().get_content().splitlines()
    assert [line for line in lines if line.startswith("News")] == ["News 1", "News 2", "News 3"]
    home.pass_time(DAY)
    assert len(box.taken) == 1


def test_after_the_first_approval_it_mails_without_asking(
    home: TemplateRuntime, site: Site, url: str, box: SmtpServer
) -> None:
    begin_digest(home, site, url, box)
    home.pass_time(23 * HOUR)
    home.answer()
    site.body = FEED.format(ENTRY.format(7))
    home.pass_time(2 * DAY)
    assert len(box.taken) == 2
    assert home.runtime.requests() == []


def test_a_rejected_mail_is_not_sent_and_a_server_refusal_is_retried(
    home: TemplateRuntime, site: Site, url: str, box: SmtpServer
) -> None:
    begin_digest(home, site, url, box)
    home.pass_time(23 * HOUR)
    home.answer(yes=False)
    assert (box.taken, home.summaries) == ([], ["Not sent"])
    box.refuses["DATA"] = "451 4.3.0 Come again later"
    site.body = FEED.format(ENTRY.format(8))
    home.pass_time(DAY)
    home.answer()
    assert box.taken == []
    del box.refuses["DATA"]
    home.pass_time(HOUR)
    assert len(box.taken) == 1
    assert home.runtime.requests() == []


@pytest.fixture(scope="module")
def dovecot() -> Iterator[Dovecot]:
    with running_dovecot(trustme.CA(), me="imap", other="imap", twice="imap", locked="changed") as one:
        yield one


def deliver(dovecot: Dovecot, user: str, number: int, subject: str, text: str) -> None:
    message = f"From: Shop <shop@example.org>\r\nSubject: {subject}\r\nMessage-ID: <{number}@x>\r\n\r\n{text}\r\n"
    dovecot.deliver(user, message.encode(), f"{number:09}")


def begin_receipts(home: TemplateRuntime, dovecot: Dovecot, user: str, table: Path) -> None:
    settings = {name: value for name, value in dovecot.settings(user).items() if name != "password"}
    home.deploy_template(TEMPLATES["mailed-receipts"], {"TABLE": str(table)}, {"imap:home": settings})


def test_receipts_are_added_after_approval_and_never_twice(
    home: TemplateRuntime, dovecot: Dovecot, tmp_path: Path
) -> None:
    deliver(dovecot, "me", 1, "Your receipt", "Thank you\r\nTotal: 12.50 EUR")
    deliver(dovecot, "me", 2, "Hello", "Total: 99")
    deliver(dovecot, "me", 3, "Receipt of the baker", "see attachment")
    table = tmp_path / "expenses.csv"
    begin_receipts(home, dovecot, "me", table)
    assert home.errors == []
    sentence, call = home.answer()
    assert sentence == "Add 2 receipts, 1 without an amount"
    assert [row["amount"] for row in call["rows"]] == ["12.50", ""]
    assert len(table.read_text().splitlines()) == 3
    deliver(dovecot, "me", 4, "Another receipt", "Amount due 7,20")
    home.pass_time(20 * MINUTE)
    assert home.answer()[0] == "Add 1 receipt"
    assert home.summaries == ["Added 2, 2 so far", "Added 1, 3 so far"]
    assert len(table.read_text().splitlines()) == 4


def test_two_receipts_with_the_same_subject_are_both_on_the_card(
    home: TemplateRuntime, dovecot: Dovecot, tmp_path: Path
) -> None:
    for number, total in ((11, "1.00"), (12, "2.00")):
        deliver(dovecot, "twice", number, "Your receipt", f"Total: {total}")
    begin_receipts(home, dovecot, "twice", tmp_path / "x.csv")
    [request] = home.runtime.requests()
    assert request.ui == {"1. Your receipt": "1.00", "2. Your receipt": "2.00"}


def test_a_wrong_mailbox_password_is_reported(home: TemplateRuntime, dovecot: Dovecot, tmp_path: Path) -> None:
    begin_receipts(home, dovecot, "locked", tmp_path / "x.csv")
    [request] = home.runtime.requests()
    assert "Wrong user name or password for locked" in request.sentence


def test_rejected_receipts_are_never_added(home: TemplateRuntime, dovecot: Dovecot, tmp_path: Path) -> None:
    deliver(dovecot, "other", 1, "Your receipt", "Total: 1")
    begin_receipts(home, dovecot, "other", tmp_path / "x.csv")
    home.answer(yes=False)
    home.pass_time(HOUR)
    assert not (tmp_path / "x.csv").exists()
    assert home.runtime.requests() == []


INVOICES = """number,customer,mail,amount,due,paid
1,Anna,anna@example.org,100.00,2026-11-01,
2,Ben,ben@example.org,50.00,2026-10-01,
3,Cleo,cleo@example.org,70.00,2026-11-15,
4,Dora,dora@example.org,20.00,2026-01-01,yes
"""


def begin_invoices(home: TemplateRuntime, box: SmtpServer, table: Path) -> None:
    table.write_text(INVOICES)
    answers = {"TABLE": str(table), "SIGNED": "Emma"}
    home.deploy_template(TEMPLATES["invoice-reminders"], answers, {"smtp:mail": box.settings()})


def test_each_reminder_is_sent_after_its_own_approval(home: TemplateRuntime, box: SmtpServer, tmp_path: Path) -> None:
    """On 16 November the first is 15 days late, the second 46, the third only 1, and the last is paid."""
    begin_invoices(home, box, tmp_path / "invoices.csv")
    assert box.taken == []
    assert home.answer()[0] == "Remind Anna of invoice 1 (100.00, due 2026-11-01)"
    home.pass_time(MINUTE)
    sentence, call = home.answer()
    assert (sentence[:10], call["subject"]) == ("Remind Ben", "Last reminder: invoice 2")
    assert [mail.recipients for mail in box.taken] == [["anna@example.org"], ["ben@example.org"]]
    home.pass_time(2 * DAY)
    assert home.runtime.requests() == []
    assert home.summaries == ["Reminded Anna", "Reminded Ben"]


def test_an_invoice_paid_before_its_turn_gets_no_reminder(
    home: TemplateRuntime, box: SmtpServer, tmp_path: Path
) -> None:
    table = tmp_path / "invoices.csv"
    begin_invoices(home, box, table)
    table.write_text(INVOICES.replace("2026-10-01,", "2026-10-01,yes"))
    home.answer(yes=False)
    home.pass_time(MINUTE)
    assert home.runtime.requests() == []
    assert box.taken == []
    assert home.runtime.pending("overdue", home.slug) == []
    assert home.summaries == ["Anna not reminded", "There was nothing to do."]


def test_after_a_dropped_connection_the_mail_is_not_sent_twice(
    home: TemplateRuntime, box: SmtpServer, tmp_path: Path
) -> None:
    """The server accepted the mail without confirming: the user decides, and only `next` runs."""
    begin_invoices(home, box, tmp_path / "invoices.csv")
    box.hangs_up = "after"
    home.answer()
    [request] = home.runtime.requests()
    assert request.run is not None
    mutation = home.runtime.mutation(request.run)
    assert mutation is not None and mutation.status is MutationStatus.UNSURE
    box.hangs_up = ""
    home.runtime.request_commands.resolve(request.run, "happened")
    home.runtime.tick()
    assert len(box.taken) == 1
    assert home.summaries == ["Reminded Anna"]


@pytest.fixture
def calendar(tmp_path: Path) -> Iterator[str]:
    folder = tmp_path / "radicale"
    folder.mkdir()
    with radicale(folder) as server:
        url = f"{server}/{USER}/mine/"
        ask("MKCALENDAR", url)
        yield url


def put_event(calendar: str, uid: str, title: str, start: str) -> None:
    lines = ("BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:x", "BEGIN:VEVENT", "DTSTAMP:20260101T000000Z")
    text = "\r\n".join((*lines, f"UID:{uid}", f"SUMMARY:{title}", f"DTSTART{start}", "END:VEVENT", "END:VCALENDAR", ""))
    ask("PUT", f"{calendar}{uid}.ics", text)


def test_a_missing_connection_is_reported_without_a_shell_command(home: TemplateRuntime) -> None:
    home.deploy_template(TEMPLATES["calendar-reminder"], {"LEAD": 15}, {})
    [request] = home.runtime.requests()
    assert request.sentence == "caldav:calendar is not connected yet."


def test_events_are_announced_before_they_begin(home: TemplateRuntime, calendar: str) -> None:
    put_event(calendar, "a", "Dentist", ":20261116T120000Z")
    put_event(calendar, "b", "Holiday", ";VALUE=DATE:20261117")
    home.deploy_template(
        TEMPLATES["calendar-reminder"], {"LEAD": 15}, {"caldav:calendar": {"url": calendar, "user": USER}}
    )
    home.pass_time(timedelta(hours=1, minutes=44))
    assert home.notifications == []
    home.pass_time(2 * MINUTE)
    assert home.errors == []
    [(title, _)] = home.notifications
    assert title == "Dentist"
    home.pass_time(DAY)
    assert len(home.notifications) == 1


def test_a_moved_event_is_announced_at_its_new_time(home: TemplateRuntime, calendar: str) -> None:
    put_event(calendar, "a", "Dentist", ":20261116T120000Z")
    home.deploy_template(
        TEMPLATES["calendar-reminder"], {"LEAD": 15}, {"caldav:calendar": {"url": calendar, "user": USER}}
    )
    put_event(calendar, "a", "Dentist", ":20261116T150000Z")
    home.pass_time(4 * HOUR)
    assert home.notifications == []
    home.pass_time(50 * MINUTE)
    assert home.summaries == ["There was nothing to do.", "Reminded you of Dentist"]
    assert home.notifications == [("Dentist", f"Dentist begins at {AT_THREE.astimezone():%H:%M}")]


def test_a_reminder_shows_the_local_start_time(
    home: TemplateRuntime, calendar: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One event is in UTC, the other in its own zone; both begin at the same time."""
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    put_event(calendar, "a", "Dentist", ":20261116T150000Z")
    put_event(calendar, "b", "Choir", ";TZID=Europe/Berlin:20261116T160000")
    home.deploy_template(
        TEMPLATES["calendar-reminder"], {"LEAD": 15}, {"caldav:calendar": {"url": calendar, "user": USER}}
    )
    home.pass_time(5 * HOUR)
    [(_, text)] = home.notifications
    assert sorted(text.splitlines()) == ["Choir begins at 00:00", "Dentist begins at 00:00"]


@pytest.mark.parametrize(("path", "says"), [("", "did not accept this password for somebody"), ("x/y/", "403")])
def test_a_calendar_that_denies_access_or_is_gone_is_reported(
    home: TemplateRuntime, calendar: str, path: str, says: str
) -> None:
    other = {"url": f"{calendar}{path}", "user": USER if path else "somebody"}
    home.deploy_template(TEMPLATES["calendar-reminder"], {"LEAD": 15}, {"caldav:calendar": other})
    assert says in home.runtime.requests()[0].sentence
