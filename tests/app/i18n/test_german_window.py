"""A German window is German on every page, whatever went wrong: only what scripts say themselves is theirs."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from PySide6.QtCore import QAbstractListModel, Qt
from PySide6.QtWidgets import QAbstractButton, QAbstractItemView, QLabel, QLineEdit, QWidget

from app.asking import command
from app.life.installation import Installation
from app.tray.menu import list_entries
from app.window.deploy_dialog import DeployDialog
from app.window.pages import PAGES
from app.window.window import Window
from app.window.workflow import WorkflowPane
from scheduler.engine.workflows.deploying import Wish
from scheduler.engine.workflows.views.history import Found
from scheduler.rules.phases import Status
from tests.app.living import Wait, empty, overview_of, wait

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
    """All that can be read in it, hidden parts too; only lines to type into are the person's."""
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


def have_ended(installation: Installation) -> bool:
    found = installation.views.history(Found(), None, 50).runs
    return len(found) >= len(SCRIPTS) and all(one.status is not Status.ACTIVE for one in found)


@pytest.fixture
def troubled(in_german: None, empty: Installation, wait: Wait) -> Installation:
    """Five workflows, each with a trouble of its own."""
    folder = empty.folder / "ablage"
    folder.mkdir()
    house = empty.house
    for name, path in (("files:ablage", folder), ("files:fort", folder)):
        empty.host.ask(lambda _, name=name, path=path: house.connect(name, {"path": str(path)})).result(60)
    gone = empty.folder / "weg"
    gone.mkdir()
    empty.host.ask(lambda _: house.connect("files:fort", {"path": str(gone)})).result(60)
    gone.rmdir()
    for name, body in SCRIPTS.items():
        head = f'"""Eine Aufgabe."""\nimport dayhand\nflow = dayhand.Workflow("{name}", '
        source = f'{head}connections=["files:ablage", "files:fort"])\n\n\n{body}'
        path = empty.folder / f"{name.lower()}.py"
        path.write_text(source, encoding="utf-8")
        validated = house.validation.validate(str(path), source)
        wish = Wish(grant=name != "Fragen")
        empty.host.ask(lambda _, new=validated, wish=wish: house.commands.deploy(new, wish)).result(60)
        command(empty, "run", target=name.lower())
    wait(lambda: have_ended(empty))
    return empty


def test_no_page_of_a_german_window_has_an_english_sentence(troubled: Installation, qtbot: Any, wait: Wait) -> None:
    window = Window(troubled)
    qtbot.addWidget(window)
    window.resize(1280, 800)
    window.show()
    window.show_overview(overview_of(troubled))
    for name in PAGES:
        window.open_page(name)
        wait(lambda: not window.page.asking._again)  # type: ignore[union-attr]
        assert find_english(window) == set(), name
    window.let_go()


def test_no_page_of_a_workflow_has_an_english_sentence(troubled: Installation, qtbot: Any, wait: Wait) -> None:
    window = Window(troubled)
    qtbot.addWidget(window)
    window.show()
    for name in SCRIPTS:
        window.open_page("workflows", name.lower())
        pane: WorkflowPane = window.pages["workflows"].pane  # type: ignore[attr-defined]
        wait(lambda pane=pane, name=name: pane.facts is not None and pane.facts.details.name == name)
        assert find_english(pane) == set(), name
    window.let_go()


def test_the_tray_speaks_german_of_what_is_wrong(troubled: Installation) -> None:
    for entry in list_entries(overview_of(troubled)):
        assert not ENGLISH.search(entry.words), entry.words


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
def test_a_script_that_cannot_be_used_is_refused_in_german(
    in_german: None, empty: Installation, qtbot: Any, wait: Wait, body: str
) -> None:
    path = empty.folder / "neu.py"
    path.write_text(f"import dayhand\n{body}", encoding="utf-8")
    dialog = DeployDialog(empty, path)
    qtbot.addWidget(dialog)
    dialog.show()
    wait(dialog.again.isEnabled)
    assert dialog.saying.sentence
    assert find_english(dialog) == set()
