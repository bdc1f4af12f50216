"""Errors between a script and Dayhand."""

from __future__ import annotations

import os

from . import _protocol as protocol
from ._source_location import caller
from ._user_text import UserText


class Misuse(Exception):  # noqa: N818  the name is part of the contract with authors
    """The script uses something that does not exist or is not allowed here.

    The message says where, and what to write instead. Catching it does not help: the run fails anyway.
    """

    kind = protocol.MISUSE

    def __init__(self, sentence: str, place: tuple[str, int] | None = None) -> None:
        self.sentence = sentence
        self.file, self.line = place or caller()
        super().__init__(
            UserText(
                "{basename}, line {line}: {sentence}",
                basename=os.path.basename(self.file),
                line=self.line,
                sentence=sentence,
            )
        )


class BadReturn(Misuse):
    """A handler returned something its phase cannot use."""

    kind = protocol.BAD_RETURN


class TooLarge(Misuse):
    """The script passes more than one message may hold."""

    kind = protocol.TOO_LARGE


class CommandFailed(Exception):  # noqa: N818  as above
    """A command of `ctx.run` could not be started or failed; `code` is its exit code, if any."""

    def __init__(self, sentence: str, code: int | None = None, command: str = "") -> None:
        super().__init__(sentence)
        self.code = code
        self.command = command
        """The command line, as it would be typed."""


class AttemptEnded(BaseException):
    """The host ends this attempt: a tool failed, the user stopped it, or mutate made its call.

    Not an `Exception`, so that scripts do not catch it by accident.
    """
