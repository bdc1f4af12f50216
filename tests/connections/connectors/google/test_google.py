"""Google mail, calendar and files against the emulator, with a fake for what it lacks."""

import base64
import hashlib
import json
from datetime import UTC, datetime, timedelta
from email import message_from_bytes
from typing import Any

import pytest

from scheduler.connections.connector import Call, Checked, ToolFailedError
from scheduler.connections.connectors.google.api import service_url
from scheduler.connections.connectors.google.connector import google
from scheduler.connections.validation import check_parameters
from scheduler.rules.failures import FailureClass
from tests.connections import emulator_fixtures
from tests.connections.emulator import ANNA, ANNAS_TOKEN, Emulator
from tests.connections.emulator_proxy import EmulatorProxy, Rule
from tests.connections.tool_calls import call, tool_of

HI = {"to": ["Bert <bert@example.org>"], "subject": "Hi", "text": "Grüße"}
LUNCH = {"summary": "Lunch", "start": "2026-05-04T12:00:00+02:00", "end": "2026-05-04T13:00:00+02:00"}


emulator, front = emulator_fixtures.emulator, emulator_fixtures.google_proxy


def make(front: EmulatorProxy, tool: str, key: str, **parameters: Any) -> Call:
    check_parameters(tool_of(google, tool), parameters)
    settings = {"base_url": front.url, "access_token": ANNAS_TOKEN, "account": ANNA}
    return call(settings, key, **parameters)


def use(front: EmulatorProxy, tool: str, key: str = "", **parameters: Any) -> Any:
    return tool_of(google, tool).run(make(front, tool, key, **parameters))


def check(front: EmulatorProxy, tool: str, key: str, **parameters: Any) -> Checked:
    checker = tool_of(google, tool).check
    assert checker is not None
    return checker(make(front, tool, key, **parameters))


def refused(front: EmulatorProxy, tool: str, key: str = "k", **parameters: Any) -> tuple[FailureClass, str]:
    with pytest.raises(ToolFailedError) as failed:
        use(front, tool, key, **parameters)
    return failed.value.failure.kind, failed.value.failure.sentence


def test_the_default_is_google_itself() -> None:
    assert service_url({}, "token") == "https://oauth2.googleapis.com/token"
    assert service_url({"base_url": None}, "mail") == "https://gmail.googleapis.com/gmail/v1/users/me"
    assert service_url({"base_url": "http://127.0.0.1:1/"}, "files") == "http://127.0.0.1:1/drive/v3/files"


def test_testing_reports_the_account(front: EmulatorProxy) -> None:
    assert google.test(make(front, "search_mail", "", query="x")) == f"Signed in as {ANNA}."


def test_a_missing_sign_in_is_an_auth_error(front: EmulatorProxy) -> None:
    with pytest.raises(ToolFailedError) as failed:
        tool_of(google, "search_mail").run(call({"base_url": front.url}, query="x"))
    assert failed.value.failure.kind is FailureClass.AUTH
    assert front.seen == []


def test_mails_are_found_newest_first(front: EmulatorProxy) -> None:
    mails = use(front, "search_mail", query="from:shop@example.com")
    assert [mail["subject"] for mail in mails] == ["Receipt 3", "Receipt 2", "Receipt 1"]
    assert mails[0]["date"] == "2026-05-03T08:00:00+00:00"
    assert mails[0]["from"] == "Shop <shop@example.com>"
    assert [mail["subject"] for mail in use(front, "search_mail", query="subject:receipt", limit=2)] == [
        "Receipt 3",
        "Receipt 2",
    ]
    assert use(front, "search_mail", query="subject:nothing-like-it") == []


def test_a_limit_out_of_range_is_refused(front: EmulatorProxy) -> None:
    for limit in (0, -1, 101):
        assert refused(front, "search_mail", query="x", limit=limit)[0] is FailureClass.LOGIC
    assert front.seen == []


