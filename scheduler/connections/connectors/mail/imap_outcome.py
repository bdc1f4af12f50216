"""An action whose answer is lost or makes no sense may have happened."""

from collections.abc import Iterator
from contextlib import contextmanager

from scheduler.connections.connector import ToolFailedError
from scheduler.connections.connectors.mail.imap_values import BadAnswerError
from scheduler.connections.connectors.mail.wire import LostError, TooMuchError
from scheduler.rules.failures import FailureClass


@contextmanager
def unsure_if_unclear(what: str) -> Iterator[None]:
    """From the first command that changes anything until the server says how it went, in words that are understood."""
    try:
        yield
    except (LostError, TooMuchError) as error:
        raise ToolFailedError.because(FailureClass.UNSURE, f"{error.failure.sentence} {what}") from error
    except BadAnswerError as error:
        raise ToolFailedError.because(FailureClass.UNSURE, f"The server's answer makes no sense. {what}") from error
