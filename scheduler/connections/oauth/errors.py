"""Failures of signing in. Signing in again resolves all of them."""

from scheduler.connections.connector import ToolFailedError
from scheduler.rules.failures import Failure, FailureClass
from scheduler.user_text import UserText


class SignInError(ToolFailedError):
    """The sign-in failed; the saved login is unchanged."""

    def __init__(self, sentence: str) -> None:
        super().__init__(Failure(kind=FailureClass.AUTH, sentence=sentence))


class SignInDeniedError(SignInError):
    """The user or the service denied access."""


class SignInTimeoutError(SignInError):
    """The browser did not return in time."""


class SignInCancelledError(SignInError):
    """The user cancelled in Dayhand."""


class NoBrowserError(SignInError):
    """No browser could be opened."""

    def __init__(self) -> None:
        super().__init__(
            UserText("No browser could be opened to sign in. Install one or choose a default, then connect again.")
        )


class WrongAccountError(SignInError):
    """The user signed in to another account than before."""

    def __init__(self, connection: str, before: str, now: str) -> None:
        super().__init__(
            UserText(
                "You signed in as {now}, but {connection} belongs to {before}. Sign in as {before}, or add "
                "another connection for {now}.",
                now=now,
                connection=connection,
                before=before,
            )
        )
        self.before = before
        self.now = now
