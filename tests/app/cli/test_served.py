"""The command line against a running app, over its socket."""

import json
import os
import re
import shlex
import subprocess
import sys
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from app.ipc import client
from app.session import Session
from scheduler.workers.sandbox import sandboxed
from tests.app.cli.live_cli import ASKING, CommandLine, job


def deploy_asking(cli: CommandLine) -> Path:
    table = cli.folder.parent / "expenses.csv"
    cli.run_json("connect", "table:expenses", "--path", str(table))
    cli.deploy(ASKING, "--grant", name="receipts.py")
    return table


def test_a_run_is_started_and_waited_for(cli: CommandLine, app: Session) -> None:
    cli.deploy(job())
    answer = cli.run_json("run", "backup", "--wait")
    [result] = answer["results"]
    assert answer["runs"] == [result["id"]]
    assert (result["status"], result["summary"]) == ("committed", "Backed up")
    assert "done. Backed up" in cli.run_text("run", "Backup/work", "--wait")


def test_waiting_for_a_failed_run_exits_with_1(cli: CommandLine, app: Session) -> None:
    cli.deploy(job("1 / 0"))
    code, out, err = cli.run("run", "backup", "--wait", "--json")
    answer = json.loads(out)
    assert code == 1
    assert answer["error"]["code"] == "failed"
    folder = shlex.quote(str(cli.folder))
    assert f"division by zero. Details: dayhand runs --data-dir {folder} show {answer['runs'][0]}" in err


def test_a_failed_job_is_listed_with_its_command_and_output_and_dismissed(cli: CommandLine, app: Session) -> None:
    cli.deploy(job("ctx.run(['sh', '-c', 'echo no space left; exit 2'])"))
    cli.run("run", "backup", "--wait")
    _, out, _ = cli.run("attention")
    [request] = cli.run_json("attention")["requests"]
    assert "Command: echo no space left; exit 2" in out and "| no space left" in out
    folder = shlex.quote(str(cli.folder))
    for command in (f"dismiss {request['id']} --data-dir {folder}", f"logs {request['run']} --data-dir {folder}"):
        assert f"dayhand {command}" in out
    assert cli.run("dismiss", request["id"])[:2] == (0, "Dismissed.\n")
    assert cli.run_json("attention")["requests"] == []


def test_waiting_does_not_include_consumers(cli: CommandLine, app: Session) -> None:
    """The consumer that follows makes a request, which does not block the wait."""
    deploy_asking(cli)
    cli.wait_for(lambda: cli.run_json("attention")["requests"])
    [result] = cli.run_json("run", "receipts", "--wait")["results"]
    assert result["status"] == "committed"


def test_a_request_is_listed_and_answered(cli: CommandLine, app: Session) -> None:
    table = deploy_asking(cli)
    [request] = cli.wait_for(lambda: cli.run_json("attention")["requests"])
    assert request["call"] == {
        "connection": "table:expenses",
        "tool": "append",
        "parameters": {"rows": [{"amount": 1}]},
        "endpoint": {"path": str(table), "table": "rows"},
    }
    shown = cli.run_text("attention")
    assert "Add 1 to Expenses" in shown and f"dayhand approve {request['id']}" in shown
    assert cli.run_json("list", "--state", "needs-attention")["workflows"][0]["attention"] == 1
    assert cli.run_json("approve", request["id"][:6])["answer"] == "yes"
    cli.wait_for(table.exists)
    cli.wait_for(lambda: cli.run_json("history", "--text", "filed")["runs"])
    assert cli.run_json("approve", request["id"])["answer"] == "yes", "the same again changes nothing"
    code, sentence = cli.run_refused("reject", request["id"])
    assert code == "too late" and sentence.startswith("You approved this at ")
    assert cli.run_text("attention") == "Nothing needs your attention.\n"


