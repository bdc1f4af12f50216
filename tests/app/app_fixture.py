"""Fixtures with a whole session in a temporary folder, empty or with the sample workflow.

Import them in a conftest.py or in the file that needs them.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from app.background import close_background_tasks
from app.demo import prepare_demo
from app.overview import Overview
from app.overview_watcher import load_overview
from app.session import Session
from scheduler.engine.queries.requests import RequestView
from scheduler.engine.workflows.deployment import DeployOptions

LIMIT = 60_000

Wait = Callable[[Callable[[], Any]], Any]


@pytest.fixture
def wait(qtbot: QtBot) -> Wait:
    """Run the event loop until the function returns a true value; return that value."""

    def until(read: Callable[[], Any]) -> Any:
        results: list[Any] = []

        def holds() -> bool:
            results[:] = [read()]
            return bool(results[0])

        qtbot.waitUntil(holds, timeout=LIMIT)
        return results[0]

    return until


@contextmanager
def started(made: Session) -> Iterator[Session]:
    """Started, and closed in the same order as the app does it."""
    made.start()
    yield made
    close_background_tasks()
    made.stop()
    made.close()


@pytest.fixture
def empty(qtbot: QtBot, tmp_path: Path) -> Iterator[Session]:
    """A running session without workflows."""
    with started(Session(tmp_path)) as made:
        yield made


@pytest.fixture
def installation(qtbot: QtBot, tmp_path: Path) -> Iterator[Session]:
    """A running session with the sample workflow, which soon asks to add three receipts to a table."""
    made = Session(tmp_path)
    prepare_demo(made, tmp_path)
    with started(made):
        yield made


@pytest.fixture
def request_(installation: Session, wait: Wait) -> RequestView:
    """The approval request of the sample workflow."""
    [one] = wait(installation.queries.attention)
    return one


def overview_of(installation: Session) -> Overview:
    return load_overview(installation)


def deploy(installation: Session, name: str, body: str, *, when: str = 'cron="0 4 1 1 *"') -> None:
    """Deploy a workflow with one job of that body."""
    head = f'"""A chore."""\nimport dayhand\nflow = dayhand.Workflow("{name}")\n'
    source = f"{head}@flow.job({when})\ndef go(ctx):\n    {body}\n"
    path = installation.folder / f"{name.lower()}.py"
    path.write_text(source, encoding="utf-8")
    validated = installation._runtime.validation.validate(str(path), source)
    installation.engine_thread.submit(
        lambda _: installation._runtime.workflow_commands.deploy(validated, DeployOptions(grant=True))
    ).result(60)


def table_lines(installation: Session) -> list[str]:
    """The lines of the sample workflow's table, heading included."""
    path = installation.folder / "expenses.csv"
    return path.read_text(encoding="utf-8").splitlines() if path.exists() else []
