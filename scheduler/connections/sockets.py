"""Opening plain and encrypted connections to servers within a deadline."""

import errno
import socket
import ssl
import threading
from contextlib import suppress
from time import monotonic
from typing import Any

from scheduler.connections.http_errors import unreachable, untrusted_certificate
from scheduler.connections.tls import tls_context
from scheduler.user_text import UserText

_OFFLINE = (errno.ENETUNREACH, errno.ENETDOWN)


class Deadline:
    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._end = monotonic() + seconds

    def left(self) -> float:
        left = self._end - monotonic()
        if left <= 0:
            raise TimeoutError
        return left


def open_connection(host: str, port: int, deadline: Deadline) -> socket.socket:
    """Connect to one of the host's addresses; ToolFailedError if none can be reached."""
    failure: OSError | None = None
    try:
        addresses = _resolve(host.strip("[]"), port, deadline)
        for tried, (family, kind, protocol, _, address) in enumerate(addresses):
            connecting = socket.socket(family, kind, protocol)
            try:
                connecting.settimeout(deadline.left() / (len(addresses) - tried))  # leave time for the others
                connecting.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                connecting.connect(address)
            except OSError as error:
                connecting.close()
                failure = error
            else:
                return connecting
    except TimeoutError as error:
        failure = failure or error
    except (socket.gaierror, ValueError) as error:  # ValueError: not a valid host name
        offline = isinstance(error, socket.gaierror) and error.errno == socket.EAI_AGAIN
        sentence = UserText(
            "{host} was not found. Check that this computer is online and that the server name is correct.", host=host
        )
        raise unreachable(sentence, offline=offline) from error
    if failure is None or isinstance(failure, TimeoutError):
        raise unreachable(
            UserText(
                "{host} could not be reached within {seconds} seconds.", host=host, seconds=f"{deadline.seconds:g}"
            )
        ) from failure
    sentence = UserText(
        "{host} could not be reached ({strerror}). Check that it is running and that the address is correct.",
        host=host,
        strerror=failure.strerror,
    )
    raise unreachable(sentence, offline=failure.errno in _OFFLINE) from failure


def start_tls(
    inner: socket.socket, host: str, deadline: Deadline, context: ssl.SSLContext | None = None
) -> socket.socket:
    """Encrypt the connection; ToolFailedError if the server's certificate is not valid."""
    try:
        inner.settimeout(deadline.left())
        return (context or tls_context()).wrap_socket(inner, server_hostname=host.strip("[]").rstrip("."))
    except ssl.SSLCertVerificationError as error:
        raise untrusted_certificate(host, error.verify_message.rstrip(".")) from error
    except TimeoutError as error:
        raise unreachable(
            UserText("{host} did not answer within {seconds} seconds.", host=host, seconds=f"{deadline.seconds:g}")
        ) from error
    except (OSError, ValueError) as error:
        raise unreachable(
            UserText(
                "No secure connection to {host} could be made. Check the address and the encryption setting.", host=host
            )
        ) from error


def _resolve(host: str, port: int, deadline: Deadline) -> list[Any]:
    """The addresses of a host. getaddrinfo has no timeout, so its thread is abandoned at the deadline."""
    with suppress(socket.gaierror, UnicodeError):
        return socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_NUMERICHOST)
    found: list[Any] = []
    failed: list[Exception] = []

    def resolve() -> None:
        try:
            found.extend(socket.getaddrinfo(host, port, type=socket.SOCK_STREAM))
        except (OSError, ValueError) as error:
            failed.append(error)

    thread = threading.Thread(target=resolve, name="resolver", daemon=True)
    thread.start()
    thread.join(deadline.left())
    if failed:
        raise failed[0]
    if thread.is_alive():
        raise TimeoutError
    return found
