"""`try` from a command line, over the connections of a real data folder, which stays as it was."""

from pathlib import Path

from scheduler.store.backups import FILE
from tests.app.verbs.served import Line
from tests.engine.workflows.trying.test_trial import FILING, JOBS


def write(line: Line, source: str) -> str:
    path = line.folder.parent / "script.py"
    path.write_text(source)
    return str(path)


def connect(line: Line, place: Path) -> None:
    (place / "in").mkdir()
    (place / "in" / "a.txt").write_text("a")
    line.ask("connect", "files:in", "--path", str(place / "in"))
    line.ask("connect", "table:out", "--path", str(place / "out.csv"))


def test_a_person_reads_what_would_happen(line: Line, tmp_path: Path) -> None:
    connect(line, tmp_path)
    before = (line.folder / FILE).read_bytes()
    said = line.read("try", write(line, FILING))
    assert "would ask you: Enter 1 files" in said
    assert 'would append with table:out: {"rows": [{"file": "a.txt"}]}' in said
    assert "script.py: 2 runs until" in said
    assert "It would go on at" in said
    assert not (tmp_path / "out.csv").exists()
    assert line.ask("list")["workflows"] == []
    assert (line.folder / FILE).read_bytes() == before


def test_programs_read_it_too_and_days_are_walked(line: Line) -> None:
    answer = line.ask("try", write(line, JOBS.format(place="/x")), "--days", "3")
    assert len(answer["steps"]) == 3
    assert answer["steps"][0]["commands"] == [["touch", "/x"]]
    assert not line.folder.exists()


def test_a_quiet_day_is_one_line(line: Line, tmp_path: Path) -> None:
    connect(line, tmp_path)
    (tmp_path / "in" / "a.txt").unlink()
    said = line.read("try", write(line, FILING), "--days", "1")
    assert "look: done. So 25 times until" in said
    assert "script.py: 25 runs until" in said


def test_a_week_of_minutes_and_a_script_that_talks_stay_readable(line: Line) -> None:
    source = JOBS.format(place="/x").replace("code = ", "[print(n) for n in range(500)]; code = ")
    said = line.read("try", write(line, source), "--days", "30").splitlines()
    assert said.count("    … and 491 more") == 20
    assert [words for words in said if "So 10 more times until" in words] and len(said) < 300


def test_a_failure_is_the_answer_of_the_command(line: Line) -> None:
    source = JOBS.format(place="/x").replace("code = ", "raise ValueError('no') #")
    code, out, err = line.type("try", write(line, source))
    assert (code, "nightly: failed" in out) == (1, True)
    assert out.count("ValueError: no") == 1, "said once, not three times"
    assert err == "nightly did not get to its end.\n"


def test_what_cannot_be_tried_is_refused(line: Line) -> None:
    assert line.refuse("try", write(line, "import dayhand"))[0] == "not valid"
    assert line.refuse("try", "missing.py")[0] == "file"
    assert line.type("try", write(line, "x"), "--days", "0")[0] == 2
