"""A script that ends the app and starts its own, or goes to the store itself, still answers nothing."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from dayhand._brand import brand

from app.life.installation import Installation
from tests.app.verbs.served import ASKING, Line, job
from tests.faults.test_two_apps import ENVIRONMENT, ROOT, command

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="another system hands on no mark")
REFUSED = "A script started Dayhand, so it takes no answers. Quit it and start it yourself."
_PATIENCE = 60


@contextmanager
def app(folder: Path, *, by_script: bool) -> Iterator["subprocess.Popen[str]"]:
    with subprocess.Popen(
        command(folder, "--headless"),
        cwd=ROOT,
        env=ENVIRONMENT,
        text=True,
        stdout=subprocess.PIPE,
        preexec_fn=brand if by_script else None,  # noqa: PLW1509  as the app does it
    ) as started:
        try:
            yield started
        finally:
            started.kill()
            started.wait(_PATIENCE)


def hear(started: "subprocess.Popen[str]") -> list[str]:
    """What it says until it runs."""
    assert started.stdout is not None
    said = []
    for line in started.stdout:
        said.append(line.rstrip("\n"))
        if line.startswith("Dayhand is running"):
            break
    return said


def type_as_script(folder: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        command(folder, *words),
        cwd=ROOT,
        env=ENVIRONMENT,
        text=True,
        capture_output=True,
        check=False,
        preexec_fn=brand,
    )


def deploy_asking(line: Line) -> None:
    line.ask("connect", "table:expenses", "--path", str(line.folder.parent / "expenses.csv"))
    line.deploy(ASKING, "--grant", name="receipts.py")


def test_the_app_of_a_script_takes_no_answers_and_says_why(line: Line) -> None:
    deploy_asking(line)
    with app(line.folder, by_script=True) as started:
        assert hear(started)[0] == REFUSED
        [request] = line.wait_for(lambda: line.ask("attention")["requests"])
        assert line.refuse("approve", request["id"]) == ("script", REFUSED), "not even from the user"
        assert line.refuse("grant", "receipts", "table:expenses", "append") == ("script", REFUSED)
        said = type_as_script(line.folder, "approve", request["id"]).stderr
        assert said == "approve is for you alone; scripts and what they start may only look and publish.\n"
        line.read("quit")
        assert started.wait(_PATIENCE) == 0, "the user gets rid of it"
    with app(line.folder, by_script=False) as started:
        assert REFUSED not in hear(started)
        [request] = line.wait_for(lambda: line.ask("attention")["requests"])
        assert line.ask("approve", request["id"])["answer"] == "yes"


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
def test_a_script_changes_nothing_where_no_app_runs(line: Line, words: tuple[str, ...]) -> None:
    deploy_asking(line)
    said = type_as_script(line.folder, *words)
    assert said.returncode == 1
    assert f"{words[0]} is for you alone" in said.stderr
    assert [one["workflow"] for one in line.ask("list")["workflows"]] == ["receipts"]
    assert line.ask("connections")["connections"][0]["is_connected"]


def test_a_script_deploys_nothing_where_no_app_runs(line: Line, tmp_path: Path) -> None:
    script = tmp_path / "own.py"
    script.write_text(job())
    said = type_as_script(line.folder, "deploy", str(script), "--grant")
    assert "deploy is for you alone" in said.stderr
    assert not (line.folder / "dayhand.db").exists()


def test_what_the_app_starts_for_the_user_is_the_users(line: Line, app: Installation) -> None:
    assert not app.is_of_script
