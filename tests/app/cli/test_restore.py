"""`dayhand restore` after damage, as the sentence about it promises."""

import re
import shlex
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from app import cli
from scheduler.engine.engine import Engine
from scheduler.store import workflows
from scheduler.store.backups import back_up
from scheduler.store.health import close_store, open_store
from scheduler.store.lock import hold
from scheduler.store.workflows import WorkflowStatus
from tests.bench.callables import Deaf
from tests.engine.workflows.views.shop import RECEIPTS, Shop

NOW = datetime.now(UTC)
ROOT = Path(__file__).parents[3]


def engine(folder: Path) -> Engine:
    return Engine(open_store(folder, NOW).database, Deaf(), machine_zone="UTC")


def fill(folder: Path) -> None:
    made = engine(folder)
    made.commands.add("w", "h", {"every": "5m"})
    back_up(folder, NOW)
    close_store(made._context.database)


def test_schedules_come_back_paused_with_the_reason(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """D4; what ran since the backup must not run again unasked."""
    fill(tmp_path)
    (tmp_path / "dayhand.db").write_bytes(b"gone" * 1000)
    close_store(engine(tmp_path)._context.database)
    assert cli.run(["restore", "--data-dir", str(tmp_path)]) == 0
    assert "goes on from the backup dayhand-" in capsys.readouterr().out
    [view] = engine(tmp_path).views.schedules()
    assert view.state == "paused"
    assert "Restored from the backup" in (view.row.pause_note or "")


def test_it_is_refused_while_dayhand_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fill(tmp_path)
    with hold(tmp_path):
        assert cli.run(["restore", "--data-dir", str(tmp_path)]) == 1
    assert "already running" in capsys.readouterr().err


def test_without_a_backup_it_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["restore", "--data-dir", str(tmp_path)]) == 1
    said = capsys.readouterr().err
    assert "backup" in said
    assert said.count("\n") == 1


def test_the_command_that_is_named_can_be_typed_as_it_stands(tmp_path: Path) -> None:
    """D4: it says which folder, so that nobody restores another one."""
    fill(tmp_path)
    (tmp_path / "dayhand.db").write_bytes(b"gone" * 1000)
    command = [sys.executable, "-m", "app.main", "--headless", "--seconds", "0", "--data-dir", str(tmp_path)]
    said = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    (wanted,) = re.findall(r"quit and run: dayhand (.*)", said)
    assert cli.run(shlex.split(wanted)) == 0
    assert [view.state for view in engine(tmp_path).views.schedules()] == ["paused"]


def test_what_was_done_since_the_backup_is_not_done_again(tmp_path: Path) -> None:
    """The backup knows the news and not that they were dealt with: its consumer waits for the user as well."""
    folder = tmp_path / "data"
    shop = Shop(folder)
    table = shop.connect_table()
    source = RECEIPTS.replace('approve="always"', 'approve="never"')
    shop.deploy(source, paused=True)
    shop.house.events.publish("receipts", "mails", "m7", title="Seven", data={"amount": 7})
    with shop.database.write() as db:
        workflows.set_status(db, "receipts", WorkflowStatus.ACTIVE)
    back_up(folder, shop.clock.wall)
    shop.settle()
    shop.close()
    done = table.read_text()
    assert "7" in done
    assert cli.run(["restore", "--data-dir", str(folder)]) == 0
    shop = Shop(folder)
    shop.move(minutes=10)
    assert table.read_text() == done
    assert shop.views.workflow("receipts").state == "paused"
    shop.house.commands.resume("receipts")
    shop.settle()
    shop.close()
    assert len(table.read_text().splitlines()) > len(done.splitlines()), "once the user has looked at it"