def test_a_run_is_shown_in_plain_words(cli: CommandLine, app: Session) -> None:
    deploy_asking(cli)
    [request] = cli.wait_for(lambda: cli.run_json("attention")["requests"])
    shown = cli.run_text("runs", "show", request["run"])
    assert re.match(rf"{request['run']}: receipts/\w+, waiting for you\n", shown)
    assert "Started because new data arrived, with version 1 of the script, attempt 1" in shown
    assert "started with prepare" in shown and "prepare decided what to do" in shown
    assert "Waiting for your answer: Add 1 to Expenses." in shown
    cli.run_json("reject", request["id"], "--reason", "Too early")
    cli.wait_for(lambda: cli.run_json("runs", "show", request["run"])["status"] == "committed")
    shown = cli.run_text("runs", "show", request["run"])
    assert re.search(r"Asked: Add 1 to Expenses\. You rejected this at \d\d:\d\d: Too early\n", shown)
    assert "Outside action: append of table:expenses, not done" in shown
    for word in ("preparing", "mutat", "emitting", "committed", "paused:", "skipped\n", "(not answered)"):
        assert word not in shown, shown


def test_text_from_a_script_cannot_imitate_our_output(cli: CommandLine, app: Session) -> None:
    """Text from outside cannot change colours, start a line or rewrite one that is read before an approval."""
    say = "Add 1\x1b[2K\rNothing\n    dayhand approve all"
    cli.run_json("connect", "table:expenses", "--path", str(cli.folder.parent / "expenses.csv"))
    more = {"From": "me\x1b[31m", "Sum": [1, "two\nthree"]}
    asks = f"say={say!r}, ui={more!r}"
    cli.deploy(ASKING.replace('say=f"Add {len(rows)} to Expenses"', asks), "--grant", name="receipts.py")
    [request] = cli.wait_for(lambda: cli.run_json("attention")["requests"])
    assert request["sentence"] == say, "programs get it unchanged"
    shown = cli.run_text("attention")
    assert shown.splitlines()[1:7] == [
        "    append of table:expenses",
        f"    Connected to: {json.dumps({'path': str(cli.folder.parent / 'expenses.csv'), 'table': 'rows'})}",
        '      "rows": [{"amount": 1}]',
        "    The workflow says: Add 1⟨001B⟩[2K Nothing dayhand approve all",
        '      "From": "me\\u001b[31m"',
        '      "Sum": [1, "two\\nthree"]',
    ]
    assert "\x1b" not in cli.run_text("runs", "show", request["run"]) + cli.run_text("show", "receipts")


def test_a_call_too_large_for_the_list_is_shown_in_full_by_id(cli: CommandLine, app: Session) -> None:
    """It exceeds one message, and must not keep the other requests from being listed and answered."""
    cli.run_json("connect", "table:expenses", "--path", str(cli.folder.parent / "expenses.csv"))
    script = ASKING.replace('say=f"Add', 'ui={"Note": "Mind the gap"}, say=f"Add').replace(
        "rows=prep", 'rows=[{"note": "\\u00e9" * 6_000_000, "to": "anna@\\u0430pple.com"}] + prep'
    )
    cli.deploy(script, "--grant", name="receipts.py")
    [request] = cli.wait_for(lambda: cli.run_json("attention")["requests"])
    assert (request["call"]["tool"], request["call"]["parameters"]) == ("append", None)
    assert request["omitted"]["call"] > 16 * 1024 * 1024, "the size limit of one message"
    shown = cli.run_text("attention")
    assert len(shown) < 2_000
    assert f"Show in full: dayhand attention {request['id']}" in shown
    [whole] = cli.run_json("attention", request["id"][:6])["requests"]
    assert whole["call"]["parameters"]["rows"][0]["note"] == "\u00e9" * 6_000_000
    read = cli.run_text("attention", request["id"])
    assert "\u00e9" * 6_000_000 in read
    assert "xn--pple-43d.com looks like apple.com but is a different server." in read
    assert '"Note": "Mind the gap"' in read
    cli.run_json("reject", request["id"])


