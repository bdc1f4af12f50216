"""What the machine offers right now: a seam for the platform, and its Null object."""

from collections.abc import Iterable
from typing import Protocol

from scheduler.timing.policies import Need


class Conditions(Protocol):
    def holds(self, need: Need) -> bool | None:
        """Whether the machine offers it; None if nobody knows, which counts as yes."""


class UnknownConditions:
    def holds(self, need: Need) -> bool | None:  # noqa: ARG002  the Null object knows nothing of any need
        return None


def unmet(conditions: Conditions, needs: Iterable[Need]) -> list[Need]:
    return [need for need in needs if conditions.holds(need) is False]