def test_a_mail_is_read_with_its_attachments(front: EmulatorProxy) -> None:
    content = bytes(range(256))
    sent = use(
        front,
        "send_mail",
        "with-attachment",
        **HI,
        html="<p>Grüße</p>",
        attachments=[{"name": "a.bin", "base64": base64.b64encode(content).decode(), "type": "application/pdf"}],
    )
    mail = use(front, "fetch_mail", id=sent["id"])
    assert mail["text"].strip() == "Grüße" and mail["html"].strip() == "<p>Grüße</p>"
    assert mail["message_id"] == sent["message_id"] and mail["subject"] == "Hi" and "SENT" in mail["labels"]
    (attached,) = mail["attachments"]
    assert (attached["name"], attached["type"]) == ("a.bin", "application/pdf")
    got = use(front, "fetch_attachment", id=sent["id"], attachment=attached["attachment"])
    assert base64.b64decode(got["base64"]) == content


@pytest.mark.parametrize("identity", ["gone", "../../drafts", "a/b?x=y", "é"])
def test_an_unknown_mail_is_refused(front: EmulatorProxy, identity: str) -> None:
    kind, sentence = refused(front, "fetch_mail", id=identity)
    assert kind is FailureClass.LOGIC and "404" in sentence
    assert [path.count("/") for _, path in front.seen] == [6]


@pytest.mark.parametrize("identity", ["", ".", ".."])
def test_an_id_cannot_change_the_path(front: EmulatorProxy, identity: str) -> None:
    assert refused(front, "fetch_mail", id=identity)[0] is FailureClass.LOGIC
    assert front.seen == []


def raw_of(front: EmulatorProxy, identity: str) -> Any:
    import urllib.request

    request = urllib.request.Request(
        f"{front.url}/gmail/v1/users/me/messages/{identity}?format=raw",
        headers={"Authorization": f"Bearer {ANNAS_TOKEN}"},
    )
    with urllib.request.urlopen(request, timeout=60) as answer:
        return message_from_bytes(base64.urlsafe_b64decode(json.loads(answer.read())["raw"] + "==="))


def test_a_mail_is_sent_with_all_headers(front: EmulatorProxy) -> None:
    sent = use(front, "send_mail", "whole", **HI, cc=["c@example.org"], bcc=["d@example.org", "e@example.org"])
    mail = raw_of(front, sent["id"])
    assert mail["From"] == ANNA and mail["To"] == "Bert <bert@example.org>" and mail["Cc"] == "c@example.org"
    assert mail["Bcc"] == "d@example.org, e@example.org"
    assert mail["Message-ID"] == mail["X-Dayhand-Message-ID"] == sent["message_id"]
    assert mail.get_payload(decode=True).decode() == "Grüße\r\n"


def test_the_same_key_gives_the_same_message_id(front: EmulatorProxy) -> None:
    one, again, other = (use(front, "send_mail", key, **HI)["message_id"] for key in ("same", "same", "other"))
    assert one == again != other


@pytest.mark.parametrize("given", [{"to": ["a@b\r\nBcc: x@y.org"]}, {"subject": "Hi\nBcc: x@y.org"}, {"to": []}])
def test_header_injection_is_refused(front: EmulatorProxy, given: dict[str, Any]) -> None:
    assert refused(front, "send_mail", **{**HI, **given})[0] is FailureClass.LOGIC
    assert front.seen == []


def test_a_mail_whose_response_was_lost_is_found_and_not_repeated(front: EmulatorProxy) -> None:
    """The emulator keeps the mail, the response never arrives, and the checker finds it."""
    front.rules.append(Rule("/messages/send", drop=True))
    kind, sentence = refused(front, "send_mail", "lost", **HI)
    assert kind is FailureClass.UNSURE and "check before you try again" in sentence
    checked = check(front, "send_mail", "lost", **HI)
    assert checked.happened
    assert use(front, "fetch_mail", id=checked.result["id"])["message_id"] == checked.result["message_id"]
    assert front.count("/messages/send") == 1


def test_a_mail_that_was_not_sent_is_not_found(front: EmulatorProxy) -> None:
    front.rules.append(Rule("/messages/send", status=500))
    assert refused(front, "send_mail", "never", **HI)[0] is FailureClass.UNSURE
    assert check(front, "send_mail", "never", **HI) == Checked(happened=False)


