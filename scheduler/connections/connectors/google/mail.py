"""Mail at Google: search, read, send once, label."""

import base64
import binascii
import json
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

from scheduler.connections.connector import Call, Checked, ToolFailedError
from scheduler.connections.connectors.google.web import ask, ask_all, segment
from scheduler.connections.connectors.mail.writing import compose, identity_of, read_people
from scheduler.connections.connectors.paging import limit_of, until
from scheduler.connections.mistakes import wrong
from scheduler.connections.told import Told
from scheduler.rules.failures import FailureClass

_HEADERS = ("From", "To", "Cc", "Subject", "Date", "Message-ID")
_OURS = "X-Dayhand-Message-ID"
"""Google may give a mail another Message-ID; this one it leaves alone."""
_LATEST = 50
_SURE = timedelta(days=1)
_DEEPEST = 30


def search(call: Call) -> list[dict[str, Any]]:
    limit = limit_of(call, 20, 100)
    end = time.monotonic() + call.seconds
    query = {"q": call.parameters["query"], "maxResults": limit}
    found = list(ask_all(call, "mail", "/messages", "messages", query, limit))
    return [_summary(_metadata(until(call, end), one.text("id"), _HEADERS)) for one in found]


def fetch(call: Call) -> dict[str, Any]:
    mail = ask(call, "GET", "mail", f"/messages/{segment(call.parameters['id'])}", query={"format": "full"})
    parts = list(_leaves(mail.inner("payload")))
    return {
        **_summary(mail),
        "text": "\n".join(_text(part) for part in parts if _is_body(part, "text/plain")) or None,
        "html": "\n".join(_text(part) for part in parts if _is_body(part, "text/html")) or None,
        "attachments": [
            {
                "name": part.text("filename"),
                "type": part.get("mimeType"),
                "size": part.inner("body").get("size"),
                "attachment": part.inner("body").get("attachmentId"),
            }
            for part in parts
            if part.text("filename")
        ],
    }


def attachment(call: Call) -> dict[str, Any]:
    mail, wanted = segment(call.parameters["id"]), segment(call.parameters["attachment"])
    given = ask(call, "GET", "mail", f"/messages/{mail}/attachments/{wanted}")
    return {"base64": base64.b64encode(_bytes(given)).decode(), "size": given.get("size")}


def send(call: Call) -> dict[str, Any]:
    letter = compose(dict(call.parameters), _sender(call), call.key, call.now)
    unseen = ", ".join(person.addr_spec for person in read_people(call.parameters.get("bcc"), "bcc"))
    ahead = f"{_OURS}: {letter.identity}\r\n" + (f"Bcc: {unseen}\r\n" if unseen else "")
    raw = base64.urlsafe_b64encode(ahead.encode("ascii") + letter.content).decode()
    sent = ask(call, "POST", "mail", "/messages/send", body=json.dumps({"raw": raw}).encode(), acts=True)
    return _sent(sent.get("id"), sent.get("threadId"), letter.identity)


def check_send(call: Call) -> Checked:
    """By its Message-ID, and among the latest that were sent: the index of the search may be behind."""
    identity = identity_of(call.key, _sender(call))
    end = time.monotonic() + call.seconds
    query = {"q": f"rfc822msgid:{identity.strip('<>')}", "maxResults": 10, "includeSpamTrash": "true"}
    sent = {"labelIds": "SENT", "maxResults": _LATEST}
    seen: list[Told] = []
    for asked, limit in ((query, 10), (sent, _LATEST)):
        seen = []
        for one in list(ask_all(until(call, end), "mail", "/messages", "messages", asked, limit)):
            seen.append(_metadata(until(call, end), one.text("id"), ("Message-ID", _OURS)))
            if identity in (_header(seen[-1], "Message-ID"), _header(seen[-1], _OURS)):
                return Checked(happened=True, result=_sent(seen[-1].get("id"), seen[-1].get("threadId"), identity))
    if len(seen) == _LATEST and not _reaches_back(seen, call):
        raise ToolFailedError.because(
            FailureClass.TRANSIENT, "So much was sent since then that it cannot be told whether this mail was."
        )
    return Checked(happened=False)


def _reaches_back(mails: list[Told], call: Call) -> bool:
    """Whether the oldest of them is older than what is looked for, whosever clock is right."""
    dates = [date for mail in mails if (date := _date(mail)) is not None]
    return bool(dates) and min(dates) < (call.since or call.now) - _SURE


def label(call: Call) -> dict[str, Any]:
    change = _label_change(call)
    path = f"/messages/{segment(call.parameters['id'])}/modify"
    changed = ask(call, "POST", "mail", path, body=json.dumps(change).encode(), acts=True)
    return {"id": changed.get("id"), "labels": changed.texts("labelIds")}


def check_label(call: Call) -> Checked:
    change = _label_change(call)
    query = {"format": "minimal"}
    mail = ask(call, "GET", "mail", f"/messages/{segment(call.parameters['id'])}", query=query)
    labels = set(mail.texts("labelIds"))
    done = labels.issuperset(change["addLabelIds"]) and not labels.intersection(change["removeLabelIds"])
    return Checked(happened=done, result={"id": mail.get("id"), "labels": sorted(labels)} if done else None)


def _label_change(call: Call) -> dict[str, list[str]]:
    """Names become ids; the labels of Google itself are their own ids."""
    add, remove = (call.parameters.get(name) or [] for name in ("add", "remove"))
    if not add and not remove:
        raise wrong('label needs labels to "add" or to "remove".')
    labels = ask(call, "GET", "mail", "/labels").each("labels")
    known = {one.text("name").casefold(): one.text("id") for one in labels}
    for name in (*add, *remove):
        if not isinstance(name, str) or name.casefold() not in known:
            raise wrong(f'There is no label "{name}". Make it in Gmail first.')
    return {
        "addLabelIds": [known[name.casefold()] for name in add],
        "removeLabelIds": [known[name.casefold()] for name in remove],
    }


def _sender(call: Call) -> str:
    account = call.settings.get("account")
    if not account:
        raise ToolFailedError.because(FailureClass.AUTH, f"Nobody is signed in to {call.connection}. Connect it.")
    return str(account)


def _sent(identity: Any, thread: Any, message_id: str) -> dict[str, Any]:
    return {"id": identity, "thread": thread, "message_id": message_id}


def _metadata(call: Call, identity: str, headers: tuple[str, ...]) -> Told:
    query = {"format": "metadata", "metadataHeaders": headers}
    return ask(call, "GET", "mail", f"/messages/{segment(identity)}", query=query)


def _summary(mail: Told) -> dict[str, Any]:
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


def _header(mail: Told, name: str) -> str:
    headers = mail.inner("payload").each("headers")
    return next((one.text("value") for one in headers if one.text("name").lower() == name.lower()), "")


def _date(mail: Told) -> datetime | None:
    try:
        return datetime.fromtimestamp(int(mail.get("internalDate")) / 1000, UTC)
    except (TypeError, ValueError, OverflowError, OSError):
        return None


def _leaves(part: Told, depth: int = 0) -> Iterator[Told]:
    inner = part.each("parts")
    if not inner or depth > _DEEPEST:
        yield part
        return
    for one in inner:
        yield from _leaves(one, depth + 1)


def _is_body(part: Told, kind: str) -> bool:
    return part.get("mimeType") == kind and not part.get("filename")


def _text(part: Told) -> str:
    return _bytes(part.inner("body")).decode("utf-8", "replace")


def _bytes(body: Told) -> bytes:
    try:
        return base64.urlsafe_b64decode(f"{body.text('data')}===")
    except (binascii.Error, ValueError):
        return b""
