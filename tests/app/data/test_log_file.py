"""The app's own log: in the data folder, private, limited in size, with repeats throttled."""

import logging
import stat
import sys
from pathlib import Path

import pytest

from app.data.log_file import RepeatFilter, log_path, open_log


def test_messages_are_written_with_their_traceback(tmp_path: Path) -> None:
    with open_log(tmp_path) as path:
        try:
            raise ValueError("by accident")
        except ValueError:
            logging.getLogger("app.window").exception("It did not work")
        logging.getLogger("scheduler.engine").info("All is well")
    text = path.read_text(encoding="utf-8")
    assert "It did not work" in text and "ValueError: by accident" in text and "All is well" in text


def test_only_the_user_can_read_it(tmp_path: Path) -> None:
    with open_log(tmp_path) as path:
        logging.getLogger("app").info("One")
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_it_is_rotated_and_the_oldest_file_deleted(tmp_path: Path) -> None:
    with open_log(tmp_path, max_bytes=2_000) as path:
        for number in range(500):
            logging.getLogger("app").info("Line %s %s", number, "x" * 50)
    kept = sorted(one.name for one in path.parent.glob("dayhand.log*"))
    assert kept == ["dayhand.log", *(f"dayhand.log.{number}" for number in range(1, 5))]
    assert sum((path.parent / name).stat().st_size for name in kept) <= 5 * 2_000
    assert "Line 499" in path.read_text(encoding="utf-8")


def test_only_warnings_of_libraries_are_logged(tmp_path: Path) -> None:
    with open_log(tmp_path) as path:
        logging.getLogger("jeepney.io").info("GET /secret?token=1")
        logging.getLogger("jeepney").warning("It retries")
    text = path.read_text(encoding="utf-8")
    assert "token" not in text and "It retries" in text


def test_a_long_message_is_cut(tmp_path: Path) -> None:
    with open_log(tmp_path) as path:
        logging.getLogger("app").info("y" * 100_000)
    assert path.stat().st_size < 3_000


def test_logging_is_restored_afterwards(tmp_path: Path) -> None:
    root = logging.getLogger()
    before = (root.level, list(root.handlers), sys.excepthook)
    with open_log(tmp_path):
        assert root.handlers != before[1]
    assert (root.level, list(root.handlers), sys.excepthook) == before


def test_a_full_disk_loses_only_the_log(tmp_path: Path) -> None:
    """What needs the disk reports it; logging does not raise."""
    path = log_path(tmp_path)
    path.parent.mkdir()
    path.symlink_to("/dev/full")
    with open_log(tmp_path):
        logging.getLogger("app").warning("There is no room.")


def test_an_unwritable_folder_loses_only_the_log(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "logs").touch()
    with open_log(tmp_path):
        logging.getLogger("app").warning("It continues")
    error = capsys.readouterr().err
    assert "could not be opened" in error and "It continues" in error
    assert log_path(tmp_path).parent.is_file()


log = logging.getLogger("app.test_repeats")


def record(text: str, level: int = logging.ERROR, error: Exception | None = None) -> logging.LogRecord:
    exc_info = None if error is None else (type(error), error, None)
    return logging.LogRecord("app", level, "", 0, text, None, exc_info)


def test_repeats_are_dropped_and_counted() -> None:
    now = [1_000.0]
    repeats = RepeatFilter(lambda: now[0])
    assert repeats.should_write(record("It failed"))
    for _ in range(412):
        assert not repeats.should_write(record("It failed"))
    now[0] += 60
    again = record("It failed")
    assert repeats.should_write(again)
    assert again.getMessage() == "It failed (412 more times in the last minute)"


def test_other_messages_errors_and_levels_are_written() -> None:
    repeats = RepeatFilter(lambda: 1_000.0)
    assert repeats.should_write(record("It failed", error=ValueError("a")))
    assert repeats.should_write(record("It failed", error=ValueError("b")))
    assert repeats.should_write(record("Something else"))
    assert all(repeats.should_write(record("It starts", logging.INFO)) for _ in range(3))


def test_the_number_of_remembered_warnings_is_limited() -> None:
    repeats = RepeatFilter(lambda: 1_000.0)
    for number in range(500):
        repeats.should_write(record(f"It failed {number}"))
    assert len(repeats._known) <= 100


def test_a_loop_of_errors_does_not_rotate_the_log_away(tmp_path: Path) -> None:
    with open_log(tmp_path, max_bytes=2_000) as path:
        log.info("The first line")
        for _ in range(1_000):
            log.error("The disk could not be read")
    written = path.read_text()
    assert "The first line" in written
    assert written.count("The disk could not be read") == 2
    assert "The disk could not be read (999 more times)" in written
