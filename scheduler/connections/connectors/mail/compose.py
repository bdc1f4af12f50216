"""Composing a mail. What a script gives cannot become a header of its own, nor an address of another's."""

import base64
import binascii
import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime
from typing import Any

from scheduler.connections.host_names import BadHostNameError, to_wire
from scheduler.connections.mistakes import wrong

OURS = "<dayhand."
"""How the Message-ID of every mail that was written here begins."""
_LARGEST = 25 * 1024 * 1024
_MOST_PEOPLE = 100
_LONGEST_SUBJECT = 900
_NAMED = re.compile(r"\s*(?P<name>[^<>]*?)\s*<(?P<address>[^<>]*)>\s*")
_ADDRESS = re.compile(r"""[^\s@<>()\[\],;:\\"]{1,64}@[^\s@<>()\[\],;:\\"]{1,250}""")
_TYPE = re.compile(r"[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]{0,60}/[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]{0,60}", re.ASCII)
_PLAIN = SMTP.clone(cte_type="7bit", max_line_length=76)
"""Servers that know no 8-bit mail take it too."""
_FOREIGN = _PLAIN.clone(utf8=True)
"""For addresses that cannot be written in ASCII."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Letter:
    """A mail that is ready to be sent."""

    identity: str
    sender: str
    recipients: tuple[str, ...]
    """The bare addresses of all, those unseen among them."""
    content: bytes


def read_people(given: Any, name: str) -> list[Address]:
    """One text or a list of texts, each an address, with or without a name: Anna <anna@example.org>."""
    texts = [given] if isinstance(given, str) else given or []
    if not isinstance(texts, list | tuple) or not all(isinstance(text, str) for text in texts):
        raise wrong(f'"{name}" takes an address or a list of addresses.')
    return [read_person(text, name) for text in texts]


def read_person(text: str, name: str) -> Address:
    named = _NAMED.fullmatch(text)
    shown, address = (named["name"].strip('"'), named["address"]) if named else ("", text.strip())
    if _has_controls(text) or not _ADDRESS.fullmatch(address):
        raise wrong(f'"{_shown(text)}" in "{name}" is not a mail address such as anna@example.org.')
    user, _, domain = address.rpartition("@")
    try:
        return Address(display_name=shown, username=user, domain=to_wire(domain))
    except BadHostNameError as error:
        raise wrong(f'"{_shown(text)}" in "{name}" names no mail server. {error.sentence}') from error
    except (ValueError, IndexError) as error:
        raise wrong(f'"{_shown(text)}" in "{name}" is not a mail address such as anna@example.org.') from error


def _shown(text: str) -> str:
    return "".join(c if c.isprintable() else "?" for c in text[:200])


def _has_controls(text: str) -> bool:
    return any(not c.isprintable() for c in text)


def identity_of(key: str, sender: str) -> str:
    """The same for the same key, so that a mail can be found again and is never two."""
    return f"{OURS}{hashlib.sha256(key.encode()).hexdigest()[:40]}@{sender.rpartition('@')[2]}>"


def compose(parameters: dict[str, Any], sender_text: str, key: str, now: datetime) -> Letter:
    sender = read_person(sender_text, "from")
    to, cc, bcc = (read_people(parameters.get(name), name) for name in ("to", "cc", "bcc"))
    everyone = tuple(dict.fromkeys(person.addr_spec for person in (*to, *cc, *bcc)))
    if not everyone:
        raise wrong('send needs somebody to send to: "to", "cc" or "bcc".')
    if len(everyone) > _MOST_PEOPLE:
        raise wrong(f"One mail goes to at most {_MOST_PEOPLE} people.")
    is_plain = all(person.addr_spec.isascii() for person in (sender, *to, *cc))
    mail = EmailMessage(policy=_PLAIN if is_plain else _FOREIGN)
    mail["From"] = sender
    for name, people in (("To", to), ("Cc", cc)):
        if people:
            mail[name] = people
    mail["Subject"] = _subject(parameters.get("subject") or "")
    mail["Date"] = format_datetime(now)
    identity = identity_of(key, sender.addr_spec)
    mail["Message-ID"] = identity
    _fill(mail, parameters)
    content = mail.as_bytes()
    if len(content) > _LARGEST:
        raise wrong("The mail is larger than 25 MB, the most that is sent.")
    return Letter(identity=identity, sender=sender.addr_spec, recipients=everyone, content=content)


def _subject(text: str) -> str:
    if _has_controls(text):
        raise wrong('"subject" is one line without control characters.')
    if len(text) > _LONGEST_SUBJECT:
        raise wrong(f'"subject" has at most {_LONGEST_SUBJECT} characters.')
    return text


def _fill(mail: EmailMessage, parameters: dict[str, Any]) -> None:
    text, html = parameters.get("text"), parameters.get("html")
    if text is None and html is None:
        raise wrong('send needs "text" or "html".')
    try:
        if text is not None:
            mail.set_content(text)
        if html is not None and text is not None:
            mail.add_alternative(html, subtype="html")
        elif html is not None:
            mail.set_content(html, subtype="html")
    except UnicodeEncodeError as error:
        raise wrong("The text holds characters that cannot be written as UTF-8.") from error
    for number, one in enumerate(_attachments(parameters.get("attachments")), 1):
        _attach(mail, one, number)


def _attachments(given: Any) -> Iterable[dict[str, Any]]:
    found = given or []
    if not all(isinstance(one, dict) for one in found):
        raise wrong('"attachments" is a list of objects such as {"name": "bill.pdf", "base64": "…"}.')
    return list(found)


def _attach(mail: EmailMessage, one: dict[str, Any], number: int) -> None:
    name, encoded, kind = one.get("name"), one.get("base64"), one.get("type") or "application/octet-stream"
    if unknown := set(one) - {"name", "base64", "type"}:
        raise wrong(f'Attachment {number} has "{min(unknown)}"; it takes name, base64 and type.')
    if not isinstance(name, str) or not name or _has_controls(name) or "/" in name or len(name) > 200:
        raise wrong(f'Attachment {number} needs a "name" such as bill.pdf.')
    if not isinstance(kind, str) or not _TYPE.fullmatch(kind) or kind.lower().startswith(("multipart/", "message/")):
        raise wrong(f'The "type" of attachment {number} is one such as application/pdf.')
    try:
        content = base64.b64decode(encoded, validate=True) if isinstance(encoded, str) else None
    except (binascii.Error, ValueError):
        content = None
    if content is None:
        raise wrong(f'The "base64" of attachment {number} is not base64.')
    maintype, _, subtype = kind.partition("/")
    mail.add_attachment(content, maintype=maintype, subtype=subtype, filename=name)
