"""Connectors of other makers end in time, whether they look at the clock or not."""

import threading
from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures import TimeoutError as NotYetError
from dataclasses import replace
from typing import TypeVar

from scheduler.connections import abandoned_calls
from scheduler.connections.connector import Call, Connector, Tool
from scheduler.connections.web_errors import broken

_GRACE = 5.0
"""Seconds beyond the limit that a call was told of: most end by themselves, and know better how it went."""

_Answer = TypeVar("_Answer")


def bounded(connector: Connector, grace: float = _GRACE) -> Connector:
    """The same; what takes too long is left behind, and an action that did may have happened."""

    def limit(ask: Callable[[Call], _Answer], *, acts: bool = False) -> Callable[[Call], _Answer]:
        return lambda call: _within(ask, call, call.seconds + grace, acts=acts)

    def each(tool: Tool) -> Tool:
        check, identify = tool.check, tool.identify_target
        return replace(
            tool,
            run=limit(tool.run, acts=tool.mutating),
            check=None if check is None else limit(check),
            identify_target=None if identify is None else limit(identify),
        )

    return replace(connector, tools=tuple(map(each, connector.tools)), test=limit(connector.test))


def _within(ask: Callable[[Call], _Answer], call: Call, seconds: float, *, acts: bool) -> _Answer:
    answer: Future[_Answer] = Future()

    def work() -> None:
        try:
            answer.set_result(ask(call))
        except Exception as error:  # noqa: BLE001  it goes on where it is waited for
            answer.set_exception(error)
        except SystemExit:
            answer.set_exception(RuntimeError("it tried to end the app"))

    threading.Thread(target=work, name=call.connection, daemon=True).start()
    try:
        return answer.result(seconds)
    except NotYetError as error:
        if answer.done():  # it ended this very moment, or this is a TimeoutError of its own
            return answer.result()
        if acts:
            abandoned_calls.add(call, answer)
        raise broken(f"{call.connection} did not end within {seconds:g} seconds.", acts=acts) from error
