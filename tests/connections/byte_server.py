"""A server with scripted bytes, for what real mail servers never do."""

import re
import select
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress


@contextmanager
def serve_conversation(conversation: Callable[[socket.socket], None]) -> Iterator[int]:
    """Yields the port; each connection runs the conversation on its own thread and is then closed."""
    listener = socket.create_server(("127.0.0.1", 0))
    threads: list[threading.Thread] = []
    connections: list[socket.socket] = []

    def run(one: socket.socket) -> None:
        with closing(one), suppress(OSError):
            conversation(one)

    def serve() -> None:
        with suppress(OSError):
            while True:
                one, _ = listener.accept()
                connections.append(one)
                threads.append(threading.Thread(target=run, args=(one,)))
                threads[-1].start()

    serving = threading.Thread(target=serve)
    serving.start()
    try:
        yield int(listener.getsockname()[1])
    finally:
        with suppress(OSError):
            listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        serving.join()
        for one in connections:
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
        for thread in threads:
            thread.join()


def scripted_replies(*replies: bytes) -> Callable[[socket.socket], None]:
    """Send the first reply at once and one more after each received line; then wait.

    IMAP tags in the replies are written d1, d2 and so on; each is replaced by the received one.
    """

    def converse(one: socket.socket) -> None:
        one.sendall(replies[0])
        with one.makefile("rb") as lines:
            for reply in replies[1:]:
                line = lines.readline()
                if not line:
                    return
                one.sendall(with_tag(reply, line))
            while lines.readline():
                pass

    return converse


def with_tag(reply: bytes, line: bytes) -> bytes:
    tag = line.split(b" ", 1)[0].strip()
    return re.sub(rb"(?m)^d\d+(?=[ \r])", lambda _: tag, reply)


def cut_after(port: int, when: bytes) -> Callable[[socket.socket], None]:
    """Proxy to a real server that drops its answer to a line with those words."""

    def converse(client: socket.socket) -> None:
        is_cut = False
        with closing(socket.create_connection(("127.0.0.1", port))) as server:
            while True:
                ready, _, _ = select.select([client, server], [], [])
                for one, other in ((client, server), (server, client)):
                    if one not in ready:
                        continue
                    received = one.recv(65536)
                    if not received or (is_cut and one is server):
                        return
                    other.sendall(received)
                    is_cut = is_cut or (one is client and when in received)

    return converse


def interrupt_at(port: int, at: int, *, after: bool, act: Callable[[], None]) -> Callable[[socket.socket], None]:
    """Proxy to a real IMAP server up to a command, counted from 0 after the login.

    Then act, before the server gets the command or after it has run it, and close both connections.
    """

    def converse(client: socket.socket) -> None:
        count, tag = 0, b""
        with closing(socket.create_connection(("127.0.0.1", port))) as server:
            while True:
                ready, _, _ = select.select([client, server], [], [])
                for one, other in ((client, server), (server, client)):
                    received = one.recv(65536) if one in ready else None
                    if received == b"":
                        return
                    if received and one is client and (command := _COMMAND.match(received)):
                        tag = command[1] if count == at else tag
                        count += 1
                    if received and tag and (not after or (one is server and re.search(rb"(?m)^%b " % tag, received))):
                        act()
                        return
                    if received:
                        other.sendall(received)

    return converse


_COMMAND = re.compile(rb"(\S+) (?:UID|SELECT|EXAMINE) ")
