"""The words of connectors: all of them are known here, and are said in the person's language."""

from PySide6.QtWidgets import QApplication

from app.words.connectors import WORDS, name_parameters, say_connector
from scheduler.connections.registry import builtin_registry


def spoken() -> set[str]:
    registry = builtin_registry(lambda *_: None)
    connectors = [registry.connector(kind) for kind in registry.kinds()]
    fields = [field for connector in connectors for field in connector.fields]
    words = [word for one in connectors for word in (one.title, one.help)]
    return {word for word in (*words, *(word for one in fields for word in (one.label, one.help))) if word}


def test_what_connectors_call_themselves_and_their_fields_can_be_translated() -> None:
    assert spoken() == set(map(str, WORDS)), "app/words/connectors.py lists what the built-in connectors say"


def test_they_speak_german(in_german: None) -> None:
    assert say_connector("Table") == "Tabelle"
    assert say_connector("Password or token") == "Passwort oder Token"
    assert say_connector("Nothing outside it is touched.") == "Nichts außerhalb wird berührt."


def test_what_another_connector_says_and_silence_stay(in_german: None) -> None:
    assert say_connector("Coffee machine") == "Coffee machine"
    assert say_connector("") == ""


def test_without_a_translation_they_speak_english(qapp: QApplication) -> None:
    assert say_connector("Table") == "Table"


def test_what_is_handed_to_a_tool_has_names_for_people() -> None:
    names = name_parameters()
    assert (names["to"], names["rows"]) == ("To", "Rows")
    assert "x-of-theirs" not in names
