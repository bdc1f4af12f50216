"""What shells offer while somebody types: words of the command line, and names out of their data."""

import subprocess
import sys
from pathlib import Path

import pytest

from app import cli
from app.verbs.completing import FILES, offer
from tests.app.verbs.served import ASKING, Line

BASH = Path(__file__).parents[3] / "resources" / "completions" / "dayhand.bash"


def offered(*words: str) -> list[str]:
    return [line.partition("\t")[0] for line in offer(words)]


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
        (["list", "--data-dir", ""], [FILES]),
        (["connect", "table:expenses", "--path", ""], [FILES]),
        (["history", "--limit", ""], []),
        (["new", "night"], ["nightly-command"]),
        (["no-such-verb", ""], []),
    ],
)
def test_what_fits_is_offered(typed: list[str], expected: list[str]) -> None:
    assert offered(*typed) == expected


def test_at_first_every_verb_is_offered_with_what_it_does() -> None:
    assert list(offer([""])) == [f"{verb}\t{line}" for verb, line in cli.VERBS.items()]
    assert list(offer([])) == list(offer([""]))


@pytest.mark.parametrize("verb", cli.VERBS)
def test_every_verb_offers_its_options(verb: str) -> None:
    assert {"--help", "--json"} <= set(offered(verb, "-"))


def test_names_come_from_the_data(line: Line, tmp_path: Path) -> None:
    line.ask("connect", "table:expenses", "--path", str(tmp_path / "expenses.csv"))
    line.deploy(ASKING, "--grant")
    folder = ("--data-dir", str(line.folder))
    assert offered("run", *folder, "rec") == ["receipts"]
    assert offered("grant", *folder, "receipts", "") == ["table:expenses"]
    assert offered("disconnect", *folder, "table:e") == ["table:expenses"]


def test_where_there_is_no_data_there_are_no_names(tmp_path: Path) -> None:
    assert offered("run", "--data-dir", str(tmp_path / "none"), "") == []
    assert not (tmp_path / "none").exists()


def complete_in_bash(words: str, folder: Path) -> list[str]:
    """What bash would put in place of the last word, with a `dayhand` on the path as it is installed."""
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


def test_bash_completes_after_a_colon_where_it_ends_words(line: Line, tmp_path: Path) -> None:
    line.ask("connect", "table:expenses", "--path", str(tmp_path / "expenses.csv"))
    assert complete_in_bash(f"disconnect --data-dir {line.folder} table:e", tmp_path) == ["expenses"]