def test_a_script_cannot_answer_for_the_user(cli: CommandLine, app: Session) -> None:
    """Whatever it starts, with any environment: it may read and publish, and its request stays open."""
    deploy_asking(cli)
    [request] = cli.wait_for(lambda: cli.run_json("attention")["requests"])
    dayhand = f"env -i PYTHONPATH={os.pathsep.join(sys.path)!r} setsid {sys.executable} -m app.main"
    where = f"--data-dir {str(cli.folder)!r}"
    typed = (
        f"{dayhand} list {where} && {dayhand} publish receipts mails --id m9 {where}; "
        f"{dayhand} approve {request['id']} {where}; {dayhand} grant backup table:expenses append {where}"
    )
    cli.deploy(job(f'ctx.run(["sh", "-c", {typed!r}], check=False)'), name="backup.py")
    [run] = cli.run_json("run", "backup", "--wait")["runs"]
    output = cli.run_text("logs", run)
    assert "Needs attention" in output and "Published" in output
    assert "Only you can use approve; scripts and programs that they start can only read and publish." in output
    assert "Only you can use grant" in output
    assert request["id"] in [one["id"] for one in cli.run_json("attention")["requests"]], "it is still open"


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the sandbox is Linux only")
def test_a_sandboxed_script_is_told_that_it_cannot_connect(cli: CommandLine) -> None:
    typed = sandboxed([sys.executable, "-m", "app.main", "list", "--data-dir", str(cli.folder)])
    done = subprocess.run(typed, capture_output=True, text=True, check=False)
    assert done.stderr.splitlines() == ["A workflow without jobs cannot talk to Dayhand. Use a job, or do it yourself."]


def test_a_run_that_was_allowed_waits_for_the_approval_as_the_same_attempt(cli: CommandLine, app: Session) -> None:
    cli.run_json("connect", "table:expenses", "--path", str(cli.folder.parent / "expenses.csv"))
    cli.deploy(ASKING, name="receipts.py")
    [permission] = cli.wait_for(lambda: cli.run_json("attention")["requests"])
    cli.run_json("approve", permission["id"])
    cli.wait_for(lambda: [one for one in cli.run_json("attention")["requests"] if one["kind"] == "approval"])
    [attempt] = cli.run_json("history", "receipts/FileReceipt", "--status", "waiting")["runs"]
    assert (attempt["attempt"], attempt["error"], attempt["is_followed"]) == (1, None, False)
    assert cli.run_json("history", "receipts/FileReceipt", "--status", "failed")["runs"] == []


def test_a_run_is_shown_with_its_call_and_log(cli: CommandLine, app: Session) -> None:
    deploy_asking(cli)
    [request] = cli.wait_for(lambda: cli.run_json("attention")["requests"])
    cli.run_text("reject", request["id"])
    cli.wait_for(lambda: cli.run_json("history", "receipts/FileReceipt", "--text", "filed")["runs"])
    run = cli.run_json("runs", "show", request["run"])
    assert run["call"]["status"] == "skipped"
    shown = cli.run_text("runs", "show", request["run"])
    assert "append of table:expenses, not done" in shown
    assert 'Decided by prepare: {"rows": [{"amount": 1}]}' in shown
    [poll] = cli.run_json("history", "receipts/poll", "--status", "done")["runs"]
    assert cli.run_json("logs", poll["id"])["text"] == "polled\n"
    assert cli.run_text("logs", poll["id"], "--follow") == "polled\n"
    assert cli.run_json("logs", poll["id"], "--follow")["text"] == "polled\n"


def test_the_log_of_a_failed_run_ends_with_its_traceback(cli: CommandLine, app: Session) -> None:
    cli.deploy(job("print('begun')\n    raise ValueError('no total')"), name="backup.py")
    cli.run("run", "backup", "--wait")
    [run] = cli.run_json("history", "backup")["runs"]
    log = cli.run_text("logs", run["id"]).splitlines()
    assert log[:2] == ["begun", "Traceback (most recent call last):"]
    assert log[-1] == "ValueError: no total"
    assert cli.run_text("logs", run["id"], "--follow").splitlines() == log
    assert cli.run_json("logs", run["id"])["traceback"].splitlines() == log[1:]
    assert cli.run_text("runs", "show", run["id"]).endswith("\n".join(["Log:", "  begun", *log[1:], ""]))


def test_a_file_with_other_contents_than_the_deployed_version_is_noted(cli: CommandLine, app: Session) -> None:
    cli.deploy(job("pass"), name="backup.py")
    file = Path(cli.run_json("show", "backup")["path"])
    assert "other contents" not in cli.run_text("show", "backup")
    file.write_text(job("this is no python"))
    shown = cli.run_text("show", "backup")
    assert "The file has other contents now. Can it be used? dayhand deploy" in shown and f"--check {file}\n" in shown
    assert cli.run_json("show", "backup")["file_changed"] is True
    file.unlink()
    assert cli.run_json("show", "backup")["file_changed"] is False


