"""The choice of fixer: off unless complete, stored unchanged, and one invalid value does not affect the others."""

from dataclasses import replace
from typing import Any

import pytest

from scheduler.connections.secrets import NoSecrets
from scheduler.engine.errors import RefusedError
from scheduler.engine.fixer_config import FixerConfig, FixerKind, read_config
from scheduler.engine.repair.proposer import make_fixer
from scheduler.engine.settings import Settings

SERVER = FixerConfig(kind=FixerKind.SERVER, url="http://localhost:1/v1", model="m", tokens=5_000, applies=True)


def test_the_fixer_is_off_by_default() -> None:
    assert not Settings().fixer.is_on
    with pytest.raises(RefusedError, match="No fixer is set up"):
        make_fixer(FixerConfig(), NoSecrets())


@pytest.mark.parametrize(
    ("choice", "is_on"),
    [
        (SERVER, True),
        (replace(SERVER, model=""), False),
        (replace(SERVER, url=""), False),
        (replace(SERVER, kind=FixerKind.OFF), False),
        (FixerConfig(kind=FixerKind.COMMAND, command="llm -m 'a b'"), True),
        (FixerConfig(kind=FixerKind.COMMAND, command="llm 'a"), False),
        (FixerConfig(kind=FixerKind.COMMAND, command=" "), False),
    ],
)
def test_an_incomplete_choice_is_off(choice: FixerConfig, is_on: bool) -> None:  # noqa: FBT001  a case
    assert choice.is_on is is_on


def test_a_command_is_split_as_in_a_terminal_without_a_shell() -> None:
    choice = FixerConfig(kind=FixerKind.COMMAND, command="llm -m 'a b' '$HOME; x'")
    assert choice.command_words == ["llm", "-m", "a b", "$HOME; x"]


def test_a_stored_choice_is_read_again() -> None:
    assert read_config(SERVER.write()) == SERVER


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
def test_one_invalid_value_does_not_affect_the_others(name: str, value: Any) -> None:
    config = read_config({**SERVER.write(), name: value})
    assert getattr(config, name) == getattr(FixerConfig(), name)
    assert replace(config, **{name: getattr(SERVER, name)}) == SERVER


@pytest.mark.parametrize("written", [None, [], "off", 3])
def test_an_invalid_choice_is_off(written: Any) -> None:
    assert read_config(written) == FixerConfig()


@pytest.mark.parametrize(
    ("choice", "field"),
    [
        (replace(SERVER, url="localhost:1"), "url"),
        (replace(SERVER, url="http://"), "url"),
        (replace(SERVER, url="http://[::1"), "url"),
        (replace(SERVER, url="https://me:pass@host/v1"), "url"),
        (replace(SERVER, model=""), "model"),
        (replace(SERVER, tokens=0), "tokens"),
        (FixerConfig(kind=FixerKind.COMMAND, command="llm 'a"), "command"),
    ],
)
def test_missing_settings_are_named(choice: FixerConfig, field: str) -> None:
    with pytest.raises(RefusedError) as refused:
        choice.check()
    assert refused.value.code == field
