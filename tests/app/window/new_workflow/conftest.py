from pathlib import Path

import pytest
from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices
from pytestqt.qtbot import QtBot

from app.session import Session
from app.window import external_editor
from app.window.new_workflow import template_setup
from app.window.workflows.page import WorkflowsPage
from tests.app.app_fixture import Wait
from tests.app.window.new_workflow.dialog_walk import DialogWalk


@pytest.fixture
def documents(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where proposed files go, instead of the real documents folder."""
    place = tmp_path / "documents"
    monkeypatch.setattr(template_setup.QStandardPaths, "writableLocation", lambda _: str(place))
    return place


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Files opened in the editor; replaces the desktop's own way to open them."""
    paths: list[str] = []
    monkeypatch.setattr(external_editor, "has_default_program", lambda _: True)
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: paths.append(QUrl(url).toLocalFile()) or True)
    return paths


@pytest.fixture
def page(qtbot: QtBot, empty: Session, documents: Path, wait: Wait) -> WorkflowsPage:
    made = WorkflowsPage(empty)
    empty.announced.connect(lambda _: made.refresh())  # as the window does
    qtbot.addWidget(made)
    made.resize(1100, 760)
    made.show()
    made.refresh()
    wait(lambda: made.body.currentWidget() is made.empty)
    return made


@pytest.fixture
def walk(qtbot: QtBot, page: WorkflowsPage, empty: Session, wait: Wait) -> DialogWalk:
    return DialogWalk(qtbot, page, empty, wait)
