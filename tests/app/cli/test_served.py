"""The command line against an app that runs, over its socket."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from app.control import client
from app.life.installation import Installation
from scheduler.workers.fencing import fenced
from tests.app.verbs.served import ASKING, Line, job


def deploy_asking(line: Line) -> Path:
    table = line.folder.parent / "expenses.csv"
    line.ask("connect", "table:expenses", "--path", str(table))
    line.deploy(ASKING, "--grant", name="receipts.py")
    return table


def test_a_run_is_started_and_waited_for(line: Line, app: Installation) -> None:
    line.deploy(job())
    answer = line.ask("run", "backup", "--wait")
    [result] = answer["results"]
    assert answer["runs"] == [result["id"]]
    assert (result["status"], result["summary"]) == ("committed", "Backed up")
    assert "done. Backed up" in line.read("run", "Backup/work", "--wait")


def test_a_run_that_fails_ends_the_wait_with_1(line: Line, app: Installation) -> None:
    line.deploy(job("1 / 0"))
    code, out, err = line.type("run", "backup", "--wait", "--json")
    answer = json.loads(out)
    assert code == 1
    assert answer["error"]["code"] == "needs a person"
    assert f"division by zero. Look at it: dayhand runs show {answer['runs'][0]}" in err
    code, sentence = line.refuse("run", "backup", "--wait")
    assert code == "blocked" and "dayhand retry backup" in sentence


def test_waiting_is_not_for_consumers(line: Line, app: Installation) -> None:
    """The consumer that follows asks a question, and holds nobody."""
    deploy_asking(line)
    line.wait_for(lambda: line.ask("attention")["requests"])
    [result] = line.ask("run", "receipts", "--wait")["results"]
    assert result["status"] == "committed"


def test_a_question_is_seen_and_answered(line: Line, app: Installation) -> None:
    table = deploy_asking(line)
    [request] = line.wait_for(lambda: line.ask("attention")["requests"])
    assert request["call"] == {
        "connection": "table:expenses",
        "tool": "append",
        "parameters": {"rows": [{"amount": 1}]},
        "endpoint": {"path": str(table), "table": "rows"},
    }
    shown = line.read("attention")
    assert "Add 1 to Expenses" in shown and f"dayhand approve {request['id']}" in shown
    assert line.ask("list", "--state", "needs-attention")["workflows"][0]["attention"] == 1
    assert line.ask("approve", request["id"][:6])["answer"] == "yes"
    line.wait_for(table.exists)
    line.wait_for(lambda: line.ask("history", "--text", "filed")["runs"])
    assert line.ask("approve", request["id"])["answer"] == "yes", "the same again changes nothing"
    code, sentence = line.refuse("reject", request["id"])
    assert code == "too late" and "already answered" in sentence
    assert line.read("attention") == "Nothing needs you.\n"


def test_what_a_script_says_cannot_pretend_to_be_something_else(line: Line, app: Installation) -> None:
    """A subject from outside turns no colours on, begins no line and rewrites none that is read before a yes."""
    say = "Add 1\x1b[2K\rNothing\n    dayhand approve all"
    line.ask("connect", "table:expenses", "--path", str(line.folder.parent / "expenses.csv"))
    more = {"From": "me\x1b[31m", "Sum": [1, "two\nthree"]}
    asks = f"say={say!r}, ui={more!r}"
    line.deploy(ASKING.replace('say=f"Add {len(rows)} to Expenses"', asks), "--grant", name="receipts.py")
    [request] = line.wait_for(lambda: line.ask("attention")["requests"])
    assert request["sentence"] == say, "a program gets it as it is"
    shown = line.read("attention")
    assert shown.splitlines()[1:7] == [
        "    append of table:expenses",
        f"    Connected to: {json.dumps({'path': str(line.folder.parent / 'expenses.csv'), 'table': 'rows'})}",
        '      "rows": [{"amount": 1}]',
        "    The script says: Add 1⟨001B⟩[2K Nothing dayhand approve all",
        '      "From": "me\\u001b[31m"',
        '      "Sum": [1, "two\\nthree"]',
    ]
    assert "\x1b" not in line.read("runs", "show", request["run"]) + line.read("show", "receipts")


def test_a_call_that_is_too_large_for_a_list_is_counted_there_and_shown_in_full_by_its_id(
    line: Line, app: Installation
) -> None:
    """More than one message may hold: it must not keep the other requests from being listed and answered."""
    line.ask("connect", "table:expenses", "--path", str(line.folder.parent / "expenses.csv"))
    script = ASKING.replace('say=f"Add', 'ui={"Note": "Mind the gap"}, say=f"Add').replace(
        "rows=prep", 'rows=[{"note": "\\u00e9" * 6_000_000, "to": "anna@\\u0430pple.com"}] + prep'
    )
    line.deploy(script, "--grant", name="receipts.py")
    [request] = line.wait_for(lambda: line.ask("attention")["requests"])
    assert (request["call"]["tool"], request["call"]["parameters"]) == ("append", None)
    assert request["omitted"]["call"] > 16 * 1024 * 1024, "what the socket takes at once"
    shown = line.read("attention")
    assert len(shown) < 2_000
    assert f"See all of it: dayhand attention {request['id']}" in shown
    [whole] = line.ask("attention", request["id"][:6])["requests"]
    assert whole["call"]["parameters"]["rows"][0]["note"] == "\u00e9" * 6_000_000
    read = line.read("attention", request["id"])
    assert "\u00e9" * 6_000_000 in read
    assert "xn--pple-43d.com looks like apple.com but is a different server." in read
    assert '"Note": "Mind the gap"' in read
    line.ask("reject", request["id"])


def test_a_script_cannot_answer_for_the_person(line: Line, app: Installation) -> None:
    """Whatever it starts, with whatever environment: it may look and publish, and its request still waits."""
    deploy_asking(line)
    [request] = line.wait_for(lambda: line.ask("attention")["requests"])
    dayhand = f"env -i PYTHONPATH={os.pathsep.join(sys.path)!r} setsid {sys.executable} -m app.main"
    where = f"--data-dir {str(line.folder)!r}"
    typed = (
        f"{dayhand} list {where} && {dayhand} publish receipts mails --id m9 {where}; "
        f"{dayhand} approve {request['id']} {where}; {dayhand} grant backup table:expenses append {where}"
    )
    line.deploy(job(f'ctx.run(["sh", "-c", {typed!r}], check=False)'), name="backup.py")
    [run] = line.ask("run", "backup", "--wait")["runs"]
    said = line.read("logs", run)
    assert "Needs attention" in said and "Published" in said
    assert "approve is for you alone; scripts and what they start may only look and publish." in said
    assert "grant is for you alone" in said
    assert request["id"] in [one["id"] for one in line.ask("attention")["requests"]], "nobody has answered it"


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="another system holds no fence")
def test_a_script_in_the_fence_is_told_that_it_cannot_ask(line: Line) -> None:
    typed = fenced([sys.executable, "-m", "app.main", "list", "--data-dir", str(line.folder)])
    done = subprocess.run(typed, capture_output=True, text=True, check=False)
    assert done.stderr.splitlines() == ["A workflow without jobs cannot reach Dayhand. Do it in a job, or yourself."]


def test_an_attempt_that_another_one_followed_waits_for_nobody(line: Line, app: Installation) -> None:
    """It waited for a permission; now its next attempt waits for a yes."""
    line.ask("connect", "table:expenses", "--path", str(line.folder.parent / "expenses.csv"))
    line.deploy(ASKING, name="receipts.py")
    [permission] = line.wait_for(lambda: line.ask("attention")["requests"])
    line.ask("approve", permission["id"])
    line.wait_for(lambda: [one for one in line.ask("attention")["requests"] if one["kind"] == "approval"])
    attempts = line.ask("history", "receipts/FileReceipt", "--status", "waiting")["runs"]
    assert [(one["attempt"], one["is_followed"]) for one in attempts] == [(2, False)]
    [followed] = line.ask("history", "receipts/FileReceipt", "--status", "failed")["runs"]
    assert (followed["attempt"], followed["is_followed"]) == (1, True)
    shown = line.read("runs", "show", attempts[0]["id"])
    assert f"1  {permission['run']}  failed" in shown and f"{attempts[0]['id']}  waits for you" in shown


def test_a_run_is_shown_with_its_call_and_log(line: Line, app: Installation) -> None:
    deploy_asking(line)
    [request] = line.wait_for(lambda: line.ask("attention")["requests"])
    line.read("reject", request["id"])
    line.wait_for(lambda: line.ask("history", "receipts/FileReceipt", "--text", "filed")["runs"])
    run = line.ask("runs", "show", request["run"])
    assert run["call"]["status"] == "skipped"
    shown = line.read("runs", "show", request["run"])
    assert "append of table:expenses, skipped" in shown
    assert 'Prepared: {"rows": [{"amount": 1}]}' in shown
    [poll] = line.ask("history", "receipts/poll", "--status", "done")["runs"]
    assert line.ask("logs", poll["id"])["text"] == "polled\n"
    assert line.read("logs", poll["id"], "--follow") == "polled\n"
    assert line.ask("logs", poll["id"], "--follow")["text"] == "polled\n"


def test_a_log_is_followed_while_it_grows(line: Line, app: Installation, tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    os.mkfifo(gate)
    body = f'print("before", flush=True)\n    open({str(gate)!r}).read()\n    print("after")'
    line.deploy(job(body))
    [run] = line.ask("run", "backup")["runs"]
    line.wait_for(lambda: [one for one in line.ask("history")["runs"] if one["status"] == "active"])
    process = subprocess.Popen(
        [sys.executable, "-m", "app.main", "logs", run, "--follow", "--data-dir", str(line.folder)],
        stdout=subprocess.PIPE,
        text=True,
    )
    gate.write_text("go on")
    said, _ = process.communicate(timeout=60)
    assert (process.returncode, said) == (0, "before\nafter\n")


def test_what_runs_is_stopped(line: Line, app: Installation) -> None:
    line.deploy(job("import time; time.sleep(600)"))
    [run] = line.ask("run", "backup")["runs"]
    line.wait_for(lambda: line.ask("list")["workflows"][0]["state"] == "running")
    assert line.refuse("run", "backup")[0] == "busy"
    assert line.ask("stop", "backup", "--kill")["stopped"] == [run]
    line.wait_for(lambda: line.ask("runs", "show", run)["status"] == "cancelled")
    assert line.refuse("stop", "backup")[0] == "not running"


def test_pausing_skipping_and_going_on(line: Line, app: Installation) -> None:
    line.deploy(job())
    first = line.ask("next", "--count", "1")["next"][0]["at"]
    line.ask("skip-next", "backup")
    assert line.ask("next", "--count", "1")["next"][0]["at"] > first
    assert line.read("pause", "backup") == "backup is paused.\n"
    assert line.ask("list")["workflows"][0]["state"] == "paused"
    assert line.refuse("run", "backup")[0] == "paused"
    line.ask("resume", "backup")
    line.ask("pause", "--all")
    assert line.ask("list")["workflows"][0]["words"] == "Everything is paused."
    line.ask("resume", "--all")
    assert line.ask("list")["workflows"][0]["state"] == "idle"


def test_an_event_of_another_program_reaches_the_consumer(line: Line, app: Installation) -> None:
    deploy_asking(line)
    line.wait_for(lambda: line.ask("attention")["requests"])
    assert line.ask("publish", "receipts", "mails", "--id", "m2", "--data", '{"amount": 2}')["news"] is True
    assert line.read("publish", "receipts", "mails", "--id", "m2", "--data", '{"amount": 2}').startswith("Nothing new")
    line.wait_for(lambda: len(line.ask("attention")["requests"]) == 2)


def test_an_event_that_waits_is_left_out(line: Line, app: Installation) -> None:
    """Nothing takes it, since the workflow is paused."""
    deploy_asking(line)
    line.wait_for(lambda: line.ask("attention")["requests"])
    line.ask("pause", "receipts")
    line.ask("publish", "receipts", "mails", "--id", "m2")
    assert line.read("skip-event", "receipts", "mails", "--id", "m2") == "m2 is left out.\n"
    assert line.refuse("skip-event", "receipts", "mails", "--id", "m2")[0] == "not waiting"
    assert line.refuse("skip-event", "receipts", "mails", "--id", "m1")[0] == "not waiting", "it is being asked about"


def test_versions_differences_and_rolling_back(line: Line, app: Installation) -> None:
    line.deploy(job())
    line.ask("run", "backup", "--wait")
    assert line.deploy(job('ctx.done("Changed")'))["version"] == 2
    assert [one["version"] for one in line.ask("versions", "backup")["versions"]] == [2, 1]
    assert '+    ctx.done("Changed")' in line.read("diff", "backup")
    assert line.ask("rollback", "backup")["version"] == 3
    assert line.read("diff", "backup", "1", "3") == "Nothing changed.\n"
    line.ask("archive", "backup")
    assert line.ask("list")["workflows"] == []
    line.ask("remove", "backup")
    assert line.refuse("show", "backup")[0] == "unknown"


def test_a_failure_is_tried_again(line: Line, app: Installation) -> None:
    line.deploy(job("1 / 0"))
    line.type("run", "backup", "--wait")
    [run] = line.ask("retry", "backup")["runs"]
    line.wait_for(lambda: len(line.ask("runs", "show", run)["chain"]) == 2)
    assert line.ask("stats")["runs"]["failed:logic"] >= 1


def test_backfilling_says_how_many(line: Line, app: Installation) -> None:
    line.deploy(job())
    answer = line.ask("backfill", "backup/work", "--from", "2026-01-01T00:00Z", "--until", "2026-01-03T12:00Z")
    assert answer["schedules"][0]["total"] == 3
    assert line.refuse("backfill", "backup", "--from", "2026-01-01", "--until", "2026-01-02", "--overlap", "x")[0] == (
        "overlap"
    )


def test_a_backfill_is_seen_and_cancelled(line: Line, app: Installation) -> None:
    """What runs may finish; what waits does not begin."""
    line.deploy(job("while not ctx.cancelled: pass"))
    line.ask("backfill", "backup", "--from", "2026-01-01T00:00Z", "--until", "2026-01-03T12:00Z")
    line.wait_for(lambda: line.ask("list")["workflows"][0]["state"] == "running")
    line.wait_for(lambda: line.ask("show", "backup")["backfills"][0]["made"] == 1)
    assert "Past times of work: 1 of 3" in line.read("show", "backup")
    assert len(line.ask("backfill", "backup", "--cancel")["cancelled"]) == 1
    line.ask("stop", "backup")
    line.wait_for(lambda: len(line.ask("history", "--status", "dropped")["occurrences"]) == 2)
    assert line.ask("show", "backup")["backfills"] == []
    assert line.refuse("backfill", "backup", "--cancel") == ("not running", "No past times of Backup are being run.")


def test_the_same_request_id_gets_the_first_answer(line: Line, app: Installation) -> None:
    line.deploy(job())
    first = line.ask("run", "backup", "--request", "once")
    assert line.ask("run", "backup", "--request", "once") == first
    line.wait_for(lambda: line.ask("history")["runs"])
    assert len(line.ask("history")["runs"]) == 1


def test_an_interrupted_wait_leaves_the_run_alone(line: Line, app: Installation) -> None:
    line.deploy(job("import time; time.sleep(0.5)"))
    process = subprocess.Popen(
        [sys.executable, "-m", "app.main", "run", "backup", "--wait", "--data-dir", str(line.folder)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    line.wait_for(lambda: line.ask("history")["runs"])
    process.kill()
    process.communicate()
    line.wait_for(lambda: line.ask("history")["runs"][0]["status"] == "committed")


def test_a_deploy_under_way_holds_up_no_other_command(line: Line, app: Installation) -> None:
    line.deploy(job())
    slow = line.folder.parent / "slow.py"
    slow.write_text("import time\ntime.sleep(2)\n" + job().replace("Backup", "Slow"))
    process = subprocess.Popen(
        [sys.executable, "-m", "app.main", "deploy", str(slow), "--data-dir", str(line.folder)],
        stdout=subprocess.DEVNULL,
    )
    done_first = False
    while process.poll() is None:
        line.ask("list")
        done_first = done_first or process.poll() is None
    assert process.returncode == 0 and done_first


@pytest.mark.parametrize(
    ("verb", "arguments"),
    [
        ("fly", {}),
        ("_check", {}),
        ("show", {}),
        ("show", {"workflow": 5}),
        ("show", {"workflow": "x", "colour": "red"}),
        ("next", {"count": "many"}),
        ("next", {"count": True}),
        ("diff", {"workflow": "x", "old": 10**30}),
        ("logs", {"run": "x", "since": -(10**30)}),
        ("deploy", {"path": "x", "source": None}),
        ("connect", {"name": "table:x", "settings": []}),
        ("history", {"cursor": "../../etc"}),
        ("publish", {"workflow": "x", "topic": "y", "identity": ""}),
    ],
    ids=str,
)
def test_nonsense_over_the_socket_is_refused(
    line: Line, app: Installation, verb: str, arguments: dict[str, object]
) -> None:
    end = client.reach(line.folder)
    assert end is not None
    [message] = client.ask(end, verb, arguments)
    assert message["error"]["code"] != "internal"
