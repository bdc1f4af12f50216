"""What went wrong, by what can be done about it. Types decide; the text of a message never does."""

from dataclasses import dataclass, replace
from datetime import timedelta
from enum import StrEnum
from pathlib import PurePath

from scheduler.rules.phases import Status


class FailureClass(StrEnum):
    """Named for what helps."""

    TRANSIENT = "transient"
    """Wait: a timeout, a lost connection, a busy server, no network."""
    AUTH = "auth"
    """Reconnect: the login expired or was revoked."""
    PERMISSION = "permission"
    """Allow: the tool or connection was not granted."""
    LOGIC = "logic"
    """Fix: the script raised, returned nonsense, or did what it may not; or its process died."""
    UNSURE = "unsure"
    """Confirm: the outside action may or may not have happened."""
    INTERNAL = "internal"
    """Report: our own mistake, or nothing we know."""


STATUS_AFTER = {
    FailureClass.TRANSIENT: Status.TRANSIENT,
    FailureClass.AUTH: Status.APPROVAL,
    FailureClass.PERMISSION: Status.APPROVAL,
    FailureClass.LOGIC: Status.LOGIC,
    FailureClass.UNSURE: Status.RECONCILIATION,
    FailureClass.INTERNAL: Status.INTERNAL,
}
"""How the attempt stands after a failure of that class."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """One failure, converted at the edge where it happened; the sentence is fit for the screen."""

    kind: FailureClass
    sentence: str
    retry_after: timedelta | None = None
    counts: bool = True
    """Whether it brings the handler nearer to being blocked; being offline does not."""
    file: str | None = None
    line: int | None = None
    traceback: str | None = None

    def placed(self, file: str, line: int | None) -> "Failure":
        """The same of a script at fault, with its place in front, so that the author finds it; others stay as are."""
        if self.kind is not FailureClass.LOGIC or self.line is not None:
            return self
        place = PurePath(file).name if line is None else f"{PurePath(file).name}, line {line}"
        return replace(self, sentence=f"{place}: {self.sentence}", file=file, line=line)


_REFUSED_FOR_NOW = frozenset({408, 425, 429})


def classify_status(code: int, *, mutating: bool) -> FailureClass:
    """What an HTTP status of 400 or more means. After a mutating call, some leave open whether it happened."""
    if mutating and (code == 408 or code >= 500):
        return FailureClass.UNSURE
    if code in _REFUSED_FOR_NOW or code >= 500:
        return FailureClass.TRANSIENT
    if code == 401:
        return FailureClass.AUTH
    return FailureClass.PERMISSION if code == 403 else FailureClass.LOGIC


class Trouble(StrEnum):
    """What happened to a connection before an answer came."""

    NOT_REACHED = "not reached"
    """Refused, or no such host: certainly nothing happened."""
    BROKEN = "broken"
    """It broke, or no answer came in time."""


def classify_trouble(trouble: Trouble, *, mutating: bool) -> FailureClass:
    return FailureClass.UNSURE if mutating and trouble is Trouble.BROKEN else FailureClass.TRANSIENT