def test_a_log_is_followed_while_it_grows(cli: CommandLine, app: Session, tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    os.mkfifo(gate)
    body = f'print("before", flush=True)\n    open({str(gate)!r}).read()\n    print("after")'
    cli.deploy(job(body))
    [run] = cli.run_json("run", "backup")["runs"]
    cli.wait_for(lambda: [one for one in cli.run_json("history")["runs"] if one["status"] == "active"])
    process = subprocess.Popen(
        [sys.executable, "-m", "app.main", "logs", run, "--follow", "--data-dir", str(cli.folder)],
        stdout=subprocess.PIPE,
        text=True,
    )
    gate.write_text("continue")
    output, _ = process.communicate(timeout=60)
    assert (process.returncode, output) == (0, "before\nafter\n")


def test_a_running_workflow_is_stopped(cli: CommandLine, app: Session) -> None:
    cli.deploy(job("import time; time.sleep(600)"))
    [run] = cli.run_json("run", "backup")["runs"]
    cli.wait_for(lambda: cli.run_json("list")["workflows"][0]["state"] == "running")
    assert cli.run_refused("run", "backup")[0] == "busy"
    assert cli.run_json("stop", "backup", "--kill")["stopped"] == [run]
    cli.wait_for(lambda: cli.run_json("runs", "show", run)["status"] == "cancelled")
    assert cli.run_refused("stop", "backup")[0] == "not running"


def test_pause_skip_next_and_resume_work(cli: CommandLine, app: Session) -> None:
    cli.deploy(job())
    first = cli.run_json("next", "--count", "1")["next"][0]["at"]
    cli.run_json("skip-next", "backup")
    assert cli.run_json("next", "--count", "1")["next"][0]["at"] > first
    until = (datetime.now().astimezone() + timedelta(days=2)).replace(hour=9, minute=0)
    assert cli.run_text("pause", "backup", "--until", f"{until:%Y-%m-%dT%H:%M}").endswith(
        f"backup is paused until {until:%a} {until.day} {until:%b} 09:00.\n"
    )
    cli.run_json("resume", "backup")
    assert cli.run_text("pause", "backup") == "backup is paused.\n"
    assert cli.run_json("list")["workflows"][0]["state"] == "paused"
    assert cli.run_refused("run", "backup")[0] == "paused"
    cli.run_json("resume", "backup")
    cli.run_json("pause", "--all")
    assert cli.run_json("list")["workflows"][0]["words"] == "Everything is paused."
    assert cli.run_text("next") == "Nothing is scheduled, or it is paused.\n"
    cli.run_json("resume", "--all")
    assert cli.run_json("list")["workflows"][0]["state"] == "idle"


def test_an_event_of_another_program_reaches_the_consumer(cli: CommandLine, app: Session) -> None:
    deploy_asking(cli)
    cli.wait_for(lambda: cli.run_json("attention")["requests"])
    assert cli.run_json("publish", "receipts", "mails", "--id", "m2", "--data", '{"amount": 2}')["news"] is True
    assert cli.run_text("publish", "receipts", "mails", "--id", "m2", "--data", '{"amount": 2}').startswith(
        "Nothing new"
    )
    cli.wait_for(lambda: len(cli.run_json("attention")["requests"]) == 2)


def test_a_pending_event_is_skipped(cli: CommandLine, app: Session) -> None:
    """It stays pending, because the workflow is paused."""
    deploy_asking(cli)
    cli.wait_for(lambda: cli.run_json("attention")["requests"])
    cli.run_json("pause", "receipts")
    cli.run_json("publish", "receipts", "mails", "--id", "m2")
    assert cli.run_text("skip-event", "receipts", "mails", "--id", "m2") == "m2 is skipped.\n"
    assert cli.run_refused("skip-event", "receipts", "mails", "--id", "m2")[0] == "not waiting"
    assert cli.run_refused("skip-event", "receipts", "mails", "--id", "m1")[0] == "not waiting", (
        "it is part of an open request"
    )


def test_versions_diff_rollback_archive_and_remove_work(cli: CommandLine, app: Session) -> None:
    cli.deploy(job())
    cli.run_json("run", "backup", "--wait")
    assert cli.deploy(job('ctx.done("Changed")'))["version"] == 2
    assert [one["version"] for one in cli.run_json("versions", "backup")["versions"]] == [2, 1]
    assert '+    ctx.done("Changed")' in cli.run_text("diff", "backup")
    assert cli.run_json("rollback", "backup")["version"] == 3
    assert cli.run_text("diff", "backup", "1", "3") == "Nothing changed.\n"
    assert "saving or deploying it again replaces this version" in cli.run_text("rollback", "backup", "2")
    cli.run_json("archive", "backup")
    assert cli.run_json("list")["workflows"] == []
    cli.run_json("remove", "backup")
    assert cli.run_refused("show", "backup")[0] == "unknown"


def test_a_failed_run_is_retried(cli: CommandLine, app: Session) -> None:
    cli.deploy(job("1 / 0"))
    cli.run("run", "backup", "--wait")
    [run] = cli.run_json("retry", "backup")["runs"]
    cli.wait_for(lambda: len(cli.run_json("runs", "show", run)["chain"]) == 2)
    assert cli.run_json("stats")["runs"]["failed:logic"] >= 1


def test_a_backfill_reports_the_number_of_runs(cli: CommandLine, app: Session) -> None:
    cli.deploy(job())
    answer = cli.run_json("backfill", "backup/work", "--from", "2026-01-01T00:00Z", "--until", "2026-01-03T12:00Z")
    assert answer["schedules"][0]["total"] == 3
    code, _, err = cli.run("backfill", "backup", "--from", "2026-01-01", "--until", "2026-01-02", "--overlap", "x")
    assert code == 2 and "choose from skip, buffer_one" in err.replace("'", "")


def test_a_backfill_is_shown_and_cancelled(cli: CommandLine, app: Session) -> None:
    """The current run may finish; queued ones do not start."""
    cli.deploy(job("while not ctx.cancelled: pass"))
    cli.run_json("backfill", "backup", "--from", "2026-01-01T00:00Z", "--until", "2026-01-03T12:00Z")
    cli.wait_for(lambda: cli.run_json("list")["workflows"][0]["state"] == "running")
    cli.wait_for(lambda: cli.run_json("show", "backup")["backfills"][0]["made"] == 1)
    assert "Backfill of work: 1 of 3" in cli.run_text("show", "backup")
    assert len(cli.run_json("backfill", "backup", "--cancel")["cancelled"]) == 1
    cli.run_json("stop", "backup")
    cli.wait_for(lambda: len(cli.run_json("history", "--status", "dropped")["occurrences"]) == 2)
    assert cli.run_json("show", "backup")["backfills"] == []
    assert cli.run_refused("backfill", "backup", "--cancel") == ("not running", "No backfill of Backup is running.")


def test_a_repeated_idempotency_key_returns_the_first_answer(cli: CommandLine, app: Session) -> None:
    cli.deploy(job())
    first = cli.run_json("run", "backup", "--idempotency-key", "once")
    assert cli.run_json("run", "backup", "--idempotency-key", "once") == first
    assert cli.run_json("run", "backup", "--request", "once") == first, "as earlier versions called it"
    cli.wait_for(lambda: cli.run_json("history")["runs"])
    assert len(cli.run_json("history")["runs"]) == 1


def test_interrupting_the_wait_does_not_stop_the_run(cli: CommandLine, app: Session) -> None:
    cli.deploy(job("import time; time.sleep(0.5)"))
    process = subprocess.Popen(
        [sys.executable, "-m", "app.main", "run", "backup", "--wait", "--data-dir", str(cli.folder)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    cli.wait_for(lambda: cli.run_json("history")["runs"])
    process.kill()
    process.communicate()
    cli.wait_for(lambda: cli.run_json("history")["runs"][0]["status"] == "committed")


def test_a_slow_deploy_does_not_block_other_commands(cli: CommandLine, app: Session) -> None:
    cli.deploy(job())
    slow = cli.folder.parent / "slow.py"
    slow.write_text("import time\ntime.sleep(2)\n" + job().replace("Backup", "Slow"))
    process = subprocess.Popen(
        [sys.executable, "-m", "app.main", "deploy", str(slow), "--data-dir", str(cli.folder)],
        stdout=subprocess.DEVNULL,
    )
    done_first = False
    while process.poll() is None:
        cli.run_json("list")
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
def test_invalid_messages_over_the_socket_are_refused(
    cli: CommandLine, app: Session, verb: str, arguments: dict[str, object]
) -> None:
    end = client.connect(cli.folder)
    assert end is not None
    [message] = client.call(end, verb, arguments)
    assert message["error"]["code"] != "internal"


def test_a_call_is_changed_before_it_is_approved(cli: CommandLine, app: Session) -> None:
    table = deploy_asking(cli)
    [request] = cli.wait_for(lambda: cli.run_json("attention")["requests"])
    assert f"You can change rows: dayhand approve {request['id']} --set NAME=VALUE" in cli.run_text("attention")
    for words, said in (
        (("--set", "rows=[{]"), "rows is not valid JSON"),
        (("--set", "path=x"), "path cannot be changed; only rows can."),
        (("--set", "rows"), "--set takes NAME=VALUE"),
        (("--set", "rows=[]", "--set", "rows=[]"), "--set rows is given twice."),
        (("--set", 'rows=[{"amount": 2}]', "--always"), "cannot be allowed for good"),
    ):
        assert said in cli.run_refused("approve", request["id"], *words)[1]
    assert cli.run_text("approve", request["id"], "--set", 'rows=[{"amount": 2}]') == "Approved with your changes.\n"
    cli.wait_for(lambda: cli.run_json("history", "--text", "filed")["runs"])
    assert table.read_text().split() == ["amount", "2"]
    shown = cli.run_text("runs", "show", request["run"])
    assert 'You changed this before approving it. The script asked for:\n  {"rows": [{"amount": 1}]}' in shown


def test_a_rejection_keeps_its_reason(cli: CommandLine, app: Session) -> None:
    deploy_asking(cli)
    [request] = cli.wait_for(lambda: cli.run_json("attention")["requests"])
    assert "at most 1,000" in cli.run_refused("reject", request["id"], "--reason", "x" * 1001)[1]
    assert cli.run_json("reject", request["id"], "--reason", "Too early")["reason"] == "Too early"
    assert "You rejected this at " in cli.run_text("runs", "show", request["run"])


def test_a_question_is_listed_and_answered(cli: CommandLine, app: Session) -> None:
    several = (
        '{"shop": dayhand.ask("Which shop?", choices=["Bakery", "Books"]), "sum": dayhand.ask("How much?", default=3)}'
    )
    script = ASKING.replace("say=f", f"ask={several}, say=f").replace('approve="always"', 'approve="never"')
    script = script.replace('rows=prepared.data["rows"]', "rows=[prepared.answers]")
    table = cli.folder.parent / "expenses.csv"
    cli.run_json("connect", "table:expenses", "--path", str(table))
    cli.deploy(script, "--grant", name="receipts.py")
    [request] = cli.wait_for(lambda: cli.run_json("attention")["requests"])
    shown = cli.run_text("attention")
    assert "    shop: Which shop? (Bakery, Books)\n    sum: How much? (a number) [3]\n" in shown
    assert f"dayhand answer {request['id']} --set shop=ANSWER --set sum=ANSWER" in shown
    assert "Which shop?: the answer must be one of" in cli.run_refused("answer", request["id"], "--set", "shop=x")[1]
    assert "not both" in cli.run_refused("answer", request["id"], "7", "--set", "sum=1")[1]
    assert "Answer it: dayhand answer" in cli.run_refused("approve", request["id"])[1]
    assert cli.run_text("answer", request["id"], "--set", "shop=Books") == "Answered.\n"
    cli.wait_for(lambda: table.exists() and table.read_text().split() == ["shop,sum", "Books,3"])
    assert '  Answers: {"shop": "Books", "sum": 3}' in cli.run_text("runs", "show", request["run"])


def test_a_deployment_says_if_scripts_are_not_isolated(
    cli: CommandLine, app: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not any("isolate" in one for one in cli.deploy(job())["warnings"])
    monkeypatch.setattr("scheduler.workers.sandbox.HAS_SANDBOX", False)
    [warning] = [one for one in cli.deploy(job())["warnings"] if "isolate" in one]
    assert warning.endswith("Add only scripts that you trust.")
