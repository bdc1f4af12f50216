"""Lays out the rows of a section of the settings."""

from collections.abc import Sequence

from PySide6.QtWidgets import QFormLayout, QWidget

from app.theme.tokens import Space
from app.window.feedback import add_row


def make_form(rows: Sequence[tuple[str, QWidget]], label_width: int) -> QFormLayout:
    form = QFormLayout()
    form.setHorizontalSpacing(Space.LARGE)
    form.setVerticalSpacing(Space.SMALL)
    form.setRowWrapPolicy(QFormLayout.RowWrapPolicy.WrapLongRows)
    for label, widget in rows:
        if label:
            add_row(form, label, widget)
            form.labelForField(widget).setMinimumWidth(label_width)
        else:
            form.addRow(widget)
    return form
