"""The report of a week is mailed once through a real server, over restarts, sleep, outages and lost answers."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from scheduler.connections.connectors.mail.smtp import smtp
from scheduler.connections.registry import Registry
from scheduler.engine.monitoring.report_mail import ReportText
from scheduler.rules.report_periods import ReportInterval, ReportPeriod
from scheduler.store import connections
from tests.connections.smtp_server import SmtpServer, running_smtp_server
from tests.engine.engine_fixture import DAY, HOUR, MINUTE
from tests.runs.runtime_fixture import RuntimeFixture


class Mailbox:
    def __init__(self, folder: Path, server: SmtpServer) -> None:
        self.server = server
        self.written: list[ReportPeriod] = []
        self.runtime = runtime = RuntimeFixture(folder)
        runtime.service.registry = lambda: Registry([smtp])  # type: ignore[method-assign]
        runtime.write_report = self.write
        runtime.settings = replace(
            runtime.settings, report=ReportInterval.WEEKLY, report_connection="smtp:home", report_to=""
        )
        runtime.close()
        runtime.open()
        self.connect()

    def connect(self, **settings: Any) -> None:
        with self.runtime.database.write() as db:
            connections.save(db, "smtp:home", self.server.settings(**settings), self.runtime.clock.wall)

    def write(self, period: ReportPeriod) -> ReportText:
        self.written.append(period)
        return ReportText("Your week", f"Since {period.since:%d.%m.}", "<p>Your <b>week</b></p>")

    def pass_time(self, span: timedelta) -> None:
        """An hour at a time, as sending takes no time of this clock."""
        end = self.runtime.clock.wall + span
        while self.runtime.clock.wall < end:
            self.runtime.clock.move(min(HOUR, end - self.runtime.clock.wall))
            self.tick()

    def tick(self) -> None:
        runtime = self.runtime
        runtime.engine.tick(runtime.clock.wall)
        thread = runtime.services.monitoring._report_mail._thread  # type: ignore[union-attr]
        if thread is not None:
            thread.join(60)

    @property
    def taken(self) -> list[str]:
        return [one.read()["subject"] for one in self.server.taken]


@pytest.fixture
def mailbox(tmp_path: Path) -> Iterator[Mailbox]:
    """It is Monday at ten."""
    with running_smtp_server() as server:
        mailbox = Mailbox(tmp_path, server)
        mailbox.tick()
        yield mailbox
        mailbox.runtime.close()


def test_each_week_is_mailed_once_from_the_next_one_on(mailbox: Mailbox) -> None:
    mailbox.pass_time(6 * DAY)
    assert mailbox.taken == [], "the week before was over when reports were switched on"
    mailbox.pass_time(8 * DAY)
    assert mailbox.taken == ["Your week"] * 2
    [first, second] = mailbox.written
    assert f"{first.since:%a %H:%M}" == "Mon 00:00" and first.until == second.since
    mail = mailbox.server.taken[0].read()
    assert mail["to"] == mail["from"] == "Dayhand <me@example.org>"
    assert [part.get_content_type() for part in mail.walk()] == ["multipart/alternative", "text/plain", "text/html"]


def test_it_is_not_mailed_again_after_restarts_and_sleep(mailbox: Mailbox) -> None:
    mailbox.runtime.clock.move(9 * DAY)  # asleep
    mailbox.tick()
    assert mailbox.taken == ["Your week"]
    for _ in range(3):
        mailbox.runtime.crash(off=HOUR)
        mailbox.pass_time(2 * HOUR)
    assert mailbox.taken == ["Your week"]
    mailbox.runtime.crash(off=21 * DAY)
    mailbox.tick()
    assert mailbox.taken == ["Your week"] * 2, "only the last of the weeks that were slept through"


def test_a_server_that_is_down_is_tried_again_and_told_once(mailbox: Mailbox) -> None:
    port = mailbox.server.port
    mailbox.connect(port=1)
    mailbox.pass_time(7 * DAY + 2 * HOUR)
    assert mailbox.taken == []
    [said] = mailbox.runtime.notified
    assert said.startswith("The report could not be mailed: ")
    mailbox.runtime.crash()
    mailbox.connect(port=port)
    mailbox.pass_time(5 * HOUR)
    assert mailbox.taken == ["Your week"]


def test_a_mail_whose_answer_was_lost_is_not_sent_again(mailbox: Mailbox) -> None:
    mailbox.server.hangs_up = "after"
    mailbox.runtime.clock.move(7 * DAY)
    mailbox.tick()
    mailbox.server.hangs_up = ""
    mailbox.runtime.crash()
    mailbox.pass_time(DAY)
    assert mailbox.taken == ["Your week"]
    assert mailbox.runtime.notified == ["It is not known whether the last report was mailed."]


def test_a_crash_before_the_mail_is_sent_leaves_it_for_the_next_start(mailbox: Mailbox) -> None:
    def crash(_: ReportPeriod) -> ReportText:
        mailbox.runtime.database.close()
        raise OSError

    monitoring = mailbox.runtime.services.monitoring
    monitoring._report_mail._write_report = crash  # type: ignore[union-attr]
    mailbox.runtime.clock.move(7 * DAY)
    mailbox.tick()
    mailbox.runtime.crash(off=MINUTE)
    mailbox.tick()
    assert mailbox.taken == ["Your week"]


def test_nothing_is_mailed_unless_it_is_wanted(mailbox: Mailbox) -> None:
    mailbox.runtime.services.change_settings(lambda old: replace(old, report=ReportInterval.OFF))
    mailbox.pass_time(8 * DAY)
    assert mailbox.written == []
    mailbox.runtime.services.change_settings(
        lambda old: replace(old, report=ReportInterval.DAILY, report_to="Anna <anna@example.org>")
    )
    mailbox.tick()
    mailbox.pass_time(DAY)
    assert [one.key for one in mailbox.written][-1].startswith("daily ")
    assert mailbox.server.taken[-1].recipients == ["anna@example.org"]
