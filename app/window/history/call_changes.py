"""What the user changed in a call before approving it, and why they rejected it, in the details of its run."""

from typing import Any

from PySide6.QtCore import QCoreApplication

from app.i18n.connector_labels import parameter_labels
from app.widgets.details import DetailSection, TextDiff
from app.widgets.value_text import format_json
from scheduler.engine.queries.runs import CallView

translate = QCoreApplication.translate


def describe_changes(call: CallView) -> tuple[DetailSection, ...]:
    """For each changed parameter the difference between what the script asked for and what was approved."""
    if not isinstance(call.asked, dict):
        return ()
    labels, made = parameter_labels(), call.parameters
    names = [name for name in {**call.asked, **made} if call.asked.get(name) != made.get(name)]
    return tuple(
        DetailSection(
            title=labels.get(name, name),
            body=TextDiff(old=_write(call.asked.get(name)), new=_write(made.get(name))),
        )
        for name in names
    )


def describe_reason(reason: str) -> str:
    if reason == "expired":
        return translate("history", "Nobody answered in time, so it was not done.")
    return translate("history", "Your reason: {reason}").format(reason=reason)


def _write(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else format_json(value)