def test_labels_are_given_by_name(front: EmulatorProxy) -> None:
    change = {"id": "msg_1", "add": ["done"], "remove": ["INBOX", "Unread"]}
    assert not check(front, "label_mail", "k", **change).happened
    assert use(front, "label_mail", "k", **change) == {"id": "msg_1", "labels": ["Label_done"]}
    assert check(front, "label_mail", "k", **change).happened
    assert use(front, "label_mail", "k", **change)["labels"] == ["Label_done"]
    back = {"id": "msg_1", "add": ["INBOX"], "remove": ["Done"]}
    assert not check(front, "label_mail", "k", **back).happened
    assert use(front, "label_mail", "k", **back)["labels"] == ["INBOX"]


@pytest.mark.parametrize("change", [{}, {"add": ["No such label"]}, {"remove": [5]}])
def test_an_unknown_label_is_refused(front: EmulatorProxy, change: dict[str, Any]) -> None:
    assert refused(front, "label_mail", id="msg_1", **change)[0] is FailureClass.LOGIC
    assert front.count("/modify") == 0


def test_events_are_created_and_listed(front: EmulatorProxy) -> None:
    use(front, "create_event", "lunch", **LUNCH, location="Canteen", description="With Bert")
    day = {"summary": "Holiday", "start": "2026-05-05", "end": "2026-05-06"}
    use(front, "create_event", "day", **day)
    events = use(front, "list_events", start="2026-05-04", end="2026-05-07", zone="Europe/Berlin")
    assert [event["summary"] for event in events] == ["Lunch", "Holiday"]
    assert datetime.fromisoformat(events[0]["start"]) == datetime(2026, 5, 4, 10, 0, tzinfo=UTC)
    assert (events[0]["location"], events[0]["description"], events[0]["all_day"]) == ("Canteen", "With Bert", False)
    assert (events[1]["start"], events[1]["end"], events[1]["all_day"]) == ("2026-05-05", "2026-05-06", True)
    assert use(front, "list_events", start="2026-06-01T00:00:00Z") == []


def test_the_id_of_an_event_follows_from_its_key(front: EmulatorProxy) -> None:
    """Fake: the emulator assigns its own ids."""
    made = use(front, "create_event", "the-key", **LUNCH)
    assert made["id"] == base64.b32hexencode(hashlib.sha256(b"the-key").digest()).decode().rstrip("=").lower()
    assert set(made["id"]) <= set("0123456789abcdefghijklmnopqrstuv")


def test_an_event_whose_response_was_lost_is_found(front: EmulatorProxy) -> None:
    """Fake: the emulator cannot return a single event."""
    assert not check(front, "create_event", "lost", **LUNCH).happened
    front.rules.append(Rule("/events", drop=True))
    assert refused(front, "create_event", "lost", **LUNCH)[0] is FailureClass.UNSURE
    checked = check(front, "create_event", "lost", **LUNCH)
    assert checked.happened and checked.result["summary"] == "Lunch"


def test_an_existing_event_with_the_id_is_the_result(front: EmulatorProxy) -> None:
    """Fake: Google refuses an existing id with 409, as documented."""
    first = use(front, "create_event", "twice", **LUNCH)
    front.rules.append(Rule("/events", status=409))
    assert use(front, "create_event", "twice", **LUNCH) == first


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"start": "tomorrow"}, "must be a day such as"),
        ({"start": "2026-05-04T12:00:00"}, "has no time zone"),
        ({"start": "2026-05-04T12:00:00", "zone": "Mars/Olympus"}, 'Unknown time zone "Mars/Olympus"'),
        ({"start": "2026-05-04"}, "both be days or both be times"),
        ({"zone": "../etc/passwd"}, "Unknown time zone"),
    ],
)
def test_invalid_times_are_refused(front: EmulatorProxy, given: dict[str, str], expected: str) -> None:
    kind, sentence = refused(front, "create_event", **{**LUNCH, **given})
    assert kind is FailureClass.LOGIC and expected in sentence
    assert front.seen == []


def test_a_time_with_a_zone_is_local_time_there(front: EmulatorProxy) -> None:
    zoned = {"summary": "Zoned", "start": "2026-07-04T09:00:00", "end": "2026-07-04T10:00:00", "zone": "Europe/Berlin"}
    made = use(front, "create_event", "zoned", **zoned)
    assert datetime.fromisoformat(made["start"]).astimezone(UTC) == datetime(2026, 7, 4, 7, 0, tzinfo=UTC)


