"""A data folder as a whole, without a running engine."""

import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from scheduler.engine import data_folder
from scheduler.engine.data_folder import FolderInUseError, StoreError
from scheduler.store import connections

NOW = datetime(2026, 11, 16, 12, tzinfo=UTC)
SETTINGS = {"path": "/home/me/expenses.csv"}


@pytest.fixture
def used(tmp_path: Path) -> Path:
    """A closed folder with one connection."""
    opened = data_folder.open_folder(tmp_path, NOW)
    with opened.database.write() as db:
        connections.save(db, "table:expenses", SETTINGS, NOW)
    opened.close()
    return tmp_path


def test_each_verb_loads_only_what_it_needs() -> None:
    """The command line imports the module to take the lock, before it shows anything."""
    script = "import sys, scheduler.engine.data_folder as d; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout.split()
    assert "scheduler.store.lock" in loaded
    assert not {"scheduler.store.opening", "scheduler.store.transfer", "scheduler.engine.runtime"} & set(loaded)


def test_an_opened_folder_keeps_its_keyring_entries(used: Path) -> None:
    first, again = data_folder.read_connections(used), data_folder.open_folder(used, NOW)
    again.close()
    assert again.keyring_entries == first.keyring_entries and first.keyring_entries.identity
    assert (again.damage, first.settings) == (None, {"table:expenses": SETTINGS})


def test_a_folder_is_held_by_one_process(tmp_path: Path) -> None:
    with data_folder.hold(tmp_path), pytest.raises(FolderInUseError), data_folder.hold(tmp_path):
        pass


def test_a_folder_without_a_store_has_nothing(tmp_path: Path) -> None:
    assert not data_folder.has_data(tmp_path)
    assert data_folder.read_connections(tmp_path).settings == {}
    with pytest.raises(StoreError, match="There is no data"):
        data_folder.check_readable(tmp_path)
    with pytest.raises(StoreError, match="There is no data"):
        data_folder.list_saved_secrets(tmp_path, has_fixer_key=True)


def test_what_the_user_would_miss_counts_as_data(tmp_path: Path) -> None:
    data_folder.open_folder(tmp_path, NOW).close()
    assert not data_folder.has_data(tmp_path)
    data_folder.check_readable(tmp_path)


def test_a_damaged_store_counts_as_data(used: Path) -> None:
    assert data_folder.has_data(used)
    (used / "dayhand.db").write_bytes(b"x" * 5000)
    assert data_folder.has_data(used)
    with pytest.raises(StoreError):
        data_folder.describe(used)


def test_a_description_counts_rows_and_says_which_values_are_private(used: Path) -> None:
    found = data_folder.describe(used)
    assert found.store.rows["connections"] == 1 and found.store.kinds == {"table": 1}
    assert found.size > 0 and found.connection_settings == (SETTINGS,)


def test_a_fixer_key_is_listed_only_if_there_is_one(used: Path) -> None:
    assert data_folder.list_saved_secrets(used, has_fixer_key=False) == []
    [secret] = data_folder.list_saved_secrets(used, has_fixer_key=True)
    assert (secret.name, secret.is_certain) == ("fixer:key", True)


def test_a_restored_backup_brings_back_what_it_had(used: Path) -> None:
    backup = data_folder.back_up(used, NOW)
    assert data_folder.back_up_if_due(used, NOW) is None
    opened = data_folder.open_folder(used, NOW)
    with opened.database.write() as db:
        connections.remove(db, "table:expenses")
    opened.close()
    assert data_folder.restore(used, NOW) == backup
    assert data_folder.read_connections(used).settings == {"table:expenses": SETTINGS}
