"""Shell completion: words of the command line, and names from the data folder."""

import subprocess
import sys
from pathlib import Path

import pytest

from app.cli import command_line
from app.cli.completion import FILES, complete
from tests.app.cli.live_cli import ASKING, CommandLine

BASH = Path(__file__).parents[3] / "resources" / "completions" / "dayhand.bash"


def completed(*words: str) -> list[str]:
    return [line.partition("\t")[0] for line in complete(words)]


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        (["depl"], ["deploy"]),
        (["--ver"], ["--version"]),
        (["--head"], ["--headless"]),
        (["--background", "--sec"], ["--seconds"]),
        (["deploy", "--wa"], ["--watch"]),
        (["deploy", ""], [FILES]),
        (["deploy", "script.py", ""], []),
        (["import-jobs", ""], ["crontab", "systemd", "tasks"]),
        (["import-jobs", "crontab", "one", ""], [FILES]),
        (["resolve", "1234", "n"], ["not-happened"]),
        (["schedule", "e"], ["edit"]),
        (["schedule", "edit", "w/h", "--if"], ["--if-version"]),
        (["run", "w", "--overlap", "buffer"], ["buffer_one", "buffer_all"]),
        (["settings", "s"], ["set"]),
        (["settings", "get", "overlap"], ["overlap_jobs", "overlap_producers"]),
        (["settings", "set", "catchup", "s"], ["spread"]),
        (["list", "--data-dir", ""], [FILES]),
        (["connect", "table:expenses", "--path", ""], [FILES]),
        (["history", "--limit", ""], []),
        (["new", "run"], ["run-command"]),
        (["no-such-verb", ""], []),
    ],
)
def test_the_last_word_is_completed(typed: list[str], expected: list[str]) -> None:
    assert completed(*typed) == expected


def test_the_first_word_completes_to_every_command_with_its_description() -> None:
    assert list(complete([""])) == [f"{verb}\t{line}" for verb, line in command_line.VERBS.items()]
    assert list(complete([])) == list(complete([""]))


@pytest.mark.parametrize("verb", command_line.VERBS)
def test_every_command_completes_its_options(verb: str) -> None:
    assert {"--help", "--json"} <= set(completed(verb, "-"))


def test_names_are_completed_from_the_data_folder(cli: CommandLine, tmp_path: Path) -> None:
    cli.run_json("connect", "table:expenses", "--path", str(tmp_path / "expenses.csv"))
    cli.deploy(ASKING, "--grant")
    folder = ("--data-dir", str(cli.folder))
    assert completed("run", *folder, "rec") == ["receipts"]
    assert completed("grant", *folder, "receipts", "") == ["table:expenses"]
    assert completed("schedule", "show", *folder, "rec") == ["receipts/poll"]
    assert completed("disconnect", *folder, "table:e") == ["table:expenses"]


def test_without_a_data_folder_no_names_are_completed(tmp_path: Path) -> None:
    assert completed("run", "--data-dir", str(tmp_path / "none"), "") == []
    assert not (tmp_path / "none").exists()


def complete_in_bash(words: str, folder: Path) -> list[str]:
    """What bash would complete the last word to, with `dayhand` installed on the path."""
    program = folder / "dayhand"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m app.main "$@"\n')
    program.chmod(0o755)
    code = (
        f". {BASH}; COMP_LINE='dayhand {words}'; COMP_POINT=${{#COMP_LINE}}; _dayhand {program}; "
        'printf "%s\\n" "${COMPREPLY[@]}"'
    )
    done = subprocess.run(["bash", "-c", code], cwd=folder, capture_output=True, text=True, timeout=60, check=True)
    assert done.stderr == ""
    return done.stdout.split()


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("uninst", ["uninstall-data"]),
        ("deploy --gr", ["--grant"]),
        ("deploy rec", ["receipts.py"]),
        ("watch x ", ["on", "off"]),
    ],
)
def test_bash_completes(tmp_path: Path, typed: str, expected: list[str]) -> None:
    (tmp_path / "receipts.py").touch()
    assert complete_in_bash(typed, tmp_path) == expected


def test_bash_completes_after_a_colon_which_it_treats_as_a_word_break(cli: CommandLine, tmp_path: Path) -> None:
    cli.run_json("connect", "table:expenses", "--path", str(tmp_path / "expenses.csv"))
    assert complete_in_bash(f"disconnect --data-dir {cli.folder} table:e", tmp_path) == ["expenses"]
