"""What a script, or whoever filled in a connection, did wrong, in the words of a failure."""

from scheduler.connections.connector import ToolFailedError
from scheduler.rules.failures import FailureClass


def wrong(sentence: str) -> ToolFailedError:
    """Nothing was done, and asking again would not help."""
    return ToolFailedError.because(FailureClass.LOGIC, sentence)
