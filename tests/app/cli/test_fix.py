"""`fix` against a running app: shown, proposed, and used only after approval."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from app.session import Session
from tests.app.cli.live_cli import CommandLine
from tests.connections.web_servers import Reply, http_server

SOURCE = """import dayhand

flow = dayhand.Workflow("Sums")


@flow.job(cron="0 3 1 1 *", timezone="UTC")
def add(ctx):
    print("token=hunter2")
    ctx.done(f"{1 / 0} is the sum")
"""
REPAIRED = SOURCE.replace("1 / 0", "1 + 1")


@pytest.fixture
def failed(cli: CommandLine, app: Session) -> str:
    """The ID of a failed run."""
    cli.deploy(SOURCE)
    assert cli.run("run", "sums", "--wait")[0] == 1
    [request] = cli.run_json("attention")["requests"]
    return str(request["run"])


@pytest.fixture
def tool(tmp_path: Path) -> str:
    path = tmp_path / "tool.py"
    path.write_text(
        "import re, sys\nasked = sys.stdin.read()\n"
        "print(re.findall(r'```python\\n(.*?)```', asked, re.DOTALL)[-1].replace('1 / 0', '1 + 1'))\n"
    )
    return f"{sys.executable} {path}"


def test_what_would_be_sent_is_shown_without_secrets(cli: CommandLine, failed: str) -> None:
    output = cli.run_text("fix", failed, "--show")
    assert output.startswith("This would be sent, and nothing else. Nothing has been sent.\n")
    assert "add failed: " in output and "executing" not in output
    assert "ZeroDivisionError" in output or "division by zero" in output
    assert "token=(left out)" in output


def test_a_repair_is_only_shown_without_approval(cli: CommandLine, failed: str, tool: str) -> None:
    answer = cli.run_json("fix", failed, "--with", tool)
    assert (answer["applied"], "1 + 1" in answer["difference"]) == (False, True)
    assert cli.run_json("show", "sums")["version"] == 1
    code, out, _ = cli.run("fix", failed, "--with", tool)
    assert (code, "Nothing was changed." in out) == (0, True)


def test_an_approved_repair_is_used_and_can_be_rolled_back(cli: CommandLine, failed: str, tool: str) -> None:
    output = cli.run_text("fix", failed, "--with", tool, "--yes")
    assert "now runs version 2" in output
    assert [one["origin"] for one in cli.run_json("versions", "sums")["versions"]] == ["fix", "author"]
    cli.wait_for(lambda: cli.run_json("show", "sums")["recent"][0]["summary"] == "2 is the sum")
    cli.run_json("rollback", "sums", "1")
    assert cli.run_json("show", "sums")["version"] == 3


@pytest.mark.parametrize(("typed", "version"), [(b"y\n", 2), (b"no\n", 1), (b"\n", 1)])
def test_in_a_terminal_the_changes_are_shown_before_the_question(
    cli: CommandLine, failed: str, tool: str, typed: bytes, version: int, terminal: tuple[int, int]
) -> None:
    user_end, program_end = terminal
    command = [sys.executable, "-m", "app.main", "fix", failed, "--with", tool, "--data-dir", str(cli.folder)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    with subprocess.Popen(command, stdin=program_end, stdout=subprocess.PIPE, text=True, env=environment) as process:
        os.write(user_end, typed)
        out, _ = process.communicate(timeout=120)
    assert process.returncode == 0
    assert out.index('+    ctx.done(f"{1 + 1} is the sum")') < out.index("Use this script?")
    assert cli.run_json("show", "sums")["version"] == version


def test_a_server_is_asked_at_most_three_times(cli: CommandLine, failed: str) -> None:
    wrong = {"choices": [{"message": {"content": REPAIRED.replace("Sums", "Other")}}]}
    with http_server(lambda _: Reply(body=json.dumps(wrong).encode())) as server:
        code, sentence = cli.run_refused("fix", failed, "--url", server.url, "--model", "m")
        assert (code, "name" in sentence, len(server.requests)) == ("no fix", True, 3)
        assert cli.run_refused("fix", failed, "--url", server.url, "--model", "m")[0] == "no fix"
        assert len(server.requests) == 3


def test_nothing_is_sent_unless_a_fixer_is_chosen(cli: CommandLine, failed: str) -> None:
    code, sentence = cli.run_refused("fix", failed)
    assert (code, "dayhand fixer" in sentence) == ("fixer", True)
    for words in (["--url", "http://x"], ["--with", "a", "--url", "http://x"], ["--with", "a 'b"]):
        assert cli.run("fix", failed, *words)[0] == 2
    assert cli.run("fix", "nothing-like-it", "--show")[0] == 1


def test_the_fixer_of_the_settings_is_the_default(cli: CommandLine, failed: str, tool: str) -> None:
    cli.run_json("fixer", "command", tool)
    assert "1 + 1" in cli.run_json("fix", failed)["difference"]
