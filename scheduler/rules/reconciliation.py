"""When a checker's "no" can be trusted: a service may still carry out a call that it seemed to have dropped.

A gateway gives up, a connection breaks, a queue is slow, and seconds later the action happens anyway. A "yes" is
final at any time; a "no" only after the service had time to act, and if it is repeated later.
"""

from dataclasses import dataclass

_FIRST_WAIT_S = 10.0
_MAX_WAIT_S = 600.0


@dataclass(frozen=True, slots=True)
class NegativeCheck:
    """What a "no" means now, and what to remember. Times are seconds on a monotonic clock."""

    did_not_happen: bool
    first_no: float | None
    """When the first "no" that counts was received."""
    wait_s: float = 0.0
    """How long until the next check; short enough to notice a "yes" early."""


def evaluate_negative_check(*, ended: float, first_no: float | None, now: float, window: float) -> NegativeCheck:
    """Evaluate a "no" received now about a call that may be carried out for `window` seconds after it `ended`."""
    if first_no is None and now >= ended + window:
        first_no = now
        if window <= 0:
            return NegativeCheck(did_not_happen=True, first_no=first_no)
    elif first_no is not None and now >= first_no + window:
        return NegativeCheck(did_not_happen=True, first_no=first_no)
    counts_at = (ended if first_no is None else first_no) + window
    wait_s = min(counts_at - now, max(now - ended, _FIRST_WAIT_S), _MAX_WAIT_S)
    return NegativeCheck(did_not_happen=False, first_no=first_no, wait_s=wait_s)
