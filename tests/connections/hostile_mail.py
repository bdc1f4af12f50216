"""A server that says whatever a test makes it say, byte for byte, for what real mail servers never do."""

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
    """Says the first at once, and one more after each line that it hears; then it waits."""

    def converse(one: socket.socket) -> None:
        one.sendall(replies[0])
        with one.makefile("rb") as lines:
            for reply in replies[1:]:
                if not lines.readline():
                    return
                one.sendall(reply)
            while lines.readline():
                pass

    return converse


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
