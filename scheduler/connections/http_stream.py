"""The lines of an HTTP answer that goes on and on, as they come."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from scheduler.connections.channel import StopSignal
from scheduler.connections.connector import ToolFailedError
from scheduler.connections.errors import logic_failure
from scheduler.connections.http_errors import connection_lost, status_failure
from scheduler.user_text import UserText

if TYPE_CHECKING:
    import ssl
    from datetime import datetime

_MAX_LINE_BYTES = 256 * 1024


def stream_lines(
    url: str,
    *,
    headers: Mapping[str, str],
    silence_s: float,
    stop: StopSignal,
    now: "datetime",
    context: "ssl.SSLContext | None" = None,
) -> Iterator[bytes]:
    """Each complete line; ends when the server ends or the signal is set.

    ToolFailedError if the server refuses, or is silent for `silence_s`.
    """
    from scheduler.connections.http_transport import exchange, parse_http_url, read_pieces  # noqa: PLC0415  slow
    from scheduler.connections.transfer_limits import StreamLimit  # noqa: PLC0415  as above

    place = parse_http_url(url)
    sent = {"Accept-Encoding": "identity", "Connection": "close", "User-Agent": "Dayhand", **headers}
    limit = StreamLimit(silence_s, stop)
    host = place.host or ""
    try:
        with exchange("GET", place, sent, None, limit=limit, acts=False, context=context) as found:
            answer = found.answer
            if answer.status != 200:
                raise status_failure(answer.status, answer.headers, host, acts=False, now=now)
            rest = b""
            for piece in read_pieces(answer, host, limit):
                *lines, rest = (rest + piece).split(b"\n")
                yield from lines
                if len(rest) > _MAX_LINE_BYTES:
                    raise logic_failure(UserText("{host} sent a line that is too long.", host=host))
    except ToolFailedError:
        if not stop.is_set:
            raise
        return
    if not stop.is_set:
        raise connection_lost(UserText("{host} ended the connection.", host=host), acts=False)
