"""A secret in a script is not sent with it, and is there again in what is used."""

import ast

import pytest

from scheduler.engine.fixing.withholding import give_back, withhold

SCRIPT = '''"""Grüße."""
API_TOKEN = "s3cret-1"; x = "ö"
Password: str = (
    "s3cret-2"
    "more"
)
SETTINGS = {"user": "me", "password": 's3cret-3', "n": 7}
call(to="a", secret="""s3cret-4
two lines""", text="dear you")
token = make("not one")
EMPTY_SECRET = ""
'''


def test_secrets_are_not_in_what_is_sent_and_the_rest_is_as_it_was() -> None:
    shown = withhold(SCRIPT)
    assert "s3cret" not in shown and "two lines" not in shown
    for kept in ("Grüße", 'x = "ö"', '"user": "me"', 'text="dear you"', 'make("not one")', 'EMPTY_SECRET = ""'):
        assert kept in shown
    ast.parse(shown)


def test_an_answer_gets_them_back_as_they_were_written() -> None:
    shown = withhold(SCRIPT)
    assert give_back(shown, SCRIPT) == SCRIPT
    other = shown.replace("dear you", "dear all").replace('"(secret 1, left out)"', "'(secret 1, left out)'")
    assert give_back(other, SCRIPT) == SCRIPT.replace("dear you", "dear all")


@pytest.mark.parametrize("script", ["import dayhand\n", "not python (", ""])
def test_a_script_without_any_is_sent_as_it_is(script: str) -> None:
    assert withhold(script) == script == give_back(script, script)
