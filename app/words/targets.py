"""The object that an action would change, in words, so that the user can tell it from another of the same name."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from PySide6.QtCore import QCoreApplication, QLocale

from app.words.times import say_time

translate = QCoreApplication.translate


def say_target(target: Any, zone: ZoneInfo, now: datetime) -> str:
    """What a file is like; "" for what nobody here has words for."""
    if not isinstance(target, Mapping) or not isinstance(target.get("kind"), str):
        return ""
    match target["kind"]:
        case "file":
            size = QLocale().formattedDataSize(int(target["size"]), 1, QLocale.DataSizeFormat.DataSizeSIFormat)
            when = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=int(target["modified_ns"]) // 1000)
            return translate("answers", "File of {size}, changed {when}").format(
                size=size, when=say_time(when.replace(second=0, microsecond=0), zone, now)
            )
        case "folder":
            return translate("answers", "Folder")
        case "link":
            return translate("answers", "Link to {place}").format(place=target.get("leads_to", ""))
        case _:
            return ""
