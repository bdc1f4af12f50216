"""The actions that a request offers, with their labels and commands."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from app.requests.forms import REASON, make_form
from app.requests.labels import label_action
from app.widgets.answer_form import FormField
from app.widgets.request_card import ButtonImportance
from scheduler.engine.queries.requests import RequestView
from scheduler.rules.handler_ids import handler_id
from scheduler.rules.requests import REQUESTS, RequestAction, RequestKind

OPEN, RECONNECT, EDIT, SHOW_LOG = (
    RequestAction.OPEN,
    RequestAction.RECONNECT,
    RequestAction.EDIT,
    RequestAction.SHOW_LOG,
)
"""Actions that open something instead of running a command."""
SENT, SEND = RequestAction.SHOW_SENT, RequestAction.REPAIR
_SHORTCUTS = {
    RequestAction.APPROVE: "Ctrl+Return",
    RequestAction.ANSWER: "Ctrl+Return",
    RequestAction.EDIT_CALL: "Ctrl+E",
    RequestAction.REJECT: "Ctrl+Backspace",
}
_PRIMARY = (RequestAction.APPROVE, RequestAction.ANSWER, RequestAction.RECONNECT, RequestAction.RETRY)


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferedAction:
    id: str
    label: str
    done: str = ""
    """What is shown once it was carried out."""
    verb: str = ""
    """The command; empty if it opens something."""
    arguments: Mapping[str, Any] = field(default_factory=dict)
    shortcut: str = ""
    importance: ButtonImportance = ButtonImportance.NORMAL
    given: str = ""
    """What is shown while it can be undone; empty if it is carried out at once."""
    form: tuple[FormField, ...] = ()
    """What the user fills in first."""

    def with_values(self, values: Mapping[str, Any]) -> "OfferedAction":
        """The same with what the user filled in."""
        match self.id:
            case RequestAction.EDIT_CALL:
                given: dict[str, Any] = {"edits": dict(values)}
            case RequestAction.ANSWER:
                given = {"answers": {name: value for name, value in values.items() if value is not None}}
            case RequestAction.REJECT if values.get(REASON):
                given = {"reason": values[REASON]}
            case _:
                return self
        return replace(self, arguments={**self.arguments, **given})


def list_actions(one: RequestView) -> tuple[OfferedAction, ...]:
    """The first is what most users choose."""
    return tuple(_make(one, action) for action in REQUESTS[one.kind].actions if _is_offered(one, action))


def find_action(one: RequestView, answer: str) -> OfferedAction | None:
    return next((found for found in list_actions(one) if found.id == answer), None)


def _is_offered(one: RequestView, action: RequestAction) -> bool:
    match action:
        case RequestAction.EDIT:
            return one.fault is not None
        case RequestAction.ROLLBACK:
            return one.fault is not None and one.fault.earlier is not None
        case RequestAction.REPAIR:
            return isinstance(one.ui, dict) and "sends" in one.ui
        case RequestAction.EDIT_CALL:
            return bool(make_form(one, action))
        case _:
            return True


def _make(one: RequestView, action: RequestAction) -> OfferedAction:
    label, done, given = label_action(one.kind, action)
    verb, arguments = _command(one, action)
    takes_repair_back = one.kind is RequestKind.REPAIRED and action is RequestAction.REJECT
    return OfferedAction(
        id=action.value,
        label=label,
        done=done,
        verb=verb,
        arguments=arguments,
        shortcut="" if takes_repair_back else _SHORTCUTS.get(action, ""),
        importance=ButtonImportance.PRIMARY if action in _PRIMARY else ButtonImportance.NORMAL,
        form=make_form(one, action),
        given=given,
    )


def _command(one: RequestView, action: RequestAction) -> tuple[str, Mapping[str, Any]]:
    match action:
        case RequestAction.DISMISS:
            return action.value, {"request": one.id}
        case RequestAction.ANSWER:
            return "answer", {"request": one.id, "answers": {}}
        case RequestAction.APPROVE | RequestAction.REJECT:
            return action.value, {"request": one.id, **_bind(one)}
        case RequestAction.EDIT_CALL:
            return "approve", {"request": one.id, **_bind(one)}
        case RequestAction.ALWAYS:
            return "approve", {"request": one.id, "always": True, **_bind(one)}
        case RequestAction.HAPPENED | RequestAction.NOT_HAPPENED | RequestAction.SKIP:
            return "resolve", {"run": one.run, "answer": action.value}
        case RequestAction.RETRY:
            return "retry", {"target": one.run or one.workflow}
        case RequestAction.RESUME:
            return "resume", {"target": handler_id(one.workflow, one.job) if one.job else one.workflow}
        case RequestAction.REPAIR:
            return "fix_start", {"run": one.run}
        case RequestAction.ROLLBACK:
            assert one.fault is not None
            # Only if the version that failed is still in use.
            to = {"version": one.fault.earlier, "current": one.fault.version}
            return "rollback", {"workflow": one.workflow, **to}
        case _:
            return "", {}


def _bind(one: RequestView) -> Mapping[str, Any]:
    """To the call that the user sees."""
    return {} if one.call_hash is None else {"call_hash": one.call_hash}
