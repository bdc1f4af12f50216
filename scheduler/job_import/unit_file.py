"""Reads the settings of a systemd unit, with those of its drop-ins."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

_TRIGGERS = frozenset(
    {"OnCalendar", "OnActiveSec", "OnBootSec", "OnStartupSec", "OnUnitActiveSec", "OnUnitInactiveSec"}
)
"""Clearing one of these in a timer clears all of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    place: str
    """The file that it is in."""
    section: str
    name: str
    value: str
    line: int

    @property
    def text(self) -> str:
        return f"{self.name}={self.value}"


def read_unit(texts: Iterable[tuple[str, str]]) -> list[Setting]:
    """Every setting of the files (name, text) in order; as in systemd, an empty value clears the earlier ones."""
    found: list[Setting] = []
    for one in (one for place, text in texts for one in _read_settings(place, text)):
        if not one.value:
            cleared = _TRIGGERS if one.name in _TRIGGERS else {one.name}
            found = [kept for kept in found if kept.section != one.section or kept.name not in cleared]
        else:
            found.append(one)
    return found


def find_value(settings: list[Setting], name: str) -> str | None:
    """The last one counts."""
    found = [one.value for one in settings if one.name == name]
    return found[-1] if found else None


def _read_settings(place: str, text: str) -> Iterator[Setting]:
    section, waiting, began = "", "", 0
    for number, line in enumerate(text.splitlines(), 1):
        stripped = line.strip()
        if stripped.startswith(("#", ";")) or (not stripped and not waiting):
            continue
        whole, begins = waiting + stripped, began or number
        if whole.endswith("\\"):
            waiting, began = whole[:-1] + " ", begins
            continue
        waiting, began = "", 0
        if whole.startswith("[") and whole.endswith("]"):
            section = whole[1:-1]
        else:
            name, _, value = whole.partition("=")
            yield Setting(place=place, section=section, name=name.strip(), value=value.strip(), line=begins)
