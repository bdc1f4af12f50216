"""`restore` after damage to the store."""

import re
import shlex
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from app.cli import command_line
from scheduler.engine.queries.schedules import ScheduleQueries
from scheduler.engine.scheduling.engine import Engine
from scheduler.store import workflows
from scheduler.store.backups import back_up
from scheduler.store.lock import hold
from scheduler.store.opening import close_store, open_store
from scheduler.store.workflows import WorkflowStatus
from tests.bench.null_launcher import NullLauncher
from tests.engine.queries.runtime_fixture import RECEIPTS, QueryRuntimeFixture

NOW = datetime.now(UTC)
ROOT = Path(__file__).parents[3]


def engine(folder: Path) -> Engine:
    return Engine(open_store(folder, NOW).database, NullLauncher().attach, machine_zone="UTC")


def fill(folder: Path) -> None:
    made = engine(folder)
    made.commands.add("w", "h", {"every": "5m"})
    back_up(folder, NOW)
    close_store(made._context.database)


def test_restored_schedules_are_paused_with_a_note(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What ran since the backup must not run again without the user."""
    fill(tmp_path)
    (tmp_path / "dayhand.db").write_bytes(b"gone" * 1000)
    close_store(engine(tmp_path)._context.database)
    assert command_line.run(["restore", "--data-dir", str(tmp_path)]) == 0
    assert "Restored the backup dayhand-" in capsys.readouterr().out
    [view] = ScheduleQueries(engine(tmp_path).context).schedules()
    assert view.state == "paused"
    assert "Restored from the backup" in (view.row.pause_note or "")


def test_it_is_refused_while_dayhand_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fill(tmp_path)
    with hold(tmp_path):
        assert command_line.run(["restore", "--data-dir", str(tmp_path)]) == 1
    assert "already running" in capsys.readouterr().err


def test_without_a_backup_it_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command_line.run(["restore", "--data-dir", str(tmp_path)]) == 1
    output = capsys.readouterr().err
    assert "backup" in output
    assert output.count("\n") == 1


def test_the_suggested_command_can_be_pasted_as_it_is(tmp_path: Path) -> None:
    """It names the folder, so that no other one is restored."""
    fill(tmp_path)
    (tmp_path / "dayhand.db").write_bytes(b"gone" * 1000)
    command = [sys.executable, "-m", "app.main", "--headless", "--seconds", "0", "--data-dir", str(tmp_path)]
    output = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    (wanted,) = re.findall(r"quit and run: dayhand (.*)", output)
    assert command_line.run(shlex.split(wanted)) == 0
    assert [view.state for view in ScheduleQueries(engine(tmp_path).context).schedules()] == ["paused"]


def test_actions_since_the_backup_are_not_repeated(tmp_path: Path) -> None:
    """The backup contains the event but not that it was consumed, so its consumer is paused too."""
    folder = tmp_path / "data"
    shop = QueryRuntimeFixture(folder)
    table = shop.connect_table()
    source = RECEIPTS.replace('approve="always"', 'approve="never"')
    shop.deploy(source, paused=True)
    shop.services.event_commands.publish("receipts", "mails", "m7", title="Seven", data={"amount": 7})
    with shop.database.write() as db:
        workflows.set_status(db, "receipts", WorkflowStatus.ACTIVE)
    back_up(folder, shop.clock.wall)
    shop.run_until_idle()
    shop.close()
    done = table.read_text()
    assert "7" in done
    assert command_line.run(["restore", "--data-dir", str(folder)]) == 0
    shop = QueryRuntimeFixture(folder)
    shop.move(minutes=10)
    assert table.read_text() == done
    assert shop.queries.workflow("receipts").state == "paused"
    shop.services.workflow_commands.resume("receipts")
    shop.run_until_idle()
    shop.close()
    assert len(table.read_text().splitlines()) > len(done.splitlines()), "after the user resumed it"
