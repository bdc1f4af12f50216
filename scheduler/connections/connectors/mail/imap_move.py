"""Moving a message to another folder without losing or duplicating it, and checking whether it was moved.

A message is identified by its number (UID) and by a keyword that is set before the move and moves with it: derived from
folder, number and target, so only this message has it in the target folder. A Message-ID is not unique. With MOVE the
server moves it in one step. Otherwise the message is copied, the copy is found, and only then is the original removed
by its number (UIDPLUS); an interrupted move finds its copy by the keyword. Servers that support neither are refused
before anything is changed.
"""

import hashlib
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

from scheduler.connections.connector import Call, Checked, ToolFailedError
from scheduler.connections.connectors.mail.imap_folder import (
    INBOX,
    ImapMessage,
    check_uidvalidity,
    find_copies,
    find_message,
    folder_name,
    open_folder,
    read_uid,
    renumbered_error,
)
from scheduler.connections.connectors.mail.imap_session import (
    ImapRefusedError,
    ImapSession,
    OpenFolder,
    refused_failure,
    unsure_if_unclear,
)
from scheduler.connections.connectors.mail.imap_values import BadImapResponseError, ImapResponse, parse_flags
from scheduler.connections.errors import logic_failure
from scheduler.rules.failures import FailureClass
from scheduler.user_text import UserText, join_texts

MARKER_PREFIX = b"$dayhand-"
_MAX_MARKED = 10
_COPYUID_CODE = re.compile(rb"\[COPYUID (\d{1,10}) \d{1,10} (\d{1,10})\]", re.IGNORECASE)
_DELETED = b"\\Deleted"
_REMOVED = (b"EXPUNGE", b"VANISHED")
_NO_SUCH_FOLDER = (b"TRYCREATE", b"NONEXISTENT")


def move(call: Call) -> dict[str, Any]:
    target = call.parameters["to"]
    with open_folder(call, change=True) as (client, box):
        if _is_same(target, box.name):
            raise logic_failure(UserText("Message {uid} is already in {target}.", uid=read_uid(call), target=target))
        message = find_message(call, client, box)
        return _Move(client, box, message, target, _marker(call, box)).run()


@dataclass(frozen=True, slots=True)
class _Move:
    client: ImapSession
    box: OpenFolder
    message: ImapMessage
    target: str
    marker: bytes

    def run(self) -> dict[str, Any]:
        self._check_server()
        copy = self._find_interrupted_copy()
        if copy is None and b"MOVE" in self.client.capabilities:
            self._mark()
            self._send(b"UID MOVE")
            self._remove_marker(None)
            return {"folder": self.target}
        if copy is None:
            if self.message.has_flag(_DELETED):  # its copy would be too, and could be removed by anyone
                raise logic_failure(
                    UserText(
                        "Message {uid} in {box} is marked as deleted, so it was not moved.",
                        uid=self.message.uid,
                        box=self.box.name,
                    )
                )
            self._mark()
            copy = self._copy()
        return self._remove_original(copy)

    def _check_server(self) -> None:
        """Refuse unsafe servers before anything is changed."""
        can_copy = b"UIDPLUS" in self.client.capabilities and self.box.takes_keywords
        if b"MOVE" not in self.client.capabilities and not can_copy:
            raise logic_failure(
                UserText(
                    "{host} cannot move mail safely: it supports neither MOVE nor UIDPLUS with keywords. Move "
                    "the message in your mail program, or use a filter of your provider.",
                    host=self.client.server.host,
                )
            )

    def _find_interrupted_copy(self) -> int | None:
        """The copy that an earlier, interrupted move of this message made."""
        if not self.message.has_flag(self.marker):
            return None
        copy = self._find_copy()
        if copy is not None and b"UIDPLUS" not in self.client.capabilities:
            raise logic_failure(
                UserText(
                    "Message {uid} was copied to {target}, but not removed from {box}. Delete it there in your "
                    "mail program.",
                    uid=self.message.uid,
                    target=self.target,
                    box=self.box.name,
                )
            )
        self._reopen()
        return copy

    def _find_copy(self, reported: tuple[int, int] | None = None) -> int | None:
        """Find the copy in the target folder by its keyword or by the number that the server reported."""
        there = self.client.open_folder(self.target)
        found = _find_marked(self.client, self.marker)
        if reported is not None and reported[0] == there.uidvalidity:
            found += list(self.client.fetch([reported[1]], b"FLAGS"))
        # A folder may have two names, so the target may be the folder of the original.
        is_original = there.uidvalidity == self.box.uidvalidity
        return next((uid for uid in found if not (is_original and uid == self.message.uid)), None)

    def _reopen(self) -> None:
        if self.client.open_folder(self.box.name, change=True).uidvalidity != self.box.uidvalidity:
            raise renumbered_error(self.box, self.message.uid)

    def _mark(self) -> None:
        """Set the keyword; if that fails, nothing was moved. MOVE works without it, but cannot be checked then."""
        if not self.box.takes_keywords or self.message.has_flag(self.marker):
            return
        try:
            self._store(b"+FLAGS.SILENT", self.marker)
        except ImapRefusedError:
            if b"MOVE" not in self.client.capabilities:
                raise

    def _send(self, command: bytes) -> list[ImapResponse]:
        """Send UID MOVE or UID COPY and return the responses; a clear refusal means that nothing was moved."""
        with unsure_if_unclear(
            UserText("The message may have been moved to {target}. Check there.", target=self.target)
        ):
            try:
                return self.client.copy_or_move(command, self.message.uid, self.target)
            except ImapRefusedError as error:
                if _shows_effect(error.earlier_responses):
                    raise BadImapResponseError("the server did what it says it refuses") from error
                with suppress(ToolFailedError, ImapRefusedError, BadImapResponseError):
                    self._store(b"-FLAGS.SILENT", self.marker)
                if error.code in _NO_SUCH_FOLDER:
                    reason = self.client.server.quote(error.text)
                    raise logic_failure(
                        UserText("The folder {target} does not exist ({reason}).", target=self.target, reason=reason)
                    ) from error
                raise

    def _copy(self) -> int:
        reported = [found for answer in self._send(b"UID COPY") if (found := _COPYUID_CODE.search(answer.lines[0]))]
        with self._copied():
            copy = self._find_copy((int(reported[-1][1]), int(reported[-1][2])) if reported else None)
            if copy is None:
                raise ToolFailedError.because(
                    FailureClass.UNSURE,
                    UserText(
                        "{host} reports that it copied the message to {target}, but it is not there. The original "
                        "is still in {box}.",
                        host=self.client.server.host,
                        target=self.target,
                        box=self.box.name,
                    ),
                )
            self._reopen()
        return copy

    def _remove_original(self, copy: int) -> dict[str, Any]:
        """By number, once the copy was found: EXPUNGE alone would also remove messages that others marked."""
        result = {"folder": self.target}
        with self._copied():
            self._store(b"+FLAGS.SILENT", _DELETED)
            try:
                self.client.command(b"UID EXPUNGE", b"%d" % self.message.uid)
            except ImapRefusedError as error:  # some users may mark mail as deleted but not remove it
                reason = self.client.server.quote(error.text)
                result["note"] = UserText(
                    "The original is marked as deleted, but is still in {box} ({reason}).",
                    box=self.box.name,
                    reason=reason,
                )
        self._remove_marker(copy)
        return result

    @contextmanager
    def _copied(self) -> Iterator[None]:
        """There is a copy, so any error is unsure; a retry finds the copy."""
        note = UserText(
            "The message was copied to {target}, but the original may still be in {box}.",
            target=self.target,
            box=self.box.name,
        )
        try:
            with unsure_if_unclear(note):
                yield
        except ImapRefusedError as error:
            failed = refused_failure(self.client.server, error, UserText("refused to remove the original"))
            raise _unsure(failed, note) from error
        except ToolFailedError as error:
            if error.failure.kind is FailureClass.UNSURE:
                raise
            raise _unsure(error, note) from error

    def _remove_marker(self, copy: int | None) -> None:
        """The message is moved; errors here do not matter."""
        if self.box.takes_keywords:
            with suppress(ToolFailedError, ImapRefusedError, BadImapResponseError):
                self.client.open_folder(self.target, change=True)
                for uid in [copy] if copy is not None else _find_marked(self.client, self.marker):
                    self.client.command(b"UID STORE", b"%d" % uid, b"-FLAGS.SILENT (" + self.marker + b")")

    def _store(self, change: bytes, mark: bytes) -> None:
        self.client.command(b"UID STORE", b"%d" % self.message.uid, change + b" (" + mark + b")")


