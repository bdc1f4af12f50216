"""A server that says whatever a test makes it say, byte for byte, for what real mail servers never do."""

import re
import select
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress


@contextmanager
def saying(conversation: Callable[[socket.socket], None]) -> Iterator[int]:
    """Its port; each connection gets a thread that holds the conversation and hangs up."""
    door = socket.create_server(("127.0.0.1", 0))
    threads: list[threading.Thread] = []
    open_ones: list[socket.socket] = []

    def talk(one: socket.socket) -> None:
        with closing(one), suppress(OSError):
            conversation(one)

    def serve() -> None:
        with suppress(OSError):
            while True:
                one, _ = door.accept()
                open_ones.append(one)
                threads.append(threading.Thread(target=talk, args=(one,)))
                threads[-1].start()

    serving = threading.Thread(target=serve)
    serving.start()
    try:
        yield int(door.getsockname()[1])
    finally:
        with suppress(OSError):
            door.shutdown(socket.SHUT_RDWR)
        door.close()
        serving.join()
        for one in open_ones:
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
        for thread in threads:
            thread.join()


def answering(*replies: bytes) -> Callable[[socket.socket], None]:
    """Says the first at once, and one more after each line that it hears; then it waits.

    The tags of IMAP in it are d1, d2 and so on; each is said as the one that was heard.
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


def with_tag(reply: bytes, heard: bytes) -> bytes:
    tag = heard.split(b" ", 1)[0].strip()
    return re.sub(rb"(?m)^d\d+(?=[ \r])", lambda _: tag, reply)


def cutting(port: int, when: bytes) -> Callable[[socket.socket], None]:
    """Passes everything on to a real server behind it, but what that says to a line with those words is never heard."""

    def converse(client: socket.socket) -> None:
        is_cut = False
        with closing(socket.create_connection(("127.0.0.1", port))) as server:
            while True:
                ready, _, _ = select.select([client, server], [], [])
                for one, other in ((client, server), (server, client)):
                    if one not in ready:
                        continue
                    said = one.recv(65536)
                    if not said or (is_cut and one is server):
                        return
                    other.sendall(said)
                    is_cut = is_cut or (one is client and when in said)

    return converse


def interrupting(port: int, at: int, *, after: bool, act: Callable[[], None]) -> Callable[[socket.socket], None]:
    """Passes everything on to a real IMAP server behind it up to a command, counted from 0 after the login.

    There it acts, before the server hears the command or after it has carried it out, and hangs up on both.
    """

    def converse(client: socket.socket) -> None:
        count, tag = 0, b""
        with closing(socket.create_connection(("127.0.0.1", port))) as server:
            while True:
                ready, _, _ = select.select([client, server], [], [])
                for one, other in ((client, server), (server, client)):
                    said = one.recv(65536) if one in ready else None
                    if said == b"":
                        return
                    if said and one is client and (command := _COMMAND.match(said)):
                        tag = command[1] if count == at else tag
                        count += 1
                    if said and tag and (not after or (one is server and re.search(rb"(?m)^%b " % tag, said))):
                        act()
                        return
                    if said:
                        other.sendall(said)

    return converse


_COMMAND = re.compile(rb"(\S+) (?:UID|SELECT|EXAMINE) ")
