"""The object that an action would change, in words, so that the user can tell it from another of the same name."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from PySide6.QtCore import QCoreApplication, QLocale

from app.widgets.value_text import say_line
from app.words.times import say_time

_MAX_SHOWN = 300
"""Characters of a target, or of the place that a link leads to."""
_MAX_NUMBER = 2**63
"""Of bytes or nanoseconds: a connector of others may say anything."""
translate = QCoreApplication.translate


def say_target(target: Any, zone: ZoneInfo, now: datetime) -> str:
    """What a file is like; what nobody here has words for is shown as it is written, and "" if there is nothing."""
    if target is None:
        return ""
    match target:
        case {"kind": "file", "size": int(size), "modified_ns": int(time)} if max(size, abs(time)) < _MAX_NUMBER:
            said = QLocale().formattedDataSize(size, 1, QLocale.DataSizeFormat.DataSizeSIFormat)
            when = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=time // 1000)
            return translate("answers", "File, {size}, modified {when}").format(
                size=said, when=say_time(when.replace(second=0, microsecond=0), zone, now)
            )
        case {"kind": "folder", **rest} if not rest.keys() - {"inode"}:
            return translate("answers", "Folder")
        case {"kind": "link", "leads_to": str(place)}:
            return translate("answers", "Link to {place}").format(place=say_line(place, _MAX_SHOWN))
        case _:
            return say_line(dict(target) if isinstance(target, Mapping) else target, _MAX_SHOWN)
