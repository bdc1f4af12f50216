"""A deployed file that is saved is deployed again: by whatever editor, and not before it makes sense."""

import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QApplication

from app.life.installation import Installation
from app.watching import Watching
from scheduler.engine.workflows.deploying import Wish
from tests.app.verbs.served import ASKING, job, serving

LIMIT = 60.0


class Room:
    """The app with one watched workflow, and what was said."""

    def __init__(self, installation: Installation, script: Path) -> None:
        self.installation = installation
        self.script = script
        self.said: list[str] = []
        script.write_text(job())
        validated = installation.house.validation.validate(str(script), job())
        installation.host.ask(lambda _: installation.house.commands.deploy(validated, Wish(watch=True))).result(30)
        self.watching = Watching(installation, self.said.append, look=0.1)

    @property
    def version(self) -> int:
        return self.installation.views.workflow("backup").version

    def wait_for(self, holds: Callable[[], bool]) -> None:
        end = time.monotonic() + LIMIT
        while not holds():
            assert time.monotonic() < end, f"it never came to be; said: {self.said}"
            QCoreApplication.processEvents()
            time.sleep(0.01)


@pytest.fixture
def room(tmp_path: Path, qapp: QApplication) -> Iterator[Room]:
    with serving(tmp_path / "data") as installation:
        room = Room(installation, tmp_path / "backup.py")
        yield room
        room.watching.close()


def test_a_saved_file_is_deployed_again(room: Room) -> None:
    room.script.write_text(job('ctx.done("New")'))
    room.wait_for(lambda: room.version == 2)
    room.wait_for(lambda: room.said == ["backup: deployed version 2, since its file was saved."])


def test_a_first_job_is_not_deployed_by_itself(room: Room) -> None:
    """A script may have written it into its own file, to get out of its fence."""
    file, house = room.script.with_name("receipts.py"), room.installation.house
    file.write_text(ASKING)
    validated = house.validation.validate(str(file), ASKING)
    room.installation.host.ask(lambda _: house.commands.deploy(validated, Wish(watch=True))).result(30)
    file.write_text(f'{ASKING}\n\n@flow.job(every="1h")\ndef more(ctx):\n    pass\n')
    why = "it now has a job, which may do all that you may; deploy it yourself."
    room.wait_for(lambda: room.said == [f"receipts.py was saved, and not deployed: {why}"])
    assert room.installation.views.workflow("receipts").version == 1


def test_an_editor_that_replaces_the_file_is_noticed_again_and_again(room: Room) -> None:
    for number in (2, 3):
        beside = room.script.with_suffix(".new")
        beside.write_text(job(f'ctx.done("Number {number}")'))
        beside.replace(room.script)
        room.wait_for(lambda number=number: room.version == number)  # type: ignore[misc]


def test_a_file_that_is_gone_for_a_moment_is_waited_for(room: Room) -> None:
    room.script.unlink()
    room.watching.look()
    room.script.write_text(job('ctx.done("Back")'))
    room.wait_for(lambda: room.version == 2)


def test_a_script_that_makes_no_sense_is_said_once_and_the_old_one_goes_on(room: Room) -> None:
    room.script.write_text(job("this is no python"))
    room.wait_for(lambda: len(room.said) == 1)
    assert room.said[0].startswith("backup.py was saved, and the version before goes on: backup.py, line 7")
    os.utime(room.script)
    room.watching.look()
    assert (len(room.said), room.version) == (1, 1)
    room.script.write_text(job('ctx.done("Right")'))
    room.wait_for(lambda: room.version == 2)


@pytest.mark.parametrize("content", [b"", b"\n\n", b"\xff\xfe"], ids=["empty", "blank", "no text"])
def test_a_file_that_is_being_written_is_waited_for(room: Room, content: bytes) -> None:
    room.script.write_bytes(content)
    room.watching.look()
    assert room.version == 1
    room.script.write_text(job('ctx.done("Whole")'))
    room.wait_for(lambda: room.version == 2)
    assert len(room.said) <= 1


def test_a_touched_file_changes_nothing(room: Room) -> None:
    os.utime(room.script)
    room.watching.look()
    assert room.version == 1


def test_a_file_that_changed_its_name_is_not_deployed_as_another(room: Room) -> None:
    room.script.write_text(job().replace("Backup", "Copy"))
    room.wait_for(lambda: len(room.said) == 1)
    assert "it now calls itself copy, not backup" in room.said[0]
    assert [one.name for one in room.installation.views.workflows()] == ["Backup"]


def test_a_file_that_is_not_to_be_watched_is_left_alone(room: Room) -> None:
    room.installation.host.ask(lambda _: room.installation.house.commands.watch("backup", on=False)).result(30)
    room.script.write_text(job('ctx.done("New")'))
    room.watching.look()
    assert room.version == 1


def test_it_looks_now_and_then_only_while_a_file_is_to_be_watched(room: Room) -> None:
    assert room.watching.look()
    room.installation.host.ask(lambda _: room.installation.house.commands.watch("backup", on=False)).result(30)
    assert not room.watching.look()


def test_an_app_that_a_script_started_deploys_nothing(room: Room) -> None:
    room.installation.is_of_script = True
    room.script.write_text(job('ctx.done("New")'))
    room.wait_for(lambda: len(room.said) == 1)
    assert room.said[0].startswith("backup.py was saved, and not deployed: A script started Dayhand")
    assert room.version == 1
