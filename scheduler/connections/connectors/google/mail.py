"""Gmail: search, read, send exactly once, label."""

import base64
import binascii
import json
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

from scheduler.connections.connector import Call, Checked, ToolFailedError
from scheduler.connections.connectors.google.api import quote_segment, request_all, send_request
from scheduler.connections.connectors.mail.compose import compose, message_id_for, parse_addresses
from scheduler.connections.connectors.paging import read_limit, with_time_left
from scheduler.connections.errors import logic_failure
from scheduler.connections.json_reader import JsonObject
from scheduler.rules.failures import FailureClass
from scheduler.user_text import UserText

_HEADERS = ("From", "To", "Cc", "Subject", "Date", "Message-ID")
_MESSAGE_ID_HEADER = "X-Dayhand-Message-ID"
"""Google may replace the Message-ID of a mail; it does not touch this one."""
_MAX_LATEST = 50
_CLOCK_TOLERANCE = timedelta(days=1)
_MAX_DEPTH = 30


def search(call: Call) -> list[dict[str, Any]]:
    limit = read_limit(call, 20, 100)
    deadline = time.monotonic() + call.seconds
    query = {"q": call.parameters["query"], "maxResults": limit}
    found = list(request_all(call, "mail", "/messages", "messages", query, limit))
    return [_summary(_metadata(with_time_left(call, deadline), one.text("id"), _HEADERS)) for one in found]


def fetch(call: Call) -> dict[str, Any]:
    mail = send_request(
        call, "GET", "mail", f"/messages/{quote_segment(call.parameters['id'])}", query={"format": "full"}
    )
    parts = list(_leaves(mail.nested("payload")))
    return {
        **_summary(mail),
        "text": "\n".join(_text(part) for part in parts if _is_body(part, "text/plain")) or None,
        "html": "\n".join(_text(part) for part in parts if _is_body(part, "text/html")) or None,
        "attachments": [
            {
                "name": part.text("filename"),
                "type": part.get("mimeType"),
                "size": part.nested("body").get("size"),
                "attachment": part.nested("body").get("attachmentId"),
            }
            for part in parts
            if part.text("filename")
        ],
    }


def fetch_attachment(call: Call) -> dict[str, Any]:
    mail, attachment = quote_segment(call.parameters["id"]), quote_segment(call.parameters["attachment"])
    given = send_request(call, "GET", "mail", f"/messages/{mail}/attachments/{attachment}")
    return {"base64": base64.b64encode(_bytes(given)).decode(), "size": given.get("size")}


def send(call: Call) -> dict[str, Any]:
    letter = compose(dict(call.parameters), _sender(call), call.key, call.now)
    bcc = ", ".join(person.addr_spec for person in parse_addresses(call.parameters.get("bcc"), "bcc"))
    extra_headers = f"{_MESSAGE_ID_HEADER}: {letter.message_id}\r\n" + (f"Bcc: {bcc}\r\n" if bcc else "")
    raw = base64.urlsafe_b64encode(extra_headers.encode("ascii") + letter.content).decode()
    sent = send_request(call, "POST", "mail", "/messages/send", body=json.dumps({"raw": raw}).encode(), acts=True)
    return _sent(sent.get("id"), sent.get("threadId"), letter.message_id)


def check_send(call: Call) -> Checked:
    """Find the mail by its Message-ID and among the latest sent ones: the search index may lag."""
    identity = message_id_for(call.key, _sender(call))
    deadline = time.monotonic() + call.seconds
    by_id = {"q": f"rfc822msgid:{identity.strip('<>')}", "maxResults": 10, "includeSpamTrash": "true"}
    latest = {"labelIds": "SENT", "maxResults": _MAX_LATEST}
    seen: list[JsonObject] = []
    for query, limit in ((by_id, 10), (latest, _MAX_LATEST)):
        seen = []
        for one in list(request_all(with_time_left(call, deadline), "mail", "/messages", "messages", query, limit)):
            seen.append(_metadata(with_time_left(call, deadline), one.text("id"), ("Message-ID", _MESSAGE_ID_HEADER)))
            if identity in (_header(seen[-1], "Message-ID"), _header(seen[-1], _MESSAGE_ID_HEADER)):
                return Checked(happened=True, result=_sent(seen[-1].get("id"), seen[-1].get("threadId"), identity))
    if len(seen) == _MAX_LATEST and not _reaches_back(seen, call):
        raise ToolFailedError.because(
            FailureClass.TRANSIENT, UserText("Too many mails were sent since then to tell whether this one was.")
        )
    return Checked(happened=False)


