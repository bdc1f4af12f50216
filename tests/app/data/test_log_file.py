"""The app's own log: in the data folder, for its person only, never without bound."""

import logging
import stat
import sys
from pathlib import Path

import pytest

from app.keeping.logbook import keep_log, log_file


def test_what_the_app_tells_is_written_with_its_traceback(tmp_path: Path) -> None:
    with keep_log(tmp_path) as path:
        try:
            raise ValueError("by accident")
        except ValueError:
            logging.getLogger("app.window").exception("It did not work")
        logging.getLogger("scheduler.engine").info("All is well")
    text = path.read_text(encoding="utf-8")
    assert "It did not work" in text and "ValueError: by accident" in text and "All is well" in text


def test_only_its_person_can_read_it(tmp_path: Path) -> None:
    with keep_log(tmp_path) as path:
        logging.getLogger("app").info("One")
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_it_is_turned_over_and_the_oldest_goes(tmp_path: Path) -> None:
    with keep_log(tmp_path, size=2_000) as path:
        for number in range(500):
            logging.getLogger("app").info("Line %s %s", number, "x" * 50)
    kept = sorted(one.name for one in path.parent.glob("dayhand.log*"))
    assert kept == ["dayhand.log", *(f"dayhand.log.{number}" for number in range(1, 5))]
    assert sum((path.parent / name).stat().st_size for name in kept) <= 5 * 2_000
    assert "Line 499" in path.read_text(encoding="utf-8")


def test_the_chatter_of_libraries_is_left_out_and_their_warnings_are_kept(tmp_path: Path) -> None:
    with keep_log(tmp_path) as path:
        logging.getLogger("jeepney.io").info("GET /secret?token=1")
        logging.getLogger("jeepney").warning("It retries")
    text = path.read_text(encoding="utf-8")
    assert "token" not in text and "It retries" in text


def test_a_message_without_end_is_cut(tmp_path: Path) -> None:
    with keep_log(tmp_path) as path:
        logging.getLogger("app").info("y" * 100_000)
    assert path.stat().st_size < 3_000


def test_afterwards_everything_is_as_it_was(tmp_path: Path) -> None:
    root = logging.getLogger()
    before = (root.level, list(root.handlers), sys.excepthook)
    with keep_log(tmp_path):
        assert root.handlers != before[1]
    assert (root.level, list(root.handlers), sys.excepthook) == before


def test_a_full_disk_costs_only_the_log(tmp_path: Path) -> None:
    """Whoever ends because of it says so; the log does not stand in the way."""
    path = log_file(tmp_path)
    path.parent.mkdir()
    path.symlink_to("/dev/full")
    with keep_log(tmp_path):
        logging.getLogger("app").warning("There is no room.")


def test_a_folder_that_cannot_be_written_to_costs_only_the_log(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "logs").touch()
    with keep_log(tmp_path):
        logging.getLogger("app").warning("It goes on")
    said = capsys.readouterr().err
    assert "No log is kept" in said and "It goes on" in said
    assert log_file(tmp_path).parent.is_file()
