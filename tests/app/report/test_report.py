"""One report as text, as HTML for mail programs, and in German."""

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage
from html.parser import HTMLParser

import pytest
from PySide6.QtCore import QLocale
from PySide6.QtWidgets import QApplication

from app.i18n.languages import Language, install_language
from app.report.content import describe_report
from app.report.html import write_html
from app.report.mail import write_mail
from app.report.text import write_text
from scheduler.engine.queries.report import (
    Report,
    ReportBar,
    ReportedAnswer,
    ReportedFailure,
    ReportedGap,
    ReportedPause,
    ReportedRequest,
    ReportedWorkflow,
)
from scheduler.rules.requests import RequestKind
from scheduler.timing.occurrences import OccurrenceReason

MONDAY = datetime(2026, 11, 16, tzinfo=UTC)
DAY = timedelta(days=1)


def make_workflow(name: str = "Backup", **counts: int) -> ReportedWorkflow:
    numbers = {"succeeded": 0, "failed": 0, "refused": 0, "cancelled": 0, "not_run": 0, **counts}
    return ReportedWorkflow(workflow=name.lower(), name=name, last="Saved 3 files", **numbers)


REPORT = Report(
    since=MONDAY,
    until=MONDAY + 7 * DAY,
    made=MONDAY + 7 * DAY + timedelta(hours=8),
    zone="UTC",
    bars=tuple(
        ReportBar(start=MONDAY + n * DAY, until=MONDAY + (n + 1) * DAY, succeeded=n * 3, failed=n % 2, not_run=n == 5)
        for n in range(7)
    ),
    workflows=(make_workflow(succeeded=63, failed=3), make_workflow("Receipts <b>", refused=1, cancelled=1, not_run=1)),
    answers=(
        ReportedAnswer(
            workflow="receipts",
            name="Receipts <b>",
            kind=RequestKind.APPROVAL,
            sentence="Add 3 receipts & more",
            answer="yes",
            at=MONDAY + timedelta(hours=9, minutes=30),
            reason="",
            channel="ntfy:phone",
        ),
        ReportedAnswer(
            workflow="receipts",
            name="Receipts <b>",
            kind=RequestKind.APPROVAL,
            sentence="Send a mail",
            answer="no",
            at=MONDAY + timedelta(hours=10),
            reason="Not now",
            channel="",
        ),
    ),
    gaps=(
        ReportedGap(
            workflow="backup",
            name="Backup",
            job="",
            state="missed",
            sentence=OccurrenceReason.PASSED.sentence,
            number=2,
            first=MONDAY + 5 * DAY,
            last=MONDAY + 6 * DAY,
        ),
    ),
    failing=(ReportedFailure(workflow="backup", name="Backup", job="check_disk", failures=3, since=MONDAY + 4 * DAY),),
    paused=(ReportedPause(workflow="idle", name="Idle", job="", until=None, note="On holiday"),),
    everything_paused_until=None,
    waiting=(
        ReportedRequest(
            workflow="receipts",
            name="Receipts <b>",
            kind=RequestKind.APPROVAL,
            sentence="Add 2 receipts",
            since=MONDAY + 6 * DAY,
        ),
    ),
)
EMPTY = replace(REPORT, bars=(), workflows=(), answers=(), gaps=(), failing=(), paused=(), waiting=())


@pytest.fixture(autouse=True)
def _english() -> Iterator[None]:
    before = QLocale()
    QLocale.setDefault(QLocale("en_GB"))
    yield
    QLocale.setDefault(before)


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.seen: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))
        if tag not in ("meta", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_text_says_everything() -> None:
    text = write_text(describe_report(REPORT))
    lines = text.splitlines()
    assert lines[0] == "Dayhand report, Mon 16 Nov to Sun 22 Nov"
    assert lines[1] == "63 runs went well, 3 failed, 1 did not run, 1 waits for you"
    assert "Receipts <b>: You approved: Add 3 receipts & more" in lines and "    Mon 16 Nov 09:30, ntfy:phone" in lines
    assert "Receipts <b>: You rejected: Send a mail (Not now)" in lines
    assert "    Mon 16 Nov 10:00, at this computer" in lines
    assert f"Backup: Missed (2 times): {OccurrenceReason.PASSED.sentence}" in lines
    assert "Backup · Check disk: Failed 3 times in a row" in lines
    assert "Idle: until you resume it" in lines and "    On holiday" in lines
    assert any(line.startswith("Wed 18 Nov  █") and line.endswith("6 runs went well") for line in lines)


def test_the_html_has_only_what_mail_programs_show() -> None:
    html = write_html(describe_report(REPORT))
    tags = Tags()
    tags.feed(html)
    assert tags.open == []
    names = {name for name, _ in tags.seen}
    assert names <= {"html", "head", "meta", "title", "body", "table", "tr", "td", "p", "h1", "h2", "b", "br", "span"}
    assert not {name for _, given in tags.seen for name in given} & {"class", "id", "src", "href", "onclick"}
    assert "url(" not in html and "<style" not in html and "http" not in html
    assert "Receipts &lt;b&gt;" in html and "Add 3 receipts &amp; more" in html and "<b>:" not in html
    assert 'name="color-scheme" content="light dark"' in html
    assert not re.search(r'bgcolor="#(fff|000)', html) and "color:#000" not in html and "color:#fff" not in html


def test_hidden_characters_are_made_visible() -> None:
    tricky = replace(REPORT, workflows=(make_workflow("gpj.\u202eexe\nBackup", succeeded=1),))
    for written in (write_text(describe_report(tricky)), write_html(describe_report(tricky))):
        assert "\u202e" not in written and "exe Backup" in written


def test_a_long_list_is_cut_and_counted() -> None:
    many = replace(REPORT, answers=REPORT.answers * 50)
    text = write_text(describe_report(many))
    assert text.count("You approved") + text.count("You rejected") == 40 and "and 60 more" in text


def test_a_week_without_runs_says_so() -> None:
    content = describe_report(EMPTY)
    assert content.headline == "Nothing ran" and content.sections == ()
    assert "<table" in write_html(content)


def test_the_mail_has_a_subject_and_both_forms() -> None:
    mail = write_mail(REPORT)
    assert mail.subject == (
        "Dayhand · Mon 16 Nov to Sun 22 Nov: 63 runs went well, 3 failed, 1 did not run, 1 waits for you"
    )
    message = EmailMessage()
    message["Subject"] = mail.subject
    message.set_content(mail.text)
    message.add_alternative(mail.html, subtype="html")
    assert len(message.as_bytes()) < 30_000


def test_it_speaks_german(qapp: QApplication) -> None:
    translators = install_language(Language.GERMAN, QLocale("de_DE"))
    try:
        text = write_text(describe_report(REPORT))
        html = write_html(describe_report(REPORT))
    finally:
        for one in translators:
            qapp.removeTranslator(one)
    assert "63 Läufe sind gelungen" in text and 'lang="de"' in html
    assert "Mo. 16. Nov." in text
    assert not any(word in text for word in (" failed", "You approved", "did not run", "Missed"))
