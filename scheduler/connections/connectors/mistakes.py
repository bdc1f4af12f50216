"""What a script did wrong, in the words of a failure."""

from scheduler.connections.connector import ToolFailedError
from scheduler.rules.failures import FailureClass


def wrong(sentence: str) -> ToolFailedError:
    """A mistake of the script, or of what it was given; nothing was done."""
    return ToolFailedError.because(FailureClass.LOGIC, sentence)
