"""Moving a message to another folder so that it is never lost and never there twice, and checking whether it was moved.

A message is known by its number (UID) and by a keyword that it gets before it is moved and that goes with it: made of
folder, number and target, so it is in the target folder only on this very message. A Message-ID says nothing: several
messages may share one. With MOVE the server does it in one step. Without it the message is copied, the copy is looked
for, and only then is the original removed, by its number (UIDPLUS); a move that was broken off finds its copy by the
keyword. Servers that cannot do either are refused before anything is changed.
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
    Message,
    check_validity,
    find_alike,
    find_message,
    folder_of,
    number_of,
    opened,
    renumbered,
)
from scheduler.connections.connectors.mail.imap_outcome import unsure_if_unclear
from scheduler.connections.connectors.mail.imap_session import Box, RefusedError, Session, refusal
from scheduler.connections.connectors.mail.imap_values import Answer, BadAnswerError, read_marks
from scheduler.connections.mistakes import wrong
from scheduler.rules.failures import FailureClass

MARKER_PREFIX = b"$dayhand-"
_MAX_MARKED = 10
_COPYUID = re.compile(rb"\[COPYUID (\d{1,10}) \d{1,10} (\d{1,10})\]", re.IGNORECASE)
_DELETED = b"\\Deleted"
_REMOVED = (b"EXPUNGE", b"VANISHED")
_NO_SUCH_FOLDER = (b"TRYCREATE", b"NONEXISTENT")


def move(call: Call) -> dict[str, Any]:
    target = call.parameters["to"]
    with opened(call, change=True) as (talk, box):
        if _is_same(target, box.name):
            raise wrong(f"Message {number_of(call)} is in {target} already.")
        message = find_message(call, talk, box)
        return _Move(talk, box, message, target, _marker(call, box)).make()


@dataclass(frozen=True, slots=True)
class _Move:
    talk: Session
    box: Box
    message: Message
    target: str
    marker: bytes

    def make(self) -> dict[str, Any]:
        self._check_server()
        copy = self._find_interrupted_copy()
        if copy is None and b"MOVE" in self.talk.abilities:
            self._mark()
            self._ask(b"UID MOVE")
            self._remove_marker(None)
            return {"folder": self.target}
        if copy is None:
            if self.message.has(_DELETED):  # so would its copy be, and anybody could remove that
                raise wrong(f"Message {self.message.uid} in {self.box.name} is marked as deleted, so it is not moved.")
            self._mark()
            copy = self._copy()
        return self._remove_original(copy)

    def _check_server(self) -> None:
        """Before anything is changed."""
        can_copy = b"UIDPLUS" in self.talk.abilities and self.box.takes_keywords
        if b"MOVE" not in self.talk.abilities and not can_copy:
            raise wrong(
                f"{self.talk.server.host} cannot move mail safely: it offers neither MOVE nor UIDPLUS with keywords. "
                "Move the message in your mail program, or have the provider's own filters do it."
            )

    def _find_interrupted_copy(self) -> int | None:
        """The copy that an earlier move of this very message made before it was broken off."""
        if not self.message.has(self.marker):
            return None
        copy = self._find_copy()
        if copy is not None and b"UIDPLUS" not in self.talk.abilities:
            raise wrong(
                f"Message {self.message.uid} was copied to {self.target}, but not removed from {self.box.name}. "
                "Delete it there in your mail program."
            )
        self._reopen()
        return copy

    def _find_copy(self, told: tuple[int, int] | None = None) -> int | None:
        """The copy in the target folder, by its keyword or by the number that the server told."""
        there = self.talk.open_folder(self.target)
        found = _find_marked(self.talk, self.marker)
        if told is not None and told[0] == there.validity:
            found += list(self.talk.fetch([told[1]], b"FLAGS"))
        # A folder may have two names, so the target may turn out to be the folder that the original is in.
        is_original = there.validity == self.box.validity
        return next((uid for uid in found if not (is_original and uid == self.message.uid)), None)

    def _reopen(self) -> None:
        if self.talk.open_folder(self.box.name, change=True).validity != self.box.validity:
            raise renumbered(self.box, self.message.uid)

    def _mark(self) -> None:
        """If it goes wrong, nothing was moved. MOVE is safe without; then only a lost answer stays a question."""
        if not self.box.takes_keywords or self.message.has(self.marker):
            return
        try:
            self._store(b"+FLAGS.SILENT", self.marker)
        except RefusedError:
            if b"MOVE" not in self.talk.abilities:
                raise

    def _ask(self, command: bytes) -> list[Answer]:
        """UID MOVE or UID COPY, with what was said to it; a clear no means that nothing was moved."""
        with unsure_if_unclear(f"It may have moved the message to {self.target}: look there."):
            try:
                return self.talk.in_folder(command, self.message.uid, self.target)
            except RefusedError as error:
                if _shows_effect(error.before):
                    raise BadAnswerError("it did what it says that it refuses") from error
                with suppress(ToolFailedError, RefusedError, BadAnswerError):
                    self._store(b"-FLAGS.SILENT", self.marker)
                if error.code in _NO_SUCH_FOLDER:
                    said = self.talk.server.quote(error.text)
                    raise wrong(f"There is no folder {self.target} to move the message to ({said}).") from error
                raise

    def _copy(self) -> int:
        told = [found for answer in self._ask(b"UID COPY") if (found := _COPYUID.search(answer.lines[0]))]
        with self._copied():
            copy = self._find_copy((int(told[-1][1]), int(told[-1][2])) if told else None)
            if copy is None:
                raise ToolFailedError.because(
                    FailureClass.UNSURE,
                    f"{self.talk.server.host} says that it copied the message to {self.target}, but it is not there. "
                    f"The original stays in {self.box.name}.",
                )
            self._reopen()
        return copy

    def _remove_original(self, copy: int) -> dict[str, Any]:
        """Only now that the copy was seen, and by number: EXPUNGE alone would remove what others marked too."""
        result = {"folder": self.target}
        with self._copied():
            self._store(b"+FLAGS.SILENT", _DELETED)
            try:
                self.talk.command(b"UID EXPUNGE", b"%d" % self.message.uid)
            except RefusedError as error:  # some may mark mail as deleted, and not remove it
                said = self.talk.server.quote(error.text)
                result["note"] = f"The original is marked as deleted, but still in {self.box.name} ({said})."
        self._remove_marker(copy)
        return result

    @contextmanager
    def _copied(self) -> Iterator[None]:
        """There is a copy: whatever goes wrong, it was not nothing that happened, and a new try finds the copy."""
        what = f"The message was copied to {self.target}, and the original may still be in {self.box.name}."
        try:
            with unsure_if_unclear(what):
                yield
        except RefusedError as error:
            failed = refusal(self.talk.server, error, "refused to remove the original")
            raise ToolFailedError.because(FailureClass.UNSURE, f"{failed.failure.sentence} {what}") from error
        except ToolFailedError as error:
            if error.failure.kind is FailureClass.UNSURE:
                raise
            raise ToolFailedError.because(FailureClass.UNSURE, f"{error.failure.sentence} {what}") from error

    def _remove_marker(self, copy: int | None) -> None:
        """It is moved; what goes wrong here changes nothing about that."""
        if self.box.takes_keywords:
            with suppress(ToolFailedError, RefusedError, BadAnswerError):
                self.talk.open_folder(self.target, change=True)
                for uid in [copy] if copy is not None else _find_marked(self.talk, self.marker):
                    self.talk.command(b"UID STORE", b"%d" % uid, b"-FLAGS.SILENT (" + self.marker + b")")

    def _store(self, change: bytes, mark: bytes) -> None:
        self.talk.command(b"UID STORE", b"%d" % self.message.uid, change + b" (" + mark + b")")


def check_move(call: Call) -> Checked:
    """Still in its folder: not moved, and moving it again finds the copy that may be there. In the target: moved.

    With the message gone and neither its keyword nor its traits in the target, nobody can tell who took it away.
    """
    uid, target = number_of(call), call.parameters["to"]
    with opened(call) as (talk, box):
        check_validity(call, box)
        if uid in talk.fetch([uid], b"FLAGS"):
            return Checked(happened=False)
        marker = _marker(call, box)
        talk.open_folder(target)
        if _find_marked(talk, marker) or (call.target and find_alike(talk, call.target["traits"])):
            return Checked(happened=True, result={"folder": target})
    raise ToolFailedError.because(
        FailureClass.UNSURE,
        f"Message {uid} is not in {folder_of(call)} any more, and nobody can tell whether it was moved to {target}.",
    )


def _find_marked(talk: Session, marker: bytes) -> list[int]:
    """The messages in the open folder with that keyword which nobody has deleted."""
    found = talk.search(b"KEYWORD " + marker, b"UNDELETED")
    told = talk.fetch(found[-_MAX_MARKED:], b"FLAGS")
    return [uid for uid, items in told.items() if marker in [mark.lower() for mark in read_marks(items.get("FLAGS"))]]


def _marker(call: Call, box: Box) -> bytes:
    known = (box.name, str(box.validity), str(number_of(call)), call.parameters["to"])
    return MARKER_PREFIX + hashlib.sha256("\0".join(known).encode("utf-8", "replace")).hexdigest()[:16].encode()


def _is_same(one: str, other: str) -> bool:
    return one == other or one.upper() == other.upper() == INBOX


def _shows_effect(answers: Iterable[Answer]) -> bool:
    """Whether the server had begun to move before it said no."""
    return any(
        _COPYUID.search(answer.lines[0]) or answer.word(1) in _REMOVED or answer.word(2) in _REMOVED
        for answer in answers
    )
