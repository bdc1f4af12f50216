"""`dayhand log` while the app runs and after it quit."""

import json
from datetime import UTC, datetime

import pytest

from app.cli.log import _format_decision, _format_lateness
from app.data.log_file import open_log
from tests.app.cli.live_cli import CommandLine, job, running_session


def read(cli: CommandLine, *words: str) -> list[dict[str, object]]:
    code, out, err = cli.run("log", *words, "--json")
    assert (code, err) == (0, "")
    return [json.loads(line) for line in out.splitlines()]


def test_what_the_running_app_decided_can_be_read_then_and_later(cli: CommandLine) -> None:
    with open_log(cli.folder), running_session(cli.folder):
        cli.deploy(job("print('a secret: hunter2')"))
        cli.run_json("run", "backup", "--wait")
        running = read(cli, "--schedule", "backup/work")
    assert [(one["decision"], one["origin"]) for one in running] == [("queued", "manual"), ("started", "manual")]
    assert read(cli, "--schedule", "Backup") == running
    assert "hunter2" not in json.dumps(read(cli))
    assert " late" not in cli.run_text("log", "--schedule", "backup/work"), "the user chose when it runs"


def test_the_log_is_read_since_a_time_as_users_type_it(cli: CommandLine) -> None:
    with open_log(cli.folder), running_session(cli.folder):
        cli.deploy(job())
        cli.run_json("run", "backup", "--wait")
    assert len(read(cli, "--decisions", "--since", "1h")) == len(read(cli, "--decisions", "--since", "yesterday")) == 2
    assert read(cli, "--since", "in 1h") == []
    code, _, err = cli.run("log", "--since", "soon")
    assert code == 2 and "'soon' is not a time; write for example" in err


def test_a_schedule_that_does_not_exist_is_an_error(cli: CommandLine) -> None:
    with open_log(cli.folder), running_session(cli.folder):
        cli.deploy(job())
    assert cli.run_text("log", "--schedule", "backup/work") == "No entries.\n"
    for words in (("--schedule", "nope"), ("--schedule", "backup/nope")):
        code, out, err = cli.run("log", *words)
        assert (code, out) == (1, "") and "nope" in err


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(0.01, ""), (0.3, ", 0.3 s late"), (90, ", 90.0 s late"), (3000, ", 50.0 min late"), (271_848, ", 3.1 d late")],
)
def test_how_late_a_run_is_can_be_read_at_a_glance(seconds: float, said: str) -> None:
    assert _format_lateness(seconds) == said


def test_a_single_missed_time_has_no_span() -> None:
    at, planned = datetime(2026, 11, 18, 12, tzinfo=UTC), "2026-11-18T10:00:00Z"
    one = {"schedule": "a/b", "decision": "missed", "planned": planned, "until": planned, "count": 1}
    shown = f"{datetime.fromisoformat(planned).astimezone():%H:%M:%S}"
    assert _format_decision(one, at) == f"a/b  missed  1 time, {shown}"
