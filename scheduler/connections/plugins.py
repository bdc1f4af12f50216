"""Third-party connectors, loaded from entry points and limited in time; a broken one never stops the others."""

import sys
import threading
from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures import TimeoutError as NotYetError
from dataclasses import replace
from importlib.metadata import EntryPoint, entry_points
from typing import TypeVar

from platformdirs import user_data_path

from scheduler.connections import abandoned_calls
from scheduler.connections.connector import Call, Connector, Tool
from scheduler.connections.http_errors import connection_lost
from scheduler.user_text import UserText

ENTRY_POINT_GROUP = "dayhand.connectors"
_GRACE_S = 5.0
"""Added to the time limit of a call: most calls time out on their own and report the outcome better."""

_Answer = TypeVar("_Answer")


def load_plugins() -> tuple[list[Connector], list[str]]:
    """The loaded connectors, and a sentence for each that could not be loaded."""
    _add_user_folder()
    found: list[Connector] = []
    warnings: list[str] = []
    for entry in sorted(entry_points(group=ENTRY_POINT_GROUP), key=lambda entry: entry.name):
        loaded = _load(entry)
        if isinstance(loaded, Connector):
            found.append(loaded)
        else:
            warnings.append(loaded)
    return found, warnings


def _add_user_folder() -> None:
    """Search the user's plugin folder too: a frozen app has no other place for packages."""
    folder = str(user_data_path("dayhand", appauthor=False) / "connectors")
    if folder not in sys.path:
        sys.path.append(folder)


def _load(entry: EntryPoint) -> Connector | str:
    if entry.dist:
        skipped = UserText(
            'The connector "{name}" of the package {package} was skipped', name=entry.name, package=entry.dist.name
        )
    else:
        skipped = UserText('The connector "{name}" was skipped', name=entry.name)
    try:
        loaded = entry.load()
    except (Exception, SystemExit) as error:  # noqa: BLE001  third-party code may raise anything when imported
        return UserText(
            "{skipped}, because it could not be loaded ({error_type}: {error}).",
            skipped=skipped,
            error_type=type(error).__name__,
            error=error,
        )
    return (
        with_time_limit(loaded)
        if isinstance(loaded, Connector)
        else UserText("{skipped}, because its entry point is not a connector.", skipped=skipped)
    )


def with_time_limit(connector: Connector, grace: float = _GRACE_S) -> Connector:
    """The connector with a time limit on every call; a late action counts as unsure."""

    def limit(function: Callable[[Call], _Answer], *, acts: bool = False) -> Callable[[Call], _Answer]:
        return lambda call: _run_with_timeout(function, call, call.seconds + grace, acts=acts)

    def limit_tool(tool: Tool) -> Tool:
        check, identify = tool.check, tool.identify_target
        return replace(
            tool,
            run=limit(tool.run, acts=tool.mutating),
            check=None if check is None else limit(check),
            identify_target=None if identify is None else limit(identify),
        )

    return replace(connector, tools=tuple(map(limit_tool, connector.tools)), test=limit(connector.test))


def _run_with_timeout(function: Callable[[Call], _Answer], call: Call, seconds: float, *, acts: bool) -> _Answer:
    answer: Future[_Answer] = Future()

    def work() -> None:
        try:
            answer.set_result(function(call))
        except Exception as error:  # noqa: BLE001  raised again in the waiting thread
            answer.set_exception(error)
        except SystemExit:
            answer.set_exception(RuntimeError(UserText("it tried to exit the app")))

    threading.Thread(target=work, name=call.connection, daemon=True).start()
    try:
        return answer.result(seconds)
    except NotYetError as error:
        if answer.done():  # it ended just now, or raised a TimeoutError itself
            return answer.result()
        if acts:
            abandoned_calls.add(call, answer)
        raise connection_lost(
            UserText(
                "{connection} did not finish within {seconds} seconds.",
                connection=call.connection,
                seconds=f"{seconds:g}",
            ),
            acts=acts,
        ) from error