def _reaches_back(mails: list[JsonObject], call: Call) -> bool:
    """Whether the oldest of them is older than the mail in question, allowing for wrong clocks."""
    dates = [date for mail in mails if (date := _date(mail)) is not None]
    return bool(dates) and min(dates) < (call.since or call.now) - _CLOCK_TOLERANCE


def label(call: Call) -> dict[str, Any]:
    change = _label_change(call)
    path = f"/messages/{quote_segment(call.parameters['id'])}/modify"
    changed = send_request(call, "POST", "mail", path, body=json.dumps(change).encode(), acts=True)
    return {"id": changed.get("id"), "labels": changed.texts("labelIds")}


def check_label(call: Call) -> Checked:
    change = _label_change(call)
    query = {"format": "minimal"}
    mail = send_request(call, "GET", "mail", f"/messages/{quote_segment(call.parameters['id'])}", query=query)
    labels = set(mail.texts("labelIds"))
    done = labels.issuperset(change["addLabelIds"]) and not labels.intersection(change["removeLabelIds"])
    return Checked(happened=done, result={"id": mail.get("id"), "labels": sorted(labels)} if done else None)


def _label_change(call: Call) -> dict[str, list[str]]:
    """Translate names to ids; the system labels are their own ids."""
    add, remove = (call.parameters.get(name) or [] for name in ("add", "remove"))
    if not add and not remove:
        raise logic_failure(UserText('Give labels to "add" or "remove".'))
    labels = send_request(call, "GET", "mail", "/labels").objects("labels")
    known = {one.text("name").casefold(): one.text("id") for one in labels}
    for name in (*add, *remove):
        if not isinstance(name, str) or name.casefold() not in known:
            raise logic_failure(UserText('There is no label "{name}". Create it in Gmail first.', name=name))
    return {
        "addLabelIds": [known[name.casefold()] for name in add],
        "removeLabelIds": [known[name.casefold()] for name in remove],
    }


def _sender(call: Call) -> str:
    account = call.settings.get("account")
    if not account:
        raise ToolFailedError.because(
            FailureClass.AUTH, UserText("{connection} is not signed in. Connect it.", connection=call.connection)
        )
    return str(account)


def _sent(identity: Any, thread: Any, message_id: str) -> dict[str, Any]:
    return {"id": identity, "thread": thread, "message_id": message_id}


def _metadata(call: Call, identity: str, headers: tuple[str, ...]) -> JsonObject:
    query = {"format": "metadata", "metadataHeaders": headers}
    return send_request(call, "GET", "mail", f"/messages/{quote_segment(identity)}", query=query)


def _summary(mail: JsonObject) -> dict[str, Any]:
    date = _date(mail)
    return {
        "id": mail.get("id"),
        "thread": mail.get("threadId"),
        "message_id": _header(mail, "Message-ID"),
        "from": _header(mail, "From"),
        "to": _header(mail, "To"),
        "cc": _header(mail, "Cc"),
        "subject": _header(mail, "Subject"),
        "date": None if date is None else date.isoformat(),
        "snippet": mail.get("snippet"),
        "labels": mail.texts("labelIds"),
    }


def _header(mail: JsonObject, name: str) -> str:
    headers = mail.nested("payload").objects("headers")
    return next((one.text("value") for one in headers if one.text("name").lower() == name.lower()), "")


def _date(mail: JsonObject) -> datetime | None:
    try:
        return datetime.fromtimestamp(int(mail.get("internalDate")) / 1000, UTC)
    except (TypeError, ValueError, OverflowError, OSError):
        return None


def _leaves(part: JsonObject, depth: int = 0) -> Iterator[JsonObject]:
    inner = part.objects("parts")
    if not inner or depth > _MAX_DEPTH:
        yield part
        return
    for one in inner:
        yield from _leaves(one, depth + 1)


def _is_body(part: JsonObject, kind: str) -> bool:
    return part.get("mimeType") == kind and not part.get("filename")


def _text(part: JsonObject) -> str:
    return _bytes(part.nested("body")).decode("utf-8", "replace")


def _bytes(body: JsonObject) -> bytes:
    try:
        return base64.urlsafe_b64decode(f"{body.text('data')}===")
    except (binascii.Error, ValueError):
        return b""
