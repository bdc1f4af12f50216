"""`new`: it prompts, writes the script, connects, deploys and opens the editor."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.template_script import read_constants
from app.templates import list_templates
from tests.app.cli.live_cli import CommandLine
from tests.connections.web_servers import Reply, http_server

ANSWERS = {
    "COMMAND": "true",
    "FOLDER": "{place}/in",
    "PAGE": "{url}/lamp",
    "WATCHED": "20,00",
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


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    """Of a site with one page, on which a price can be watched."""
    page = b"<html><h1>Lamp</h1><p>Now <b>20,00 EUR</b></p></html>"
    with http_server(lambda _: Reply(200, page, {"Content-Type": "text/html"})) as server:
        yield server.url.rstrip("/")


def given(slug: str, place: Path, url: str = "") -> list[str]:
    """Answers to the required questions."""
    [template] = [one for one in list_templates() if one.slug == slug]
    words = []
    for question in template.questions:
        if question.required:
            words += ["--set", f"{question.name}={ANSWERS[question.name].format(place=place, url=url)}"]
    return words


@pytest.mark.parametrize("slug", [one.slug for one in list_templates()])
def test_every_template_is_deployed_paused_with_its_permissions(
    cli: CommandLine, here: Path, slug: str, url: str
) -> None:
    answer = cli.run_json("new", slug, *given(slug, here, url))
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
    answer = cli.run_json("new", "run-command", "x.py", "--set", "command=true", "--name", "My night", "--start")
    assert (answer["workflow"], answer["file"]) == ("my-night", str(here / "x.py"))
    assert cli.run_json("show", "my-night")["state"] == "idle"


def test_the_output_names_the_file_and_the_next_step(cli: CommandLine, here: Path) -> None:
    output = cli.run_text("new", "run_command", "--set", "COMMAND=true", "--set", "AT=4:30")
    assert f"run-a-command was created in {here / 'run_command.py'}." in output
    assert "run: Daily at 04:30" in output
    assert f"dayhand resume --data-dir {cli.folder} run-a-command" in output


def test_a_missing_or_invalid_answer_is_reported_and_leaves_nothing_behind(cli: CommandLine, here: Path) -> None:
    before = sorted(here.iterdir())
    code, _, err = cli.run("new", "run-command")
    assert (code, "--set COMMAND=VALUE" in err) == (2, True)
    for words in (["--set", "AT=late", "--set", "COMMAND=x"], ["--set", "NO=1"], ["--set", "COMMAND"]):
        assert cli.run("new", "run-command", *words)[0] == 2
    assert cli.run("new", "run-command", "--set", "COMMAND=x", "--set", "AT=late")[2].startswith("AT: 'late' is ")
    assert cli.run_refused("new", "sundial")[0] == "template"
    assert sorted(here.iterdir()) == before


def test_an_existing_file_is_refused_before_the_first_prompt(cli: CommandLine, here: Path) -> None:
    (here / "run_command.py").write_text("precious")
    assert cli.run_refused("new", "run-command")[0] == "file"
    assert (here / "run_command.py").read_text() == "precious"
    assert cli.run_refused("new", "run-command", "nowhere/x.py")[0] == "file"


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


def test_a_second_folder_gets_a_connection_of_its_own(cli: CommandLine, here: Path) -> None:
    """The existing one is not changed, and a third workflow for the same folder shares it."""
    cli.run_json("new", "sort-folder", "a.py", *given("sort-folder", here), "--name", "A")
    cli.run_json("new", "sort-folder", "b.py", "--set", f"FOLDER={here / 'out'}", "--name", "B")
    cli.run_json("new", "sort-folder", "c.py", "--set", f"FOLDER={here / 'out'}", "--name", "C")
    connected = {one["connection"]: one for one in cli.run_json("connections")["connections"]}
    assert {name: (one["settings"]["path"], one["used_by"]) for name, one in connected.items()} == {
        "files:inbox": (str(here / "in"), ["a"]),
        "files:inbox-2": (str(here / "out"), ["b", "c"]),
    }


def test_an_account_can_be_chosen(cli: CommandLine, here: Path) -> None:
    cli.run_json("new", "calendar-reminder", "--set", "CALENDAR=work")
    assert 'CALENDAR = "caldav:work"' in (here / "calendar_reminder.py").read_text()
    assert cli.run("new", "calendar-reminder", "x.py", "--set", "CALENDAR=imap:work")[0] == 2


def test_the_text_to_watch_must_be_on_the_page(cli: CommandLine, here: Path, url: str) -> None:
    code, _, err = cli.run("new", "watch-page", "--set", f"PAGE={url}", "--set", "WATCHED=21,00")
    assert (code, "'21,00' is not on http://" in err) == (2, True)
    code, _, err = cli.run("new", "watch-page", "--set", "PAGE=http://127.0.0.1:9/", "--set", "WATCHED=x")
    assert (code, err.startswith("WATCHED: ")) == (2, True)
    cli.run_json("new", "watch-page", "--set", f"PAGE={url}", "--set", "WATCHED=20,00")
    assert "'b'" in repr(read_constants((here / "watch_page.py").read_text())["WATCHED"]["path"])


def test_a_template_is_found_by_its_former_name(cli: CommandLine, here: Path) -> None:
    assert cli.run_json("new", "nightly-command", "--set", "COMMAND=true")["workflow"] == "run-a-command"


def test_in_a_terminal_it_prompts_and_opens_the_editor(cli: CommandLine, here: Path, terminal: tuple[int, int]) -> None:
    """A real process in a real terminal: an invalid answer is prompted for again, and the edited script is deployed."""
    editor = here / "editor"
    editor.write_text('#!/bin/sh\nsed -i "s/Workflow(.*)/Workflow(\\"Edited\\")/" "$1"\n')
    editor.chmod(0o755)
    user_end, program_end = terminal
    command = [sys.executable, "-m", "app.main", "new", "run-command", "--data-dir", str(cli.folder)]
    environment = {**os.environ, "EDITOR": str(editor), "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    environment.pop("VISUAL", None)
    with subprocess.Popen(
        command, stdin=program_end, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment, cwd=here, text=True
    ) as process:
        os.write(user_end, b"echo 'a\necho hello\n9 o'clock\n9:15\nsomeday\nmon, fri\n\n")
        out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    assert "quotes" in err and "not a time of day" in err and "not a list of weekdays" in err
    assert "edited was created in" in out
    script = (here / "run_command.py").read_text()
    assert 'COMMAND = ["echo", "hello"]' in script and 'AT = "09:15"' in script and 'DAYS = ["mon", "fri"]' in script
    assert cli.run_json("show", "edited")["version"] == 1


def test_end_of_input_at_a_prompt_cancels_the_command(cli: CommandLine, here: Path, terminal: tuple[int, int]) -> None:
    user_end, program_end = terminal
    command = [sys.executable, "-m", "app.main", "new", "run-command", "--data-dir", str(cli.folder)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    os.write(user_end, b"\x04")
    ended = subprocess.run(
        command, stdin=program_end, capture_output=True, env=environment, cwd=here, text=True, timeout=120, check=False
    )
    assert (ended.returncode, ended.stderr) == (1, "No answer was given; nothing was changed.\n")
    assert not (here / "run_command.py").exists()
