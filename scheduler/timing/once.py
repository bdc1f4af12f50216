"""One instant."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime
from zoneinfo import ZoneInfo


@dataclass(frozen=True, slots=True)
class Once:
    at: datetime

    def after(self, instant: datetime, _zone: ZoneInfo) -> datetime | None:
        return self.at if instant < self.at else None

    def on(self, _day: date, _midnight: datetime) -> tuple[None, tuple[()]]:
        """No other time is looked for where this one is left out."""
        return None, ()

    def date_after(self, _day: date) -> None:
        return None

    @property
    def is_fixed(self) -> bool:
        return False

    def between(self, after: datetime, until: datetime, _zone: ZoneInfo) -> Iterator[datetime]:
        if after < self.at <= until:
            yield self.at
