"""All texts of the built-in connectors are listed and translated."""

from PySide6.QtWidgets import QApplication

from app.i18n.connector_labels import CONNECTOR_TEXTS, parameter_labels, translate_connector_text
from scheduler.connections.registry import builtin_registry


def connector_texts() -> set[str]:
    registry = builtin_registry(lambda *_: None)
    connectors = [registry.connector(kind) for kind in registry.kinds()]
    fields = [field for connector in connectors for field in connector.fields]
    words = [word for one in connectors for word in (one.title, one.help)]
    return {word for word in (*words, *(word for one in fields for word in (one.label, one.help))) if word}


def test_all_texts_of_connectors_are_listed() -> None:
    assert connector_texts() == set(map(str, CONNECTOR_TEXTS)), "update app/i18n/connector_labels.py"


def test_texts_of_connectors_are_german(in_german: None) -> None:
    assert translate_connector_text("Table") == "Tabelle"
    assert translate_connector_text("Password or token") == "Passwort oder Token"
    assert (
        translate_connector_text("Nothing outside this folder is changed.")
        == "Außerhalb dieses Ordners wird nichts geändert."
    )


def test_unknown_and_empty_texts_are_unchanged(in_german: None) -> None:
    assert translate_connector_text("Coffee machine") == "Coffee machine"
    assert translate_connector_text("") == ""


def test_without_a_translation_texts_are_english(qapp: QApplication) -> None:
    assert translate_connector_text("Table") == "Table"


def test_tool_parameters_have_labels() -> None:
    names = parameter_labels()
    assert (names["to"], names["rows"]) == ("To", "Rows")
    assert "x-of-theirs" not in names
