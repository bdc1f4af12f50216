"""What every IMAP tool begins with: a folder that is open, and the message that is meant."""

from collections.abc import Iterator
from contextlib import contextmanager

from scheduler.connections.connector import Call
from scheduler.connections.connectors.mail.imap_session import Box, Session, session
from scheduler.connections.connectors.mail.wire import Server
from scheduler.connections.mistakes import wrong

INBOX = "INBOX"
_LARGEST_UID = 2**32 - 1


@contextmanager
def opened(call: Call, *, change: bool = False) -> Iterator[tuple[Session, Box]]:
    with session(Server.of(call.settings), call.seconds) as talk:
        yield talk, talk.open_folder(folder_of(call), change=change)


def folder_of(call: Call) -> str:
    return call.parameters.get("folder") or INBOX


def number_of(call: Call) -> int:
    uid: int = call.parameters["uid"]
    if not 1 <= uid <= _LARGEST_UID:
        raise wrong(f'"uid" is the number of a message as search gives it, not {uid}.')
    return uid


def check_validity(call: Call, box: Box) -> None:
    """Numbers from before the server counted anew may mean other messages."""
    given = call.parameters.get("uidvalidity")
    if given is not None and given != box.validity:
        raise wrong(
            f"The server has numbered the messages in {box.name} anew, so number {call.parameters.get('uid')} may mean "
            "another one by now. Search again."
        )
