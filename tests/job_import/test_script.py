"""The script of imported jobs is valid for any input and contains what was read."""

import ast
from typing import Any

import dayhand
import pytest
from dayhand import _workflow as written
from dayhand._workflow import make_slug
from hypothesis import given, settings
from hypothesis import strategies as st

from scheduler.job_import.result import Job, is_secret_name
from scheduler.job_import.script import find_key, write_script

TEXTS = st.text(max_size=40) | st.sampled_from(['"""', "\\", "'''", 'x"', "\n# x", "class", "import", "a\u2028b", "\0"])


def job(title: str = "Back up", text: str = "0 3 * * * x", **changed: Any) -> Job:
    fields: dict[str, Any] = {
        "commands": (("echo", "a"),),
        "settings": {"cron": "0 3 * * *", "timezone": "local"},
        "place": "crontab",
        "line": 3,
    }
    return Job(title=title, text=text, **{**fields, **changed})


@given(
    title=TEXTS,
    name=TEXTS.filter(lambda name: bool(make_slug(name)) and name.isprintable()),
    text=TEXTS,
    note=TEXTS,
    word=st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=20),
)
@settings(max_examples=60, deadline=None)
def test_the_script_is_valid_for_any_text_in_the_old_file(
    title: str, name: str, text: str, note: str, word: str
) -> None:
    one = job(title, text, notes=(note,), commands=(("echo", word),), place=text)
    source = write_script(name, one, one.key)
    module = type(ast)("imported")
    try:
        exec(compile(source, "imported.py", "exec"), module.__dict__)
        description = dayhand.describe(module)
    finally:
        written.defined.clear()
    assert description["name"] == name.strip()
    [described] = description["handlers"]
    assert (described["name"], described["schedule"]["cron"]) == ("run", "0 3 * * *")
    lists = [ast.literal_eval(node) for node in ast.walk(ast.parse(source)) if isinstance(node, ast.List)]
    assert lists.count(["echo", word]) == 1
    assert find_key(source) == one.key


def test_the_key_of_a_job_is_the_same_on_another_line_and_different_at_another_time() -> None:
    assert job(line=3, place="a").key == job(line=9, place="b").key
    assert job(text="0 3 * * * x").key != job(text="0 4 * * * x").key
    assert job(commands=(("echo", "b"),)).key != job().key


@pytest.mark.parametrize("name", ["RESTIC_PASSWORD", "GITHUB_TOKEN", "AWS_SECRET_ACCESS_KEY", "api_key", "DB_PASS"])
def test_names_that_look_like_secrets(name: str) -> None:
    assert is_secret_name(name)


@pytest.mark.parametrize("name", ["PATH", "HOME", "LANG", "KEYBOARD", "RESTIC_REPOSITORY"])
def test_names_that_do_not_look_like_secrets(name: str) -> None:
    assert not is_secret_name(name)
