"""Without an app that runs: what only reads or deploys works on the store, the rest says how to start one."""

import json
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from scheduler.store import occurrences
from scheduler.store.health import open_for_reading
from scheduler.store.lock import hold
from tests.app.verbs.served import ASKING, Line, job

READING = [
    ("list",),
    ("show", "backup"),
    ("next",),
    ("history",),
    ("stats",),
    ("attention",),
    ("versions", "backup"),
    ("connections",),
]
NEEDING_AN_APP = [
    ("run", "backup"),
    ("run", "backup", "--wait"),
    ("stop", "backup"),
    ("pause", "backup"),
    ("pause", "--all"),
    ("resume", "backup"),
    ("skip-next", "backup"),
    ("backfill", "backup", "--from", "2026-01-01", "--until", "2026-01-02"),
    ("backfill", "backup", "--cancel"),
    ("publish", "backup", "topic", "--id", "1"),
    ("skip-event", "backup", "topic", "--id", "1"),
    ("resolve", "abcd", "happened"),
    ("retry", "backup"),
    ("rollback", "backup"),
    ("archive", "backup"),
    ("remove", "backup"),
    ("watch", "backup"),
    ("quit",),
]


def test_a_script_is_deployed_and_seen(line: Line) -> None:
    answer = line.deploy(job())
    assert (answer["workflow"], answer["version"], answer["warnings"]) == ("backup", 1, [])
    [schedule] = answer["schedules"]
    assert (schedule["handler"], schedule["words"]) == ("work", "Daily at 03:00")
    [view] = line.ask("list")["workflows"]
    assert {key: view[key] for key in ("name", "state", "words", "attention", "tags", "version")} == {
        "name": "Backup",
        "state": "idle",
        "words": "Daily at 03:00",
        "attention": 0,
        "tags": [],
        "version": 1,
    }
    assert view["next"].endswith("T03:00:00Z")


@pytest.mark.parametrize("words", READING, ids=" ".join)
def test_what_only_reads_works(line: Line, words: tuple[str, ...]) -> None:
    line.deploy(job())
    assert isinstance(line.ask(*words), dict)
    assert line.read(*words)


@pytest.mark.parametrize("words", NEEDING_AN_APP, ids=" ".join)
def test_what_needs_the_app_says_how_to_start_it(line: Line, words: tuple[str, ...]) -> None:
    line.deploy(job())
    code, sentence = line.refuse(*words)
    assert code == "not running"
    assert "dayhand --headless" in sentence


def test_a_log_that_nobody_will_write_is_not_waited_for(line: Line) -> None:
    """The first look of a producer waits for an app that starts it."""
    line.deploy(ASKING)
    database = open_for_reading(line.folder)
    [first] = occurrences.queued(database.read())
    database.close()
    assert line.read("logs", first.key[:16]) == "It printed nothing.\n"
    assert line.refuse("logs", first.key[:16], "--follow")[0] == "not running"


def test_checking_stores_nothing(line: Line) -> None:
    checked = line.deploy(job(), "--check")
    assert (checked["checked"], checked["version"], checked["warnings"]) == (True, None, [])
    [schedule] = checked["schedules"]
    assert (schedule["handler"], schedule["words"]) == ("work", "Daily at 03:00")
    assert schedule["next"].endswith("T03:00:00Z"), "when it would run"
    assert line.ask("list") == {"workflows": []}
    assert "no workflow here" in line.read("list")


def test_a_script_that_cannot_work_is_refused_with_the_place(line: Line) -> None:
    path = line.folder.parent / "bad.py"
    path.write_text(job().replace("0 3 * * *", "99 3 * * *"))
    code, sentence = line.refuse("deploy", str(path))
    assert code == "not valid"
    assert sentence.startswith("bad.py, line 5: ")


def test_several_mistakes_are_several_lines(line: Line) -> None:
    path = line.folder.parent / "bad.py"
    path.write_text(ASKING.replace('"append"', '"burn"').replace('every="1h"', 'cron="99 3 * * *"'))
    code, out, err = line.type("deploy", str(path), "--json")
    assert code == 1
    assert len(err.splitlines()) == len(json.loads(out)["error"]["message"].splitlines()) == 2


