"""Repairs of scripts in words: what broke, what would change, and the answers to it."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QCoreApplication

from app.widgets.details import Difference, Prose, Section
from app.words.interpreting import interpret

if TYPE_CHECKING:
    from scheduler.engine.workflows.views.requests import RequestView

translate = QCoreApplication.translate
KINDS = ("fix", "repaired")


def is_about_repair(one: "RequestView") -> bool:
    return one.kind in KINDS and isinstance(one.ui, dict)


def say_repair(one: "RequestView") -> str:
    """In the person's language; the engine's own sentence is English."""
    if one.kind == "fix":
        return translate("fixes", "The script failed. A repair is ready: look at what it changes.")
    number = one.ui.get("version", "")
    return translate("fixes", "The script failed and was repaired. It goes on with version {number}.").format(
        number=number
    )


def show_repair(ui: dict[str, Any]) -> Iterator[Section]:
    yield Section(title=translate("fixes", "What broke"), body=Prose(text=interpret(str(ui.get("error", "")))))
    asks = [interpret(str(sentence)) for sentence in ui.get("asks", ())]
    if asks:
        yield Section(title=translate("fixes", "Look twice"), body=Prose(text="\n".join(asks)))
    before, after = str(ui.get("before", "")), str(ui.get("source", ""))
    title = translate("fixes", "What the repair changes")
    yield Section(title=title, body=Difference(old=before, new=after))
