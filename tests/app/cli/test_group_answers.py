"""`approve`, `reject` and `dismiss` for several requests at once."""

import io
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from app.session import Session
from tests.app.cli.live_cli import ASKING, CommandLine, job

NOTHING = "Nothing was approved: confirmation needs a terminal. Use --yes to approve without asking."


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def answer_with(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], list[str]]:
    """Type this at the next prompts; returns the prompts."""

    def type_(word: str, before: Callable[[], Any] = lambda: None) -> list[str]:
        prompts: list[str] = []

        def read(prompt: str) -> str:
            prompts.append(prompt)
            before()
            return word

        monkeypatch.setattr("sys.stdin", Terminal())
        monkeypatch.setattr("builtins.input", read)
        return prompts

    return type_


@pytest.fixture
def table(cli: CommandLine, app: Session) -> Path:
    """Three receipts wait for approval, each in a request of its own."""
    path = cli.folder.parent / "expenses.csv"
    cli.run_json("connect", "table:expenses", "--path", str(path))
    script = ASKING.replace("limit=10", "limit=1")
    script = script.replace('    ctx.publish(mails, id="m1", title="A receipt", data={"amount": 1})\n', "")
    cli.deploy(script, "--grant", name="receipts.py")
    for number in range(1, 4):
        publish(cli, f"r{number}", number)
    return path


def publish(cli: CommandLine, name: str, amount: int | str) -> None:
    """Publish a receipt, and wait until its request is there."""
    before = len(open_requests(cli))
    data = f'{{"amount": {amount!r}}}'.replace("'", '"')
    cli.run_json("publish", "receipts", "mails", "--id", name, "--title", name, "--data", data)
    cli.wait_for(lambda: len(open_requests(cli)) > before)


def open_requests(cli: CommandLine) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = cli.run_json("attention")["requests"]
    return found


def amounts(table: Path) -> list[str]:
    return sorted(table.read_text().split()[1:]) if table.exists() else []


def test_several_ids_are_approved_and_json_has_a_result_for_each(cli: CommandLine, table: Path) -> None:
    first, second, third = (one["id"] for one in open_requests(cli))
    results = cli.run_json("approve", first, second[:8])["results"]
    assert [(one["request"], one["answer"], one["is_repeated"]) for one in results] == [
        (first, "yes", False),
        (second, "yes", False),
    ]
    assert [one["id"] for one in open_requests(cli)] == [third]
    cli.wait_for(lambda: len(amounts(table)) == 2)


def test_what_is_refused_is_said_per_id_and_the_others_are_answered(cli: CommandLine, table: Path) -> None:
    first, second, third = (one["id"] for one in open_requests(cli))
    cli.run_json("reject", first)
    cli.run_json("approve", third)
    code, out, err = cli.run("approve", first, "nosuch", second, third)
    assert code == 1 and err == "2 of 4 could not be approved.\n"
    said = [re.sub(r"at \d\d:\d\d", "at TIME", line) for line in out.splitlines()]
    assert said == [
        f"{first}  You rejected this at TIME. Nothing was changed.",
        f"{second}  Approved.",
        f"{third}  You approved this at TIME. Nothing was changed.",
        f"nosuch  There is no request nosuch; dayhand attention --data-dir {cli.folder} lists them.",
    ]


def test_all_of_a_workflow_are_listed_and_asked_about_once(
    cli: CommandLine, table: Path, answer_with: Callable[..., list[str]]
) -> None:
    """One that arrives while the user reads is not approved."""
    prompts = answer_with("y", before=lambda: publish(cli, "late", 99))
    code, out, err = cli.run("approve", "--workflow", "receipts")
    assert (code, err) == (0, "")
    assert prompts == ["Approve these 3 requests? [y/N] "]
    assert out.count("Approved.") == 3
    [late] = open_requests(cli)
    assert late["call"]["parameters"] == {"rows": [{"amount": 99}]}
    cli.wait_for(lambda: amounts(table) == ["1", "2", "3"])


def test_what_would_be_done_is_shown_before_the_question(
    cli: CommandLine, table: Path, answer_with: Callable[..., list[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    shown: list[str] = []
    answer_with("n", before=lambda: shown.append(capsys.readouterr().out))
    assert cli.run("reject", "--all")[::2] == (1, "Nothing was rejected.\n")
    for amount in (1, 2, 3):
        assert f'"rows": [{{"amount": {amount}}}]' in shown[0]
    assert len(open_requests(cli)) == 3


def test_one_that_is_not_shown_in_full_is_left_out_of_the_question(
    cli: CommandLine, table: Path, answer_with: Callable[..., list[str]]
) -> None:
    publish(cli, "long", "x" * 1000)
    prompts = answer_with("yes")
    _, out, _ = cli.run("approve", "--all")
    assert prompts == ["Approve these 3 requests? [y/N] "] and "not shown in full here" in out
    [left] = open_requests(cli)
    assert left["call"]["parameters"] == {"rows": [{"amount": "x" * 1000}]}


@pytest.mark.parametrize("words", [("--workflow", "receipts"), ("--all",), ("--all", "--workflow", "Receipts")])
def test_without_a_terminal_nothing_is_answered_unless_yes_is_given(
    cli: CommandLine, table: Path, words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("y\n"))
    assert cli.run_refused("approve", *words) == ("asks", NOTHING)
    assert cli.run("approve", *words)[::2] == (1, f"{NOTHING}\n")
    assert len(open_requests(cli)) == 3
    assert len(cli.run_json("approve", *words, "--yes")["results"]) == 3
    assert open_requests(cli) == []
    assert cli.run_text("approve", *words) == "Nothing to approve.\n"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("approve",), "Which request? Give its ID, or see dayhand attention."),
        (("approve", "abcd", "--all"), "Give the IDs of requests, or --workflow or --all, not both."),
        (
            ("approve", "--all", "--always"),
            "--always is for one request; it also approves the others that wait for the same.",
        ),
    ],
)
def test_unclear_arguments_are_refused(cli: CommandLine, words: tuple[str, ...], message: str) -> None:
    assert cli.run(*words)[::2] == (2, f"{message}\n")


def test_always_says_how_many_others_it_approved(cli: CommandLine, table: Path) -> None:
    first, *_ = open_requests(cli)
    assert cli.run_text("approve", first["id"], "--always") == (
        "Approved, together with 2 more that waited for the same.\n"
    )
    cli.wait_for(lambda: amounts(table) == ["1", "2", "3"])


def test_several_failed_runs_are_dismissed(cli: CommandLine, app: Session) -> None:
    for name in ("Backup", "Copy"):
        cli.deploy(job("1 / 0").replace("Backup", name), name=f"{name}.py")
        cli.run("run", name.lower(), "--wait")
    first, second = (one["id"] for one in open_requests(cli))
    assert cli.run_text("dismiss", first, second) == f"{first}  Dismissed.\n{second}  Dismissed.\n"
    assert open_requests(cli) == []
