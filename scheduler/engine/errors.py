"""The error of a refused command."""

from datetime import datetime

from scheduler.user_text import UserText


class RefusedError(Exception):
    """A command was not carried out. The sentence tells the user why and what to do, the code tells programs."""

    def __init__(self, code: str, sentence: str) -> None:
        super().__init__(sentence)
        self.code = code
        self.sentence = sentence


def refuse_past(until: datetime | None, now: datetime) -> None:
    """A pause cannot end before it begins."""
    if until is not None and until <= now:
        sentence = UserText("That time has passed. Choose a later one, or pause without an end time.")
        raise RefusedError("past", sentence)
