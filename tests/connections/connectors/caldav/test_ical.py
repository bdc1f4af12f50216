"""iCalendar: what is written is read back, lines are folded, and times follow the format."""

from contextlib import suppress
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scheduler.connections.connectors.caldav.ical import (
    Component,
    IcalTime,
    NotACalendarError,
    Property,
    escape,
    find_zone,
    find_zones,
    fold,
    format_lines,
    parse_calendar,
    parse_duration,
    parse_ical_time,
)

BERLIN = ZoneInfo("Europe/Berlin")


def calendar(*lines: str, end: str = "\r\n") -> Component:
    return parse_calendar(end.join(("BEGIN:VCALENDAR", *lines, "END:VCALENDAR", "")))


@settings(deadline=None)
@given(st.text(st.characters(exclude_categories=["Cs", "Cc"]) | st.sampled_from('\n\t;,:\\"')))
def test_written_text_is_read_back(text: str) -> None:
    written = format_lines(["BEGIN:VCALENDAR", f"X-TEXT;A=b:{escape(text)}", "END:VCALENDAR"])
    assert parse_calendar(written).text("X-TEXT") == text


@settings(deadline=None)
@given(st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=50))
def test_lines_are_folded_between_characters(text: str) -> None:
    pieces = fold(f"SUMMARY:{text}").split("\r\n")
    assert all(len(piece.encode()) <= 75 for piece in pieces)
    assert all(piece.startswith(" ") for piece in pieces[1:])
    assert pieces[0] + "".join(piece[1:] for piece in pieces[1:]) == f"SUMMARY:{text}"


@settings(deadline=None)
@given(st.text())
def test_escaped_text_has_no_line_breaks(text: str) -> None:
    assert "\n" not in escape(text) and "\r" not in escape(text)
    escape(text).encode()


@settings(deadline=None)
@given(
    st.text()
    | st.lists(st.sampled_from(["BEGIN:VCALENDAR", "END:VCALENDAR", "BEGIN:A", "END:A", "X:1"])).map("\n".join)
)
def test_any_text_is_parsed_or_refused(text: str) -> None:
    with suppress(NotACalendarError):
        assert parse_calendar(text).name == "VCALENDAR"


def test_lines_are_read_as_programs_write_them() -> None:
    for end in ("\r\n", "\n"):
        read = calendar(
            'attendee;CN="Doe; Jane: boss";ROLE=A,"B":mailto:jane@example.org',
            "SUMMARY:one" + end + "  two" + end + "\tthree",
            "no line at all",
            "",
            "SUMMARY:second",
            end=end,
        )
        attendee = read.first("ATTENDEE")
        assert attendee is not None
        assert (attendee.parameters["CN"], attendee.value) == ("Doe; Jane: boss", "mailto:jane@example.org")
        assert read.text("SUMMARY") == "one twothree"
        assert len(read.properties["SUMMARY"]) == 2


@pytest.mark.parametrize(
    "text",
    [
        "",
        "hello",
        "BEGIN:VCALENDAR\n",
        "BEGIN:VCALENDAR\nBEGIN:VEVENT\nEND:VCALENDAR\n",
        "END:VCALENDAR\n",
        "BEGIN:VCALENDAR\n" + "BEGIN:A\n" * 100_000,
    ],
)
def test_an_incomplete_calendar_is_refused(text: str) -> None:
    with pytest.raises(NotACalendarError):
        parse_calendar(text)


def test_a_malicious_line_is_parsed_quickly() -> None:
    for line in ("A" * 1_000_000, "A" + ";B=c" * 200_000, 'A;B="' + "x" * 1_000_000, "A;B=" + "c," * 400_000):
        assert calendar(line).properties == {}


def parse(value: str, **parameters: str) -> IcalTime | None:
    return parse_ical_time(Property(value, parameters), {})


