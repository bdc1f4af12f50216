"""A connection to a server, plain or encrypted, and the limits in time for all that is done over it."""

import errno
import socket
import ssl
import threading
from contextlib import suppress
from time import monotonic
from typing import Any

from scheduler.connections.trust import trusting
from scheduler.connections.web_errors import not_reached, not_trusted

_OFFLINE = (errno.ENETUNREACH, errno.ENETDOWN)


class Deadline:
    """By when all of it must be done."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._end = monotonic() + seconds

    def left(self) -> float:
        left = self._end - monotonic()
        if left <= 0:
            raise TimeoutError
        return left


def dial(host: str, port: int, deadline: Deadline) -> socket.socket:
    """A connection to one of the host's addresses; ToolFailedError, and nothing was sent, if there is none."""
    failure: OSError | None = None
    try:
        addresses = _resolve(host.strip("[]"), port, deadline)
        for tried, (family, kind, protocol, _, address) in enumerate(addresses):
            connecting = socket.socket(family, kind, protocol)
            try:
                connecting.settimeout(deadline.left() / (len(addresses) - tried))  # one that hangs leaves time for more
                connecting.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                connecting.connect(address)
            except OSError as error:
                connecting.close()
                failure = error
            else:
                return connecting
    except TimeoutError as error:
        failure = failure or error
    except (socket.gaierror, ValueError) as error:  # a name that cannot be written as names of servers are
        offline = isinstance(error, socket.gaierror) and error.errno == socket.EAI_AGAIN
        sentence = f"{host} was not found. Look whether this computer is online and the server's name is right."
        raise not_reached(sentence, offline=offline) from error
    if failure is None or isinstance(failure, TimeoutError):
        raise not_reached(f"{host} could not be reached within {deadline.seconds:g} seconds.") from failure
    sentence = f"{host} could not be reached ({failure.strerror}). Look whether it runs and its address is right."
    raise not_reached(sentence, offline=failure.errno in _OFFLINE) from failure


def secure(inner: socket.socket, host: str, deadline: Deadline, context: ssl.SSLContext | None = None) -> socket.socket:
    """The same connection, encrypted from here on; ToolFailedError if the server cannot prove who it is."""
    try:
        inner.settimeout(deadline.left())
        return (context or trusting()).wrap_socket(inner, server_hostname=host.strip("[]").rstrip("."))
    except ssl.SSLCertVerificationError as error:
        raise not_trusted(host, error.verify_message.rstrip(".")) from error
    except TimeoutError as error:
        raise not_reached(f"{host} did not answer within {deadline.seconds:g} seconds.") from error
    except (OSError, ValueError) as error:
        raise not_reached(
            f"No secure connection to {host} could be made. Look whether its address and encryption are right."
        ) from error


def _resolve(host: str, port: int, deadline: Deadline) -> list[Any]:
    """The addresses of a host. The system's look-up knows no deadline, so it is left behind when ours comes."""
    with suppress(socket.gaierror, UnicodeError):
        return socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_NUMERICHOST)
    found: list[Any] = []
    failed: list[Exception] = []

    def look_up() -> None:
        try:
            found.extend(socket.getaddrinfo(host, port, type=socket.SOCK_STREAM))
        except (OSError, ValueError) as error:
            failed.append(error)

    looking = threading.Thread(target=look_up, name="look up", daemon=True)
    looking.start()
    looking.join(deadline.left())
    if failed:
        raise failed[0]
    if looking.is_alive():
        raise TimeoutError
    return found
