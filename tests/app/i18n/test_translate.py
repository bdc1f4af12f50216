"""Sentences of the engine are translated into German, or left unchanged."""

from datetime import timedelta
from typing import Any

import pytest
from PySide6.QtCore import QLocale
from PySide6.QtWidgets import QApplication

from app.i18n.translate import translate_text
from app.window.history.history_data import describe_outcome
from scheduler.engine.queries.runs import RunView
from scheduler.rules.phases import HandlerKind, RunPhase, RunStatus
from scheduler.timing.date_words import MONTHS
from scheduler.timing.description import describe_schedule
from scheduler.timing.occurrences import OccurrenceReason
from scheduler.timing.spec import ScheduleKind, ScheduleSpec
from scheduler.timing.zones import LOCAL
from scheduler.user_text import UserText, join_texts


def cron(*texts: str, timezone: str = LOCAL, **more: Any) -> ScheduleSpec:
    return ScheduleSpec(kind=ScheduleKind.CRON, cron=texts, timezone=timezone, **more)


def every(**length: int) -> ScheduleSpec:
    return ScheduleSpec(kind=ScheduleKind.EVERY, every=timedelta(**length), timezone=LOCAL)


@pytest.mark.parametrize(
    ("spec", "english", "german"),
    [
        (every(minutes=1), "Every minute", "Jede Minute"),
        (every(minutes=5), "Every 5 minutes", "Alle 5 Minuten"),
        (every(hours=24), "Every 24 hours", "Alle 24 Stunden (in echter Zeit, ohne die Zeitumstellung)"),
        (cron("0 9 * * *"), "Daily at 09:00", "Täglich um 09:00"),
        (cron("0 9,12,18 * * *"), "Daily at 09:00, 12:00 and 18:00", "Täglich um 09:00, 12:00 und 18:00"),
        (cron("0 9 * * 1-5"), "Weekdays at 09:00", "Montags bis freitags um 09:00"),
        (cron("0 9 * * 0,6"), "Weekends at 09:00", "Am Wochenende um 09:00"),
        (cron("0 9 * * 1,3"), "Mondays and Wednesdays at 09:00", "Montags und mittwochs um 09:00"),
        (cron("0 9 * * 1-4"), "Monday to Thursday at 09:00", "Von Montag bis Donnerstag um 09:00"),
        (cron("0 9 1 * *"), "1st of the month at 09:00", "Am 1. des Monats um 09:00"),
        (cron("0 9 1,15 * *"), "1st and 15th of the month at 09:00", "Am 1. und 15. des Monats um 09:00"),
        (cron("0 9 L * *"), "Last day of the month at 09:00", "Am letzten Tag des Monats um 09:00"),
        (cron("0 9 1 1 *"), "1 January at 09:00", "Am 1. Januar um 09:00"),
        (cron("15 * * * *"), "Hourly at :15", "Stündlich um :15"),
        (cron("*/15 9-17 * * *"), "Every 15 minutes from 09:00 to 17:45", "Alle 15 Minuten von 09:00 bis 17:45"),
        (
            cron("*/15 9-17 * * 1-5"),
            "Every 15 minutes from 09:00 to 17:45 on weekdays",
            "Alle 15 Minuten von 09:00 bis 17:45 montags bis freitags",
        ),
        (cron("0 9 * * *", timezone="America/New_York"), "Daily at 09:00 (New York)", "Täglich um 09:00 (New York)"),
        (cron("0 9 13 * 5"), "On the 13th or on Fridays", "Am 13. oder freitags um 09:00"),
        (cron("0 9 * * 5#3"), "Third Friday of the month", "Am dritten Freitag des Monats um 09:00"),
        (cron("0 9 * 1 1-4"), "Monday to Thursday in January", "Von Montag bis Donnerstag im Januar um 09:00"),
        (cron("0 9 1 1,7 *"), "1 January and 1 July", "Am 1. Januar und 1. Juli um 09:00"),
        (
            cron("0 9 1,15 3-5 *"),
            "1st and 15th of each month from March to May",
            "Am 1. und 15. jedes Monats von März bis Mai um 09:00",
        ),
        (cron("0 9 * * *", limit=3), "Daily at 09:00", "Täglich um 09:00, insgesamt höchstens 3 Läufe"),
        (
            cron("0 9 * * *", exclude=("2026-12-24",)),
            "Daily at 09:00, except",
            "Täglich um 09:00, außer 24. Dezember 2026",
        ),
        (cron("0 9 * * *", "30 18 * * 5"), "Daily at 09:00; and", "Täglich um 09:00; und freitags um 18:30"),
        (cron("*/7 3,5 * * *"), "At minutes 0, 7, 14", "In Minute 0, 7, 14 … 56 von Stunde 3 und 5"),
        (every(days=2), "Every 2 days", "Alle 2 Tage (in echter Zeit, ohne die Zeitumstellung)"),
        (every(hours=1, seconds=1), "Every 1 hour 1 second", "Alle 1 Stunde 1 Sekunde"),
    ],
)
def test_schedules_are_translated(in_german: None, spec: ScheduleSpec, english: str | None, german: str | None) -> None:
    said = describe_schedule(spec, viewer_zone="Europe/Berlin")
    assert english is None or said.startswith(english)
    assert translate_text(said) == (german or said)