@pytest.mark.parametrize("content", [None, b"\xff\xfe", b"x" * 5_000_000], ids=["missing", "no text", "huge"])
def test_a_file_that_is_no_script_gets_a_sentence(line: Line, content: bytes | None) -> None:
    path = line.folder.parent / "odd.py"
    if content is not None:
        path.write_bytes(content)
    assert line.refuse("deploy", str(path))[0] == "file"


def test_connecting_granting_and_taking_back(line: Line) -> None:
    warnings = line.deploy(ASKING)["warnings"]
    assert any("dayhand connect table:expenses" in warning for warning in warnings)
    assert any("dayhand grant receipts table:expenses append" in warning for warning in warnings)
    answer = line.ask("connect", "table:expenses", "--path", "expenses.csv")
    assert answer["connection"] == "table:expenses"
    [one] = line.ask("connections")["connections"]
    assert one["settings"]["path"] == str(Path("expenses.csv").absolute()), "from where the person is"
    assert line.ask("grant", "receipts")["grants"] == [{"connection": "table:expenses", "tool": "append"}]
    assert line.ask("revoke", "receipts", "table:expenses", "append")["revoked"] == 1
    assert "may use append of table:expenses" in line.read("grant", "receipts", "table:expenses")
    assert line.ask("disconnect", "table:expenses")["connection"] == "table:expenses"
    assert "not connected" in line.read("connections")


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("connect", "table:expenses"), "connection"),
        (("connect", "nonsense"), "connection"),
        (("connect", "table:expenses", "--path", "/x.csv", "--colour", "red"), "connection"),
        (("show", "nobody"), "unknown"),
        (("runs", "show", "abcd"), "unknown"),
        (("logs", "abcd"), "unknown"),
        (("list", "--state", "splendid"), "state"),
        (("history", "--status", "splendid"), "status"),
        (("history", "--since", "yesterday-ish"), "since"),
        (("diff", "backup"), "only version"),
        (("approve", "abcd"), "unknown"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else value,
)
def test_refusals_have_a_code_and_a_sentence(line: Line, words: tuple[str, ...], code: str) -> None:
    line.deploy(job())
    assert line.refuse(*words)[0] == code


@pytest.mark.parametrize(
    "words",
    [
        ("show",),
        ("runs", "hide", "x"),
        ("resolve", "x", "perhaps"),
        ("pause",),
        ("pause", "backup", "--all"),
        ("publish", "a", "b"),
        ("publish", "a", "b", "--id", "1", "--data", "{"),
        ("publish", "a", "b", "--id", "1", "--data", "NaN"),
        ("next", "--count", "many"),
        ("backfill", "backup"),
        ("backfill", "backup", "--cancel", "--from", "2026-01-01"),
        ("connect", "table:x", "--set", "path"),
        ("list", "--colour"),
    ],
    ids=" ".join,
)
def test_bad_usage_is_2_with_one_sentence(line: Line, words: tuple[str, ...]) -> None:
    code, out, err = line.type(*words)
    assert (code, out) == (2, "")
    assert err.count("\n") == 1 and not line.folder.exists()


def test_without_a_store_a_reader_is_told_so(line: Line) -> None:
    assert line.refuse("list")[0] == "store"
    assert not line.folder.exists()


def test_two_commands_that_write_wait_for_each_other(line: Line) -> None:
    """Direct writes hold the folder's lock."""
    line.deploy(job())
    held, let_go = threading.Event(), threading.Event()

    def keep() -> None:
        with hold(line.folder):
            held.set()
            let_go.wait(30)

    thread = threading.Thread(target=keep)
    thread.start()
    held.wait(30)
    threading.Timer(0.3, let_go.set).start()
    assert line.ask("connect", "table:expenses", "--path", "/tmp/x.csv")["connection"] == "table:expenses"
    thread.join()


def test_the_real_command_reads_without_qt(line: Line) -> None:
    line.deploy(job())
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "app.main", "list", "--json", "--data-dir", str(line.folder)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(done.stdout)["workflows"][0]["name"] == "Backup"
    assert "PySide6" not in done.stderr
