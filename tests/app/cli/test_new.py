"""`new`: it prompts, writes the script, connects, deploys and opens the editor."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from app.templates import list_templates
from tests.app.cli.live_cli import CommandLine

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
    """Answers to the required questions."""
    [template] = [one for one in list_templates() if one.slug == slug]
    words = []
    for question in template.questions:
        if question.required:
            words += ["--set", f"{question.name}={ANSWERS[question.name].format(place=place)}"]
    return words


@pytest.mark.parametrize("slug", [one.slug for one in list_templates()])
def test_every_template_is_deployed_paused_with_its_permissions(cli: CommandLine, here: Path, slug: str) -> None:
    answer = cli.run_json("new", slug, *given(slug, here))
    assert (answer["paused"], Path(answer["file"]).parent) == (True, here)
    assert all("is not connected yet" in warning or "127.0.0.1" in warning for warning in answer["warnings"])
    shown = cli.run_json("show", answer["workflow"])
    assert shown["state"] == "paused"


def test_without_a_template_all_are_listed(cli: CommandLine) -> None:
    output = cli.run_text("new")
    assert all(one.slug in output and one.summary in output for one in list_templates())
    listed = cli.run_json("new")["templates"]
    assert [one["template"] for one in listed] == [one.slug for one in list_templates()]
    assert not cli.folder.exists()


def test_a_name_can_be_given_and_the_pause_skipped(cli: CommandLine, here: Path) -> None:
    answer = cli.run_json("new", "nightly-command", "x.py", "--set", "command=true", "--name", "My night", "--start")
    assert (answer["workflow"], answer["file"]) == ("my-night", str(here / "x.py"))
    assert cli.run_json("show", "my-night")["state"] == "idle"


def test_the_output_names_the_file_and_the_next_step(cli: CommandLine, here: Path) -> None:
    output = cli.run_text("new", "nightly_command", "--set", "COMMAND=true", "--set", "AT=4:30")
    assert f"nightly-command was created in {here / 'nightly_command.py'}." in output
    assert "nightly: Daily at 04:30" in output
    assert f"dayhand resume --data-dir {cli.folder} nightly-command" in output


def test_a_missing_or_invalid_answer_is_reported_and_leaves_nothing_behind(cli: CommandLine, here: Path) -> None:
    before = sorted(here.iterdir())
    code, _, err = cli.run("new", "nightly-command")
    assert (code, "--set COMMAND=VALUE" in err) == (2, True)
    for words in (["--set", "AT=late", "--set", "COMMAND=x"], ["--set", "NO=1"], ["--set", "COMMAND"]):
        assert cli.run("new", "nightly-command", *words)[0] == 2
    assert cli.run("new", "nightly-command", "--set", "COMMAND=x", "--set", "AT=late")[2].startswith("AT: 'late' is ")
    assert cli.run_refused("new", "sundial")[0] == "template"
    assert sorted(here.iterdir()) == before


def test_an_existing_file_is_refused_before_the_first_prompt(cli: CommandLine, here: Path) -> None:
    (here / "nightly_command.py").write_text("precious")
    assert cli.run_refused("new", "nightly-command")[0] == "file"
    assert (here / "nightly_command.py").read_text() == "precious"
    assert cli.run_refused("new", "nightly-command", "nowhere/x.py")[0] == "file"


def test_an_invalid_connection_is_refused_and_leaves_nothing_behind(cli: CommandLine, here: Path) -> None:
    before = sorted(here.iterdir())
    code, sentence = cli.run_refused("new", "mailed-receipts", "--set", f"TABLE={here}/t.doc")
    assert (code, "not a table" in sentence) == ("connection", True)
    assert sorted(here.iterdir()) == before
    assert cli.run_json("connections")["connections"] == []


def test_an_unavailable_server_or_folder_is_connected_with_a_warning(cli: CommandLine, here: Path) -> None:
    answer = cli.run_json("new", "morning-digest", *given("morning-digest", here))
    assert "127.0.0.1" in answer["warnings"][0]
    (here / "in").rmdir()
    answer = cli.run_json("new", "sort-folder", *given("sort-folder", here))
    assert str(here / "in") in answer["warnings"][0]
    connected = {one["connection"] for one in cli.run_json("connections")["connections"] if one["is_connected"]}
    assert connected == {"feed:news", "files:inbox"}


def test_an_existing_connection_is_not_changed(cli: CommandLine, here: Path) -> None:
    cli.run_json("connect", "files:inbox", "--path", str(here / "out"))
    code, sentence = cli.run_refused("new", "sort-folder", *given("sort-folder", here))
    assert (code, str(here / "out") in sentence) == ("connected", True)
    assert not (here / "sort_folder.py").exists()
    cli.run_json("connect", "files:inbox", "--path", str(here / "in"))
    assert cli.run_json("new", "sort-folder", *given("sort-folder", here))["workflow"] == "sort-folder"


def test_in_a_terminal_it_prompts_and_opens_the_editor(cli: CommandLine, here: Path, terminal: tuple[int, int]) -> None:
    """A real process in a real terminal: an invalid answer is prompted for again, and the edited script is deployed."""
    editor = here / "editor"
    editor.write_text(
        '#!/bin/sh\nsed -i "s/Nightly command/Edited/2" "$1"\nsed -i "s/Workflow(.*)/Workflow(\\"Edited\\")/" "$1"\n'
    )
    editor.chmod(0o755)
    user_end, program_end = terminal
    command = [sys.executable, "-m", "app.main", "new", "nightly-command", "--data-dir", str(cli.folder)]
    environment = {**os.environ, "EDITOR": str(editor), "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    environment.pop("VISUAL", None)
    with subprocess.Popen(
        command, stdin=program_end, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment, cwd=here, text=True
    ) as process:
        os.write(user_end, b"echo 'a\necho hello\n9 o'clock\n9:15\n")
        out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    assert "quotes" in err and "not a time of day" in err
    assert "edited was created in" in out
    script = (here / "nightly_command.py").read_text()
    assert 'COMMAND = ["echo", "hello"]' in script and 'AT = "09:15"' in script
    assert cli.run_json("show", "edited")["version"] == 1


def test_end_of_input_at_a_prompt_cancels_the_command(cli: CommandLine, here: Path, terminal: tuple[int, int]) -> None:
    user_end, program_end = terminal
    command = [sys.executable, "-m", "app.main", "new", "nightly-command", "--data-dir", str(cli.folder)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    os.write(user_end, b"\x04")
    ended = subprocess.run(
        command, stdin=program_end, capture_output=True, env=environment, cwd=here, text=True, timeout=120, check=False
    )
    assert (ended.returncode, ended.stderr) == (1, "No answer was given; nothing was changed.\n")
    assert not (here / "nightly_command.py").exists()
