"""Schedules on the command line: listed, shown, changed, and started with an overlap policy."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from app.session import Session
from tests.app.cli.live_cli import ASKING, CommandLine, job

ROOT = Path(__file__).parents[3]
HOURLY = job().replace('cron="0 3 * * *", timezone="UTC"', 'every="1h"')
SLOW = job("import time\n    time.sleep(600)")


def edit(cli: CommandLine, *words: str) -> Any:
    return cli.run_json("schedule", "edit", "backup/work", *words)


def test_schedules_are_listed_with_their_times_next_time_and_state(cli: CommandLine) -> None:
    cli.deploy(job(), name="backup.py")
    cli.deploy(HOURLY.replace('"Backup"', '"Other"'), "--paused", name="other.py")
    first, second = cli.run_json("schedules")["schedules"]
    assert (first["schedule"], first["state"]) == ("backup/work", "active")
    assert first["words"].startswith("Daily at 03:00")
    assert first["next"].endswith("T03:00:00Z")
    assert (second["schedule"], second["state"], second["next"]) == ("other/work", "paused", None)
    heads, *rows = cli.run_text("schedules").splitlines()
    assert heads.split() == ["SCHEDULE", "STATE", "NEXT", "TIME", "TIMES"]
    assert [row.split()[:2] for row in rows] == [["backup/work", "Active"], ["other/work", "Paused"]]
    assert [one["schedule"] for one in cli.run_json("schedules", "Other")["schedules"]] == ["other/work"]
    code, sentence = cli.run_refused("schedules", "nothing")
    assert code == "unknown" and "There is no workflow nothing" in sentence


def test_a_schedule_is_shown_in_full(cli: CommandLine) -> None:
    cli.deploy(job().replace("cron=", 'overlap="buffer_all", limit=9, cron='))
    shown = cli.run_json("schedule", "show", "Backup/work")
    assert shown["version"] == 1
    assert shown["spec"] == {"timezone": "UTC", "cron": ["0 3 * * *"], "limit": 9}
    assert shown["policies"] == {"overlap": "buffer_all", "catchup": "one"}
    assert shown["own_policies"] == ["overlap"]
    assert len(shown["next"]) == 5 and shown["recent"] == []
    text = cli.run_text("schedule", "show", "backup")
    assert "backup/work: Daily at 03:00" in text
    assert "overlap         buffer_all\n" in text and "catchup         one (default)\n" in text
    assert "Active, version 1, a job" in text
    code, sentence = cli.run_refused("schedule", "show", "backup/other")
    assert code == "unknown" and "It has: work" in sentence


def test_the_last_times_are_shown_with_their_origin(cli: CommandLine, app: Session) -> None:
    cli.deploy(job())
    cli.run_json("run", "backup", "--wait")
    cli.run_json("backfill", "backup/work", "--from", "2026-01-01", "--until", "2026-01-02")
    cli.wait_for(lambda: len(cli.run_json("history")["runs"]) == 3)
    shown = cli.wait_for(
        lambda: (one := cli.run_json("schedule", "show", "backup/work"))["counters"]["succeeded"] == 3 and one
    )
    assert [one["origin"] for one in shown["recent"]] == ["manual", "backfill", "backfill"]
    assert all(one["state"] == "succeeded" for one in shown["recent"])
    text = cli.run_text("schedule", "show", "backup/work")
    assert text.count("  succeeded  ") == 3 and "Planned times: 0 due" in text, "none of them is a planned time"
    assert "All runs, including manual ones: 3 succeeded, 0 failed" in text


@pytest.mark.parametrize("is_running", [False, True])
def test_times_and_policies_are_edited_and_the_rest_stays(
    cli: CommandLine,
    request: pytest.FixtureRequest,
    is_running: bool,  # noqa: FBT001
) -> None:
    if is_running:
        request.getfixturevalue("app")
    cli.deploy(job().replace("cron=", 'limit=9, catchup="all", cron='))
    changed = edit(cli, "--every", "2h", "--anchor", "2026-11-01T08:00", "--overlap", "buffer_one")
    assert changed["version"] == 2
    assert changed["spec"] == {"timezone": "UTC", "every": "2h", "anchor": "2026-11-01T08:00:00Z", "limit": 9}
    assert changed["policies"] == {"overlap": "buffer_one", "catchup": "all"}
    changed = edit(cli, "--limit", "none", "--catchup", "default", "--catchup-window", "2h", "--jitter", "+30s")
    assert changed["spec"] == {"timezone": "UTC", "every": "2h", "anchor": "2026-11-01T08:00:00Z", "jitter": "+30s"}
    assert changed["policies"] == {"overlap": "buffer_one", "catchup": "one", "catchup_window": "2h"}
    assert changed["own_policies"] == ["overlap", "catchup_window"]
    weekdays = '{"hour": 9, "weekday": "mon-fri"}'
    changed = edit(
        cli, "--calendar", weekdays, "--calendar", '{"hour": 12, "weekday": "sat"}', "--timezone", "Europe/Berlin"
    )
    assert changed["words"].startswith("Weekdays at 09:00; and Saturdays at 12:00")
    changed = edit(cli, "--exclude", "2026-12-25", "--exclude", "2026-12-26/2026-12-31", "--end-at", "2027-12-31")
    assert changed["spec"]["exclude"] == ["2026-12-25", "2026-12-26/2026-12-31"]
    assert changed["spec"]["end_at"] == "2027-12-31T22:59:59Z"
    changed = edit(cli, "--exclude", "none", "--end-at", "none", "--cron", "0 9 * * *; 0 18 * * *")
    assert changed["spec"] == {"timezone": "Europe/Berlin", "cron": ["0 9 * * *", "0 18 * * *"], "jitter": "+30s"}
    assert "changed: Daily at 12:00" in cli.run_text("schedule", "edit", "backup/work", "--cron", "0 12 * * *")


def test_an_edit_that_is_not_valid_changes_nothing(cli: CommandLine) -> None:
    cli.deploy(ASKING.replace("approve", "timeout='5m', approve"), name="receipts.py")
    for words, expected in (
        (("--every", "5s"), "every: 5s is too often"),
        (("--every", "2h", "--cron", "0 9 * * *"), "give exactly one of every, cron, calendar or once"),
        (("--cron", "0 0 30 2 *"), "names a date that does not exist"),
        (("--timezone", "Mars/Base"), "there is no time zone"),
        (("--overlap", "sometimes"), "choose one of skip, buffer_one"),
        (("--overlap", "allow_all"), "allow_all is only for jobs; a producer keeps state"),
        (("--start-at", "soon"), "start_at: 'soon' is not a time; write for example"),
    ):
        _, sentence = cli.run_refused("schedule", "edit", "receipts/poll", *words)
        assert expected in sentence
    assert cli.run_json("schedule", "show", "receipts/poll")["version"] == 1
    assert cli.run("schedule", "edit", "receipts/poll")[0] == 2
    assert cli.run("schedule", "show", "receipts/poll", "--every", "2h")[0] == 2


def race(folder: Path) -> list[tuple[int, Any]]:
    """Two processes change the same version at the same time; exit code and JSON of each."""
    command = [sys.executable, "-m", "app.main", "schedule", "edit", "backup/work", "--if-version", "1", "--json"]
    processes = [
        subprocess.Popen(
            [*command, "--every", every, "--data-dir", str(folder)], cwd=ROOT, stdout=subprocess.PIPE, text=True
        )
        for every in ("2h", "3h")
    ]
    return [(one.returncode, json.loads(out)) for one in processes for out, _ in [one.communicate(timeout=120)]]


@pytest.mark.parametrize("is_running", [False, True])
def test_of_two_edits_of_one_version_one_wins_and_the_other_sees_both_versions(
    cli: CommandLine,
    request: pytest.FixtureRequest,
    is_running: bool,  # noqa: FBT001
) -> None:
    if is_running:
        request.getfixturevalue("app")
    cli.deploy(HOURLY)
    (_, won), (code, lost) = sorted(race(cli.folder), key=lambda one: one[0])
    assert (won["version"], code, lost["error"]["code"]) == (2, 1, "stale")
    now = won["words"]
    assert lost["error"]["message"] == (
        "backup/work has changed: you have version 1, the current one is 2. "
        f"Now: {now}; overlap skip; catchup one. Refresh and try again."
    )
    assert cli.run_json("schedule", "show", "backup/work")["spec"]["every"] == won["spec"]["every"]


def test_a_run_can_be_started_with_an_overlap_policy(cli: CommandLine, app: Session) -> None:
    cli.deploy(SLOW)
    first = cli.run_json("run", "backup")["runs"]
    cli.wait_for(lambda: cli.run_json("list", "--state", "running")["workflows"])
    code, sentence = cli.run_refused("run", "backup", "--overlap", "skip")
    assert code == "busy" and "--when-finished" in sentence
    waiting = cli.run_json("run", "backup/work", "--overlap", "buffer_all")
    assert waiting["waits"]
    assert "waiting for what runs now" in cli.run_text("run", "backup", "--when-finished")
    beside = cli.run_json("run", "backup", "--overlap", "allow_all")
    assert not beside["waits"]
    cli.wait_for(lambda: {*first, *beside["runs"]} <= {one["id"] for one in cli.run_json("history")["runs"]})
    assert not {*waiting["runs"]} & {one["id"] for one in cli.run_json("history")["runs"]}
    assert cli.run("run", "backup", "--overlap", "skip", "--when-finished")[0] == 2
    assert cli.run("run", "backup", "--overlap", "never")[0] == 2


def test_a_scheduled_run_is_stopped_for_a_run_with_cancel_other(cli: CommandLine, app: Session) -> None:
    cli.deploy(SLOW)
    cli.run_json("schedule", "edit", "backup/work", "--once", "2s")
    [scheduled] = cli.wait_for(lambda: cli.run_json("history", "--status", "active")["runs"])
    started = cli.run_json("run", "backup", "--overlap", "cancel_other")["runs"]
    cli.wait_for(lambda: cli.run_json("runs", "show", scheduled["id"])["status"] == "cancelled")
    cli.wait_for(lambda: [one["id"] for one in cli.run_json("history", "--status", "active")["runs"]] == started)


def test_only_jobs_run_in_parallel(cli: CommandLine, app: Session) -> None:
    cli.deploy(ASKING, name="receipts.py")
    _, sentence = cli.run_refused("run", "receipts", "--overlap", "allow_all")
    assert sentence == "overlap: allow_all is only for jobs; a producer keeps state that two runs would overwrite."


def test_several_ranges_are_backfilled_at_once(cli: CommandLine, app: Session) -> None:
    cli.deploy(job())
    ranges = ("--from", "2026-01-01", "--to", "2026-01-02", "--from", "2026-02-01", "--until", "2026-02-03")
    [answer] = cli.run_json("backfill", "backup/work", *ranges)["schedules"]
    assert answer["total"] == 5
    cli.wait_for(lambda: len(cli.run_json("history", "--limit", "10")["runs"]) == 5)
    planned = sorted(one["planned"] for one in cli.run_json("schedule", "show", "backup")["recent"])
    assert [at[:10] for at in planned] == ["2026-01-01", "2026-01-02", "2026-02-01", "2026-02-02", "2026-02-03"]
    assert cli.run("backfill", "backup", "--from", "2026-01-01")[0] == 2
    assert cli.run("backfill", "backup", "--from", "2026-01-01", "--to", "2026-01-02", "--cancel")[0] == 2


def test_next_and_stats_take_one_handler(cli: CommandLine, app: Session) -> None:
    two = job() + '\n@flow.job(cron="0 5 * * *", timezone="UTC")\ndef later(ctx):\n    pass\n'
    cli.deploy(two)
    assert {one["handler"] for one in cli.run_json("next", "backup")["next"]} == {"work", "later"}
    assert {one["handler"] for one in cli.run_json("next", "backup/later")["next"]} == {"later"}
    [after] = cli.run_json("next", "backup/later", "--after", "2027-01-01", "--count", "1")["next"]
    assert after["at"] == "2027-01-01T05:00:00Z"
    cli.run_json("run", "backup/later", "--wait")
    assert [one["runs"] for one in cli.run_json("stats", "backup/later")["workflows"]] == [1]
    assert cli.run_json("stats", "backup/work")["workflows"] == []
    for verb in ("next", "stats"):
        code, sentence = cli.run_refused(verb, "backup/nothing")
        assert code == "unknown" and "nothing" in sentence


def test_times_before_a_later_time_use_up_the_limit(cli: CommandLine) -> None:
    cli.deploy(HOURLY.replace('every="1h"', 'cron="0 3 1 * *", timezone="UTC", limit=4, start_at="2027-01-01"'))
    found = cli.run_json("next", "backup", "--after", "2027-02-15")["next"]
    assert [one["at"] for one in found] == ["2027-03-01T03:00:00Z", "2027-04-01T03:00:00Z"]
    assert cli.run_json("next", "backup", "--after", "2027-05-01")["next"] == []


def test_times_in_words_are_read_wherever_a_time_is_asked_for(cli: CommandLine, app: Session) -> None:
    cli.deploy(job())
    cli.run_json("run", "backup", "--wait")
    assert len(cli.run_json("history", "--since", "today", "--until", "today")["runs"]) == 1
    assert cli.run_json("history", "--until", "yesterday")["runs"] == []
    assert len(cli.run_json("history", "--since", "2h")["runs"]) == 1
    assert cli.run_json("stats", "--since", "mon")["runs"] == {"committed": 1}
    assert cli.run_json("backfill", "backup", "--from", "3d", "--to", "yesterday")["schedules"][0]["total"] in (2, 3)
    cli.run_json("pause", "backup", "--until", "tomorrow 09:00")
    _, sentence = cli.run_refused("history", "--since", "soon")
    assert sentence == (
        "since: 'soon' is not a time; write for example "
        "2026-11-20T09:00, 2026-11-20, yesterday, tomorrow 18:00, mon 09:00, 14:00 or 2d."
    )


def test_a_catchup_window_of_none_says_what_to_write(cli: CommandLine) -> None:
    code, _, err = cli.run("schedule", "edit", "backup/work", "--catchup-window", "none")
    assert code == 2 and "--catchup-window default" in err and "--catchup none" in err
