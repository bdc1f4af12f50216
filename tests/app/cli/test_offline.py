"""Without a running app: commands that read or deploy work on the store, the others say how to start the app."""

import json
import re
import shlex
import subprocess
import sys
import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from app.cli.formatting import format_status
from scheduler.rules.hold_up import describe_hold_up
from scheduler.rules.phases import RunStatus
from scheduler.rules.requests import Block
from scheduler.store import occurrences
from scheduler.store.lock import hold
from scheduler.store.occurrences import OccurrenceRow
from scheduler.store.opening import close_store, open_for_reading, open_store
from scheduler.timing.occurrences import OccurrenceOrigin, OccurrenceReason, OccurrenceState
from tests.app.cli.live_cli import ASKING, CommandLine, job

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
NEED_APP = [
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


def test_a_deployed_script_is_listed(cli: CommandLine) -> None:
    answer = cli.deploy(job())
    assert (answer["workflow"], answer["version"], answer["warnings"]) == ("backup", 1, [])
    [schedule] = answer["schedules"]
    assert (schedule["handler"], schedule["words"]) == ("work", "Daily at 03:00")
    [view] = cli.run_json("list")["workflows"]
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
def test_commands_that_only_read_work(cli: CommandLine, words: tuple[str, ...]) -> None:
    cli.deploy(job())
    assert isinstance(cli.run_json(*words), dict)
    assert cli.run_text(*words)


def test_the_list_ends_with_what_does_nothing(cli: CommandLine) -> None:
    cli.deploy(job(), "--paused")
    cli.deploy(job().replace("Backup", "Digest"), name="digest.py")
    assert [line.split()[0] for line in cli.run_text("list").splitlines()] == ["WORKFLOW", "Digest", "Backup"]


@pytest.mark.parametrize("words", NEED_APP, ids=" ".join)
def test_commands_that_need_the_app_say_how_to_start_it(cli: CommandLine, words: tuple[str, ...]) -> None:
    cli.deploy(job())
    code, sentence = cli.run_refused(*words)
    assert code == "not running"
    assert f"dayhand --data-dir {shlex.quote(str(cli.folder))} --headless" in sentence


def test_queued_runs_are_found_by_their_status(cli: CommandLine) -> None:
    """The first run of the producer is queued until an app starts it."""
    cli.deploy(ASKING)
    [queued] = cli.run_json("history", "--status", "queued")["occurrences"]
    assert (queued["workflow"], queued["handler"], queued["state"]) == ("receipts", "poll", "queued")
    assert cli.run_json("history")["occurrences"] == [], "it is not history yet"


@pytest.mark.parametrize("status", sorted({format_status(one) for one in (*RunStatus, *OccurrenceState)}))
def test_every_status_that_the_table_shows_is_accepted(cli: CommandLine, status: str) -> None:
    cli.deploy(job())
    assert cli.run_json("history", "--status", status)["runs"] == []


def test_the_history_of_one_day_is_shown_by_its_name(cli: CommandLine) -> None:
    cli.deploy(ASKING)
    queued = ("history", "--status", "queued")
    today = datetime.now().astimezone()
    for day in ("today", f"{today:%Y-%m-%d}", f"{today:%A}"):
        assert len(cli.run_json(*queued, "--on", day)["occurrences"]) == 1
    assert cli.run_json(*queued, "--on", "yesterday")["occurrences"] == []
    assert cli.run_refused(*queued, "--on", "mon 09:00")[1].startswith("on: 'mon 09:00' is not a day")
    assert cli.run_refused(*queued, "--on", "monday", "--since", "2d")[0] == "on"


def test_a_log_is_not_followed_without_an_app(cli: CommandLine) -> None:
    """The first run of the producer is queued until an app starts it."""
    cli.deploy(ASKING)
    database = open_for_reading(cli.folder)
    [first] = occurrences.list_queued(database.read())
    database.close()
    assert cli.run_text("logs", first.key[:16]) == "It printed nothing.\n"
    assert cli.run_refused("logs", first.key[:16], "--follow")[0] == "not running"


def test_a_check_stores_nothing(cli: CommandLine) -> None:
    checked = cli.deploy(job(), "--check")
    assert (checked["checked"], checked["version"], checked["warnings"]) == (True, None, [])
    [schedule] = checked["schedules"]
    assert (schedule["handler"], schedule["words"]) == ("work", "Daily at 03:00")
    assert schedule["next"].endswith("T03:00:00Z"), "when it would run"
    assert cli.run_json("list") == {"workflows": []}
    assert "no workflows yet" in cli.run_text("list")


def test_an_invalid_script_is_refused_with_file_and_line(cli: CommandLine) -> None:
    path = cli.folder.parent / "bad.py"
    path.write_text(job().replace("0 3 * * *", "99 3 * * *"))
    code, sentence = cli.run_refused("deploy", str(path))
    assert code == "not valid"
    assert sentence.startswith("bad.py, line 5: ")


def test_several_errors_are_printed_on_separate_lines(cli: CommandLine) -> None:
    path = cli.folder.parent / "bad.py"
    path.write_text(ASKING.replace('"append"', '"burn"').replace('every="1h"', 'cron="99 3 * * *"'))
    code, out, err = cli.run("deploy", str(path), "--json")
    assert code == 1
    assert len(err.splitlines()) == len(json.loads(out)["error"]["message"].splitlines()) == 2


@pytest.mark.parametrize("content", [None, b"\xff\xfe", b"x" * 5_000_000], ids=["missing", "no text", "huge"])
def test_a_file_that_is_not_a_script_is_refused(cli: CommandLine, content: bytes | None) -> None:
    path = cli.folder.parent / "odd.py"
    if content is not None:
        path.write_bytes(content)
    assert cli.run_refused("deploy", str(path))[0] == "file"


def test_connect_grant_revoke_and_disconnect_work(cli: CommandLine) -> None:
    warnings = cli.deploy(ASKING)["warnings"]
    assert any("dayhand connect table:expenses" in warning for warning in warnings)
    assert any("dayhand grant receipts table:expenses append" in warning for warning in warnings)
    answer = cli.run_json("connect", "table:expenses", "--path", "expenses.csv")
    assert answer["connection"] == "table:expenses"
    [one] = cli.run_json("connections")["connections"]
    assert one["settings"]["path"] == str(Path("expenses.csv").absolute()), "relative to the working directory"
    assert cli.run_json("grant", "receipts")["grants"] == [{"connection": "table:expenses", "tool": "append"}]
    assert cli.run_json("revoke", "receipts", "table:expenses", "append")["revoked"] == 1
    assert "may use append of table:expenses" in cli.run_text("grant", "receipts", "table:expenses")
    assert cli.run_json("disconnect", "table:expenses")["connection"] == "table:expenses"
    assert "not connected" in cli.run_text("connections")


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
def test_refusals_have_a_code_and_a_sentence(cli: CommandLine, words: tuple[str, ...], code: str) -> None:
    cli.deploy(job())
    assert cli.run_refused(*words)[0] == code


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
def test_wrong_usage_exits_with_2_and_one_line(cli: CommandLine, words: tuple[str, ...]) -> None:
    code, out, err = cli.run(*words)
    assert (code, out) == (2, "")
    assert err.count("\n") == 1 and not cli.folder.exists()


def test_without_a_store_reading_is_refused(cli: CommandLine) -> None:
    assert cli.run_refused("list")[0] == "store"
    assert not cli.folder.exists()


def test_two_writing_commands_wait_for_each_other(cli: CommandLine) -> None:
    """Writing without an app holds the folder's lock."""
    cli.deploy(job())
    held, release = threading.Event(), threading.Event()

    def hold_lock() -> None:
        with hold(cli.folder):
            held.set()
            release.wait(30)

    thread = threading.Thread(target=hold_lock)
    thread.start()
    held.wait(30)
    threading.Timer(0.3, release.set).start()
    assert cli.run_json("connect", "table:expenses", "--path", "/tmp/x.csv")["connection"] == "table:expenses"
    thread.join()


def test_a_reading_command_does_not_load_qt(cli: CommandLine) -> None:
    cli.deploy(job())
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "app.main", "list", "--json", "--data-dir", str(cli.folder)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(done.stdout)["workflows"][0]["name"] == "Backup"
    assert "PySide6" not in done.stderr


def test_statistics_say_what_became_of_every_planned_time(cli: CommandLine) -> None:
    """The numbers add up, and the delays and the times outside the window are labelled."""
    cli.deploy(job())
    now = datetime.now(tz=UTC).replace(microsecond=0)
    ends: list[tuple[OccurrenceState, OccurrenceReason | None]] = [
        (OccurrenceState.SUCCEEDED, None),
        (OccurrenceState.FAILED, OccurrenceReason.ERROR),
        (OccurrenceState.COALESCED, OccurrenceReason.HELD_UP),
        (OccurrenceState.COALESCED, OccurrenceReason.REPLACED),
        (OccurrenceState.SKIPPED, OccurrenceReason.BY_USER),
        (OccurrenceState.MISSED, OccurrenceReason.EXPIRED),
        (OccurrenceState.MISSED, OccurrenceReason.PASSED),
        (OccurrenceState.QUEUED, None),
    ]
    opened = open_store(cli.folder, now)
    with opened.database.write() as db:
        for number, (state, reason) in enumerate(ends):
            planned = now - timedelta(hours=number + 1)
            ran = state in (OccurrenceState.SUCCEEDED, OccurrenceState.FAILED)
            row = OccurrenceRow(
                key=f"{number:064}",
                schedule="backup/work",
                planned=planned,
                due=planned,
                created=planned,
                origin=OccurrenceOrigin.AUTOMATIC,
                state=state,
                reason=reason,
                began=planned + timedelta(seconds=5) if ran else None,
                ended=None if state is OccurrenceState.QUEUED else planned,
            )
            occurrences.insert(db, row)
    close_store(opened.database)
    times = cli.run_json("stats")["times"]
    assert times["due"] == 8
    assert (times["ran"], times["queued"], times["coalesced"], times["missed"], times["dropped"]) == (2, 1, 2, 2, 0)
    assert (times["held_up"], times["missed_outside_window"], times["skipped"]) == (1, 1, {"by person": 1})
    assert {one["label"]: one["runs"] for one in times["drift"] if one["runs"]} == {"≤ 10 s": 2}
    _, *lines = cli.run_text("stats").splitlines()
    assert [" ".join(line.split()) for line in lines[:9]] == [
        "Planned times: 8 due",
        "2 ran: 1 succeeded, 1 failed, 0 stopped, 0 not finished",
        "1 waiting to run",
        "2 replaced by a later run: 1 of them held up",
        "1 skipped",
        "2 missed: 1 of them older than the catch-up window",
        "All runs, including manual ones: 1 succeeded, 1 failed, 0 stopped",
        "Failed attempts that were retried: 0",
        "Start after the planned time: ≤ 10 s: 2",
    ]


def test_the_history_says_what_held_up_a_run(cli: CommandLine) -> None:
    """With the time in the zone of this computer."""
    cli.deploy(job())
    now = datetime.now(tz=UTC).replace(microsecond=0)
    opened = open_store(cli.folder, now)
    with opened.database.write() as db:
        row = OccurrenceRow(
            key="1" * 64,
            schedule="backup/work",
            planned=now,
            due=now,
            created=now,
            origin=OccurrenceOrigin.AUTOMATIC,
            state=OccurrenceState.COALESCED,
            reason=OccurrenceReason.HELD_UP,
            detail=describe_hold_up(Block.SCRIPT_ERROR, failed_at=now),
            ended=now,
        )
        occurrences.insert(db, row)
    close_store(opened.database)
    [one] = cli.run_json("history")["occurrences"]
    assert re.fullmatch(r"Held up: failed at \d\d:\d\d\.", one["sentence"])
    assert one["sentence"] in cli.run_text("history")
    [shown] = cli.run_json("schedule", "show", "backup/work")["recent"]
    assert shown["reason"] == one["sentence"]


def test_deploying_says_that_a_schedule_is_paused(cli: CommandLine) -> None:
    cli.deploy(job(), "--paused")
    deployed = cli.run_text("deploy", str(cli.folder.parent / "script.py"))
    assert "  work: Daily at 03:00" in deployed and ", paused\n" in deployed and "next" not in deployed
