"""The same trouble is one line in the log, with how often it came."""

import logging
from pathlib import Path

from app.keeping.logbook import keep_log
from app.keeping.repeats import Repeats

log = logging.getLogger("app.test_repeats")


def record(text: str, level: int = logging.ERROR, error: Exception | None = None) -> logging.LogRecord:
    facts = None if error is None else (type(error), error, None)
    return logging.LogRecord("app", level, "", 0, text, None, facts)


def test_repeats_are_left_out_and_counted() -> None:
    now = [1_000.0]
    repeats = Repeats(lambda: now[0])
    assert repeats.pass_on(record("It failed"))
    for _ in range(412):
        assert not repeats.pass_on(record("It failed"))
    now[0] += 60
    again = record("It failed")
    assert repeats.pass_on(again)
    assert again.getMessage() == "It failed (412 more times in the last minute)"


def test_another_message_another_error_and_what_is_no_trouble_are_written() -> None:
    repeats = Repeats(lambda: 1_000.0)
    assert repeats.pass_on(record("It failed", error=ValueError("a")))
    assert repeats.pass_on(record("It failed", error=ValueError("b")))
    assert repeats.pass_on(record("Something else"))
    assert all(repeats.pass_on(record("It starts", logging.INFO)) for _ in range(3))


def test_what_is_remembered_is_bounded() -> None:
    repeats = Repeats(lambda: 1_000.0)
    for number in range(500):
        repeats.pass_on(record(f"It failed {number}"))
    assert len(repeats._known) <= 100


def test_a_loop_of_errors_does_not_rotate_the_log_away(tmp_path: Path) -> None:
    with keep_log(tmp_path, size=2_000) as path:
        log.info("The first line")
        for _ in range(1_000):
            log.error("The disk could not be read")
    written = path.read_text()
    assert "The first line" in written
    assert written.count("The disk could not be read") == 2
    assert "The disk could not be read (999 more times)" in written
