"""Every control has an accessible name, a tab stop and a unique shortcut."""

from collections import Counter
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSpinBox,
    QComboBox,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QWidget,
)
from pytestqt.qtbot import QtBot

from app.session import Session
from app.window.attention.page import AttentionPage
from app.window.connections.connect_dialog import ConnectDialog
from app.window.connections.page import ConnectionsPage
from app.window.history.page import HistoryPage
from app.window.import_jobs.dialog import ImportJobsDialog
from app.window.new_workflow.deploy_dialog import DeployDialog
from app.window.new_workflow.dry_run_dialog import DryRunDialog
from app.window.new_workflow.new_dialog import NewWorkflowDialog
from app.window.settings.page import SettingsPage
from app.window.today.page import TodayPage
from app.window.welcome.dialog import WelcomeDialog
from app.window.workflows.backfill_dialog import BackfillDialog
from app.window.workflows.page import WorkflowsPage
from app.window.workflows.schedule_dialog import ScheduleDialog
from app.window.workflows.workflow_pane import WorkflowPane
from scheduler.rules.requests import RequestKind
from tests.app.app_fixture import Wait
from tests.app.window.request_samples import make_failure, make_mail, make_overview, make_request
from tests.app.window.session_fixture import few

__all__ = ["few"]

KINDS = (QAbstractButton, QAbstractItemView, QAbstractSpinBox, QComboBox, QLineEdit, QPlainTextEdit)
NAMES = [
    "workflows",
    "workflow",
    "history",
    "connections",
    "settings",
    "deploy",
    "connect",
    "times",
    "past",
    "new",
    "try",
    "today",
    "attention",
    "import",
    "welcome",
]


@pytest.fixture(params=NAMES)
def shown(request: pytest.FixtureRequest, qtbot: QtBot, few: Session, wait: Wait) -> QWidget:
    """Each page and dialog, with content."""
    made = make_page(request.param, few, wait) or make_dialog(request.param, few, wait)
    qtbot.addWidget(made)
    made.resize(1000, 760)
    made.show()
    return made


def make_page(name: str, few: Session, wait: Wait) -> QWidget | None:
    made: Any
    match name:
        case "today":
            made = TodayPage(few)
            made.show()
            made.refresh()
            wait(lambda: made.day is not None)
        case "attention":
            made = AttentionPage(few)
            requests = [make_failure(1), make_request(2, RequestKind.RECONNECT), *map(make_mail, range(3))]
            made.show_overview(make_overview(requests, few.registry))
            next(one for one in made.cards.entries.values() if len(one.group.requests) > 1).open()
        case "workflows":
            made = WorkflowsPage(few)
            made.refresh()
            wait(lambda: made.model.rowCount() > 0)
        case "workflow":
            made = WorkflowPane(few)
            made.open("chore-0")
            made.refresh()
            wait(lambda: made.data is not None)
        case "history":
            made = HistoryPage(few)
            made.refresh()
            made.open_subject("run0000x0000")
            wait(lambda: made.model.rowCount() > 0 and made.pane.details is not None)
        case "connections":
            made = ConnectionsPage(few)
            made.refresh()
            wait(lambda: made.model.rowCount() > 0)
        case "settings":
            made = SettingsPage(few)
        case _:
            made = None
    return made  # type: ignore[no-any-return]


def make_dialog(name: str, few: Session, wait: Wait) -> QWidget:
    schedule = few.queries.schedule("chore-0/poll")
    assert schedule is not None
    match name:
        case "deploy":
            deploy = DeployDialog(few, few.folder / "chore-0.py")
            wait(lambda: deploy.checked_script is not None)
            return deploy
        case "connect":
            return ConnectDialog(few)
        case "new":
            return NewWorkflowDialog(few)
        case "try":
            return DryRunDialog(few, few.folder / "chore-0.py")
        case "import":
            return ImportJobsDialog(few)
        case "welcome":
            return WelcomeDialog(few)
        case "times":
            return ScheduleDialog(few, schedule)
        case _:
            return BackfillDialog(few, schedule)


def controls(shown: QWidget) -> list[QWidget]:
    """What the user can operate, without the inner parts of Qt's own controls."""
    controls_found = [one for one in shown.findChildren(QWidget) if isinstance(one, KINDS) and one.isVisibleTo(shown)]
    inner = (QAbstractSpinBox, QComboBox, QLineEdit, QAbstractItemView)
    return [
        one
        for one in controls_found
        if not isinstance(one.parentWidget(), inner) and not one.objectName().startswith("qt_")
    ]


def name_of(control: QWidget, shown: QWidget) -> str:
    text = control.text() if isinstance(control, QAbstractButton) else ""
    buddies = [label.text() for label in shown.findChildren(QLabel) if label.buddy() is control]
    return control.accessibleName() or text or " ".join(buddies)


def test_every_control_has_a_name(shown: QWidget) -> None:
    controls_found = controls(shown)
    assert len(controls_found) >= 2
    assert [one for one in controls_found if not name_of(one, shown).strip()] == []


def test_every_control_can_be_reached_with_tab(shown: QWidget) -> None:
    stops = Qt.FocusPolicy.TabFocus
    hidden = [name_of(one, shown) for one in controls(shown) if one.isEnabled() and not one.focusPolicy() & stops]
    assert hidden == []


def test_no_shortcut_is_used_twice(shown: QWidget) -> None:
    keys = Counter(
        one.shortcut().toString(QKeySequence.SequenceFormat.PortableText)
        for one in shown.findChildren(QAbstractButton)
        if one.isVisibleTo(shown) and not one.shortcut().isEmpty()
    )
    assert [key for key, number in keys.items() if number > 1] == []
