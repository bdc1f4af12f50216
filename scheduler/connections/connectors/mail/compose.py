"""Composing mails. What a script gives cannot inject headers or recipients."""

import base64
import binascii
import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime
from typing import Any

from scheduler.connections.errors import logic_failure
from scheduler.connections.host_names import BadHostNameError, to_wire
from scheduler.user_text import UserText

MESSAGE_ID_PREFIX = "<dayhand."
"""Start of the Message-ID of every mail composed here."""
_MAX_BYTES = 25 * 1024 * 1024
_MAX_RECIPIENTS = 100
_MAX_SUBJECT_CHARS = 900
_NAMED = re.compile(r"\s*(?P<name>[^<>]*?)\s*<(?P<address>[^<>]*)>\s*")
_ADDRESS = re.compile(r"""[^\s@<>()\[\],;:\\"]{1,64}@[^\s@<>()\[\],;:\\"]{1,250}""")
_TYPE = re.compile(r"[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]{0,60}/[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]{0,60}", re.ASCII)
_ASCII_POLICY = SMTP.clone(cte_type="7bit", max_line_length=76)
"""Also accepted by servers without 8-bit support."""
_ANY_SENDER, _ANY_TIME = "somebody@example.org", datetime(2000, 1, 1, tzinfo=UTC)
_UTF8_POLICY = _ASCII_POLICY.clone(utf8=True)
"""For addresses that are not ASCII."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OutgoingMail:
    """A mail that is ready to send."""

    message_id: str
    sender: str
    recipients: tuple[str, ...]
    """The bare addresses of all recipients, including bcc."""
    content: bytes


def parse_addresses(given: Any, name: str) -> list[Address]:
    """Parse one address or a list of them, each with or without a name: Anna <anna@example.org>."""
    texts = [given] if isinstance(given, str) else given or []
    if not isinstance(texts, list | tuple) or not all(isinstance(text, str) for text in texts):
        raise logic_failure(UserText('"{name}" must be an address or a list of addresses.', name=name))
    return [parse_address(text, name) for text in texts]


def parse_address(text: str, name: str) -> Address:
    named = _NAMED.fullmatch(text)
    shown, address = (named["name"].strip('"'), named["address"]) if named else ("", text.strip())
    if _has_controls(text) or not _ADDRESS.fullmatch(address):
        raise logic_failure(
            UserText(
                '"{printable}" in "{name}" is not a mail address such as anna@example.org.',
                printable=_printable(text),
                name=name,
            )
        )
    user, _, domain = address.rpartition("@")
    try:
        return Address(display_name=shown, username=user, domain=to_wire(domain))
    except BadHostNameError as error:
        raise logic_failure(
            UserText(
                '"{printable}" in "{name}" has an invalid mail server. {error}',
                printable=_printable(text),
                name=name,
                error=error.sentence,
            )
        ) from error
    except (ValueError, IndexError) as error:
        raise logic_failure(
            UserText(
                '"{printable}" in "{name}" is not a mail address such as anna@example.org.',
                printable=_printable(text),
                name=name,
            )
        ) from error


def _printable(text: str) -> str:
    return "".join(c if c.isprintable() else "?" for c in text[:200])


def _has_controls(text: str) -> bool:
    return any(not c.isprintable() for c in text)


def message_id_for(key: str, sender: str) -> str:
    """The Message-ID for a key: the same key gives the same id, so that a mail can be found again."""
    return f"{MESSAGE_ID_PREFIX}{hashlib.sha256(key.encode()).hexdigest()[:40]}@{sender.rpartition('@')[2]}>"


def compose(parameters: dict[str, Any], sender_text: str, key: str, now: datetime) -> OutgoingMail:
    sender = parse_address(sender_text, "from")
    to, cc, bcc = (parse_addresses(parameters.get(name), name) for name in ("to", "cc", "bcc"))
    everyone = tuple(dict.fromkeys(person.addr_spec for person in (*to, *cc, *bcc)))
    if not everyone:
        raise logic_failure(UserText('Give at least one recipient in "to", "cc" or "bcc".'))
    if len(everyone) > _MAX_RECIPIENTS:
        raise logic_failure(
            UserText("A mail can have at most {max_recipients} recipients.", max_recipients=_MAX_RECIPIENTS)
        )
    is_ascii = all(person.addr_spec.isascii() for person in (sender, *to, *cc))
    mail = EmailMessage(policy=_ASCII_POLICY if is_ascii else _UTF8_POLICY)
    mail["From"] = sender
    for name, people in (("To", to), ("Cc", cc)):
        if people:
            mail[name] = people
    mail["Subject"] = _subject(parameters.get("subject") or "")
    mail["Date"] = format_datetime(now)
    identity = message_id_for(key, sender.addr_spec)
    mail["Message-ID"] = identity
    _add_content(mail, parameters)
    content = mail.as_bytes()
    if len(content) > _MAX_BYTES:
        raise logic_failure(UserText("The mail is too large; the limit is 25 MB."))
    return OutgoingMail(message_id=identity, sender=sender.addr_spec, recipients=everyone, content=content)


def validate_mail(parameters: Mapping[str, Any]) -> None:
    """Refuse what cannot be a mail, whoever sends it."""
    compose(dict(parameters), _ANY_SENDER, "", _ANY_TIME)


def _subject(text: str) -> str:
    if _has_controls(text):
        raise logic_failure(UserText('"subject" must be one line without control characters.'))
    if len(text) > _MAX_SUBJECT_CHARS:
        raise logic_failure(
            UserText('"subject" can have at most {max_subject_chars} characters.', max_subject_chars=_MAX_SUBJECT_CHARS)
        )
    return text


def _add_content(mail: EmailMessage, parameters: dict[str, Any]) -> None:
    text, html = parameters.get("text"), parameters.get("html")
    if text is None and html is None:
        raise logic_failure(UserText('Give "text" or "html".'))
    try:
        if text is not None:
            mail.set_content(text)
        if html is not None and text is not None:
            mail.add_alternative(html, subtype="html")
        elif html is not None:
            mail.set_content(html, subtype="html")
    except UnicodeEncodeError as error:
        raise logic_failure(UserText("The text contains characters that cannot be encoded as UTF-8.")) from error
    for number, one in enumerate(_attachments(parameters.get("attachments")), 1):
        _attach(mail, one, number)


def _attachments(given: Any) -> Iterable[dict[str, Any]]:
    found = given or []
    if not all(isinstance(one, dict) for one in found):
        raise logic_failure(
            UserText('"attachments" must be a list of objects such as {"name": "bill.pdf", "base64": "…"}.')
        )
    return list(found)


def _attach(mail: EmailMessage, one: dict[str, Any], number: int) -> None:
    name, encoded, kind = one.get("name"), one.get("base64"), one.get("type") or "application/octet-stream"
    if unknown := set(one) - {"name", "base64", "type"}:
        raise logic_failure(
            UserText(
                'Attachment {number} has the unknown key "{unknown}". Use name, base64 and type.',
                number=number,
                unknown=min(unknown),
            )
        )
    if not isinstance(name, str) or not name or _has_controls(name) or "/" in name or len(name) > 200:
        raise logic_failure(UserText('Attachment {number} needs a "name" such as bill.pdf.', number=number))
    if not isinstance(kind, str) or not _TYPE.fullmatch(kind) or kind.lower().startswith(("multipart/", "message/")):
        raise logic_failure(
            UserText('The "type" of attachment {number} must be a media type such as application/pdf.', number=number)
        )
    try:
        content = base64.b64decode(encoded, validate=True) if isinstance(encoded, str) else None
    except (binascii.Error, ValueError):
        content = None
    if content is None:
        raise logic_failure(UserText('The "base64" of attachment {number} is not valid base64.', number=number))
    maintype, _, subtype = kind.partition("/")
    mail.add_attachment(content, maintype=maintype, subtype=subtype, filename=name)
