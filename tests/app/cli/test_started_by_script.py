"""A script that quits the app and starts its own, or uses the store directly, still cannot answer requests."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from dayhand._process_mark import mark_process

from app.session import Session
from tests.app.cli.live_cli import ASKING, CommandLine, job
from tests.faults.test_two_apps import ENVIRONMENT, ROOT, command

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the process mark is Linux only")
REFUSED = "Dayhand was started by a script, so it accepts no answers. Quit it and start it yourself."
_TIMEOUT_S = 60


@contextmanager
def app(folder: Path, *, by_script: bool) -> Iterator["subprocess.Popen[str]"]:
    with subprocess.Popen(
        command(folder, "--headless"),
        cwd=ROOT,
        env=ENVIRONMENT,
        text=True,
        stdout=subprocess.PIPE,
        preexec_fn=mark_process if by_script else None,  # noqa: PLW1509  as the app does it
    ) as started:
        try:
            yield started
        finally:
            started.kill()
            started.wait(_TIMEOUT_S)


def read_until_running(started: "subprocess.Popen[str]") -> list[str]:
    """The lines it prints until it runs."""
    assert started.stdout is not None
    output = []
    for line in started.stdout:
        output.append(line.rstrip("\n"))
        if line.startswith("Dayhand is running"):
            break
    return output


def type_as_script(folder: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        command(folder, *words),
        cwd=ROOT,
        env=ENVIRONMENT,
        text=True,
        capture_output=True,
        check=False,
        preexec_fn=mark_process,
    )


def deploy_asking(cli: CommandLine) -> None:
    cli.run_json("connect", "table:expenses", "--path", str(cli.folder.parent / "expenses.csv"))
    cli.deploy(ASKING, "--grant", name="receipts.py")


def test_an_app_started_by_a_script_accepts_no_answers(cli: CommandLine) -> None:
    deploy_asking(cli)
    with app(cli.folder, by_script=True) as started:
        assert read_until_running(started)[0] == REFUSED
        [request] = cli.wait_for(lambda: cli.run_json("attention")["requests"])
        assert cli.run_refused("approve", request["id"]) == ("script", REFUSED), "not even from the user"
        assert cli.run_refused("grant", "receipts", "table:expenses", "append") == ("script", REFUSED)
        output = type_as_script(cli.folder, "approve", request["id"]).stderr
        assert output == "Only you can use approve; scripts and programs that they start can only read and publish.\n"
        cli.run_text("quit")
        assert started.wait(_TIMEOUT_S) == 0, "the user can quit it"
    with app(cli.folder, by_script=False) as started:
        assert REFUSED not in read_until_running(started)
        [request] = cli.wait_for(lambda: cli.run_json("attention")["requests"])
        assert cli.run_json("approve", request["id"])["answer"] == "yes"


@pytest.mark.parametrize(
    "words",
    [
        ("connect", "table:expenses", "--path", "x.csv"),
        ("disconnect", "table:expenses"),
        ("grant", "receipts", "table:expenses", "append"),
        ("revoke", "receipts", "table:expenses", "append"),
        ("fixer", "command", "true"),
        ("restore",),
        ("try", "x.py"),
        ("import", "x.dayhand", "--replace"),
        ("uninstall-data", "--yes"),
        ("approve", "1"),
    ],
    ids=lambda words: words[0],
)
def test_a_script_changes_nothing_without_an_app(cli: CommandLine, words: tuple[str, ...]) -> None:
    deploy_asking(cli)
    output = type_as_script(cli.folder, *words)
    assert output.returncode == 1
    assert f"Only you can use {words[0]}" in output.stderr
    assert [one["workflow"] for one in cli.run_json("list")["workflows"]] == ["receipts"]
    assert cli.run_json("connections")["connections"][0]["is_connected"]


def test_a_script_deploys_nothing_without_an_app(cli: CommandLine, tmp_path: Path) -> None:
    script = tmp_path / "own.py"
    script.write_text(job())
    output = type_as_script(cli.folder, "deploy", str(script), "--grant")
    assert "Only you can use deploy" in output.stderr
    assert not (cli.folder / "dayhand.db").exists()


def test_a_session_started_by_the_user_is_not_a_scripts(cli: CommandLine, app: Session) -> None:
    assert not app.is_started_by_script
