"""The templates that talk to servers, with real ones: web, feed, mail in, mail out, calendar."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import trustme

from scheduler.rules.mutations import Mutation
from tests.connections.dovecot import Dovecot, running_dovecot
from tests.connections.postbox import Postbox, running_postbox
from tests.connections.radicale_server import USER, ask, radicale
from tests.connections.web_servers import Asked, Reply, web
from tests.engine.harness import DAY, HOUR, MINUTE
from tests.templates.household import TEMPLATES, Household

PAGE = "<html><b class='price'>{price}</b></html>"
ENTRY = "<item><guid>{0}</guid><title>News {0}</title><link>https://example.org/{0}</link></item>"
AT_THREE = datetime(2026, 11, 16, 15, tzinfo=UTC)
FEED = "<rss version='2.0'><channel><title>x</title>{0}</channel></rss>"


class Site:
    """One page that changes."""

    def __init__(self) -> None:
        self.body = ""
        self.status = 200
        self.kind = "text/html"

    def answer(self, _: Asked) -> Reply:
        return Reply(self.status, self.body.encode(), {"Content-Type": self.kind})


@pytest.fixture
def site() -> Site:
    return Site()


@pytest.fixture
def url(site: Site) -> Iterator[str]:
    with web(site.answer) as server:
        yield server.url.rstrip("/")


@pytest.fixture
def box() -> Iterator[Postbox]:
    with running_postbox() as one:
        yield one


def watch(home: Household, url: str, below: float = 0) -> None:
    answers = {"PAGE": f"{url}/lamp?lang=en", "PATTERN": r"class='price'>([^<]*)<", "BELOW": below}
    home.begin(TEMPLATES["watch-page"], answers, {})


def test_a_price_that_changes_is_told_once(home: Household, site: Site, url: str) -> None:
    site.body = PAGE.format(price="€ 20,00")
    watch(home, url)
    home.wait(2 * HOUR)
    assert home.told == []
    site.body = PAGE.format(price="€ 18,50")
    home.wait(3 * HOUR)
    assert home.told == [("The page changed", f"€ 20,00 → € 18,50 ({url}/lamp?lang=en)")]


def test_only_a_price_that_is_low_enough_is_told(home: Household, site: Site, url: str) -> None:
    site.body = PAGE.format(price="€ 1.200,00")
    watch(home, url, below=1000.5)
    for price in ("€ 1.100,00", "€ 1.000,50", "$1,000.49"):
        site.body = PAGE.format(price=price)
        home.wait(HOUR)
    assert [text.partition(" (")[0] for _, text in home.told] == ["€ 1.100,00 → € 1.000,50", "€ 1.000,50 → $1,000.49"]


def test_a_page_that_is_busy_is_tried_again_and_one_that_is_new_is_said(home: Household, site: Site, url: str) -> None:
    site.status, site.body = 503, "busy"
    watch(home, url)
    assert home.shop.requests() == []
    site.status, site.body = 200, PAGE.format(price="1")
    home.wait(5 * MINUTE)
    assert home.shop.state("look", home.slug) == {"value": "1"}
    site.body = "<html>All new!</html>"
    home.wait(2 * HOUR)
    [request] = home.shop.requests()
    assert "new layout" in request.sentence


def digest(home: Household, site: Site, url: str, box: Postbox) -> None:
    site.kind, site.body = "application/rss+xml", FEED.format(ENTRY.format(1) + ENTRY.format(2))
    answers = {"FEED": f"{url}/feed", "TO": "me@example.org", "AT": "09:00", "ZONE": "Europe/Berlin"}
    home.begin(TEMPLATES["morning-digest"], answers, {"smtp:mail": box.settings()})


def test_news_wait_for_the_morning_and_leave_in_one_mail(home: Household, site: Site, url: str, box: Postbox) -> None:
    """It begins at eleven in Berlin."""
    digest(home, site, url, box)
    home.wait(20 * HOUR)
    site.body = FEED.format(ENTRY.format(2) + ENTRY.format(3))
    home.wait(HOUR + 50 * MINUTE)
    assert home.shop.requests() == []
    home.wait(20 * MINUTE)
    sentence, call = home.answer()
    assert (sentence, call["to"]) == ("Mail you 3 new entries", ["me@example.org"])
    [mail] = box.taken
    assert mail.recipients == ["me@example.org"]
    lines = mail.read().get_content().splitlines()
    assert [line for line in lines if line.startswith("News")] == ["News 1", "News 2", "News 3"]
    home.wait(DAY)
    assert len(box.taken) == 1


def test_after_the_first_yes_it_mails_by_itself(home: Household, site: Site, url: str, box: Postbox) -> None:
    digest(home, site, url, box)
    home.wait(23 * HOUR)
    home.answer()
    site.body = FEED.format(ENTRY.format(7))
    home.wait(2 * DAY)
    assert len(box.taken) == 2
    assert home.shop.requests() == []


def test_a_no_keeps_the_mail_and_a_refusal_is_tried_again(home: Household, site: Site, url: str, box: Postbox) -> None:
    digest(home, site, url, box)
    home.wait(23 * HOUR)
    home.answer(yes=False)
    assert (box.taken, home.summaries) == ([], ["Not mailed, as you said"])
    box.refuses["DATA"] = "451 4.3.0 Come again later"
    site.body = FEED.format(ENTRY.format(8))
    home.wait(DAY)
    home.answer()
    assert box.taken == []
    del box.refuses["DATA"]
    home.wait(HOUR)
    assert len(box.taken) == 1
    assert home.shop.requests() == []


@pytest.fixture(scope="module")
def dovecot() -> Iterator[Dovecot]:
    with running_dovecot(trustme.CA(), me="imap", other="imap", twice="imap", locked="changed") as one:
        yield one


def deliver(dovecot: Dovecot, user: str, number: int, subject: str, text: str) -> None:
    message = f"From: Shop <shop@example.org>\r\nSubject: {subject}\r\nMessage-ID: <{number}@x>\r\n\r\n{text}\r\n"
    dovecot.deliver(user, message.encode(), f"{number:09}")


def receipts(home: Household, dovecot: Dovecot, user: str, table: Path) -> None:
    settings = {name: value for name, value in dovecot.settings(user).items() if name != "password"}
    home.begin(TEMPLATES["mailed-receipts"], {"TABLE": str(table)}, {"imap:home": settings})


def test_mailed_receipts_are_entered_after_a_yes_and_never_twice(
    home: Household, dovecot: Dovecot, tmp_path: Path
) -> None:
    deliver(dovecot, "me", 1, "Your receipt", "Thank you\r\nTotal: 12.50 EUR")
    deliver(dovecot, "me", 2, "Hello", "Total: 99")
    deliver(dovecot, "me", 3, "Receipt of the baker", "see attachment")
    table = tmp_path / "expenses.csv"
    receipts(home, dovecot, "me", table)
    assert home.troubles == []
    sentence, call = home.answer()
    assert sentence == "Enter 2 receipts, 1 without an amount"
    assert [row["amount"] for row in call["rows"]] == ["12.50", ""]
    assert len(table.read_text().splitlines()) == 3
    deliver(dovecot, "me", 4, "Another receipt", "Amount due 7,20")
    home.wait(20 * MINUTE)
    assert home.answer()[0] == "Enter 1 receipt"
    assert home.summaries == ["Entered 2, 2 so far", "Entered 1, 3 so far"]
    assert len(table.read_text().splitlines()) == 4


def test_two_receipts_with_one_subject_are_both_on_the_card(home: Household, dovecot: Dovecot, tmp_path: Path) -> None:
    for number, total in ((11, "1.00"), (12, "2.00")):
        deliver(dovecot, "twice", number, "Your receipt", f"Total: {total}")
    receipts(home, dovecot, "twice", tmp_path / "x.csv")
    [request] = home.shop.requests()
    assert request.ui == {"1. Your receipt": "1.00", "2. Your receipt": "2.00"}


def test_a_mailbox_that_is_away_or_has_another_password_is_said(
    home: Household, dovecot: Dovecot, tmp_path: Path
) -> None:
    receipts(home, dovecot, "locked", tmp_path / "x.csv")
    [request] = home.shop.requests()
    assert "did not accept the login of locked" in request.sentence


def test_a_no_leaves_receipts_out_for_good(home: Household, dovecot: Dovecot, tmp_path: Path) -> None:
    deliver(dovecot, "other", 1, "Your receipt", "Total: 1")
    receipts(home, dovecot, "other", tmp_path / "x.csv")
    home.answer(yes=False)
    home.wait(HOUR)
    assert not (tmp_path / "x.csv").exists()
    assert home.shop.requests() == []


INVOICES = """number,customer,mail,amount,due,paid
1,Anna,anna@example.org,100.00,2026-11-01,
2,Ben,ben@example.org,50.00,2026-10-01,
3,Cleo,cleo@example.org,70.00,2026-11-15,
4,Dora,dora@example.org,20.00,2026-01-01,yes
"""


def invoices(home: Household, box: Postbox, table: Path) -> None:
    table.write_text(INVOICES)
    answers = {"TABLE": str(table), "SIGNED": "Emma"}
    home.begin(TEMPLATES["invoice-reminders"], answers, {"smtp:mail": box.settings()})


def test_each_overdue_invoice_is_reminded_of_after_its_own_yes(home: Household, box: Postbox, tmp_path: Path) -> None:
    """On 16 November the first is 15 days late, the second 46, the third not enough, the last is paid."""
    invoices(home, box, tmp_path / "invoices.csv")
    assert box.taken == []
    assert home.answer()[0] == "Remind Anna of invoice 1 (100.00, due 2026-11-01)"
    home.wait(MINUTE)
    sentence, call = home.answer()
    assert (sentence[:10], call["subject"]) == ("Remind Ben", "Last reminder: invoice 2")
    assert [mail.recipients for mail in box.taken] == [["anna@example.org"], ["ben@example.org"]]
    home.wait(2 * DAY)
    assert home.shop.requests() == []
    assert home.summaries == ["Reminded Anna", "Reminded Ben"]


def test_what_is_paid_meanwhile_is_not_reminded_of(home: Household, box: Postbox, tmp_path: Path) -> None:
    table = tmp_path / "invoices.csv"
    invoices(home, box, table)
    table.write_text(INVOICES.replace("2026-10-01,", "2026-10-01,yes"))
    home.answer(yes=False)
    home.wait(MINUTE)
    assert home.shop.requests() == []
    assert box.taken == []
    assert home.shop.pending("overdue", home.slug) == []
    assert home.summaries == ["Did not remind Anna, as you said"]


def test_a_server_that_hangs_up_is_not_sent_the_mail_twice(home: Household, box: Postbox, tmp_path: Path) -> None:
    """It took the mail and did not say so: the person decides, and only `next` follows."""
    invoices(home, box, tmp_path / "invoices.csv")
    box.hangs_up = "after"
    home.answer()
    [request] = home.shop.requests()
    assert request.run is not None
    mutation = home.shop.mutation(request.run)
    assert mutation is not None and mutation.status is Mutation.UNSURE
    box.hangs_up = ""
    home.shop.answering.resolve(request.run, "happened")
    home.shop.tick()
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


def put(calendar: str, uid: str, title: str, start: str) -> None:
    lines = ("BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:x", "BEGIN:VEVENT", "DTSTAMP:20260101T000000Z")
    text = "\r\n".join((*lines, f"UID:{uid}", f"SUMMARY:{title}", f"DTSTART{start}", "END:VEVENT", "END:VCALENDAR", ""))
    ask("PUT", f"{calendar}{uid}.ics", text)


def test_one_that_nobody_has_connected_is_said_without_a_command_for_those_who_see_a_button(home: Household) -> None:
    home.begin(TEMPLATES["calendar-reminder"], {"LEAD": 15}, {})
    [request] = home.shop.requests()
    assert request.sentence == "caldav:calendar is not connected yet."


def test_events_are_told_a_while_before_they_begin(home: Household, calendar: str) -> None:
    put(calendar, "a", "Dentist", ":20261116T120000Z")
    put(calendar, "b", "Holiday", ";VALUE=DATE:20261117")
    home.begin(TEMPLATES["calendar-reminder"], {"LEAD": 15}, {"caldav:calendar": {"url": calendar, "user": USER}})
    home.wait(timedelta(hours=1, minutes=44))
    assert home.told == []
    home.wait(2 * MINUTE)
    assert home.troubles == []
    [(title, _)] = home.told
    assert title == "Dentist"
    home.wait(DAY)
    assert len(home.told) == 1


def test_an_event_that_is_moved_is_told_at_its_new_time(home: Household, calendar: str) -> None:
    put(calendar, "a", "Dentist", ":20261116T120000Z")
    home.begin(TEMPLATES["calendar-reminder"], {"LEAD": 15}, {"caldav:calendar": {"url": calendar, "user": USER}})
    put(calendar, "a", "Dentist", ":20261116T150000Z")
    home.wait(4 * HOUR)
    assert home.told == []
    home.wait(50 * MINUTE)
    assert home.summaries == ["Reminded you of Dentist"]
    assert home.told == [("Dentist", f"Dentist begins at {AT_THREE.astimezone():%H:%M}")]


def test_a_reminder_says_when_it_begins_by_the_clock_on_the_wall(
    home: Household, calendar: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The one is written in UTC and the other in its own zone; both begin at the same time."""
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    put(calendar, "a", "Dentist", ":20261116T150000Z")
    put(calendar, "b", "Choir", ";TZID=Europe/Berlin:20261116T160000")
    home.begin(TEMPLATES["calendar-reminder"], {"LEAD": 15}, {"caldav:calendar": {"url": calendar, "user": USER}})
    home.wait(5 * HOUR)
    [(_, text)] = home.told
    assert sorted(text.splitlines()) == ["Choir begins at 00:00", "Dentist begins at 00:00"]


@pytest.mark.parametrize(("path", "says"), [("", "did not accept the login"), ("x/y/", "403")])
def test_a_calendar_that_does_not_let_us_in_or_is_gone_is_said(
    home: Household, calendar: str, path: str, says: str
) -> None:
    other = {"url": f"{calendar}{path}", "user": USER if path else "somebody"}
    home.begin(TEMPLATES["calendar-reminder"], {"LEAD": 15}, {"caldav:calendar": other})
    assert says in home.shop.requests()[0].sentence
