"""Texts about requests: what scripts say, their repairs, and the object that an action would change."""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

from PySide6.QtCore import QCoreApplication, QLocale

from app.i18n.time_text import format_day_and_time, format_number
from app.i18n.translate import translate_text
from app.widgets.details import DetailSection, TextBlock, TextDiff
from app.widgets.value_text import format_line
from app.widgets.visible_text import truncate
from scheduler.rules.requests import REQUESTS, RequestKind
from scheduler.user_text import UserText, add_full_stop

if TYPE_CHECKING:
    from scheduler.engine.queries.requests import RequestView

translate = QCoreApplication.translate
MAX_QUOTED = 160
"""Characters of a script's sentence in a notification."""
_MAX_TARGET_CHARS = 300
"""Characters of a target."""
_MAX_NUMBER = 2**63
"""Bytes or nanoseconds; a third-party connector may send anything."""


def find_own_sentence(one: "RequestView") -> str:
    """What the script says; empty if it says nothing, so that the sentence is ours."""
    return "" if isinstance(one.sentence, UserText) else one.sentence


def quote_sentence(one: "RequestView") -> str:
    words = _shorten(find_own_sentence(one))
    return translate("answers", "The workflow says: {words}").format(words=words) if words else ""


def quote_question(one: "RequestView") -> str:
    """What it says, and every question: the answer may depend on both."""
    asked = (find_own_sentence(one), *(str(question["text"]) for question in one.questions or ()))
    words = " ".join(add_full_stop(_shorten(part)) for part in asked if part)
    return translate("answers", "The workflow asks: {words}").format(words=words or str(one.sentence))


def _shorten(said: str) -> str:
    """In one line."""
    return truncate(" ".join(said[: 2 * MAX_QUOTED].split()), MAX_QUOTED)


def is_repair(one: "RequestView") -> bool:
    return REQUESTS[one.kind].concerns_repair and isinstance(one.ui, dict)


def describe_repair(one: "RequestView") -> str:
    """In the user's language; the engine's own sentence is English."""
    if one.kind is RequestKind.FIX:
        return translate("fixes", "The script failed. A repair is ready for review.")
    number = one.ui.get("version", "")
    return translate("fixes", "The script failed and was repaired. It continues with version {number}.").format(
        number=number
    )


def repair_sections(ui: dict[str, Any]) -> Iterator[DetailSection]:
    yield DetailSection(
        title=translate("fixes", "What went wrong"), body=TextBlock(text=translate_text(str(ui.get("error", ""))))
    )
    asks = [translate_text(str(sentence)) for sentence in ui.get("asks", ())]
    if asks:
        yield DetailSection(title=translate("fixes", "Check carefully"), body=TextBlock(text="\n".join(asks)))
    before, after = str(ui.get("before", "")), str(ui.get("source", ""))
    title = translate("fixes", "What the repair changes")
    yield DetailSection(title=title, body=TextDiff(old=before, new=after))


def describe_target(target: Any, zone: ZoneInfo, now: datetime) -> str:
    """Describe a file, folder or link, to distinguish it from others; unknown kinds unchanged; "" for None."""
    if target is None:
        return ""
    match target:
        case {"kind": "file", "size": int(size), "modified_ns": int(time)} if max(size, abs(time)) < _MAX_NUMBER:
            text = QLocale().formattedDataSize(size, 1, QLocale.DataSizeFormat.DataSizeSIFormat)
            when = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=time // 1000)
            return translate("answers", "File, {size}, modified {when}").format(
                size=text, when=format_day_and_time(when.replace(second=0, microsecond=0), zone, now)
            )
        case [_, *_] if all(isinstance(one, Mapping) and one.get("kind") == "file" for one in target):
            number = format_number(len(target))
            one_file, more = translate("answers", "1 file"), translate("answers", "{number} files")
            return one_file if len(target) == 1 else more.format(number=number)
        case {"kind": "folder", **rest} if not rest.keys() - {"inode"}:
            return translate("answers", "Folder")
        case {"kind": "link", "leads_to": str(place)}:
            return translate("answers", "Link to {place}").format(place=format_line(place, _MAX_TARGET_CHARS))
        case _:
            return format_line(dict(target) if isinstance(target, Mapping) else target, _MAX_TARGET_CHARS)
