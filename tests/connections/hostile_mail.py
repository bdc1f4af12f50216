"""A server that says whatever a test makes it say, byte for byte, for what real mail servers never do."""

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
