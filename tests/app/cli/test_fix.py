"""`fix` against the app that runs: shown, proposed, and used only after a yes."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from app.life.installation import Installation
from tests.app.verbs.served import Line
from tests.connections.web_servers import Reply, web

SOURCE = """import dayhand

flow = dayhand.Workflow("Sums")


@flow.job(cron="0 3 1 1 *", timezone="UTC")
def add(ctx):
    print("token=hunter2")
    ctx.done(f"{1 / 0} is the sum")
"""
MENDED = SOURCE.replace("1 / 0", "1 + 1")


@pytest.fixture
def failed(line: Line, app: Installation) -> str:
    """The id of a run whose script raised."""
    line.deploy(SOURCE)
    assert line.type("run", "sums", "--wait")[0] == 1
    [request] = line.ask("attention")["requests"]
    return str(request["run"])


@pytest.fixture
def tool(tmp_path: Path) -> str:
    path = tmp_path / "tool.py"
    path.write_text(
        "import re, sys\nasked = sys.stdin.read()\n"
        "print(re.findall(r'```python\\n(.*?)```', asked, re.DOTALL)[-1].replace('1 / 0', '1 + 1'))\n"
    )
    return f"{sys.executable} {path}"


def test_what_would_be_sent_is_shown_without_secrets(line: Line, failed: str) -> None:
    said = line.read("fix", failed, "--show")
    assert "ZeroDivisionError" in said or "division by zero" in said
    assert "token=(left out)" in said


def test_a_repair_is_only_shown_unless_somebody_says_yes(line: Line, failed: str, tool: str) -> None:
    answer = line.ask("fix", failed, "--with", tool)
    assert (answer["applied"], "1 + 1" in answer["difference"]) == (False, True)
    assert line.ask("show", "sums")["version"] == 1
    code, out, _ = line.type("fix", failed, "--with", tool)
    assert (code, "Nothing was changed." in out) == (0, True)


def test_after_a_yes_it_is_used_and_can_be_taken_back(line: Line, failed: str, tool: str) -> None:
    said = line.read("fix", failed, "--with", tool, "--yes")
    assert "goes on with version 2" in said
    assert [one["origin"] for one in line.ask("versions", "sums")["versions"]] == ["fix", "author"]
    line.wait_for(lambda: line.ask("show", "sums")["recent"][0]["summary"] == "2 is the sum")
    line.ask("rollback", "sums", "1")
    assert line.ask("show", "sums")["version"] == 3


@pytest.mark.parametrize(("typed", "version"), [(b"y\n", 2), (b"no\n", 1), (b"\n", 1)])
def test_at_a_terminal_the_difference_comes_first_and_the_answer_decides(
    line: Line, failed: str, tool: str, typed: bytes, version: int, terminal: tuple[int, int]
) -> None:
    ours, theirs = terminal
    command = [sys.executable, "-m", "app.main", "fix", failed, "--with", tool, "--data-dir", str(line.folder)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    with subprocess.Popen(command, stdin=theirs, stdout=subprocess.PIPE, text=True, env=environment) as process:
        os.write(ours, typed)
        out, _ = process.communicate(timeout=120)
    assert process.returncode == 0
    assert out.index('+    ctx.done(f"{1 + 1} is the sum")') < out.index("Use this script?")
    assert line.ask("show", "sums")["version"] == version


def test_a_server_is_asked_as_well_and_three_times_at_most(line: Line, failed: str) -> None:
    wrong = {"choices": [{"message": {"content": MENDED.replace("Sums", "Other")}}]}
    with web(lambda _: Reply(body=json.dumps(wrong).encode())) as server:
        code, sentence = line.refuse("fix", failed, "--url", server.url, "--model", "m")
        assert (code, "name" in sentence, len(server.asked)) == ("no fix", True, 3)
        assert line.refuse("fix", failed, "--url", server.url, "--model", "m")[0] == "no fix"
        assert len(server.asked) == 3


def test_nobody_is_asked_unless_you_say_whom(line: Line, failed: str) -> None:
    code, sentence = line.refuse("fix", failed)
    assert (code, "dayhand fixer" in sentence) == ("fixer", True)
    for words in (["--url", "http://x"], ["--with", "a", "--url", "http://x"], ["--with", "a 'b"]):
        assert line.type("fix", failed, *words)[0] == 2
    assert line.type("fix", "nothing-like-it", "--show")[0] == 1


def test_whom_the_settings_name_repairs_it(line: Line, failed: str, tool: str) -> None:
    line.ask("fixer", "command", tool)
    assert "1 + 1" in line.ask("fix", failed)["difference"]
