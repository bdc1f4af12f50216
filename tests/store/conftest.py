import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from scheduler.store import connection, migrations
from scheduler.store.database import Database
from scheduler.store.health import open_store
from tests.store.stores import NOW


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "data"


@pytest.fixture
def database(folder: Path) -> Iterator[Database]:
    """New and empty; files whose tests need rows in it have one of their own."""
    database = open_store(folder, NOW).database
    yield database
    database.close()


@pytest.fixture
def statements(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Every statement that SQLite begins from now on."""
    seen: list[str] = []
    connect = sqlite3.connect

    def traced(*arguments: Any, **settings: Any) -> Any:
        made = connect(*arguments, **settings)
        made.set_trace_callback(seen.append)
        return made

    monkeypatch.setattr(connection.sqlite3, "connect", traced)
    return seen


@pytest.fixture
def add_steps(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Pretend that a later version brought these steps."""
    known = migrations._steps()

    def add(*scripts: str) -> None:
        monkeypatch.setattr(migrations, "_steps", lambda: [*known, *enumerate(scripts, len(known) + 1)])

    return add