def check_move(call: Call) -> Checked:
    """Still in its folder: not moved, and a retry finds a copy that may exist. In the target: moved.

    If it is gone and neither its keyword nor its traits are in the target, it cannot be known.
    """
    uid, target = read_uid(call), call.parameters["to"]
    with open_folder(call) as (client, box):
        check_uidvalidity(call, box)
        if uid in client.fetch([uid], b"FLAGS"):
            return Checked(happened=False)
        marker = _marker(call, box)
        client.open_folder(target)
        if _find_marked(client, marker) or (call.target and find_copies(client, call.target["traits"])):
            return Checked(happened=True, result={"folder": target})
    raise ToolFailedError.because(
        FailureClass.UNSURE,
        UserText(
            "Message {uid} is no longer in {folder_name}, and it is unclear whether it was moved to {target}.",
            uid=uid,
            folder_name=folder_name(call),
            target=target,
        ),
    )


def _find_marked(client: ImapSession, marker: bytes) -> list[int]:
    """The messages in the open folder with that keyword that are not deleted."""
    found = client.search(b"KEYWORD " + marker, b"UNDELETED")
    reported = client.fetch(found[-_MAX_MARKED:], b"FLAGS")
    return [
        uid for uid, items in reported.items() if marker in [mark.lower() for mark in parse_flags(items.get("FLAGS"))]
    ]


def _marker(call: Call, box: OpenFolder) -> bytes:
    known = (box.name, str(box.uidvalidity), str(read_uid(call)), call.parameters["to"])
    return MARKER_PREFIX + hashlib.sha256("\0".join(known).encode("utf-8", "replace")).hexdigest()[:16].encode()


def _is_same(one: str, other: str) -> bool:
    return one == other or one.upper() == other.upper() == INBOX


def _shows_effect(answers: Iterable[ImapResponse]) -> bool:
    """Whether the server started moving before it refused."""
    return any(
        _COPYUID_CODE.search(answer.lines[0]) or answer.word(1) in _REMOVED or answer.word(2) in _REMOVED
        for answer in answers
    )


def _unsure(error: ToolFailedError, note: str) -> ToolFailedError:
    return ToolFailedError.because(FailureClass.UNSURE, join_texts([error.failure.sentence, note], " "))
