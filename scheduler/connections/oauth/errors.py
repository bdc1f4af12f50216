"""What can go wrong while a person signs in. All of them are put right by signing in again."""

from scheduler.connections.connector import ToolFailedError
from scheduler.rules.failures import Failure, FailureClass


class SignInError(ToolFailedError):
    """Nobody is signed in; what was kept before is as it was."""

    def __init__(self, sentence: str) -> None:
        super().__init__(Failure(kind=FailureClass.AUTH, sentence=sentence))


class NotAllowedError(SignInError):
    """The person, or the service, said no."""


class SignInLateError(SignInError):
    """Nobody came back from the browser in time."""


class SignInStoppedError(SignInError):
    """The person gave up on this side."""


class NoBrowserError(SignInError):
    """There is no browser that could be opened."""

    def __init__(self) -> None:
        super().__init__("No browser could be opened to sign in. Install one or choose a default, then connect again.")


class OtherAccountError(SignInError):
    """Somebody else signed in than before."""

    def __init__(self, connection: str, before: str, now: str) -> None:
        super().__init__(
            f"You signed in as {now}, but {connection} belongs to {before}. "
            f"Sign in as {before}, or make another connection for {now}."
        )
        self.before = before
        self.now = now
