"""Several files are moved all or none; after a kill in between, the checker finishes or undoes it."""

from pathlib import Path
from typing import Any

import pytest

from scheduler.connections.connector import Checked, ToolFailedError
from scheduler.connections.connectors.files import changes
from scheduler.rules.failures import FailureClass
from tests.connections.connectors.files.file_tools import check, identify, refused, use, use_on
from tests.connections.connectors.files.truth_table import snapshot

NAMES = ("a", "b", "c")
MOVES = [{"source": name, "target": f"sub/{name}"} for name in NAMES]


@pytest.fixture
def here(tmp_path: Path) -> Path:
    for name in NAMES:
        (tmp_path / name).write_text(name)
    return tmp_path


def move_some(here: Path, number: int) -> None:
    """As a killed process leaves it."""
    (here / "sub").mkdir()
    for name in NAMES[:number]:
        (here / name).rename(here / "sub" / name)


def test_all_files_are_moved(here: Path) -> None:
    assert use(here, "move_many", moves=MOVES) == {"paths": ["sub/a", "sub/b", "sub/c"]}
    assert snapshot(here, folders=False) == {"sub/a": "a", "sub/b": "b", "sub/c": "c"}


@pytest.mark.parametrize("what", ["a source is gone", "a target is taken"])
def test_a_change_before_the_approval_is_no_mistake_of_the_script(here: Path, what: str) -> None:
    """The script works the moves out again, instead of being reported as broken."""
    if what == "a source is gone":
        (here / "b").unlink()
    else:
        (here / "sub").mkdir()
        (here / "sub/b").write_text("theirs")
    before = snapshot(here)
    assert "so nothing was moved" in refused(here, FailureClass.TRANSIENT, "move_many", moves=MOVES)
    assert snapshot(here) == before


def test_a_target_taken_since_the_approval_leaves_everything_in_place(here: Path) -> None:
    approved = identify(here, "move_many", moves=MOVES)
    (here / "sub").mkdir()
    (here / "sub/c").write_text("theirs")
    before = snapshot(here)
    with pytest.raises(ToolFailedError, match="sub/c already exists") as error:
        use_on(approved, here, "move_many", moves=MOVES)
    assert error.value.failure.kind is FailureClass.TRANSIENT
    assert snapshot(here) == before


def intercept_last(monkeypatch: pytest.MonkeyPatch, act: Any) -> None:
    """Act just before the last file is renamed, as another program would."""
    real = changes.rename_to_new

    def rename(source: Path, target: Path) -> None:
        if source.name == "c" and target.name == "c" and not acted:
            acted.append(True)
            act()
        real(source, target)

    acted: list[bool] = []
    monkeypatch.setattr(changes, "rename_to_new", rename)


def test_a_target_taken_in_the_last_moment_moves_the_others_back(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    intercept_last(monkeypatch, lambda: (here / "sub/c").write_text("theirs"))
    assert "sub/c already exists" in refused(here, FailureClass.TRANSIENT, "move_many", moves=MOVES)
    assert snapshot(here, folders=False) == {"a": "a", "b": "b", "c": "c", "sub/c": "theirs"}


def test_a_file_replaced_in_the_last_moment_is_not_moved_and_the_others_go_back(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def replace() -> None:
        (here / "c").rename(here / "old")
        (here / "c").write_text("theirs")

    intercept_last(monkeypatch, replace)
    assert "changed or replaced" in refused(here, FailureClass.TRANSIENT, "move_many", moves=MOVES)
    assert snapshot(here) == {"a": "a", "b": "b", "c": "theirs", "old": "c"}


def test_a_name_taken_while_moving_back_is_reported_as_unclear(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def take() -> None:
        (here / "sub/c").write_text("theirs")
        (here / "a").write_text("theirs")

    intercept_last(monkeypatch, take)
    assert "could not be moved back" in refused(here, FailureClass.UNSURE, "move_many", moves=MOVES)
    assert (here / "a").read_text() == "theirs" and (here / "sub/a").read_text() == "a"


@pytest.mark.parametrize("number", [0, 1, 2, 3])
def test_the_checker_finishes_what_was_begun(here: Path, number: int) -> None:
    approved = identify(here, "move_many", moves=MOVES)
    move_some(here, number)
    checked = check(here, "move_many", approved, moves=MOVES)
    assert checked == (
        Checked(happened=True, result={"paths": [f"sub/{name}" for name in NAMES]})
        if number
        else Checked(happened=False)
    )
    assert snapshot(here, folders=False) == {(f"sub/{name}" if number else name): name for name in NAMES}
    assert check(here, "move_many", approved, moves=MOVES) == checked, "asking again changes nothing"


def test_the_checker_undoes_what_cannot_be_finished(here: Path) -> None:
    approved = identify(here, "move_many", moves=MOVES)
    move_some(here, 2)
    (here / "sub/c").write_text("theirs")
    assert check(here, "move_many", approved, moves=MOVES) == Checked(happened=False)
    assert snapshot(here, folders=False) == {"a": "a", "b": "b", "c": "c", "sub/c": "theirs"}


@pytest.mark.parametrize("now", ["gone", "changed"])
def test_the_checker_does_not_guess(here: Path, now: str) -> None:
    approved = identify(here, "move_many", moves=MOVES)
    move_some(here, 2)
    (here / "b").write_text("another") if now == "changed" else None
    (here / "sub/b").unlink()
    before = snapshot(here)
    with pytest.raises(ToolFailedError, match="neither at b nor at sub/b") as error:
        check(here, "move_many", approved, moves=MOVES)
    assert error.value.failure.kind is FailureClass.UNSURE
    assert snapshot(here) == before
