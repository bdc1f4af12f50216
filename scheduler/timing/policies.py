"""A schedule's policies: overlap, catch-up, conditions. Reads and writes JSON values."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from typing import Any, TypeVar

from scheduler.timing.durations import format_duration, parse_duration
from scheduler.timing.errors import BadScheduleError
from scheduler.user_text import UserText


class Overlap(StrEnum):
    """When a time comes while the previous occurrence has not ended."""

    SKIP = "skip"
    """The new one does not run."""
    BUFFER_ONE = "buffer_one"
    """The latest waits and replaces one that was already waiting."""
    BUFFER_ALL = "buffer_all"
    """All wait, in order."""
    CANCEL_OTHER = "cancel_other"
    """The running one is asked to stop; the new one starts when it has ended."""
    TERMINATE_OTHER = "terminate_other"
    """The running one is killed; the new one starts when it has ended."""
    ALLOW_ALL = "allow_all"
    """Side by side."""


class Catchup(StrEnum):
    """What happens to missed times."""

    NONE = "none"
    ONE = "one"
    """The latest runs."""
    ALL = "all"
    SPREAD = "spread"
    """All, evenly over the lookahead."""

    @property
    def runs_all(self) -> bool:
        """Whether every missed time is to run, so that a later one never replaces it."""
        return self in (Catchup.ALL, Catchup.SPREAD)


class Need(StrEnum):
    """What the machine must provide before a run starts."""

    NETWORK = "network"
    POWER = "power"
    """Not on battery."""
    UNMETERED = "unmetered"
    """Not on a metered connection."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Policies:
    overlap: Overlap = Overlap.SKIP
    catchup: Catchup = Catchup.ONE
    catchup_window: timedelta | None = None
    """How old a missed time may be; None is no limit, zero is none at all."""
    pause_on_failure: bool = False
    needs: tuple[Need, ...] = ()

    @classmethod
    def read(cls, written: Mapping[str, Any], defaults: "Policies") -> "Policies":
        """Parse what the author wrote; anything omitted takes the app's default."""
        unknown = set(written) - set(cls.__dataclass_fields__)
        if unknown:
            name = min(unknown)
            raise BadScheduleError(name, UserText("{name}: there is no such policy.", name=name))
        window = written.get("catchup_window", defaults.catchup_window)
        needs = written.get("needs", defaults.needs)
        pause = written.get("pause_on_failure", defaults.pause_on_failure)
        if not isinstance(pause, bool):
            raise BadScheduleError(
                "pause_on_failure", UserText("pause_on_failure: {pause} is not true or false.", pause=repr(pause))
            )
        return cls(
            overlap=_parse_choice(Overlap, "overlap", written.get("overlap", defaults.overlap)),
            catchup=_parse_choice(Catchup, "catchup", written.get("catchup", defaults.catchup)),
            catchup_window=_parse_window(window),
            pause_on_failure=pause,
            needs=_parse_needs(needs),
        )

    def write(self) -> dict[str, Any]:
        """JSON values that `read` turns back into equal policies, whatever the defaults."""
        written: dict[str, Any] = {"overlap": self.overlap.value, "catchup": self.catchup.value}
        if self.catchup_window is not None:
            written["catchup_window"] = format_duration(self.catchup_window)
        if self.pause_on_failure:
            written["pause_on_failure"] = True
        if self.needs:
            written["needs"] = [need.value for need in self.needs]
        return written


_Choice = TypeVar("_Choice", bound=StrEnum)


def _parse_choice(choices: type[_Choice], field: str, value: object) -> _Choice:
    try:
        return choices(str(value))
    except ValueError:
        known = ", ".join(choices)
        raise BadScheduleError(
            field,
            UserText(
                "{field}: {value} is not known; choose one of {known}.", field=field, value=repr(value), known=known
            ),
        ) from None


def _parse_needs(value: object) -> tuple[Need, ...]:
    if not isinstance(value, str | list | tuple):
        raise BadScheduleError(
            "needs",
            UserText("needs: {value} is not a list; choose from {need}.", value=repr(value), need=", ".join(Need)),
        )
    return tuple(_parse_choice(Need, "needs", need) for need in ([value] if isinstance(value, str) else value))


def _parse_window(value: object) -> timedelta | None:
    if value is None or isinstance(value, timedelta):
        return value
    if value in (0, "0"):
        return timedelta()
    if not isinstance(value, str):
        raise BadScheduleError(
            "catchup_window", UserText("catchup_window: {value} is not a duration; write 2h or 0.", value=repr(value))
        )
    return parse_duration(value, "catchup_window")
