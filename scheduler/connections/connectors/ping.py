"""The address of a check at a monitoring service, which is told how runs went and that Dayhand runs."""

import math
from collections.abc import Mapping
from datetime import datetime
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from scheduler.connections.connector import Call, Connector, Field, FieldKind
from scheduler.connections.connectors.http_auth import CERTIFICATE
from scheduler.connections.http_client import check, request
from scheduler.connections.tls import custom_tls_context
from scheduler.rules.pings import Ping, PingEvent
from scheduler.user_text import UserText

ADDRESS_FIELD, OUTPUT_FIELD = "address", "output"
_HEALTHCHECKS, _UPTIME_KUMA, _ONLY_SUCCESS = "healthchecks", "uptime-kuma", "only-success"
_MAX_ANSWER_BYTES = 100_000
_MAX_BODY_BYTES = 10_000
_MAX_MESSAGE_CHARS = 200


def send_ping(settings: Mapping[str, Any], ping: Ping, now: datetime, seconds: float) -> None:
    """Tell the service; ToolFailedError if it did not take it. Does nothing for what it cannot be told."""
    written = _write(settings, ping)
    if written is not None:
        _request(settings, written, now, seconds)


def list_secrets(settings: Mapping[str, Any]) -> list[str]:
    """What must not appear in messages: the address, and the part of it that identifies the check."""
    address = str(settings.get(ADDRESS_FIELD) or "")
    parts = urlsplit(address)
    return [text for text in (address, parts.path, *parts.path.split("/"), parts.query) if len(text) > 1]


class _PingRequest(NamedTuple):
    method: str
    url: str
    body: bytes | None = None


def _write(settings: Mapping[str, Any], ping: Ping) -> _PingRequest | None:
    address = str(settings[ADDRESS_FIELD]).strip()
    match settings.get("service") or _HEALTHCHECKS:
        case "uptime-kuma":
            return None if ping.event is PingEvent.START else _PingRequest("GET", _write_push(address, ping))
        case "only-success":
            return _PingRequest("GET", address) if ping.event is PingEvent.SUCCESS else None
    ending = {PingEvent.START: "start", PingEvent.SUCCESS: "", PingEvent.FAIL: str(ping.exit_code or "fail")}
    body = ping.text.encode(errors="replace")[-_MAX_BODY_BYTES:]
    return _PingRequest("POST", _extend(address, ending[ping.event], {"rid": ping.rid} if ping.rid else {}), body)


def _extend(address: str, ending: str, query: Mapping[str, str]) -> str:
    parts = urlsplit(address)
    path = "/".join(part for part in (parts.path.rstrip("/"), ending) if part)
    return urlunsplit(
        parts._replace(path=path, query=urlencode([*parse_qsl(parts.query), *query.items()]), fragment="")
    )


def _write_push(address: str, ping: Ping) -> str:
    """Uptime Kuma shows its addresses with example values, which are replaced."""
    is_up = ping.event is PingEvent.SUCCESS
    message = "OK" if is_up else "Failed" if ping.exit_code is None else f"Failed with code {ping.exit_code}"
    lines = [line for line in ping.text.splitlines() if line.strip()]
    milliseconds = "" if ping.took is None else math.ceil(ping.took.total_seconds() * 1000)
    values = {
        "status": "up" if is_up else "down",
        "msg": f"{message}: {lines[-1].strip()}"[:_MAX_MESSAGE_CHARS] if lines else message,
        "ping": milliseconds,
    }
    return urlunsplit(urlsplit(address)._replace(query=urlencode(values), fragment=""))


def _request(settings: Mapping[str, Any], written: _PingRequest, now: datetime, seconds: float) -> str:
    """The host that took it."""
    answer = request(
        written.method,
        written.url,
        headers={"Content-Type": "text/plain; charset=utf-8"} if written.body else {},
        body=written.body,
        seconds=seconds,
        max_bytes=_MAX_ANSWER_BYTES,
        context=custom_tls_context(settings.get(CERTIFICATE.name)),
    )
    return check(answer, now).host


def _test(call: Call) -> str:
    """Without changing what the service says about the check, where it allows that."""
    address = str(call.settings[ADDRESS_FIELD]).strip()
    match call.settings.get("service"):
        case "only-success":
            return UserText("Stored. It is called when a run has succeeded.")
        case "uptime-kuma":
            written = _PingRequest("GET", _write_push(address, Ping(event=PingEvent.SUCCESS, at=call.now)))
        case _:
            written = _PingRequest("POST", _extend(address, "log", {}), b"Dayhand can reach this check.")
    return UserText("{host} took the ping.", host=_request(call.settings, written, call.now, call.seconds))


ping = Connector(
    kind="ping",
    title="Ping",
    help="Tells a monitoring service how runs went, so that it notices when Dayhand is dead.",
    fields=(
        Field(
            name=ADDRESS_FIELD,
            label="Address",
            help="As the service shows it, for example https://hc-ping.com/5f3b…. "
            "Whoever knows it can send pings, so it is stored only in the keyring.",
            secret=True,
        ),
        Field(
            name="service",
            label="Service",
            help="Only on success: the address is just opened when a run has succeeded.",
            kind=FieldKind.CHOICE,
            choices=(_HEALTHCHECKS, _UPTIME_KUMA, _ONLY_SUCCESS),
            default=_HEALTHCHECKS,
        ),
        Field(
            name=OUTPUT_FIELD,
            label="Output",
            help="Send the last lines that a run printed, and why it failed. The service can read them.",
            kind=FieldKind.FLAG,
            required=False,
            default=False,
        ),
        CERTIFICATE,
    ),
    tools=(),
    test=_test,
)
