"""One instant."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo


@dataclass(frozen=True, slots=True)
class Once:
    at: datetime

    def after(self, instant: datetime, _zone: ZoneInfo) -> datetime | None:
        return self.at if instant < self.at else None

    def between(self, after: datetime, until: datetime, _zone: ZoneInfo) -> Iterator[datetime]:
        if after < self.at <= until:
            yield self.at
