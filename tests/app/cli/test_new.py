"""`new` from a command line: it asks, writes, connects, deploys and opens the editor."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from app.templates import all_templates
from tests.app.verbs.served import Line

ANSWERS = {
    "COMMAND": "true",
    "FOLDER": "{place}/in",
    "BACKUP": "{place}/out",
    "PAGE": "http://127.0.0.1:9/lamp",
    "FEED": "http://127.0.0.1:9/feed",
    "TO": "me@example.org",
    "TABLE": "{place}/t.csv",
    "SIGNED": "Emma",
}


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    place = tmp_path / "here"
    (place / "in").mkdir(parents=True)
    (place / "out").mkdir()
    monkeypatch.chdir(place)
    return place


def given(slug: str, place: Path) -> list[str]:
    """What it does not have an answer for itself."""
    [template] = [one for one in all_templates() if one.slug == slug]
    words = []
    for question in template.questions:
        if question.required:
            words += ["--set", f"{question.name}={ANSWERS[question.name].format(place=place)}"]
    return words


@pytest.mark.parametrize("slug", [one.slug for one in all_templates()])
def test_each_template_is_deployed_paused_and_may_do_what_it_does(line: Line, here: Path, slug: str) -> None:
    answer = line.ask("new", slug, *given(slug, here))
    assert (answer["paused"], Path(answer["file"]).parent) == (True, here)
    assert all("is not connected yet" in warning or "127.0.0.1" in warning for warning in answer["warnings"])
    shown = line.ask("show", answer["workflow"])
    assert shown["state"] == "paused"


def test_without_a_name_all_are_listed(line: Line) -> None:
    said = line.read("new")
    assert all(one.slug in said and one.summary in said for one in all_templates())
    listed = line.ask("new")["templates"]
    assert [one["template"] for one in listed] == [one.slug for one in all_templates()]
    assert not line.folder.exists()


def test_it_starts_at_once_if_that_is_wanted_under_the_name_that_is_given(line: Line, here: Path) -> None:
    answer = line.ask("new", "nightly-command", "x.py", "--set", "command=true", "--name", "My night", "--start")
    assert (answer["workflow"], answer["file"]) == ("my-night", str(here / "x.py"))
    assert line.ask("show", "my-night")["state"] == "idle"


def test_a_person_is_told_where_it_is_and_what_to_do_next(line: Line, here: Path) -> None:
    said = line.read("new", "nightly_command", "--set", "COMMAND=true", "--set", "AT=4:30")
    assert f"nightly-command is in {here / 'nightly_command.py'}." in said
    assert "nightly: Daily at 04:30" in said
    assert "dayhand resume nightly-command" in said


def test_what_is_missing_or_wrong_is_said_and_leaves_nothing(line: Line, here: Path) -> None:
    before = sorted(here.iterdir())
    code, _, err = line.type("new", "nightly-command")
    assert (code, "--set COMMAND=VALUE" in err) == (2, True)
    for words in (["--set", "AT=late", "--set", "COMMAND=x"], ["--set", "NO=1"], ["--set", "COMMAND"]):
        assert line.type("new", "nightly-command", *words)[0] == 2
    assert line.type("new", "nightly-command", "--set", "COMMAND=x", "--set", "AT=late")[2].startswith("AT: 'late' is ")
    assert line.refuse("new", "sundial")[0] == "template"
    assert sorted(here.iterdir()) == before


def test_a_file_that_is_there_is_never_replaced_and_said_before_anything_is_asked(line: Line, here: Path) -> None:
    (here / "nightly_command.py").write_text("precious")
    assert line.refuse("new", "nightly-command")[0] == "file"
    assert (here / "nightly_command.py").read_text() == "precious"
    assert line.refuse("new", "nightly-command", "nowhere/x.py")[0] == "file"


def test_what_cannot_be_connected_is_refused_and_leaves_nothing(line: Line, here: Path) -> None:
    before = sorted(here.iterdir())
    code, sentence = line.refuse("new", "mailed-receipts", "--set", f"TABLE={here}/t.doc")
    assert (code, "not a table" in sentence) == ("connection", True)
    assert sorted(here.iterdir()) == before
    assert line.ask("connections")["connections"] == []


def test_a_server_or_folder_that_is_away_is_noted_and_connected_for_later(line: Line, here: Path) -> None:
    answer = line.ask("new", "morning-digest", *given("morning-digest", here))
    assert "127.0.0.1" in answer["warnings"][0]
    (here / "in").rmdir()
    answer = line.ask("new", "sort-folder", *given("sort-folder", here))
    assert str(here / "in") in answer["warnings"][0]
    connected = {one["connection"] for one in line.ask("connections")["connections"] if one["is_connected"]}
    assert connected == {"feed:news", "files:inbox"}


def test_a_connection_that_others_use_stays_as_it_is(line: Line, here: Path) -> None:
    line.ask("connect", "files:inbox", "--path", str(here / "out"))
    code, sentence = line.refuse("new", "sort-folder", *given("sort-folder", here))
    assert (code, str(here / "out") in sentence) == ("connected", True)
    assert not (here / "sort_folder.py").exists()
    line.ask("connect", "files:inbox", "--path", str(here / "in"))
    assert line.ask("new", "sort-folder", *given("sort-folder", here))["workflow"] == "sort-folder"


def test_at_a_terminal_it_asks_and_opens_the_editor(line: Line, here: Path, terminal: tuple[int, int]) -> None:
    """A real process at a real terminal: a bad answer is asked again, and what the editor changed is deployed."""
    editor = here / "editor"
    editor.write_text(
        '#!/bin/sh\nsed -i "s/Nightly command/Edited/2" "$1"\nsed -i "s/Workflow(.*)/Workflow(\\"Edited\\")/" "$1"\n'
    )
    editor.chmod(0o755)
    ours, theirs = terminal
    command = [sys.executable, "-m", "app.main", "new", "nightly-command", "--data-dir", str(line.folder)]
    environment = {**os.environ, "EDITOR": str(editor), "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    environment.pop("VISUAL", None)
    with subprocess.Popen(
        command, stdin=theirs, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment, cwd=here, text=True
    ) as process:
        os.write(ours, b"echo 'a\necho hello\n9 o'clock\n9:15\n")
        out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    assert "quotes" in err and "not a time of day" in err
    assert "edited is in" in out
    script = (here / "nightly_command.py").read_text()
    assert 'COMMAND = ["echo", "hello"]' in script and 'AT = "09:15"' in script
    assert line.ask("show", "edited")["version"] == 1


def test_the_end_of_input_in_place_of_an_answer_ends_it(line: Line, here: Path, terminal: tuple[int, int]) -> None:
    ours, theirs = terminal
    command = [sys.executable, "-m", "app.main", "new", "nightly-command", "--data-dir", str(line.folder)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    os.write(ours, b"\x04")
    ended = subprocess.run(
        command, stdin=theirs, capture_output=True, env=environment, cwd=here, text=True, timeout=120, check=False
    )
    assert (ended.returncode, ended.stderr) == (1, "Nothing was answered, so nothing was done.\n")
    assert not (here / "nightly_command.py").exists()
