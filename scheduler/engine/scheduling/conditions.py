"""The interface to machine conditions (network, power), and its Null object."""

from collections.abc import Iterable
from typing import Protocol

from scheduler.timing.policies import Need


class Conditions(Protocol):
    def holds(self, need: Need) -> bool | None:
        """Whether the condition is met; None if unknown, which counts as met."""


class UnknownConditions:
    def holds(self, need: Need) -> bool | None:  # noqa: ARG002  the Null object knows no condition
        return None


def list_unmet(conditions: Conditions, needs: Iterable[Need]) -> list[Need]:
    return [need for need in needs if conditions.holds(need) is False]
