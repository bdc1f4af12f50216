"""The last page before the start says every answer in words."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from PySide6.QtCore import QCoreApplication, QLocale
from pytestqt.qtbot import QtBot

from app.i18n.languages import Language, install_language
from app.templates import find_template
from app.window.new_workflow.ready_page import describe_template

SORT = {"FOLDER": "/in", "BACKUP": True, "BACKUP_FOLDER": "/copy", "AT": "02:30"}
WATCH = {"PAGE": "https://x.org/lamp", "WATCHED": {"text": "20 €"}, "BELOW": 15.5}


@pytest.fixture(params=["en_GB", "de_DE"])
def spoken(qtbot: QtBot, request: pytest.FixtureRequest) -> Iterator[str]:
    before = QLocale()
    installed = install_language(
        Language.GERMAN if request.param == "de_DE" else Language.ENGLISH, QLocale(request.param)
    )
    yield request.param[:2]
    for one in installed:
        QCoreApplication.removeTranslator(one)
    QLocale.setDefault(before)


def describe(slug: str, answers: dict[str, Any]) -> list[str]:
    template = find_template(slug)
    assert template is not None
    return describe_template(template, answers).splitlines()


def test_a_limit_and_a_backup_have_a_sentence_in_the_users_language(spoken: str) -> None:
    said = [describe("watch-page", WATCH)[1], describe("sort-folder", SORT)[1]]
    assert (
        said
        == {
            "en": [
                "You are told only while the price is 15.50 or less.",
                "Copies all files in that folder to /copy, every day at 02:30.",
            ],
            "de": [
                "Du erfährst es nur, solange der Preis höchstens 15,50 ist.",
                "Kopiert jeden Tag um 02:30 alle Dateien dieses Ordners nach /copy.",
            ],
        }[spoken]
    )


def test_what_was_not_chosen_is_not_mentioned() -> None:
    assert len(describe("watch-page", {**WATCH, "BELOW": 0})) == 1
    assert len(describe("sort-folder", {**SORT, "BACKUP": False})) == 1


def test_an_answer_that_was_replaced_by_hand_is_left_out() -> None:
    template = find_template("sort-folder")
    assert template is not None
    kept = tuple(one for one in template.questions if one.name not in ("FOLDER", "BACKUP_FOLDER"))
    said = describe_template(replace(template, questions=kept), SORT).splitlines()
    assert "in …" in said[0] and said[1].startswith("Copies all files in that folder to …, every day at")


def test_lists_are_mentioned_only_with_something_in_them() -> None:
    said = describe("certificates-and-disks", {"HOSTS": [], "DISKS": ["/", "/home"], "FULL": 90})
    assert said[1:] == ["Disks: /, /home"]
