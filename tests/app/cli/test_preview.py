"""`preview`: what is typed, and what is printed."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from app.cli import command_line

BERLIN = ["--timezone", "Europe/Berlin"]
AUTUMN = [*BERLIN, "--from", "2026-10-24T12:00"]


@pytest.fixture
def preview(capsys: pytest.CaptureFixture[str]) -> Any:
    """Run `dayhand preview --json` and return its answer."""

    def run(*arguments: str) -> dict[str, Any]:
        assert command_line.run(["preview", *arguments, "--json"]) == 0
        captured = capsys.readouterr()
        assert captured.err == "" and captured.out.count("\n") == 1
        answer: dict[str, Any] = json.loads(captured.out)
        assert list(answer) == ["times", "timezone", "words"]
        return answer

    return run


@pytest.fixture
def text(capsys: pytest.CaptureFixture[str]) -> Any:
    def run(*arguments: str) -> list[str]:
        assert command_line.run(["preview", *arguments]) == 0
        return capsys.readouterr().out.splitlines()

    return run


def test_json_contains_times_zone_and_description(preview: Any) -> None:
    assert preview("30 2 * * *", *AUTUMN, "--count", "2") == {
        "times": ["2026-10-25T00:30:00Z", "2026-10-26T01:30:00Z"],
        "timezone": "Europe/Berlin",
        "words": "Daily at 02:30",
    }


def test_the_text_shows_local_time_and_utc(text: Any) -> None:
    assert text("30 2 * * *", *AUTUMN, "--count", "2") == [
        "Daily at 02:30",
        "Time zone: Europe/Berlin",
        "",
        "Sun 25 Oct 2026  02:30 CEST  2026-10-25T00:30:00Z",
        "Mon 26 Oct 2026  02:30 CET   2026-10-26T01:30:00Z",
    ]


def test_seconds_are_shown_if_there_are_any(text: Any) -> None:
    lines = text("every 90s", "--timezone", "America/Sao_Paulo", "--from", "2026-11-05T12:00", "--count", "2")
    assert lines[3:] == [
        "Thu  5 Nov 2026  12:01:30 -03  2026-11-05T15:01:30Z",
        "Thu  5 Nov 2026  12:03:00 -03  2026-11-05T15:03:00Z",
    ]


def test_the_end_of_the_schedule_is_reported(text: Any) -> None:
    assert text("once 2026-11-20T09:00", *AUTUMN)[-2:] == [
        "Fri 20 Nov 2026  09:00 CET  2026-11-20T08:00:00Z",
        "No more times.",
    ]
    assert text("once 2020-01-01", *AUTUMN) == [
        "Once on 1 January 2020 at 00:00",
        "Time zone: Europe/Berlin",
        "No more times.",
    ]
    assert text("0 9 * * *", *AUTUMN, "--count", "1")[-1].startswith("Sun 25 Oct 2026")


def test_every_24_hours_warns_that_it_does_not_follow_local_time(preview: Any) -> None:
    answer = preview("every 24h", *AUTUMN, "--count", "2")
    assert answer["times"] == ["2026-10-25T10:00:00Z", "2026-10-26T10:00:00Z"]
    assert "does not follow local time" in answer["words"]


@pytest.mark.parametrize(
    ("schedule", "words", "times"),
    [
        (["every 5m"], "Every 5 minutes", ["10:05:00", "10:10:00"]),
        (["every", "5m"], "Every 5 minutes", ["10:05:00", "10:10:00"]),
        (["Every", "1.5 H"], "Every 90 minutes", ["11:30:00", "13:00:00"]),
        (["every 5m anchor 2026-10-24T10:02Z"], "Every 5 minutes", ["10:02:00", "10:07:00"]),
        (["every", "5m", "anchor", "2026-10-24", "12:02"], "Every 5 minutes", ["10:02:00", "10:07:00"]),
        (["0 13 * * *"], "Daily at 13:00", ["11:00:00", "12:00:00"]),
        (["cron 0 13 * * *"], "Daily at 13:00", ["11:00:00", "12:00:00"]),
        (["cron", "0 13 * * *"], "Daily at 13:00", ["11:00:00", "12:00:00"]),
        (["0", "13", "*", "*", "*"], "Daily at 13:00", ["11:00:00", "12:00:00"]),
        (["cron", "0", "13", "*", "*", "*"], "Daily at 13:00", ["11:00:00", "12:00:00"]),
        (["30 0 13 * * *"], "Daily at 13:00:30", ["11:00:30", "12:00:30"]),
        (["0 0 13 24 10 * 2026"], "24 October 2026 at 13:00", ["11:00:00"]),
        (["@HOURLY"], "Hourly at :00", ["11:00:00", "12:00:00"]),
        (["0 13 * * *;0 14 * * *"], "Daily at 13:00 and 14:00", ["11:00:00", "12:00:00"]),
        (["cron 0 13 * * * ; cron 0 14 * * *;"], "Daily at 13:00 and 14:00", ["11:00:00", "12:00:00"]),
        (["0 13 * * *", "0 14 * * *"], "Daily at 13:00 and 14:00", ["11:00:00", "12:00:00"]),
        (["cron", "0 13 * * *", "cron 0 14 * * *"], "Daily at 13:00 and 14:00", ["11:00:00", "12:00:00"]),
        (["0 13 * * *", "@hourly"], "Daily at 13:00; and hourly at :00", ["11:00:00", "12:00:00"]),
        (["0", "13", "*", "*", "*;", "0", "14", "*", "*", "*"], "Daily at 13:00 and 14:00", ["11:00:00", "12:00:00"]),
        (["\t0 13  * * *\n"], "Daily at 13:00", ["11:00:00", "12:00:00"]),
        (["once 2026-10-24T13:00+02:00"], "Once on 24 October 2026 at 13:00", ["11:00:00"]),
        (["once", "2026-10-24", "13:00"], "Once on 24 October 2026 at 13:00", ["11:00:00"]),
        (['calendar {"hour": 13}'], "Daily at 13:00", ["11:00:00", "12:00:00"]),
        (["calendar", '{"hour":', "13}"], "Daily at 13:00", ["11:00:00", "12:00:00"]),
        (["calendar", '[{"hour": 13}, {"hour": 14}]'], "Daily at 13:00 and 14:00", ["11:00:00", "12:00:00"]),
        (["calendar", '{"hour": 18, "day": "last"}'], "Last day of the month at 18:00", ["17:00:00", "17:00:00"]),
    ],
)
def test_a_schedule_can_be_typed_in_many_ways(preview: Any, schedule: list[str], words: str, times: list[str]) -> None:
    answer = preview(*schedule, *AUTUMN, "--count", "2")
    assert answer["words"] == words
    assert [at[11:-1] for at in answer["times"]] == times


def test_options_can_be_anywhere(preview: Any) -> None:
    answer = preview("--count", "1", "0 13 * * *", *AUTUMN, "0 14 * * *")
    assert answer["words"] == "Daily at 13:00 and 14:00"
    assert answer["times"] == ["2026-10-24T11:00:00Z"]


def test_times_are_after_from_and_up_to_until(preview: Any) -> None:
    inside = ["--from", "2026-10-24T10:00Z", "--until", "2026-10-24T12:00Z"]
    assert preview("0 * * * *", *inside)["times"] == ["2026-10-24T11:00:00Z", "2026-10-24T12:00:00Z"]
    assert preview("0 * * * *", *inside, "--count", "1")["times"] == ["2026-10-24T11:00:00Z"]


def test_from_and_until_without_offset_are_wall_time(preview: Any) -> None:
    answer = preview("0 9 * * *", *BERLIN, "--from", "2026-10-24T09:00", "--until", "2026-10-25T09:00")
    assert answer["times"] == ["2026-10-25T08:00:00Z"]


def test_until_a_date_includes_that_date(preview: Any) -> None:
    answer = preview("59 23 * * *", *BERLIN, "--from", "2026-10-24", "--until", "2026-10-24")
    assert answer["times"] == ["2026-10-24T21:59:00Z"]


def test_ten_times_are_shown_by_default(preview: Any) -> None:
    assert len(preview("* * * * *")["times"]) == 10
    assert len(preview("* * * * *", "--count", "250")["times"]) == 250


def test_until_shows_all_up_to_ten_thousand(preview: Any, text: Any) -> None:
    week = [*BERLIN, "--from", "2026-06-01", "--until", "2026-06-07"]
    assert len(preview("*/10 * * * *", *week)["times"]) == 7 * 144 - 1  # midnight itself is not later
    lines = text("* * * * *", *week)
    assert len(lines) == 3 + 10_000 + 1
    assert lines[-1] == "These are the first 10,000; there are more."
    assert text("0 9 * * *", *BERLIN, "--from", "2026-06-01T10:00", "--until", "2026-06-01T11:00")[-1] == (
        "No times in this range."
    )


def test_start_end_and_exceptions_narrow_the_schedule(preview: Any) -> None:
    answer = preview(
        *("0 9 * * *", *AUTUMN, "--start-at", "2026-12-20", "--end-at", "2027-01-03"),
        *("--exclude", "2026-12-21", "--exclude", "2026-12-24/2027-01-01", "--exclude", '{"weekday": "sat"}'),
        *("--exclude", '[{"day": 22}]', "--jitter", "+30s"),
    )
    assert [at[:10] for at in answer["times"]] == ["2026-12-20", "2026-12-23", "2027-01-03"]
    assert answer["words"] == (
        "Daily at 09:00, from 20 December 2026 until 3 January 2027, except 21 December 2026, "
        "24 December 2026 to 1 January 2027, Saturdays and the 22nd of the month, up to 30 seconds later"
    )


def test_excluding_everything_leaves_no_times(text: Any) -> None:
    assert text("* * * * *", "--exclude", '{"hour": "*"}')[-1] == "No more times."


def test_now_and_this_machine_are_the_defaults(preview: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    before = datetime.now(UTC).replace(microsecond=0)
    answer = preview("every 1h", "--count", "1")
    assert answer["timezone"] == "Asia/Tokyo"
    first = datetime.fromisoformat(answer["times"][0])
    assert before <= first - timedelta(hours=1) <= datetime.now(UTC)
    assert preview("every 1h", "--timezone", "local")["timezone"] == "Asia/Tokyo"


def test_without_an_anchor_intervals_count_from_the_start_time(preview: Any) -> None:
    answer = preview("every 5m", "--from", "2026-01-01T10:02Z", "--count", "1")
    assert answer["times"] == ["2026-01-01T10:07:00Z"]


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ([], "schedule: "),
        ([""], "schedule: "),
        (["  "], "schedule: "),
        ([";"], "cron: "),
        (["cron"], "cron: "),
        (["every"], "every: "),
        (["every 5"], "every: "),
        (["every", "-5m"], "every: "),
        (["every -5m"], "every: "),
        (["every 5 weeks"], "every: "),
        (["every 9s"], "every: "),
        (["every 5m anchor soon"], "anchor: "),
        (["every 5m anchor"], "every: "),
        (["once"], "once: "),
        (["once tomorrow"], "once: "),
        (["once 9999-12-31T23:59:59Z"], "once: "),
        (["garbage"], "cron: "),
        (["* * * *"], "cron: "),
        (["60 * * * *"], "minute: "),
        (["0 24 * * *"], "hour: "),
        (["0 0 32 * *"], "day: "),
        (["0 0 30 2 *"], "day: "),
        (["0 0 * 13 *"], "month: "),
        (["0 0 * * fry"], "weekday: "),
        (["0 9 * * *; 61 * * * *"], "minute: "),
        (["0 9 * * *", "61 * * * *"], "minute: "),
        (["\u0663 9 * * *"], "minute: "),
        (["0 9 * * *\x00"], "weekday: "),
        (["\udcff"], "cron: "),
        (["@fortnightly"], "cron: "),
        (["* * * * * *"], "cron: "),
        (["calendar"], "calendar: "),
        (["calendar", "{"], "calendar: "),
        (["calendar", "[]"], "calendar: "),
        (["calendar", "5"], "calendar: "),
        (["calendar", "null"], "calendar: "),
        (["calendar", "[" * 100_000], "calendar: "),
        (["calendar", '{"hour": 25}'], "hour: "),
        (["calendar", '{"hours": 9}'], "hours: "),
        (["calendar", '{"hour": 9, "hour": 17}'], "calendar: "),
        (["calendar", '{"hour": NaN}'], "hour: "),
        (["calendar", f'{{"hour": {"9" * 5000}}}'], "calendar: "),
        (["calendar", f'{{"hour": {"[" * 900}9{"]" * 900}}}'], "calendar: "),
        (["every 5m", "--count", "0"], "count: "),
        (["every 5m", "--count", "-3"], "count: "),
        (["every 5m", "--count", "abc"], "count: "),
        (["every 5m", "--count", "1.5"], "count: "),
        (["every 5m", "--count", "10001"], "count: "),
        (["every 5m", "--count", "9" * 5000], "count: "),
        (["every 5m", "--count", "\u0663"], "count: "),
        (["every 5m", "--from", "soon"], "from: "),
        (["every 5m", "--from", ""], "from: "),
        (["every 5m", "--from", "9999-12-31"], "from: "),
        (["every 5m", "--until", "2026-13-01"], "until: "),
        (["every 5m", "--from", "2026-10-25", "--until", "2026-10-24"], "until: "),
        (["every 5m", "--timezone", "Europe/Atlantis"], "timezone: "),
        (["every 5m", "--timezone", ""], "timezone: "),
        (["every 5m", "--timezone", "../../etc/passwd"], "timezone: "),
        (["every 5m", "--timezone", "/etc/passwd"], "timezone: "),
        (["every 5m", "--timezone", "Europe"], "timezone: "),
        (["every 5m", "--timezone", "Europe/Berlin\x00"], "timezone: "),
        (["every 5m", "--timezone", "\udcff"], "timezone: "),
        (["every 5m", "--timezone", "x" * 5000], "timezone: "),
        (["every 5m", "--start-at", "soon"], "start_at: "),
        (["every 5m", "--end-at", "soon"], "end_at: "),
        (["every 5m", "--start-at", "2026-10-25", "--end-at", "2026-10-24"], "end_at: "),
        (["every 5m", "--exclude", "christmas"], "exclude: "),
        (["every 5m", "--exclude", ""], "exclude: "),
        (["every 5m", "--exclude", "{"], "exclude: "),
        (["every 5m", "--exclude", "[1]"], "exclude: "),
        (["every 5m", "--exclude", "2027-01-01/2026-12-24"], "exclude: "),
        (["every 5m", "--exclude", '{"hour": 25}'], "hour: "),
        (["every 5m", "--jitter", "much"], "jitter: "),
        (["every 5m", "--jitter", "2d"], "jitter: "),
    ],
    ids=lambda value: repr(value)[:60],
)
@pytest.mark.parametrize("form", [[], ["--json"]], ids=["text", "json"])
def test_an_invalid_value_is_refused_with_its_name(
    capsys: pytest.CaptureFixture[str], arguments: list[str], named: str, form: list[str]
) -> None:
    assert command_line.run(["preview", *arguments, *form]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith(named)
    assert captured.err.endswith(".\n") and captured.err.count("\n") == 1 and captured.err[:-1].isprintable()
