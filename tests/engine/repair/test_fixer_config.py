"""Who repairs scripts: off unless it is whole, kept as it was, and no bad value takes the others with it."""

from dataclasses import replace
from typing import Any

import pytest

from scheduler.engine.fixing.choice import FixerChoice, FixerKind, read_choice
from scheduler.engine.fixing.making import make_fixer
from scheduler.engine.refusal import RefusedError
from scheduler.engine.runs.tools import NoSecrets
from scheduler.engine.settings import Settings

SERVER = FixerChoice(kind=FixerKind.SERVER, url="http://localhost:1/v1", model="m", tokens=5_000, applies=True)


def test_nobody_is_asked_unless_the_person_says_so() -> None:
    assert not Settings().fixer.is_on
    with pytest.raises(RefusedError, match="Nobody was chosen"):
        make_fixer(FixerChoice(), NoSecrets())


@pytest.mark.parametrize(
    ("choice", "is_on"),
    [
        (SERVER, True),
        (replace(SERVER, model=""), False),
        (replace(SERVER, url=""), False),
        (replace(SERVER, kind=FixerKind.OFF), False),
        (FixerChoice(kind=FixerKind.COMMAND, command="llm -m 'a b'"), True),
        (FixerChoice(kind=FixerKind.COMMAND, command="llm 'a"), False),
        (FixerChoice(kind=FixerKind.COMMAND, command=" "), False),
    ],
)
def test_a_choice_that_is_not_whole_is_off(choice: FixerChoice, is_on: bool) -> None:  # noqa: FBT001  a case
    assert choice.is_on is is_on


def test_a_command_is_split_as_at_a_terminal_and_read_by_no_shell() -> None:
    choice = FixerChoice(kind=FixerKind.COMMAND, command="llm -m 'a b' '$HOME; x'")
    assert choice.words == ["llm", "-m", "a b", "$HOME; x"]


def test_what_was_kept_is_read_again() -> None:
    assert read_choice(SERVER.write()) == SERVER


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("kind", "somebody"),
        ("kind", 7),
        ("tokens", 1),
        ("tokens", "many"),
        ("seconds", True),
        ("applies", 1),
        ("url", 7),
    ],
)
def test_one_bad_value_does_not_take_the_others_with_it(name: str, value: Any) -> None:
    found = read_choice({**SERVER.write(), name: value})
    assert getattr(found, name) == getattr(FixerChoice(), name)
    assert replace(found, **{name: getattr(SERVER, name)}) == SERVER


@pytest.mark.parametrize("written", [None, [], "off", 3])
def test_what_makes_no_sense_is_off(written: Any) -> None:
    assert read_choice(written) == FixerChoice()


@pytest.mark.parametrize(
    ("choice", "field"),
    [
        (replace(SERVER, url="localhost:1"), "url"),
        (replace(SERVER, url="http://"), "url"),
        (replace(SERVER, url="http://[::1"), "url"),
        (replace(SERVER, url="https://me:pass@host/v1"), "url"),
        (replace(SERVER, model=""), "model"),
        (replace(SERVER, tokens=0), "tokens"),
        (FixerChoice(kind=FixerKind.COMMAND, command="llm 'a"), "command"),
    ],
)
def test_what_is_missing_is_said(choice: FixerChoice, field: str) -> None:
    with pytest.raises(RefusedError) as refused:
        choice.check()
    assert refused.value.code == field
