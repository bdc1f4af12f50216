"""One desk for every verb: names and JSON values in, JSON values or a refusal out. Any thread may ask."""

import inspect
from collections.abc import Callable, Iterator
from typing import Any, get_type_hints

from app.desk.acting import Acting
from app.desk.answering import Answering
from app.desk.fixing import Fixes
from app.desk.floor import Floor
from app.desk.reading import Reading
from app.desk.refusals import write_refusal
from scheduler.engine.refusal import RefusedError

Message = dict[str, Any]

STREAMS = frozenset({"follow_logs", "request_show", "run_and_wait"})
"""Verbs that answer piece by piece."""
OFFLINE = frozenset({"deploy", "fields", "connect", "disconnect", "grant", "revoke", "fixer"})
"""Verbs that change something, or are about to, and need no app that runs."""
FOR_SCRIPTS = frozenset(name for name in vars(Reading) if not name.startswith("_")) | {"publish"}
"""Verbs that programs may use which a script has started: they look, or hand something to a workflow."""
WITHOUT_USER = FOR_SCRIPTS | {"window", "quit"}
"""Verbs that an app takes which a script has started: with the last ones the user gets rid of it."""
SECRETS = "secrets"
"""The one argument whose value is never repeated."""
_LARGEST = 2**53
"""Whole numbers beyond are not the same everywhere."""
_JSON_TYPES: dict[Any, tuple[type, ...]] = {
    str: (str,),
    int: (int,),
    bool: (bool,),
    str | None: (str, type(None)),
    int | None: (int, type(None)),
    bool | None: (bool, type(None)),
    dict[str, Any]: (dict,),
    dict[str, Any] | None: (dict, type(None)),
}


class Desk:
    def __init__(self, floor: Floor, refuse: Callable[[], RefusedError] | None = None) -> None:
        """`refuse` says why this desk takes nothing that only the user may do."""
        self._refuse = refuse
        self._verbs = {
            name: verb
            for group in (Reading(floor), Acting(floor), Answering(floor), Fixes(floor))
            for name, verb in inspect.getmembers(group, inspect.ismethod)
            if not name.startswith("_")
        }

    @property
    def verbs(self) -> frozenset[str]:
        return frozenset(self._verbs)

    def answer(self, verb: str, arguments: dict[str, Any]) -> Iterator[Message | None]:
        """Messages, the last of them with the answer or the error; None where it waits and may be asked again."""
        try:
            found = self._verbs.get(verb)
            if found is None:
                raise RefusedError("verb", f"There is no verb {verb!r}; this Dayhand may be of another version.")
            if self._refuse is not None and verb not in WITHOUT_USER:
                raise self._refuse()
            _check(verb, found, arguments)
            if verb in STREAMS:
                yield from found(**arguments)
            else:
                yield {"answer": found(**arguments)}
        except Exception as error:  # noqa: BLE001  the outermost frame of a command: said to whoever gave it
            yield write_refusal(error)


def _check(verb: str, found: Callable[..., Any], arguments: dict[str, Any]) -> None:
    """Whoever is at the other end may be of another version, or nobody's friend."""
    try:
        inspect.signature(found).bind(**arguments)
    except TypeError as error:
        raise RefusedError("arguments", f"{verb}: {error}.") from error
    hints = get_type_hints(found)
    for name, value in arguments.items():
        wanted = _JSON_TYPES.get(hints.get(name), (object,))
        is_flag = isinstance(value, bool) and bool not in wanted and object not in wanted
        is_far = int in wanted and isinstance(value, int) and abs(value) > _LARGEST
        if not isinstance(value, wanted) or is_flag or is_far:
            shown = "that" if name == SECRETS else f"{value!r:.60}"
            raise RefusedError("arguments", f"{verb}: {name} cannot be {shown}.")