def test_several_schedules_are_translated_together(in_german: None) -> None:
    both = join_texts([describe_schedule(cron("0 9 * * *")), describe_schedule(every(minutes=5))], "; ")
    assert both == "Daily at 09:00; Every 5 minutes"
    assert translate_text(both) == "Täglich um 09:00; Alle 5 Minuten"


@pytest.mark.parametrize("reason", list(OccurrenceReason))
def test_every_reason_for_not_running_is_german(in_german: None, reason: OccurrenceReason) -> None:
    assert translate_text(reason.sentence) != reason.sentence


RETRY = UserText("Retrying {at}.", at=UserText("on {day} {month} at {time}", day=18, month=MONTHS[2], time="09:00"))


@pytest.mark.parametrize(
    ("english", "german"),
    [
        (
            UserText("may {ability}, asks each time", ability=UserText("add rows to {name}", name="expenses")),
            "darf Zeilen an expenses anfügen, fragt jedes Mal vorher",
        ),
        (
            join_texts([UserText("Something went wrong."), RETRY], " "),
            "Etwas ist schiefgegangen. Neuer Versuch am 18. März um 09:00.",
        ),
        (
            UserText("{name}, line {line}: {message}", name="look.py", line=3, message="KeyError: 7"),
            "look.py, Zeile 3: „7“ fehlt",
        ),
    ],
)
def test_failures_permissions_and_errors_are_german(in_german: None, english: str, german: str) -> None:
    assert translate_text(english) == german


def test_a_sentence_stored_by_an_earlier_version_is_translated_if_it_is_known(in_german: None) -> None:
    assert translate_text("It was stopped.") == "Es wurde gestoppt."
    assert translate_text("Mail failed 5 times in a row.") == "Mail failed 5 times in a row."


def test_texts_of_scripts_are_unchanged(in_german: None) -> None:
    for sentence in ("Add 3 receipts to Expenses", "", "at 09:00", "daily", "Filed; done", "Every cat and dog"):
        assert translate_text(sentence) == sentence


def test_in_english_nothing_changes(qapp: QApplication) -> None:
    before = QLocale()
    try:
        for spoken in ("en_GB", "C"):
            QLocale.setDefault(QLocale(spoken))
            assert translate_text("Weekdays at 09:00") == "Weekdays at 09:00"
    finally:
        QLocale.setDefault(before)


def test_times_of_the_engine_are_written_as_in_the_country_of_the_user(qapp: QApplication) -> None:
    before = QLocale()
    text = UserText("{handler} failed {at}.", handler="25:00", at=UserText("at {time}", time="14:05"))
    try:
        QLocale.setDefault(QLocale("en_US"))
        assert translate_text(text) == "25:00 failed at 2:05\u202fPM."
        assert translate_text(describe_schedule(cron("0 21 * * *"))) == "Daily at 9:00\u202fPM"
        QLocale.setDefault(QLocale("en_GB"))
        assert translate_text(text) == "25:00 failed at 14:05."
    finally:
        QLocale.setDefault(before)


@pytest.mark.usefixtures("in_german")
def test_why_nothing_follows_a_failed_run_is_translated() -> None:
    run = RunView(
        id="r",
        workflow="w",
        handler="j",
        kind=HandlerKind.JOB,
        trigger="automatic",
        planned=None,
        began=None,
        ended=None,
        phase=RunPhase.EXECUTING,
        status=RunStatus.LOGIC,
        retry_of=None,
        attempt=1,
        summary=UserText("The script changed."),
        error=None,
        is_followed=True,
    )
    assert describe_outcome(run) == "Das Skript wurde geändert."
