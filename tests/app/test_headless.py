"""Dayhand in a terminal: preferences, quitting, and what it prints."""

import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QApplication

from app.data.preferences import Preferences, save_preferences
from app.headless import RunPrinter, _ChangePrinter, _Quitter, _read_settings
from scheduler.engine.scheduling.launcher import Announcement
from scheduler.engine.settings import Settings
from scheduler.engine.workflows.deployment import DeployOptions
from scheduler.store.errors import StoreError
from tests.app.cli.live_cli import job, running_session
from tests.engine.queries.runtime_fixture import RECEIPTS, QueryRuntimeFixture

LIMIT = 60.0
LONG = """
    import pathlib, time
    here = pathlib.Path({folder!r})
    (here / "started").touch()
    while not (here / "finish").exists() and not ctx.cancelled:
        time.sleep(0.01)
    ctx.done("finished")
"""


def wait_for(holds: Callable[[], bool]) -> None:
    end = time.monotonic() + LIMIT
    while not holds():
        assert time.monotonic() < end
        QCoreApplication.processEvents()
        time.sleep(0.01)


def test_preferences_of_the_window_apply_in_a_terminal(tmp_path: Path) -> None:
    save_preferences(tmp_path, Preferences(concurrency=2, keep_days=30))
    settings = _read_settings(tmp_path)
    assert (settings.concurrency, settings.kept) == (2, timedelta(days=30))


def test_without_preferences_the_defaults_are_the_same_as_in_the_window(tmp_path: Path) -> None:
    assert _read_settings(tmp_path) == Settings() == Preferences().apply_to(Settings())


def test_zero_days_keep_history_for_ever(tmp_path: Path) -> None:
    save_preferences(tmp_path, Preferences(keep_days=0))
    assert _read_settings(tmp_path).kept is None


@pytest.mark.parametrize("gives_up", [False, True])
def test_quitting_waits_for_outside_actions(
    tmp_path: Path, qapp: QApplication, monkeypatch: pytest.MonkeyPatch, *, gives_up: bool
) -> None:
    source = job(LONG.format(folder=str(tmp_path)).strip())
    with running_session(tmp_path / "data") as installation:
        runtime, ended, checks = installation._runtime, [], []
        validated = runtime.validation.validate(str(tmp_path / "backup.py"), source)
        installation.engine_thread.submit(
            lambda _: runtime.workflow_commands.deploy(validated, DeployOptions())
        ).result(30)
        list(installation.api.dispatch("run", {"target": "backup"}))
        wait_for((tmp_path / "started").exists)
        underway = installation.queries.uninterruptible

        def count() -> tuple[str, ...]:
            checks.append(underway())
            return checks[-1]

        monkeypatch.setattr(installation.queries, "uninterruptible", count)
        quitter = _Quitter(installation, lambda: ended.append("ended"), seconds=0 if gives_up else LIMIT)
        quitter.begin()
        if not gives_up:
            wait_for(lambda: len(checks) == 3)
            assert (checks, ended) == ([("Backup",)] * 3, [])
        (tmp_path / "finish").touch()
        wait_for(lambda: ended == ["ended"])
        quitter.stop()


def test_a_warning_is_printed_again_after_it_was_solved(qapp: QApplication) -> None:
    printed: list[str] = []
    errors: list[Exception] = []

    class FakeNarrator:
        def print_changes(self) -> None:
            if errors:
                raise errors[0]

    narrator: Any = FakeNarrator()
    printer = _ChangePrinter(narrator, printed.append)
    warning = Announcement("store", "The disk is full.", is_warning=True)
    errors.append(StoreError("The disk is full."))
    printer.on_announcement(warning)
    printer.print_changes()
    printer.on_announcement(warning)
    assert printed == ["The disk is full."]
    errors.clear()
    printer.print_changes()
    printer.on_announcement(warning)
    assert printed == ["The disk is full."] * 2


