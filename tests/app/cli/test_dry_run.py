"""`try` with the connections of a real data folder, which is not changed."""

from pathlib import Path

from scheduler.store.backups import STORE_FILE
from tests.app.cli.live_cli import CommandLine
from tests.engine.dry_run.test_dry_run import FILING, JOBS


def write(cli: CommandLine, source: str) -> str:
    path = cli.folder.parent / "script.py"
    path.write_text(source)
    return str(path)


def connect(cli: CommandLine, place: Path) -> None:
    (place / "in").mkdir()
    (place / "in" / "a.txt").write_text("a")
    cli.run_json("connect", "files:in", "--path", str(place / "in"))
    cli.run_json("connect", "table:out", "--path", str(place / "out.csv"))


def test_the_output_shows_what_would_happen_and_changes_nothing(cli: CommandLine, tmp_path: Path) -> None:
    connect(cli, tmp_path)
    before = (cli.folder / STORE_FILE).read_bytes()
    output = cli.run_text("try", write(cli, FILING))
    assert "would ask you: Enter 1 files" in output
    assert 'would append with table:out: {"rows": [{"file": "a.txt"}]}' in output
    assert "script.py: 2 runs until" in output
    assert "Next run: " in output
    assert not (tmp_path / "out.csv").exists()
    assert cli.run_json("list")["workflows"] == []
    assert (cli.folder / STORE_FILE).read_bytes() == before


def test_json_lists_every_step_of_the_simulated_days(cli: CommandLine) -> None:
    answer = cli.run_json("try", write(cli, JOBS.format(place="/x")), "--days", "3")
    assert len(answer["steps"]) == 3
    assert answer["steps"][0]["commands"] == [["touch", "/x"]]
    assert not cli.folder.exists()


def test_uneventful_runs_are_summarized_in_one_line(cli: CommandLine, tmp_path: Path) -> None:
    connect(cli, tmp_path)
    (tmp_path / "in" / "a.txt").unlink()
    output = cli.run_text("try", write(cli, FILING), "--days", "1")
    assert "look: done. 25 times until" in output
    assert "script.py: 25 runs until" in output


def test_many_runs_with_long_logs_stay_readable(cli: CommandLine) -> None:
    source = JOBS.format(place="/x").replace("code = ", "[print(n) for n in range(500)]; code = ")
    output = cli.run_text("try", write(cli, source), "--days", "30").splitlines()
    assert output.count("    … and 491 more") == 20
    assert [words for words in output if "10 more times until" in words] and len(output) < 300


def test_a_failed_run_makes_the_command_fail(cli: CommandLine) -> None:
    source = JOBS.format(place="/x").replace("code = ", "raise ValueError('no') #")
    code, out, err = cli.run("try", write(cli, source))
    assert (code, "nightly: failed" in out) == (1, True)
    assert out.count("ValueError: no") == 1, "printed once, not three times"
    assert err == "nightly failed.\n"


def test_an_invalid_script_is_refused(cli: CommandLine) -> None:
    assert cli.run_refused("try", write(cli, "import dayhand"))[0] == "not valid"
    assert cli.run_refused("try", "missing.py")[0] == "file"
    assert cli.run("try", write(cli, "x"), "--days", "0")[0] == 2


def test_a_failure_deep_in_the_script_is_shown_with_its_traceback(cli: CommandLine) -> None:
    source = JOBS.format(place="/x").replace("code = ", "read('x') #")
    shallow = cli.run("try", write(cli, source.replace("read('x')", "int('x')")))[1]
    assert "Traceback" not in shallow
    deep = cli.run("try", write(cli, f"{source}\n\ndef read(text):\n    return int(text)\n"))[1]
    assert "    Traceback (most recent call last):\n" in deep
    assert "return int(text)" in deep


def test_events_that_no_consumer_took_are_counted(cli: CommandLine, tmp_path: Path) -> None:
    connect(cli, tmp_path)
    assert "Still pending" not in cli.run_text("try", write(cli, FILING))
    (tmp_path / "in" / "b.txt").write_text("b")
    output = cli.run_text("try", write(cli, FILING.replace("reserve=batch", "reserve=batch[:1]")))
    assert "Still pending: 1 event of found\n" in output
