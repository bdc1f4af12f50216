"""The fields in which the user changes a call, gives a reason or answers questions."""

from typing import Any

from PySide6.QtCore import QCoreApplication

from app.i18n.connector_labels import parameter_labels
from app.widgets.answer_form import FormField, FormFieldKind
from app.widgets.row_grid import can_edit_rows
from app.widgets.visible_text import escape_invisible
from scheduler.engine.queries.requests import RequestView
from scheduler.rules.requests import RequestAction, RequestKind

translate = QCoreApplication.translate
REASON = "reason"
_MAX_TEXT_CHARS = 200_000
_MAX_LINE_CHARS = 200
_LONG_TEXTS = ("text", "html", "description")
"""Parameters that get several lines even if they have one."""


def make_form(one: RequestView, action: RequestAction) -> tuple[FormField, ...]:
    """The fields that belong to an action; empty if it needs none."""
    match action:
        case RequestAction.EDIT_CALL:
            return _edit_fields(one)
        case RequestAction.ANSWER:
            return tuple(_question_field(question) for question in one.questions or ())
        case RequestAction.REJECT if one.kind in (RequestKind.APPROVAL, RequestKind.QUESTION):
            label = translate("answers", "Reason (optional)")
            return (FormField(name=REASON, label=label, kind=FormFieldKind.LINE),)
        case _:
            return ()


def label_confirmation(action: RequestAction) -> str:
    """The button that confirms a form."""
    if action is RequestAction.EDIT_CALL:
        return translate("answers", "Approve with changes")
    return translate("answers", "Reject")


def _edit_fields(one: RequestView) -> tuple[FormField, ...]:
    """What may be changed and can be shown as it is: a field must not hide anything that would be sent."""
    given = (one.call or {}).get("parameters")
    parameters: dict[str, Any] = given if isinstance(given, dict) else {}
    labels = parameter_labels()
    found = []
    for name in one.editable:
        kind = _kind_of(name, parameters.get(name))
        if kind is not None:
            found.append(FormField(name=name, label=labels.get(name, name), kind=kind, value=parameters[name]))
    return tuple(found)


def _kind_of(name: str, value: Any) -> FormFieldKind | None:
    if isinstance(value, list):
        return FormFieldKind.ROWS if can_edit_rows(value) else None
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    text = str(value)
    if len(text) > _MAX_TEXT_CHARS or escape_invisible(text) != text:
        return None
    is_long = name in _LONG_TEXTS or "\n" in text or len(text) > _MAX_LINE_CHARS
    return FormFieldKind.TEXT if is_long else FormFieldKind.LINE


def _question_field(question: dict[str, Any]) -> FormField:
    name, label, default = question["name"], question["text"], question.get("default")
    match question["kind"]:
        case "choice":
            choices = tuple((text, text) for text in question["choices"])
            return FormField(name=name, label=label, kind=FormFieldKind.CHOICE, value=default, choices=choices)
        case "yes_no":
            yes_no = ((translate("answers", "Yes"), True), (translate("answers", "No"), False))
            return FormField(name=name, label=label, kind=FormFieldKind.CHOICE, value=default, choices=yes_no)
        case "date":
            return FormField(name=name, label=label, kind=FormFieldKind.DATE, value=default)
        case kind:
            is_long = kind == "text" and len(str(default or "")) > _MAX_LINE_CHARS
            form_kind = FormFieldKind.TEXT if is_long else FormFieldKind.LINE
            return FormField(name=name, label=label, kind=form_kind, value=default)
