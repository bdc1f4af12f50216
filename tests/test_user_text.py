"""Texts for the user: English at once, and still translatable after they were copied, raised or stored."""

import copy
import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scheduler.connections.redaction import redact_text
from scheduler.rules.requests import Block
from scheduler.store import lanes
from scheduler.store.lanes import LaneRow
from scheduler.store.opening import close_store, open_store
from scheduler.user_text import UserText, add_full_stop, from_json, join_texts, join_words, pack, unpack

FAILED = UserText("{name} failed {count} times.", name="Backup", count=3)


def test_it_is_its_english_text() -> None:
    assert FAILED == "Backup failed 3 times."
    assert json.dumps({"sentence": FAILED}) == '{"sentence": "Backup failed 3 times."}'


def test_fields_can_be_texts_lists_and_errors() -> None:
    error = ValueError(FAILED)
    text = UserText("{error} Known: {names}.", error=error, names=["a", "b"])
    assert text == "Backup failed 3 times. Known: a, b."
    assert text.fields["error"].template == FAILED.template


def test_a_capital_in_the_name_of_a_field_capitalizes_it() -> None:
    assert UserText("{Days} at {time}", days="weekdays", time="09:00") == "Weekdays at 09:00"


def test_braces_that_are_no_field_stay() -> None:
    assert UserText('write {"hour": 18} or {other} for {name}', name="{x}") == 'write {"hour": 18} or {other} for {x}'


def test_it_survives_being_raised_and_copied() -> None:
    assert str(RuntimeError(FAILED)) is FAILED
    copied = copy.deepcopy(FAILED)
    assert (copied, copied.template, copied.fields) == (FAILED, FAILED.template, FAILED.fields)


def test_joined_texts_keep_their_parts() -> None:
    joined = join_texts([FAILED, "Said the script."], " ")
    assert joined == "Backup failed 3 times. Said the script."
    assert join_words(["a"]) == "a"
    assert join_words(["a", "b", "c"]) == "a, b and c"
    assert join_words(["a", "b"], "or") == "a or b"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [("KeyError: 'b'", "KeyError: 'b'."), ("It rains. ", "It rains."), ("Is it?", "Is it?"), ("", "")],
)
def test_a_full_stop_is_added_only_where_it_is_missing(text: str, sentence: str) -> None:
    assert add_full_stop(text) == sentence


def test_secrets_are_removed_from_the_fields_too() -> None:
    """What is stored are the fields."""
    text = UserText("{host} answered {answer}.", host="a.org", answer=UserText("no to {token}", token="hunter22"))
    redacted = redact_text(text, {"hunter22"})
    assert "hunter22" not in redacted and "hunter22" not in str(pack(redacted))
    assert isinstance(redacted, UserText)
    number = UserText("PIN {pin}", pin=123456)
    assert "123456" not in str(pack(redact_text(number, {"123456"})))


@given(st.text(max_size=30), st.integers(), st.lists(st.text(max_size=5), max_size=3))
def test_packing_loses_nothing(name: str, count: int, names: list[str]) -> None:
    text = UserText("{name} {count} {names}", name=UserText("a {name}", name=name), count=count, names=names)
    again = unpack(pack(text))
    assert again == text and isinstance(again, UserText) and again.fields == text.fields


@given(st.text(max_size=200))
def test_other_text_is_stored_as_it_is(text: str) -> None:
    assert unpack(pack(text)) == text


@pytest.mark.parametrize(
    "stored",
    [
        '{"template":',
        '{"template": 3, "fields": {}}',
        '{"template": "x"}',
        '{"template": "x", "fields": {"a": {"b": 1}}}',
        '{"template": "x", "fields": ' + '{"a": {"template": "y", "fields": ' * 40 + "{}" + "}}" * 40 + "}",
    ],
)
def test_a_script_cannot_break_reading(stored: str) -> None:
    """Whatever looks like a packed text and is none is shown as it is."""
    assert unpack(stored) == stored
    assert unpack(pack(stored)) == stored


def test_values_that_are_no_text_are_refused() -> None:
    with pytest.raises(ValueError, match="not a text"):
        from_json({"template": "x", "fields": [1]})


def test_the_store_keeps_templates_and_fields(tmp_path: Path) -> None:
    database = open_store(tmp_path, datetime(2026, 5, 4, tzinfo=UTC)).database
    with database.write() as db:
        db.execute("INSERT INTO workflows (slug, name, path, status, script, created) VALUES ('w', '', '', '', 1, 0)")
        lanes.ensure(db, "w", "")
        lanes.block(db, LaneRow("w", "", Block.SCRIPT_ERROR, FAILED, "r"))
    found = lanes.find(database.read(), "w", "")
    assert found is not None and isinstance(found.sentence, UserText)
    assert found.sentence.fields == {"name": "Backup", "count": 3}
    close_store(database)
