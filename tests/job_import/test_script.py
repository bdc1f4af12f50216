"""The script of imported jobs is valid for any input and contains what was read."""

import ast
import keyword
from typing import Any

import dayhand
import pytest
from dayhand import _workflow as written
from hypothesis import given, settings
from hypothesis import strategies as st

from scheduler.job_import.result import Job, is_secret_name
from scheduler.job_import.script import name_jobs, write_script

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
    titles=st.lists(TEXTS, min_size=1, max_size=5),
    text=TEXTS,
    note=TEXTS,
    word=st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=20),
)
@settings(max_examples=60, deadline=None)
def test_the_script_is_valid_for_any_text_in_the_old_file(titles: list[str], text: str, note: str, word: str) -> None:
    jobs = [job(title, text, notes=(note,), commands=(("echo", word),), place=text) for title in titles]
    source, names = write_script("Imported", text, jobs)
    module = type(ast)("imported")
    try:
        exec(compile(source, "imported.py", "exec"), module.__dict__)
        description = dayhand.describe(module)
    finally:
        written.defined.clear()
    assert [one["name"] for one in description["handlers"]] == list(names)
    assert {one["schedule"]["cron"] for one in description["handlers"]} == {"0 3 * * *"}
    lists = [ast.literal_eval(node) for node in ast.walk(ast.parse(source)) if isinstance(node, ast.List)]
    assert lists.count(["echo", word]) == len(jobs)


@given(st.lists(TEXTS, max_size=20))
@settings(max_examples=60, deadline=None)
def test_every_job_has_a_unique_valid_python_name(titles: list[str]) -> None:
    names = name_jobs([job(title) for title in titles])
    assert len(set(names)) == len(titles)
    assert all(name.isidentifier() and not keyword.iskeyword(name) for name in names)


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("/usr/local/bin/backup.sh --all", "backup_all"),
        ("Back up my photos to the big disk", "back_up_my_photos"),
        ("cd / && run-parts /etc/cron.hourly", "run_parts_etc_cron"),
        ("class", "class_job"),
        ("~ 1 2 3", "job"),
    ],
)
def test_names_come_from_the_title(title: str, name: str) -> None:
    assert name_jobs([job(title)]) == (name,)


def test_duplicate_names_get_a_number() -> None:
    assert name_jobs([job("a"), job("a"), job("b"), job("a")]) == ("a", "a_2", "b", "a_3")


@pytest.mark.parametrize("name", ["RESTIC_PASSWORD", "GITHUB_TOKEN", "AWS_SECRET_ACCESS_KEY", "api_key", "DB_PASS"])
def test_names_that_look_like_secrets(name: str) -> None:
    assert is_secret_name(name)


@pytest.mark.parametrize("name", ["PATH", "HOME", "LANG", "KEYBOARD", "RESTIC_REPOSITORY"])
def test_names_that_do_not_look_like_secrets(name: str) -> None:
    assert not is_secret_name(name)
