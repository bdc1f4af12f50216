"""A whole installation in a folder of its own, with the sample workflow that asks once, for tests of what is around it.
Fixtures: import them in a conftest.py or in the file that needs them."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from app.asking import close_asking
from app.demo import prepare_demo
from app.life.installation import Installation
from app.lookout import read_overview
from app.overview import Overview
from scheduler.engine.workflows.deploying import Wish
from scheduler.engine.workflows.views.requests import RequestView

LIMIT = 60_000

Wait = Callable[[Callable[[], Any]], Any]


@pytest.fixture
def wait(qtbot: QtBot) -> Wait:
    """With the event loop running, until that is true; what it then is."""

    def until(look: Callable[[], Any]) -> Any:
        found: list[Any] = []

        def holds() -> bool:
            found[:] = [look()]
            return bool(found[0])

        qtbot.waitUntil(holds, timeout=LIMIT)
        return found[0]

    return until


@contextmanager
def alive(made: Installation) -> Iterator[Installation]:
    """From its start to its end, in the order in which the app ends."""
    made.start()
    yield made
    close_asking()
    made.end()
    made.close()


@pytest.fixture
def empty(qtbot: QtBot, tmp_path: Path) -> Iterator[Installation]:
    """Runs, and has no workflows."""
    with alive(Installation(tmp_path)) as made:
        yield made


@pytest.fixture
def installation(qtbot: QtBot, tmp_path: Path) -> Iterator[Installation]:
    """Runs the sample workflow, which soon asks whether it may add three receipts to a table."""
    made = Installation(tmp_path)
    prepare_demo(made.house, tmp_path)
    with alive(made):
        yield made


@pytest.fixture
def request_(installation: Installation, wait: Wait) -> RequestView:
    """What the sample workflow asks."""
    [one] = wait(installation.views.attention)
    return one


def overview_of(installation: Installation) -> Overview:
    return read_overview(installation)


def deploy(installation: Installation, name: str, body: str, *, when: str = 'cron="0 4 1 1 *"') -> None:
    """A workflow with one job that does that."""
    head = f'"""A chore."""\nimport dayhand\nflow = dayhand.Workflow("{name}")\n'
    source = f"{head}@flow.job({when})\ndef go(ctx):\n    {body}\n"
    path = installation.folder / f"{name.lower()}.py"
    path.write_text(source, encoding="utf-8")
    validated = installation.house.validation.validate(str(path), source)
    installation.host.ask(lambda _: installation.house.commands.deploy(validated, Wish(grant=True))).result(60)


def rows(installation: Installation) -> list[str]:
    """The lines of the table that the sample workflow fills, its heading first."""
    path = installation.folder / "expenses.csv"
    return path.read_text(encoding="utf-8").splitlines() if path.exists() else []
