"""A deployed file is redeployed when it is saved, by any editor, once it is valid."""

import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QApplication

from app.auto_deploy import AutoDeployer
from app.session import Session
from scheduler.engine.workflows.deployment import DeployOptions
from tests.app.cli.live_cli import ASKING, job, running_session

LIMIT = 60.0


class WatchedWorkflow:
    """A session with one watched workflow, and the messages of the deployer."""

    def __init__(self, installation: Session, script: Path) -> None:
        self.installation = installation
        self.script = script
        self.messages: list[str] = []
        script.write_text(job())
        validated = installation._runtime.validation.validate(str(script), job())
        installation.engine_thread.submit(
            lambda _: installation._runtime.workflow_commands.deploy(validated, DeployOptions(watch=True))
        ).result(30)
        self.refusals: list[str] = []
        self.watching = AutoDeployer(installation, self.messages.append, refuse=self._refuse, poll_s=0.1)

    def _refuse(self, message: str) -> None:
        self.messages.append(message)
        self.refusals.append(message)

    @property
    def version(self) -> int:
        return self.installation.queries.workflow("backup").version

    def wait_for(self, holds: Callable[[], bool]) -> None:
        end = time.monotonic() + LIMIT
        while not holds():
            assert time.monotonic() < end, f"timed out; messages: {self.messages}"
            QCoreApplication.processEvents()
            time.sleep(0.01)


@pytest.fixture
def watched(tmp_path: Path, qapp: QApplication) -> Iterator[WatchedWorkflow]:
    with running_session(tmp_path / "data") as installation:
        watched = WatchedWorkflow(installation, tmp_path / "backup.py")
        yield watched
        watched.watching.close()


def test_a_saved_file_is_redeployed(watched: WatchedWorkflow) -> None:
    watched.script.write_text(job('ctx.done("New")'))
    watched.wait_for(lambda: watched.version == 2)
    watched.wait_for(lambda: watched.messages == ["backup was updated to version 2 because its file was saved."])
    assert watched.refusals == []


def test_a_first_job_is_not_deployed_automatically(watched: WatchedWorkflow) -> None:
    """A script may have written it into its own file, to escape its sandbox."""
    file, runtime = watched.script.with_name("receipts.py"), watched.installation._runtime
    file.write_text(ASKING)
    validated = runtime.validation.validate(str(file), ASKING)
    watched.installation.engine_thread.submit(
        lambda _: runtime.workflow_commands.deploy(validated, DeployOptions(watch=True))
    ).result(30)
    file.write_text(f'{ASKING}\n\n@flow.job(every="1h")\ndef more(ctx):\n    pass\n')
    why = "it now has a job, which can do anything you can. Update it yourself."
    watched.wait_for(lambda: watched.messages == [f"receipts.py was saved, but the workflow was not updated: {why}"])
    assert watched.installation.queries.workflow("receipts").version == 1


def test_a_replaced_file_is_noticed_every_time(watched: WatchedWorkflow) -> None:
    for number in (2, 3):
        beside = watched.script.with_suffix(".new")
        beside.write_text(job(f'ctx.done("Number {number}")'))
        beside.replace(watched.script)
        watched.wait_for(lambda number=number: watched.version == number)  # type: ignore[misc]


def test_a_file_that_is_briefly_missing_is_redeployed(watched: WatchedWorkflow) -> None:
    watched.script.unlink()
    watched.watching.check_files()
    watched.script.write_text(job('ctx.done("Back")'))
    watched.wait_for(lambda: watched.version == 2)


def test_an_invalid_script_is_reported_once_and_not_deployed(watched: WatchedWorkflow) -> None:
    watched.script.write_text(job("this is no python"))
    watched.wait_for(lambda: len(watched.messages) == 1)
    assert watched.messages[0].startswith(
        "backup.py was saved, but the previous version stays in use: backup.py, line 7"
    )
    os.utime(watched.script)
    watched.watching.check_files()
    assert (len(watched.messages), watched.version, watched.refusals) == (1, 1, watched.messages)
    watched.script.write_text(job('ctx.done("Right")'))
    watched.wait_for(lambda: watched.version == 2)


@pytest.mark.parametrize("content", [b"", b"\n\n", b"\xff\xfe"], ids=["empty", "blank", "no text"])
def test_a_half_written_file_is_not_deployed(watched: WatchedWorkflow, content: bytes) -> None:
    watched.script.write_bytes(content)
    watched.watching.check_files()
    assert watched.version == 1
    watched.script.write_text(job('ctx.done("Whole")'))
    watched.wait_for(lambda: watched.version == 2)
    assert len(watched.messages) <= 1


def test_a_touched_file_changes_nothing(watched: WatchedWorkflow) -> None:
    os.utime(watched.script)
    watched.watching.check_files()
    assert watched.version == 1


def test_a_renamed_workflow_is_not_deployed(watched: WatchedWorkflow) -> None:
    watched.script.write_text(job().replace("Backup", "Copy"))
    watched.wait_for(lambda: len(watched.messages) == 1)
    assert "its workflow is now called copy, not backup" in watched.messages[0]
    assert [one.name for one in watched.installation.queries.workflows()] == ["Backup"]


def test_an_unwatched_file_is_not_deployed(watched: WatchedWorkflow) -> None:
    watched.installation.engine_thread.submit(
        lambda _: watched.installation._runtime.workflow_commands.watch("backup", on=False)
    ).result(30)
    watched.script.write_text(job('ctx.done("New")'))
    watched.watching.check_files()
    assert watched.version == 1


def test_it_polls_only_while_files_are_watched(watched: WatchedWorkflow) -> None:
    assert watched.watching.check_files()
    watched.installation.engine_thread.submit(
        lambda _: watched.installation._runtime.workflow_commands.watch("backup", on=False)
    ).result(30)
    assert not watched.watching.check_files()


def test_an_app_started_by_a_script_deploys_nothing(watched: WatchedWorkflow) -> None:
    watched.installation.is_started_by_script = True
    watched.script.write_text(job('ctx.done("New")'))
    watched.wait_for(lambda: len(watched.messages) == 1)
    assert watched.messages[0].startswith(
        "backup.py was saved, but the workflow was not updated: Dayhand was started by a script"
    )
    assert watched.version == 1
