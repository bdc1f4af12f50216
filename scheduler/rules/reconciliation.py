"""When a checker's "no" is believed: a service may carry out a call that it seemed to have dropped.

A gateway gives up, a connection breaks, a queue is slow, and seconds later the action happens all the same. A "yes" is
a fact at any time; a "no" is one only after the service had time to act, and if it is given again later.
"""

from dataclasses import dataclass

_FIRST_WAIT_S = 10.0
_MAX_WAIT_S = 600.0


@dataclass(frozen=True, slots=True)
class Denial:
    """What a "no" means now, and what to remember of it. Times are seconds on one clock that never jumps."""

    did_not_happen: bool
    first_no: float | None
    """When the first "no" that counts was given."""
    wait_s: float = 0.0
    """How long until the checker is asked again; a "yes" in between is heard early."""


def weigh_no(*, ended: float, first_no: float | None, now: float, window: float) -> Denial:
    """A checker says "no" now, about a call that ended then and may be carried out for `window` seconds after."""
    if first_no is None and now >= ended + window:
        first_no = now
        if window <= 0:
            return Denial(did_not_happen=True, first_no=first_no)
    elif first_no is not None and now >= first_no + window:
        return Denial(did_not_happen=True, first_no=first_no)
    counts_at = (ended if first_no is None else first_no) + window
    wait_s = min(counts_at - now, max(now - ended, _FIRST_WAIT_S), _MAX_WAIT_S)
    return Denial(did_not_happen=False, first_no=first_no, wait_s=wait_s)