class Printed:
    def __init__(self, shop: QueryRuntimeFixture) -> None:
        self.shop = shop
        self.lines: list[str] = []
        self.narrator = self.start()

    def start(self) -> RunPrinter:
        now = datetime(2026, 11, 16, 10, 0, tzinfo=UTC).astimezone().replace(hour=9, minute=30)
        return RunPrinter(self.shop.queries, self.lines.append, lambda line: f"{line} --data-dir here", lambda: now)

    def new_lines(self) -> list[str]:
        """The new lines, without their time."""
        self.lines.clear()
        self.narrator.print_changes()
        assert all(line.startswith("09:30:00  ") and "\n" not in line for line in self.lines)
        return [line[10:] for line in self.lines]


@pytest.fixture
def printed(tmp_path: Path) -> Iterator[Printed]:
    shop = QueryRuntimeFixture(tmp_path)
    shop.connect_table()
    yield Printed(shop)
    shop.close()


def test_runs_requests_and_answers_are_printed(printed: Printed) -> None:
    printed.shop.deploy(RECEIPTS)
    printed.shop.run_until_idle()
    [request] = printed.shop.queries.attention()
    what = "Add 1 receipts to Expenses (append of table:expenses)"
    assert printed.new_lines() == [
        "receipts: nothing to do",
        "receipts: Found 1 new item: Receipt 1",
        f"receipts: asks: {what}. Details and how to answer: dayhand attention {request.id} --data-dir here",
    ]
    assert printed.new_lines() == []
    printed.shop.services.request_commands.approve(request.id)
    printed.shop.run_until_idle()
    assert printed.new_lines() == [
        "receipts: approved: Add 1 receipts to Expenses",
        "receipts: Filed 1 receipts",
    ]


def test_requests_from_before_the_start_are_printed(printed: Printed) -> None:
    printed.shop.deploy(RECEIPTS)
    printed.shop.run_until_idle()
    printed.narrator = printed.start()
    assert [line.partition("Details")[0] for line in printed.new_lines()] == [
        "receipts: asks: Add 1 receipts to Expenses (append of table:expenses). ",
    ]
    printed.shop.services.request_commands.reject(printed.shop.queries.attention()[0].id)
    printed.shop.run_until_idle()
    assert printed.new_lines()[0] == "receipts: rejected: Add 1 receipts to Expenses"


def test_a_request_of_a_removed_workflow_is_no_longer_needed(printed: Printed) -> None:
    printed.shop.deploy(RECEIPTS)
    printed.shop.run_until_idle()
    printed.new_lines()
    printed.shop.services.workflow_commands.remove("receipts")
    assert printed.new_lines() == ["receipts: no longer needed: Add 1 receipts to Expenses"]


def test_the_jobs_of_a_workflow_are_named_with_their_commands_and_the_end_of_their_output(printed: Printed) -> None:
    printed.shop.deploy("""
        import dayhand
        flow = dayhand.Workflow("Copies")

        @flow.job(every="1h")
        def photos(ctx):
            ctx.run(["env", "A=1", "sh", "-c", "seq 5; cat /no/such/file"])

        @flow.job(every="1h")
        def notes(ctx):
            ctx.run(["true"])
    """)
    printed.shop.services.workflow_commands.run("copies", handler="notes")
    printed.shop.run_until_idle()
    assert printed.new_lines() == ["copies/notes: done: true"]
    printed.shop.services.workflow_commands.run("copies", handler="photos")
    printed.shop.run_until_idle()
    failed, *output, asks = printed.new_lines()
    assert failed.startswith("copies/photos: failed. The command seq … exited with code 1")
    assert len(output) == 3 and output[0].endswith("| 4") and "/no/such/file" in output[2]
    assert asks.startswith("copies/photos: Photos failed at ")


def test_a_failure_is_printed_with_the_command_to_retry(printed: Printed) -> None:
    printed.shop.deploy("""
        import dayhand
        flow = dayhand.Workflow("Failing")

        @flow.job(every="1h")
        def work(ctx):
            raise ValueError("first line\\nsecond line")
    """)
    [run] = printed.shop.services.workflow_commands.run("failing")["runs"]
    printed.shop.run_until_idle()
    failed, asks = printed.new_lines()
    assert failed.startswith("failing: failed. script.py, line 6: ValueError: first line second line")
    assert asks.endswith(f"Run again: dayhand retry {run} --data-dir here | Log: dayhand logs {run} --data-dir here")