def test_files_are_uploaded_and_listed(front: EmulatorProxy) -> None:
    uploaded = use(front, "upload_file", "f1", name="bill.txt", text="42 €")
    assert (uploaded["name"], uploaded["type"], uploaded["size"]) == ("bill.txt", "text/plain", 6)
    raw = base64.b64encode(b"\r\n--\x00\xff").decode()
    use(front, "upload_file", "f2", name="raw", base64=raw, type="application/pdf", folder=uploaded["id"])
    assert "bill.txt" in [file["name"] for file in use(front, "list_files")]
    (inside,) = use(front, "list_files", folder=uploaded["id"])
    assert (inside["name"], inside["type"], inside["size"]) == ("raw", "application/pdf", 6)


def test_a_file_whose_response_was_lost_is_found(front: EmulatorProxy) -> None:
    """Fake: the emulator does not store file properties."""
    bill = {"name": "bill.txt", "text": "42"}
    assert not check(front, "upload_file", "lost", **bill).happened
    use(front, "upload_file", "another", **bill)
    assert not check(front, "upload_file", "lost", **bill).happened
    front.rules.append(Rule("/upload/", drop=True))
    assert refused(front, "upload_file", "lost", **bill)[0] is FailureClass.UNSURE
    checked = check(front, "upload_file", "lost", **bill)
    assert checked.happened and checked.result["name"] == "bill.txt"


def test_a_server_that_drops_the_file_property_proves_nothing(emulator: Emulator) -> None:
    """It lists every file for any query; none of them counts as ours."""
    bare = EmulatorProxy(emulator.google)
    bare.url = emulator.google
    use(bare, "upload_file", "bare", name="x", text="x")
    assert not check(bare, "upload_file", "bare", name="x", text="x").happened


@pytest.mark.parametrize(
    "given",
    [{}, {"text": "a", "base64": "YQ=="}, {"base64": "!"}, {"text": "a", "type": "a/b\r\nX: y"}, {"text": "\ud800"}],
)
def test_invalid_file_parameters_are_refused(front: EmulatorProxy, given: dict[str, Any]) -> None:
    assert refused(front, "upload_file", name="x", **given)[0] is FailureClass.LOGIC
    assert front.seen == []


@pytest.mark.parametrize(
    ("status", "reason", "kind"),
    [
        (401, "authError", FailureClass.AUTH),
        (403, "insufficientPermissions", FailureClass.PERMISSION),
        (403, "rateLimitExceeded", FailureClass.TRANSIENT),
        (403, "userRateLimitExceeded", FailureClass.TRANSIENT),
        (429, "rateLimitExceeded", FailureClass.TRANSIENT),
        (400, "invalidArgument", FailureClass.LOGIC),
        (503, "backendError", FailureClass.TRANSIENT),
    ],
)
def test_each_error_of_a_read_has_its_class(front: EmulatorProxy, status: int, reason: str, kind: FailureClass) -> None:
    body = json.dumps({"error": {"message": "Said by Google.", "errors": [{"reason": reason}]}}).encode()
    headers = {"Retry-After": "120"}
    front.rules.append(Rule("/messages", method="GET", status=status, body=body, headers=headers))
    with pytest.raises(ToolFailedError) as failed:
        use(front, "search_mail", query="x")
    assert failed.value.failure.kind is kind
    assert "Said by Google" in failed.value.failure.sentence and ANNAS_TOKEN not in failed.value.failure.sentence
    if kind is FailureClass.TRANSIENT:
        assert failed.value.failure.retry_after == timedelta(seconds=120)


@pytest.mark.parametrize(
    ("status", "kind"), [(429, FailureClass.TRANSIENT), (503, FailureClass.UNSURE), (403, FailureClass.PERMISSION)]
)
def test_each_error_of_a_send_has_its_class(front: EmulatorProxy, status: int, kind: FailureClass) -> None:
    front.rules.append(Rule("/messages/send", status=status, body=b"<html>no JSON</html>"))
    assert refused(front, "send_mail", **HI)[0] is kind
