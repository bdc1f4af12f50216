"""Failure classes, named for what helps. The type decides the class; the message text never does."""

from dataclasses import dataclass, replace
from datetime import timedelta
from enum import StrEnum
from pathlib import PurePath

from scheduler.rules.phases import RunStatus
from scheduler.user_text import UserText


class FailureClass(StrEnum):
    """What a failure needs."""

    TRANSIENT = "transient"
    """Time: a timeout, a lost connection, a busy server, no network."""
    AUTH = "auth"
    """A reconnect: the login expired or was revoked."""
    PERMISSION = "permission"
    """A grant: the tool or connection was not allowed."""
    LOGIC = "logic"
    """A fix: the script raised, returned something invalid, broke a rule, or its process died."""
    UNSURE = "unsure"
    """A confirmation: the outside action may or may not have happened."""
    INTERNAL = "internal"
    """A bug report: Dayhand's own error, or an unknown one."""


STATUS_AFTER_FAILURE = {
    FailureClass.TRANSIENT: RunStatus.TRANSIENT,
    FailureClass.AUTH: RunStatus.APPROVAL,
    FailureClass.PERMISSION: RunStatus.APPROVAL,
    FailureClass.LOGIC: RunStatus.LOGIC,
    FailureClass.UNSURE: RunStatus.RECONCILIATION,
    FailureClass.INTERNAL: RunStatus.INTERNAL,
}
"""The attempt's status after a failure of each class."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """One failure, converted where it happened; the sentence can be shown to the user."""

    kind: FailureClass
    sentence: str
    retry_after: timedelta | None = None
    counts: bool = True
    """Whether it counts towards blocking the handler; being offline does not."""
    file: str | None = None
    line: int | None = None
    traceback: str | None = None
    command: str | None = None
    """The command line that failed, if it was one of `ctx.run`."""
    exit_code: int | None = None
    """Of that command, if it ended by itself."""

    def with_location(self, file: str, line: int | None) -> "Failure":
        """Prefix a script error with its file and line; other failures stay unchanged."""
        if self.kind is not FailureClass.LOGIC or self.line is not None:
            return self
        name = PurePath(file).name
        if line is None:
            sentence = UserText("{name}: {message}", name=name, message=self.sentence)
        else:
            sentence = UserText("{name}, line {line}: {message}", name=name, line=line, message=self.sentence)
        return replace(self, sentence=sentence, file=file, line=line)


_RETRYABLE_CODES = frozenset({408, 425, 429})


def classify_http_status(code: int, *, mutating: bool) -> FailureClass:
    """Class of an HTTP status of 400 or more. After a mutating call, some leave it unsure whether it happened."""
    if mutating and (code == 408 or code >= 500):
        return FailureClass.UNSURE
    if code in _RETRYABLE_CODES or code >= 500:
        return FailureClass.TRANSIENT
    if code == 401:
        return FailureClass.AUTH
    return FailureClass.PERMISSION if code == 403 else FailureClass.LOGIC


class TransportFailure(StrEnum):
    """How a call failed before a response came."""

    NOT_REACHED = "not reached"
    """Refused, or no such host: nothing can have happened."""
    BROKEN = "broken"
    """The connection broke, or no response came in time."""


def classify_transport_failure(failure: TransportFailure, *, mutating: bool) -> FailureClass:
    return FailureClass.UNSURE if mutating and failure is TransportFailure.BROKEN else FailureClass.TRANSIENT