def test_dates_instants_and_zoned_times_are_distinguished() -> None:
    assert parse("20260504", VALUE="DATE") == IcalTime(date(2026, 5, 4))
    assert parse("20260504") == IcalTime(date(2026, 5, 4))
    assert parse("20260504T090000Z") == IcalTime(datetime(2026, 5, 4, 9, tzinfo=UTC))
    assert parse("20260504T090000", TZID="Europe/Berlin") == IcalTime(datetime(2026, 5, 4, 9, tzinfo=BERLIN))
    assert parse("20260504T090000") == IcalTime(datetime(2026, 5, 4, 9))  # noqa: DTZ001  no zone is the point
    assert parse("20260504T090000", TZID="Moon") == IcalTime(datetime(2026, 5, 4, 9), "Moon")  # noqa: DTZ001  as above
    for garbage in ("", "soon", "20261304", "20260504T250000Z", "20260504T0900"):
        assert parse(garbage) is None


@pytest.mark.parametrize(
    ("text", "span"),
    [
        ("PT1H30M", timedelta(hours=1, minutes=30)),
        ("P1DT2H", timedelta(days=1, hours=2)),
        ("P2W", timedelta(weeks=2)),
        ("-PT15M", timedelta(minutes=-15)),
        ("PT0S", timedelta(0)),
        ("P", None),
        ("PT", None),
        ("1H", None),
        ("P99999999999D", None),
    ],
)
def test_durations_are_parsed(text: str, span: timedelta | None) -> None:
    assert parse_duration(text) == span


def test_adding_days_keeps_local_time_and_adding_hours_is_exact() -> None:
    """Daylight saving time in Berlin starts on 29 March 2026."""
    before = IcalTime(datetime(2026, 3, 28, 12, tzinfo=BERLIN))
    assert before.plus(timedelta(days=1)).instant() == datetime(2026, 3, 29, 10, tzinfo=UTC)
    assert before.plus(timedelta(hours=23)).instant() == datetime(2026, 3, 29, 10, tzinfo=UTC)
    assert str(before.plus(timedelta(hours=23))) == "2026-03-29T12:00:00+02:00"


def test_a_zone_is_found_by_the_end_of_its_name() -> None:
    for name in ("Europe/Berlin", "/example.org/2026/Europe/Berlin", "x" * 200_000 + "/Europe/Berlin"):
        assert find_zone(name) == BERLIN
    assert find_zone("/example.org/America/Argentina/ComodRivadavia") is not None


@pytest.mark.parametrize(
    "name",
    ["", "/", "../../etc/passwd", "Europe", "W. Europe Standard Time", "\0", "Europe/Berlin\n", "a/" * 200_000],
)
def test_an_unknown_zone_is_none(name: str) -> None:
    assert find_zone(name) is None


def test_a_zone_is_found_by_name_location_or_single_offset() -> None:
    def zone(name: str, *lines: str) -> list[str]:
        return ["BEGIN:VTIMEZONE", f"TZID:{name}", *lines, "END:VTIMEZONE"]

    def part(kind: str, offset: str) -> list[str]:
        return [f"BEGIN:{kind}", f"TZOFFSETTO:{offset}", f"END:{kind}"]

    zones = find_zones(
        calendar(
            *zone("Outlook", "X-LIC-LOCATION:Europe/Berlin", *part("STANDARD", "+0000"), *part("DAYLIGHT", "+0100")),
            *zone("India", *part("STANDARD", "+0530")),
            *zone("West", *part("STANDARD", "-033000")),
            *zone("Changing", *part("STANDARD", "+0100"), *part("DAYLIGHT", "+0200")),
            *zone("Broken", *part("STANDARD", "+9900")),
            *zone("Empty"),
        )
    )
    assert zones["Outlook"] == BERLIN
    assert zones["India"].utcoffset(None) == timedelta(hours=5, minutes=30)
    assert zones["West"].utcoffset(None) == -timedelta(hours=3, minutes=30)
    assert set(zones) == {"Outlook", "India", "West"}
