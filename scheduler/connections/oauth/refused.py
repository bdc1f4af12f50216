"""A login that is refused before its end is renewed once, and the same is asked once more."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Protocol, TypeVar, runtime_checkable

from scheduler.connections.connector import Call, Tool, ToolFailedError
from scheduler.rules.failures import FailureClass

_Answer = TypeVar("_Answer")


@runtime_checkable
class Renewing(Protocol):
    """Whoever keeps logins that can be renewed."""

    def renew(self, connection: str, refused: Mapping[str, Any]) -> Mapping[str, Any] | None:
        """Secrets in place of those that were refused; None where there is nothing else to try."""


def ask_twice(run: Callable[[Call], _Answer], call: Call, keeper: Renewing) -> _Answer:
    """Services take logins back early: after a change of password, or when they forget.

    A refused login is the one failure after which an action did not happen for sure, so it may be asked again.
    """
    try:
        return run(call)
    except ToolFailedError as error:
        if error.failure.kind is not FailureClass.AUTH:
            raise
        renewed = keeper.renew(call.connection, call.settings)
        if renewed is None:
            raise
    call.settings.update(renewed)  # in place, for whoever made the call: what they hide and compare is what was used
    return run(call)  # with all of its seconds, which are for waiting without progress: much may have been sent by now


def renewable(tool: Tool, keeper: Renewing) -> Tool:
    """The same tool, which asks twice if it must; its checker too."""
    check, identify = tool.check, tool.identify_target
    return replace(
        tool,
        run=lambda call: ask_twice(tool.run, call, keeper),
        check=None if check is None else lambda call: ask_twice(check, call, keeper),
        identify_target=None if identify is None else lambda call: ask_twice(identify, call, keeper),
    )
