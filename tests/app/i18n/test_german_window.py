"""Every page of a German window is German, even when something failed; only texts of scripts are not translated."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from PySide6.QtCore import QAbstractListModel, Qt
from PySide6.QtWidgets import QAbstractButton, QAbstractItemView, QLabel, QLineEdit, QWidget

from app.background import run_command
from app.session import Session
from app.tray.menu import make_entries
from app.window.main_window import MainWindow
from app.window.navigation import PAGES
from app.window.new_workflow.deploy_dialog import DeployDialog
from app.window.workflows.workflow_pane import WorkflowPane
from scheduler.engine.workflows.deployment import DeployOptions
from scheduler.rules.history_query import HistoryQuery
from scheduler.rules.phases import RunStatus
from tests.app.app_fixture import Wait, empty, overview_of, wait

__all__ = ["empty", "wait"]

ENGLISH = re.compile(
    r"\b(the|is|and|it|you|of|to|has|have|its|been|which|this|that|did|does|cannot|wants)\b", re.IGNORECASE
)
PATH = re.compile(r"/\S+/")
SCRIPTS = {
    "Kaputt": '@flow.job(cron="0 4 1 1 *")\ndef lauf(ctx):\n    ctx.done(3)\n',
    "Befehl": '@flow.job(cron="0 4 1 1 *")\ndef lauf(ctx):\n    ctx.run(["gibtesnicht"])\n',
    "Lesen": '@flow.job(every="2d")\ndef lauf(ctx):\n    ctx.call("files:ablage", "read", path="../fort")\n',
    "Fragen": '@flow.job(cron="0 9 13 * 5")\ndef lauf(ctx):\n    ctx.call("files:ablage", "list")\n',
    "Ordner": '@flow.job(cron="0 9 * * 5#3")\ndef lauf(ctx):\n    ctx.call("files:fort", "list")\n',
}


def read_texts(widget: QWidget) -> Iterator[str]:
    """All texts in it, including hidden parts; not what the user types."""
    for one in widget.findChildren(QWidget):
        yield from (one.accessibleName(), one.accessibleDescription(), one.toolTip())
        if isinstance(one, QLabel | QAbstractButton):
            yield one.text()
        elif isinstance(one, QLineEdit):
            yield one.placeholderText()
        elif isinstance(one, QAbstractItemView) and one.model() is not None:
            model = one.model()
            for row in range(model.rowCount()):
                for column in range(1 if isinstance(model, QAbstractListModel) else model.columnCount()):
                    for role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
                        yield str(model.index(row, column).data(role) or "")


def find_english(widget: QWidget) -> set[str]:
    return {text for text in read_texts(widget) if ENGLISH.search(PATH.sub("", text))}


def have_ended(installation: Session) -> bool:
    found = installation.queries.history(HistoryQuery(), None, 50).runs
    return len(found) >= len(SCRIPTS) and all(one.status is not RunStatus.ACTIVE for one in found)


@pytest.fixture
def with_problems(in_german: None, empty: Session, wait: Wait) -> Session:
    """Five workflows, each with a different problem."""
    folder = empty.folder / "ablage"
    folder.mkdir()
    runtime = empty._runtime
    for name, path in (("files:ablage", folder), ("files:fort", folder)):
        empty.engine_thread.submit(lambda _, name=name, path=path: runtime.connect(name, {"path": str(path)})).result(
            60
        )
    missing = empty.folder / "weg"
    missing.mkdir()
    empty.engine_thread.submit(lambda _: runtime.connect("files:fort", {"path": str(missing)})).result(60)
    missing.rmdir()
    for name, body in SCRIPTS.items():
        head = f'"""Eine Aufgabe."""\nimport dayhand\nflow = dayhand.Workflow("{name}", '
        source = f'{head}connections=["files:ablage", "files:fort"])\n\n\n{body}'
        path = empty.folder / f"{name.lower()}.py"
        path.write_text(source, encoding="utf-8")
        validated = runtime.validation.validate(str(path), source)
        options = DeployOptions(grant=name != "Fragen")
        empty.engine_thread.submit(
            lambda _, new=validated, options=options: runtime.workflow_commands.deploy(new, options)
        ).result(60)
        run_command(empty, "run", target=name.lower())
    wait(lambda: have_ended(empty))
    return empty


def test_no_page_of_a_german_window_has_an_english_sentence(with_problems: Session, qtbot: Any, wait: Wait) -> None:
    window = MainWindow(with_problems)
    qtbot.addWidget(window)
    window.resize(1280, 800)
    window.show()
    window.show_overview(overview_of(with_problems))
    for name in PAGES:
        window.open_page(name)
        wait(lambda: not window.page.background._pending)  # type: ignore[union-attr]
        assert find_english(window) == set(), name
    window.shut_down()


def test_no_page_of_a_workflow_has_an_english_sentence(with_problems: Session, qtbot: Any, wait: Wait) -> None:
    window = MainWindow(with_problems)
    qtbot.addWidget(window)
    window.show()
    for name in SCRIPTS:
        window.open_page("workflows", name.lower())
        pane: WorkflowPane = window.pages["workflows"].pane  # type: ignore[attr-defined]
        wait(lambda pane=pane, name=name: pane.data is not None and pane.data.details.name == name)
        assert find_english(pane) == set(), name
    window.shut_down()


def test_the_tray_menu_shows_problems_in_german(with_problems: Session) -> None:
    for entry in make_entries(overview_of(with_problems)):
        assert not ENGLISH.search(entry.text), entry.text


@pytest.mark.parametrize(
    "body",
    [
        "",
        'flow = dayhand.Workflow("X")\n',
        'flow = dayhand.Workflow("X")\n@flow.job(cron="0 0 30 2 *")\ndef a(ctx): pass\n',
        'flow = dayhand.Workflow("X")\n@flow.job(cron="61 * * * *")\ndef a(ctx): pass\n',
        'flow = dayhand.Workflow("X")\n@flow.job(minutes=3)\ndef a(ctx): pass\n',
        'flow = dayhand.Workflow("X", connections=["nix:da"])\n@flow.job(every="1h")\ndef a(ctx): pass\n',
        'flow = dayhand.Workflow("X")\n@flow.job(every="1s")\ndef a(ctx): pass\n',
    ],
)
def test_an_invalid_script_is_rejected_in_german(
    in_german: None, empty: Session, qtbot: Any, wait: Wait, body: str
) -> None:
    path = empty.folder / "neu.py"
    path.write_text(f"import dayhand\n{body}", encoding="utf-8")
    dialog = DeployDialog(empty, path)
    qtbot.addWidget(dialog)
    dialog.show()
    wait(dialog.check_button.isEnabled)
    assert dialog.status_line.message
    assert find_english(dialog) == set()
