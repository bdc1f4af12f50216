"""Calendars on a real Radicale server: events are listed, and added exactly once."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from scheduler.connections.connector import Checked, ToolFailedError
from scheduler.connections.connectors.caldav.connector import caldav
from scheduler.connections.registry import Registry
from scheduler.rules.failures import Failure, FailureClass
from tests.connections.radicale_server import PASSWORD, USER, ask, radicale
from tests.connections.tool_calls import call, tool_of
from tests.connections.web_servers import Reply, http_server, losing_answers


@dataclass
class Calendar:
    server: str
    url: str

    def settings(self, **more: Any) -> dict[str, Any]:
        given = {"url": self.url, "user": USER, "password": PASSWORD, **more}
        return Registry([caldav]).check_settings("caldav", given)

    def use(self, tool: str, key: str = "", given: dict[str, Any] | None = None, /, **parameters: Any) -> Any:
        Registry.check_parameters(tool_of(caldav, tool), parameters)
        return tool_of(caldav, tool).run(call(self.settings(**(given or {})), key, **parameters))

    def check(self, key: str) -> Checked:
        check = tool_of(caldav, "create").check
        assert check is not None
        return check(call(self.settings(), key, title="", start=""))

    def put(self, *lines: str) -> None:
        """Write an event as another program would."""
        text = "\r\n".join(("BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:other", *lines, "END:VCALENDAR", ""))
        ask("PUT", f"{self.url}{abs(hash(text))}.ics", text)

    def put_event(self, *lines: str) -> None:
        self.put("BEGIN:VEVENT", "DTSTAMP:20260101T000000Z", *lines, "END:VEVENT")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with radicale(tmp_path_factory.mktemp("radicale")) as url:
        yield url


@pytest.fixture
def calendar(server: str, tmp_path: Path) -> Calendar:
    url = f"{server}/{USER}/{tmp_path.name}/"
    ask("MKCALENDAR", url)
    return Calendar(server, url)


def failure(act: Callable[[], Any]) -> Failure:
    with pytest.raises(ToolFailedError) as caught:
        act()
    assert PASSWORD not in caught.value.failure.sentence
    return caught.value.failure


MAY = {"start": "2026-05-01", "end": "2026-06-01"}


def test_an_event_is_added_and_found(calendar: Calendar) -> None:
    made = calendar.use(
        "create",
        "key-1",
        title="Café; größer, \\ better\nand more",
        start="2026-05-04T09:00:00",
        end="2026-05-04T10:30:00",
        timezone="Europe/Berlin",
        location="Zürich " * 30,
        description="ü" * 200,
    )
    assert made["url"].startswith(calendar.url)
    assert calendar.use("events", **MAY) == [
        {
            "id": made["id"],
            "title": "Café; größer, \\ better\nand more",
            "start": "2026-05-04T07:00:00+00:00",
            "end": "2026-05-04T08:30:00+00:00",
            "all_day": False,
            "location": "Zürich " * 30,
            "description": "ü" * 200,
            "status": "",
            "recurs": "",
            "not_understood": [],
        }
    ]


def test_all_day_events_stay_dates(calendar: Calendar) -> None:
    calendar.use("create", "one", title="Day", start="2026-05-04")
    calendar.use("create", "two", title="Days", start="2026-05-05", end="2026-05-08")
    events = calendar.use("events", **MAY)
    assert [(event["start"], event["end"], event["all_day"]) for event in events] == [
        ("2026-05-04", "2026-05-05", True),
        ("2026-05-05", "2026-05-08", True),
    ]


def test_the_same_key_adds_one_event_and_another_key_adds_another(calendar: Calendar) -> None:
    event = {"title": "Once", "start": "2026-05-04T09:00:00Z"}
    assert calendar.use("create", "a", **event) == calendar.use("create", "a", **event)
    assert len(calendar.use("events", **MAY)) == 1
    calendar.use("create", "b", **event)
    assert len(calendar.use("events", **MAY)) == 2


def test_the_checker_finds_what_was_created(calendar: Calendar) -> None:
    assert calendar.check("a") == Checked(happened=False)
    made = calendar.use("create", "a", title="Once", start="2026-05-04T09:00:00Z")
    assert calendar.check("a") == Checked(happened=True, result=made)
    assert calendar.check("b") == Checked(happened=False)


def test_the_checker_finds_an_event_that_the_server_moved(calendar: Calendar) -> None:
    made = calendar.use("create", "a", title="Once", start="2026-05-04T09:00:00Z")
    text = ask("GET", made["url"]).body.decode()
    ask("DELETE", made["url"])
    ask("PUT", f"{calendar.url}moved.ics", text)
    assert calendar.check("a") == Checked(happened=True, result={**made, "url": f"{calendar.url}moved.ics"})


def test_an_event_whose_response_was_lost_is_unsure_and_then_found(calendar: Calendar) -> None:
    event = {"title": "Lost", "start": "2026-05-04T09:00:00Z"}
    with losing_answers(calendar.server, lambda _: True) as between:
        through = {"url": calendar.url.replace(calendar.server, between)}
        error = failure(lambda: calendar.use("create", "a", through, **event))
    assert error.kind is FailureClass.UNSURE
    assert calendar.check("a").happened
    calendar.use("create", "a", **event)
    assert len(calendar.use("events", **MAY)) == 1


def test_a_range_contains_every_event_that_overlaps_it(calendar: Calendar) -> None:
    for key, start, end in (
        ("before", "2026-05-04T07:00:00Z", "2026-05-04T09:00:00Z"),
        ("into", "2026-05-04T08:00:00Z", "2026-05-04T09:00:01Z"),
        ("inside", "2026-05-04T09:10:00Z", "2026-05-04T09:20:00Z"),
        ("out of", "2026-05-04T09:59:59Z", "2026-05-04T12:00:00Z"),
        ("after", "2026-05-04T10:00:00Z", "2026-05-04T11:00:00Z"),
    ):
        calendar.use("create", key, title=key, start=start, end=end)
    events = calendar.use("events", start="2026-05-04T11:00", end="2026-05-04T12:00", timezone="Europe/Berlin")
    assert [event["title"] for event in events] == ["into", "inside", "out of"]


def test_times_with_zones_are_read(calendar: Calendar) -> None:
    calendar.put_event("UID:1", "SUMMARY:Named", "DTSTART;TZID=Europe/Berlin:20260504T090000", "DURATION:PT1H30M")
    calendar.put_event("UID:2", "SUMMARY:Path", "DTSTART;TZID=/example.org/Europe/Berlin:20260505T090000")
    calendar.put(
        *("BEGIN:VTIMEZONE", "TZID:Mine", "BEGIN:STANDARD", "DTSTART:19700101T000000", "TZOFFSETFROM:+0530"),
        *("TZOFFSETTO:+0530", "END:STANDARD", "END:VTIMEZONE", "BEGIN:VEVENT", "DTSTAMP:20260101T000000Z", "UID:3"),
        *("SUMMARY:Brought", "DTSTART;TZID=Mine:20260506T090000", "DTEND;TZID=Mine:20260506T100000", "END:VEVENT"),
    )
    events = calendar.use("events", **MAY)
    assert [(event["title"], event["start"], event["end"], event["not_understood"]) for event in events] == [
        ("Named", "2026-05-04T09:00:00+02:00", "2026-05-04T10:30:00+02:00", []),
        ("Path", "2026-05-05T09:00:00+02:00", "2026-05-05T09:00:00+02:00", []),
        ("Brought", "2026-05-06T09:00:00+05:30", "2026-05-06T10:00:00+05:30", []),
    ]


def test_a_repeating_event_is_expanded(calendar: Calendar) -> None:
    calendar.put_event(
        "UID:1", "SUMMARY:Weekly", "DTSTART:20260302T090000Z", "DTEND:20260302T100000Z", "RRULE:FREQ=WEEKLY"
    )
    events = calendar.use("events", start="2026-05-04", end="2026-05-19")
    assert [event["start"] for event in events] == [
        "2026-05-04T09:00:00+00:00",
        "2026-05-11T09:00:00+00:00",
        "2026-05-18T09:00:00+00:00",
    ]
    assert {event["id"] for event in events} == {"1"}


@pytest.mark.parametrize(
    ("parameters", "word"),
    [
        ({"start": "2026-05-04T09:00:00"}, "has no time zone"),
        ({"start": "2026-05-04T09:00:00", "timezone": "Mars/Base"}, 'Unknown time zone "Mars/Base"'),
        ({"start": "tomorrow"}, "a day or a time"),
        ({"start": "2026-05-04", "end": "2026-05-04T09:00:00Z"}, "both be days or both be times"),
        ({"start": "2026-05-04", "end": "2026-05-04"}, "must be after"),
        ({"start": "9999-12-31"}, "out of range"),
        ({"start": "0001-01-01T00:00:00+14:00"}, "out of range"),
        ({"start": "2026-05-04", "description": "x" * 100_001}, '"description" is too long'),
    ],
)
def test_an_invalid_event_is_refused(calendar: Calendar, parameters: dict[str, Any], word: str) -> None:
    error = failure(lambda: calendar.use("create", "a", title="Never", **parameters))
    assert (error.kind, word in error.sentence) == (FailureClass.LOGIC, True)
    assert calendar.use("events", **MAY) == []


def test_a_title_cannot_inject_properties(calendar: Calendar) -> None:
    """No text can inject another property."""
    title = "a\r\nATTENDEE:mailto:you@example.org\nEND:VEVENT\r\0b"
    calendar.use("create", "a", title=title, start="2026-05-04T09:00:00Z")
    [event] = calendar.use("events", **MAY)
    assert event["title"] == "a\nATTENDEE:mailto:you@example.org\nEND:VEVENTb"


def test_a_wrong_password_is_an_auth_error(calendar: Calendar) -> None:
    wrong = {"password": "guess"}
    for act in (
        lambda: calendar.use("events", "", wrong, **MAY),
        lambda: calendar.use("create", "a", wrong, title="a", start="2026-05-04"),
        lambda: caldav.test(call(calendar.settings(**wrong))),
    ):
        assert failure(act).kind is FailureClass.AUTH


def test_the_calendars_of_a_user_are_listed(calendar: Calendar) -> None:
    for url in (calendar.server, f"{calendar.server}/{USER}/"):
        calendars = calendar.use("calendars", "", {"url": url})
        assert calendar.url in [one["url"] for one in calendars]


def test_testing_reports_the_calendar_or_lists_those_found(calendar: Calendar) -> None:
    assert caldav.test(call(calendar.settings())) == "The calendar on 127.0.0.1 can be read."
    error = failure(lambda: caldav.test(call(calendar.settings(url=f"{calendar.server}/{USER}"))))
    assert error.kind is FailureClass.LOGIC
    assert f"({calendar.server}/{USER}/" in error.sentence.partition("Calendars found: ")[2]


def test_a_deleted_calendar_is_a_logic_error(calendar: Calendar) -> None:
    ask("DELETE", calendar.url)
    assert failure(lambda: calendar.use("events", **MAY)).kind is FailureClass.LOGIC
    error = failure(lambda: calendar.use("create", "a", title="a", start="2026-05-04"))
    assert error.kind is FailureClass.LOGIC


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<html/>",
        b"hello",
        b"<!DOCTYPE a [<!ENTITY b 'c'>]><multistatus xmlns='DAV:'>&b;</multistatus>",
        b"<multistatus xmlns='DAV:'>" + b"<a>" * 100_000,
        b"<multistatus xmlns='DAV:'>" + b"<a/>" * 500_001 + b"</multistatus>",
        b'<?xml version="1.0" encoding="klingon"?><a/>',
        b'<?xml version="1.0" encoding="idna"?><a/>',
    ],
)
def test_a_server_that_is_not_a_calendar_server_is_refused(body: bytes) -> None:
    with http_server(lambda _: Reply(207, body)) as server:
        error = failure(lambda: Calendar(server.url, f"{server.url}/c/").use("events", **MAY))
    assert error.kind is FailureClass.LOGIC
    assert error.sentence.startswith("127.0.0.1 does not answer like a calendar server: ")


@pytest.mark.parametrize("status", [200, 405, 501])
def test_a_plain_web_page_is_recognised_and_what_to_enter_is_said(status: int) -> None:
    with http_server(lambda _: Reply(status, b"<html>Welcome</html>")) as server:
        error = failure(lambda: Calendar(server.url, f"{server.url}/c/").use("events", **MAY))
    assert error.kind is FailureClass.LOGIC, "trying again would not help"
    assert "probably the address of a web page. Enter the CalDAV address" in error.sentence


def multistatus(*calendars: str) -> bytes:
    """The response of a server with fewer features than Radicale, or with worse events."""
    parts = "".join(
        f"<response><href>/c/{number}.ics</href><propstat><prop><C:calendar-data><![CDATA[{text}]]></C:calendar-data>"
        "</prop><status>HTTP/1.1 200 OK</status></propstat></response>"
        for number, text in enumerate(calendars)
    )
    return f'<multistatus xmlns="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav">{parts}</multistatus>'.encode()


def wrapped(*lines: str) -> str:
    return "\n".join(("BEGIN:VCALENDAR", "BEGIN:VEVENT", *lines, "END:VEVENT", "END:VCALENDAR"))


def test_unreadable_events_are_reported_and_hide_no_others() -> None:
    answer = multistatus(
        "garbage",
        wrapped("UID:1", "DTSTART;TZID=Lunar Standard Time:20260504T090000"),
        wrapped("UID:2", "DTSTART:20200101T090000Z", "RRULE:FREQ=DAILY"),
        wrapped("UID:3", "DTSTART:20260504T090000"),
        wrapped("UID:4", "DTSTART:20260704T090000Z"),
        wrapped("UID:5", "DTSTART:sometime"),
    )
    with http_server(lambda _: Reply(207, answer)) as server:
        events = Calendar(server.url, f"{server.url}/c/").use("events", **MAY)
    assert [(event["id"], event.get("start"), event["not_understood"]) for event in events] == [
        ("/c/0.ics", None, ["the whole event"]),
        ("2", "2020-01-01T09:00:00+00:00", ["that it repeats"]),
        ("1", "2026-05-04T09:00:00", ["the time zone Lunar Standard Time"]),
        ("3", "2026-05-04T09:00:00", []),
    ]


def test_invalid_addresses_are_skipped() -> None:
    kind = '<resourcetype><C:calendar xmlns:C="urn:ietf:params:xml:ns:caldav"/></resourcetype>'
    principal = "<current-user-principal><href>http://[x</href></current-user-principal>"
    body = (
        f'<multistatus xmlns="DAV:"><response><href>http://[x</href><propstat><prop>{kind}{principal}</prop>'
        "<status>HTTP/1.1 200 OK</status></propstat></response></multistatus>"
    )
    with http_server(lambda _: Reply(207, body.encode())) as server:
        assert Calendar(server.url, server.url).use("calendars") == [{"name": "http://[x", "url": ""}]
    assert failure(lambda: caldav.test(call({"url": "http://[x"}))).kind is FailureClass.LOGIC


def test_a_login_does_not_follow_a_principal_to_another_server() -> None:
    with http_server(lambda _: Reply(500)) as other:
        principal = f"<current-user-principal><href>{other.url}/me/</href></current-user-principal>"
        body = (
            f'<multistatus xmlns="DAV:"><response><href>/</href><propstat><prop>{principal}</prop>'
            "<status>HTTP/1.1 200 OK</status></propstat></response></multistatus>"
        )
        with http_server(lambda _: Reply(207, body.encode())) as server:
            assert Calendar(server.url, server.url).use("calendars") == []
        assert other.requests == []


def test_a_calendar_cannot_redirect_to_this_computer(monkeypatch: pytest.MonkeyPatch) -> None:
    checker = tool_of(caldav, "create").check
    assert checker is not None
    with (
        http_server(lambda _: Reply(404)) as here,
        http_server(lambda _: Reply(307, headers={"Location": here.url})) as far,
    ):
        monkeypatch.setenv("http_proxy", far.url)
        tool_call = call({"url": "http://calendars.example/"}, "key", title="t", start="2026-05-04", end="2026-05-05")
        for ask_for in (tool_of(caldav, "events").run, tool_of(caldav, "create").run, checker):
            assert failure(lambda ask_for=ask_for: ask_for(tool_call)).kind is FailureClass.LOGIC  # type: ignore[misc]
        assert here.requests == []
