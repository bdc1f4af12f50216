"""What can go wrong between a script and Dayhand."""

from __future__ import annotations

import os

from . import _protocol as protocol
from ._places import caller


class Misuse(Exception):  # noqa: N818  the name is part of the contract with authors
    """The script asks for something that does not exist or is not allowed here.

    The text says where and what to write instead. Catching it does not help: the run fails all the same.
    """

    kind = protocol.MISUSE

    def __init__(self, sentence: str, place: tuple[str, int] | None = None) -> None:
        self.sentence = sentence
        self.file, self.line = place or caller()
        super().__init__(f"{os.path.basename(self.file)}, line {self.line}: {sentence}")


class BadReturn(Misuse):
    """A handler returned something that its phase cannot use."""

    kind = protocol.BAD_RETURN


class TooLarge(Misuse):
    """The script hands over more than may pass at once."""

    kind = protocol.TOO_LARGE


class CommandFailed(Exception):  # noqa: N818  as above
    """A command of `ctx.run` could not be started, or ended with an error; `code` is its exit code if it has one."""

    def __init__(self, sentence: str, code: int | None = None) -> None:
        super().__init__(sentence)
        self.code = code


class Ended(BaseException):
    """The host ends this attempt: a tool failed, the person stopped it, or the one call of mutate was made.

    It is not an `Exception`, so that no script mistakes it for one of its own.
    """
