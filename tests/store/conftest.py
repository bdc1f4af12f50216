import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from scheduler.store import migrations, sqlite
from scheduler.store.database import Database
from scheduler.store.opening import open_store
from tests.store.store_files import NOW


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "data"


@pytest.fixture
def database(folder: Path) -> Iterator[Database]:
    """New and empty; test files that need rows define their own."""
    database = open_store(folder, NOW).database
    yield database
    database.close()


@pytest.fixture
def statements(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Every SQL statement from now on."""
    seen: list[str] = []
    connect = sqlite3.connect

    def traced(*arguments: Any, **settings: Any) -> Any:
        connection = connect(*arguments, **settings)
        connection.set_trace_callback(seen.append)
        return connection

    monkeypatch.setattr(sqlite.sqlite3, "connect", traced)
    return seen


@pytest.fixture
def add_steps(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Pretend that a later version added these migration steps."""
    known = migrations._steps()

    def add(*scripts: str) -> None:
        monkeypatch.setattr(migrations, "_steps", lambda: [*known, *enumerate(scripts, len(known) + 1)])

    return add
