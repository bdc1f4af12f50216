"""What was approved is that very file: another one under the same name asks again, and is never touched before."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from scheduler.connections.connectors.files import changes
from tests.engine.harness import MINUTE
from tests.runs.folder_shop import FolderShop


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[FolderShop]:
    shop = FolderShop(tmp_path)
    yield shop
    shop.close()


def kill_while_acting(shop: FolderShop, place: str) -> None:
    """The app is closed, started as a process of its own, given the yes, and killed at that place."""
    shop.close()
    command = [sys.executable, "-m", "tests.runs.folder_shop", str(shop.folder), place]
    killed = subprocess.run(command, check=False, capture_output=True, text=True, timeout=120)
    assert killed.returncode == -signal.SIGKILL, killed.stderr


def test_a_file_that_came_after_the_deleted_one_is_not_deleted(shop: FolderShop) -> None:
    """Killed between the removal and writing down its outcome; then a new file gets the name."""
    (shop.inbox / "a.txt").write_text("old")
    shop.begin("delete", path="a.txt")
    kill_while_acting(shop, "before sync_folder")
    assert not (shop.inbox / "a.txt").exists()
    (shop.inbox / "a.txt").write_text("nobody was shown this")
    shop.open()
    shop.pass_time(10 * MINUTE)
    assert (shop.inbox / "a.txt").read_text() == "nobody was shown this"
    assert shop.requests() == []
    assert shop.outcome() == "applied"
    assert shop.events() == {"a": "consumed"}


def test_a_file_that_was_not_deleted_before_the_kill_is_deleted_once_that_is_known(shop: FolderShop) -> None:
    (shop.inbox / "a.txt").write_text("old")
    shop.begin("delete", path="a.txt")
    kill_while_acting(shop, "before require")
    shop.open()
    shop.pass_time(10 * MINUTE)
    assert shop.requests() == [], "the yes holds for that file"
    assert not (shop.inbox / "a.txt").exists()


ACTIONS: list[tuple[str, dict[str, Any]]] = [
    ("delete", {"path": "a.txt"}),
    ("move", {"source": "a.txt", "target": "b.txt"}),
    ("write", {"path": "a.txt", "text": "new", "overwrite": True}),
]


@pytest.mark.parametrize(("tool", "parameters"), ACTIONS)
def test_the_file_that_was_shown_needs_one_yes(shop: FolderShop, tool: str, parameters: dict[str, Any]) -> None:
    (shop.inbox / "a.txt").write_text("shown")
    shop.begin(tool, **parameters)
    assert shop.asked().call["target"]["size"] == len("shown")
    shop.crash(off=timedelta(days=3))
    shop.say_yes()
    assert shop.requests() == [] and shop.outcome() == "applied"
    assert shop.mutation(shop.runs("C")[-1].id).target["size"] == len("shown")  # type: ignore[union-attr]


@pytest.mark.parametrize(("tool", "parameters"), ACTIONS)
@pytest.mark.parametrize("how", ["replaced", "changed", "replaced by one that looks the same", "by a link"])
def test_another_file_under_the_name_asks_again(
    shop: FolderShop, tool: str, parameters: dict[str, Any], how: str
) -> None:
    place = shop.inbox / "a.txt"
    place.write_text("shown")
    shop.begin(tool, **parameters)
    first = shop.asked()
    change(place, how)
    shop.say_yes()
    second = shop.asked()
    assert second.id != first.id and second.call["target"] != first.call["target"]
    assert [row.name for row in shop.inbox.iterdir() if row.name != "other"] == ["a.txt"]
    assert place.is_symlink() or place.read_text() == ("shown" if "looks" in how else "other")
    shop.say_yes()
    assert shop.outcome() == "applied"


def change(place: Path, how: str) -> None:
    before = place.stat()
    match how:
        case "replaced":
            place.with_name("other").write_text("other")
            place.with_name("other").replace(place)
        case "changed":
            place.write_text("other")
        case "replaced by one that looks the same":
            place.with_name("other").write_text(place.read_text())
            os.utime(place.with_name("other"), ns=(before.st_atime_ns, before.st_mtime_ns))
            place.with_name("other").replace(place)
        case _:
            place.unlink()
            place.with_name("other").write_text("other")
            place.symlink_to("other")


def test_what_comes_where_nothing_was_is_not_written_over(shop: FolderShop) -> None:
    shop.begin("write", path="a.txt", text="new", overwrite=True)
    assert "target" not in shop.asked().call
    (shop.inbox / "a.txt").write_text("came meanwhile")
    shop.say_yes()
    assert (shop.inbox / "a.txt").read_text() == "came meanwhile"
    assert shop.asked().call["target"]["size"] == len("came meanwhile")


@pytest.mark.parametrize(("tool", "parameters"), ACTIONS)
@pytest.mark.parametrize("approve", ["always", "never"])
def test_a_file_that_is_replaced_at_the_moment_of_acting_is_put_back(
    shop: FolderShop, monkeypatch: pytest.MonkeyPatch, tool: str, parameters: dict[str, Any], approve: str
) -> None:
    """Fake: the instant. Another program is quicker by one step, after the last look and before the step itself."""
    place = shop.inbox / "a.txt"
    place.write_text("shown")
    require, comes = changes.require, [True]

    def look_and_be_late(*given: Any) -> None:
        require(*given)
        if comes and comes.pop():
            change(place, "replaced")

    for module in ("actions.require", "changes.require"):
        monkeypatch.setattr(f"scheduler.connections.connectors.files.{module}", look_and_be_late)
    shop.begin(tool, approve, **parameters)
    if approve == "always":
        shop.say_yes()
    assert place.read_text() == "other", "it is there as the other program left it"
    assert [row.name for row in shop.inbox.iterdir()] == ["a.txt"]
    assert shop.outcome() == "failed"
    assert shop.runs("C")[-1].status == "paused:transient"
    shop.pass_time(2 * MINUTE)
    if approve == "always":
        assert shop.asked().call["target"]["size"] == len("other")
        assert place.read_text() == "other"
        shop.say_yes()
    assert shop.outcome() == "applied"


@pytest.mark.parametrize("approve", ["first", "always"])
def test_a_standing_yes_is_given_for_the_folder_that_was_shown_alone(shop: FolderShop, approve: str) -> None:
    """The card shows one folder; the connection leads to another one before the user says "always"."""
    (shop.inbox / "old.txt").write_text("a")
    elsewhere = shop.folder / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "old.txt").write_text("b")
    shop.begin("delete", approve, path="old.txt")
    card = shop.asked()
    shop.house.connect("files:inbox", {"path": str(elsewhere)})
    shop.answering.approve(card.id, always=approve == "always")
    shop.tick()
    assert (elsewhere / "old.txt").exists() and (shop.inbox / "old.txt").exists()
    assert shop.asked().id != card.id
