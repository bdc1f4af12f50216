"""The command line as its user types it."""

import io
import os
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.cli import command_line
from scheduler import __version__

DAYHAND = [sys.executable, "-m", "app.main"]


def test_version_names_the_program(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        command_line.run(["--version"])
    assert end.value.code == 0
    assert capsys.readouterr().out == f"dayhand {__version__}\n"


def test_version_loads_neither_qt_nor_the_store_nor_the_engine() -> None:
    script = (
        "import sys; sys.argv[1:] = ['--version']\nfrom app.main import main\ntry: main()\nfinally: print(*sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert "app.cli.command_line" in loaded
    assert (
        not {"sqlite3", "PySide6", "scheduler.store", "scheduler.engine.data_folder", "scheduler.engine.runtime"}
        & loaded
    )


def test_help_lists_every_command_with_its_description(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        command_line.run(["--help"])
    assert end.value.code == 0
    out = capsys.readouterr().out
    for verb, line in command_line.VERBS.items():
        assert any(shown.split(maxsplit=1) == [verb, line] for shown in out.splitlines())


def test_help_of_a_command_lists_its_options(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        command_line.run(["preview", "--help"])
    assert end.value.code == 0
    out = capsys.readouterr().out
    assert all(option in out for option in ("SPEC", "--timezone", "--from", "--until", "--count", "--json"))


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["perview", "every 5m"], "'perview'"),
        ([""], "''"),
        (["--verbose"], "--verbose"),
        (["preview", "every 5m", "--verbose"], "--verbose"),
        (["preview", "every 5m", "-x"], "-x"),
        (["preview", "every 5m", "--cou", "3"], "--cou"),
        (["preview", "every 5m", "--count"], "--count"),
        (["preview", "every 5m", "--json=yes"], "--json"),
        (["preview", "--timezone"], "--timezone"),
        (["-5"], "-5"),
    ],
)
def test_wrong_arguments_get_a_one_line_error(
    capsys: pytest.CaptureFixture[str], arguments: list[str], named: str
) -> None:
    assert command_line.run(arguments) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert named in captured.err
    assert captured.err.endswith(".\n") and captured.err.count("\n") == 1


def test_an_error_stays_one_line_whatever_was_typed(capsys: pytest.CaptureFixture[str]) -> None:
    assert command_line.run(["preview", "calendar", '{"a\\nb\\u001b[2J\\udcff": 1}']) == 2
    assert capsys.readouterr().err.startswith("a\\nb\\x1b[2J\\udcff: a calendar has no such part")
    assert command_line.run(["preview", "x" * 100_000]) == 2
    assert len(capsys.readouterr().err) < 600


SAMPLE = """preview every 5m -5m anchor once cron calendar @daily 0_9_*_*_1-5 * 1 ; -- 0 [ {"hour":18} 30s Europe/Berlin
    2026-10-25 2026-10-25T02:30 2026-12-24/2027-01-01
    --from --until --count --timezone --exclude --start-at --end-at --jitter --json"""
words = st.sampled_from([word.replace("_", " ") for word in SAMPLE.split()])


@settings(deadline=None)
@given(arguments=st.lists(words | st.text(max_size=12), max_size=8))
def test_no_arguments_crash_the_preview(arguments: list[str]) -> None:
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        try:
            code = command_line.run(["preview", *arguments])
        except SystemExit as end:
            code = int(end.code or 0)
    assert code in (0, 2)
    assert bool(out.getvalue()) == (code == 0)
    assert err.getvalue().count("\n") == (code == 2)


def test_a_preview_loads_neither_qt_nor_sqlite() -> None:
    command = [sys.executable, "-X", "importtime", "-m", "app.main", "preview", "every 5m", "--count", "1"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("Every 5 minutes\n")
    assert "PySide6" not in done.stderr and "sqlite3" not in done.stderr


def test_a_closed_pipe_is_not_an_error() -> None:
    shell = '"$@" preview "* * * * *" --count 10000 | head -n 1; echo "${PIPESTATUS[0]}"'
    done = subprocess.run(["bash", "-c", shell, "-", *DAYHAND], capture_output=True, text=True, check=True)
    assert done.stdout == "Every minute\n0\n"
    assert done.stderr == ""


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is always full")  # noqa: PTH110
def test_a_failed_write_to_stdout_is_reported() -> None:
    with open("/dev/full", "w") as full:  # noqa: PTH123
        done = subprocess.run(
            [*DAYHAND, "preview", "every 5m"], check=False, stdout=full, stderr=subprocess.PIPE, text=True
        )
    assert done.returncode == 1
    assert done.stderr == "The answer could not be written: No space left on device.\n"


def test_invalid_utf8_and_an_ascii_terminal_are_handled() -> None:
    ascii_only = os.environ | {"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    done = subprocess.run([*DAYHAND, "preview", b"\xff\xfe"], capture_output=True, check=False, env=ascii_only)
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.startswith(b"cron: '\\udcff\\udcfe' has 1 field")
    done = subprocess.run(
        [*DAYHAND, "preview", "0 9 */2 * *", "--count", "1"], capture_output=True, check=False, env=ascii_only
    )
    assert done.stdout.startswith(b"1st, 3rd, 5th ? 31st of the month at 09:00\n") and not done.stderr


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("check", "perhaps you mean dayhand deploy --check."),
        ("atention", "perhaps you mean dayhand attention."),
        ("frobnicate", "see dayhand --help."),
    ],
)
def test_an_unknown_command_gets_a_suggestion(capsys: pytest.CaptureFixture[str], typed: str, said: str) -> None:
    assert command_line.run([typed]) == 2
    assert capsys.readouterr().err == f"'{typed}' is not a command; {said}\n"


@pytest.mark.parametrize("option", [("--data-dir", "{folder}"), ("--data-dir={folder}",)])
def test_the_data_folder_may_be_given_before_the_command(
    option: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Otherwise the window would open and ask to add a script with the name of the command."""
    given = [one.format(folder=tmp_path) for one in option]
    assert command_line.run(["list", *given]) == 1
    expected = capsys.readouterr()
    assert "There is no data" in expected.err
    assert command_line.run([*given, "list"]) == 1
    assert capsys.readouterr() == expected
