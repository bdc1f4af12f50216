"""Looks up a verb, checks its JSON arguments, runs it, and turns errors into messages. Thread-safe."""

import inspect
import logging
from collections.abc import Callable, Iterator
from typing import Any, get_type_hints

from scheduler.connections.connector import ToolFailedError
from scheduler.connections.errors import ConnectionRuleError
from scheduler.engine.api.backend import Backend
from scheduler.engine.api.channels import ChannelApi
from scheduler.engine.api.commands import CommandApi
from scheduler.engine.api.queries import QueryApi
from scheduler.engine.api.repairs import RepairApi
from scheduler.engine.api.request_commands import RequestApi
from scheduler.engine.api.schedules import ScheduleApi
from scheduler.engine.api.settings import SettingsApi
from scheduler.engine.errors import RefusedError
from scheduler.engine.workflows.validation import InvalidScriptError
from scheduler.rules.failures import FailureClass
from scheduler.store.errors import StoreError
from scheduler.timing.errors import BadScheduleError
from scheduler.user_text import join_texts, pack

log = logging.getLogger(__name__)

Message = dict[str, Any]

STREAMING_VERBS = frozenset({"follow_logs", "request_show", "run_and_wait"})
"""Verbs that answer with several messages."""
OFFLINE_WRITE_VERBS = frozenset(
    {"deploy", "fields", "connect", "disconnect", "grant", "revoke", "fixer", "schedule_edit", "change_setting"}
    | {"channel_change", "channel_code", "channel_unlock", "channel_test"}
)
"""Verbs that may write to the store without a running app."""
SCRIPT_VERBS = frozenset(name for name in vars(QueryApi) if not name.startswith("_")) | {"publish"}
"""Verbs that processes started by a script may use: they read, or publish an event."""
VERBS_WITHOUT_USER = SCRIPT_VERBS | {"window", "quit"}
"""Verbs that an app started by a script accepts; the user needs the last two to get rid of it."""
SECRETS = "secrets"
"""The argument whose value never appears in an error."""
_FAILURE_CODES = {FailureClass.TRANSIENT: "away", FailureClass.AUTH: "login"}
"""Of a tool; else "connection"."""
_MAX_NUMBER = 2**53
"""Not every JSON parser reads larger integers exactly."""
_JSON_TYPES: dict[Any, tuple[type, ...]] = {
    str: (str,),
    int: (int,),
    bool: (bool,),
    str | None: (str, type(None)),
    int | None: (int, type(None)),
    bool | None: (bool, type(None)),
    list[Any]: (list,),
    list[Any] | None: (list, type(None)),
    dict[str, Any]: (dict,),
    dict[str, Any] | None: (dict, type(None)),
}


class Dispatcher:
    def __init__(self, backend: Backend, refuse: Callable[[], RefusedError] | None = None) -> None:
        """`refuse` makes the error for every verb outside VERBS_WITHOUT_USER, if those are not accepted."""
        self._refuse = refuse
        self._verbs = {
            name: verb
            for group in (
                QueryApi(backend),
                CommandApi(backend),
                ScheduleApi(backend),
                RequestApi(backend),
                RepairApi(backend),
                SettingsApi(backend),
                ChannelApi(backend),
            )
            for name, verb in inspect.getmembers(group, inspect.ismethod)
            if not name.startswith("_")
        }

    def dispatch(self, verb: str, arguments: dict[str, Any]) -> Iterator[Message | None]:
        """Messages, the last one with the answer or the error; None while it waits."""
        try:
            found = self._verbs.get(verb)
            if found is None:
                raise RefusedError("verb", f"There is no command {verb!r}; the running Dayhand may be another version.")
            if self._refuse is not None and verb not in VERBS_WITHOUT_USER:
                raise self._refuse()
            arguments = _use_current_names(found, arguments)
            _check_arguments(verb, found, arguments)
            if verb in STREAMING_VERBS:
                yield from found(**arguments)
            else:
                yield {"answer": found(**arguments)}
        except Exception as error:  # noqa: BLE001  the outermost frame of a command: returned to the client
            yield error_message(error)


def _use_current_names(found: Callable[..., Any], arguments: dict[str, Any]) -> dict[str, Any]:
    """A command line of an earlier version calls the idempotency key `request` or `request_id`."""
    names = inspect.signature(found).parameters
    if "idempotency_key" not in names:
        return arguments
    old_names = {"request", "request_id"} - names.keys()
    return {"idempotency_key" if name in old_names else name: value for name, value in arguments.items()}


def _check_arguments(verb: str, found: Callable[..., Any], arguments: dict[str, Any]) -> None:
    """The client may be another version, or hostile."""
    try:
        inspect.signature(found).bind(**arguments)
    except TypeError as error:
        raise RefusedError("arguments", f"{verb}: {error}.") from error
    hints = get_type_hints(found)
    for name, value in arguments.items():
        types = _JSON_TYPES.get(hints.get(name), (object,))
        is_flag = isinstance(value, bool) and bool not in types and object not in types
        is_too_large = int in types and isinstance(value, int) and abs(value) > _MAX_NUMBER
        if not isinstance(value, types) or is_flag or is_too_large:
            shown = "(not shown)" if name == SECRETS else f"{value!r:.60}"
            raise RefusedError("arguments", f"{verb}: invalid value for {name}: {shown}.")


def error_message(error: Exception) -> dict[str, Any]:
    code, sentence = _explain(error)
    return {"error": {"code": code, "message": sentence, "text": pack(sentence)}}


def _explain(error: Exception) -> tuple[str, str]:
    match error:
        case RefusedError():
            return error.code, error.sentence
        case InvalidScriptError():
            return "not valid", join_texts(error.sentences, "\n")
        case BadScheduleError():
            return error.field, error.sentence
        case ConnectionRuleError():
            return "connection", error.sentence
        case ToolFailedError():
            return _FAILURE_CODES.get(error.failure.kind, "connection"), error.failure.sentence
        case StoreError():
            return "store", str(error)
        case _:
            log.error("A command failed", exc_info=error)
            return "internal", f"Dayhand made a mistake ({type(error).__name__}: {error}). Please report this."
