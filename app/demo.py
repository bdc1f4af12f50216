"""The sample workflow with data of its own, for a first look: receipts in a folder, a table, one question."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from platformdirs import user_data_path

from app.resources import find_resource
from scheduler.engine.house import House
from scheduler.engine.workflows.deploying import Wish


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """As a person who speaks one language would have written it."""

    script: str
    inbox: str
    """The folder that it looks into; the connection has its name."""
    table: str
    receipts: Mapping[str, str]

    def read(self) -> str:
        return find_resource(self.script).read_text(encoding="utf-8")

    def places(self, folder: Path) -> dict[str, dict[str, str]]:
        """What it uses, by connection."""
        return {
            f"files:{self.inbox}": {"path": str(folder / self.inbox)},
            f"table:{self.table}": {"path": str(folder / f"{self.table}.csv")},
        }

    def write_receipts(self, folder: Path) -> None:
        """A few to begin with; what is there already stays as it is."""
        (folder / self.inbox).mkdir(parents=True, exist_ok=True)
        for name, text in self.receipts.items():
            path = folder / self.inbox / name
            if not path.exists():
                path.write_text(text, encoding="utf-8")


ENGLISH = Sample(
    script="samples/receipts.py",
    inbox="receipts",
    table="expenses",
    receipts={
        "bakery.txt": "Corner Bakery\nDate: 2026-11-12\nTotal: 7.40\n",
        "books.txt": "Paper Moon Books\nDate: 2026-11-13\nTotal: 24.90\n",
        "hardware.txt": "Nuts & Bolts\nDate: 2026-11-14\nTotal: 13.25\n",
    },
)
GERMAN = Sample(
    script="samples/belege.py",
    inbox="belege",
    table="ausgaben",
    receipts={
        "baeckerei.txt": "Bäckerei am Eck\nDatum: 12.11.2026\nSumme: 7,40\n",
        "buecher.txt": "Buchladen Papiermond\nDatum: 13.11.2026\nSumme: 24,90\n",
        "eisenwaren.txt": "Schraube & Mutter\nDatum: 14.11.2026\nSumme: 13,25\n",
    },
)


def demo_dir() -> Path:
    return user_data_path("dayhand-demo", appauthor=False)


def prepare_demo(house: House, folder: Path) -> None:
    """Receipts, connections and the workflow; what is there already stays as it is. Nothing must run yet."""
    ENGLISH.write_receipts(folder)
    for name, given in ENGLISH.places(folder).items():
        house.connect(name, given)
    validated = house.validation.validate(str(find_resource(ENGLISH.script)), ENGLISH.read())
    house.commands.deploy(validated, Wish(grant=True, replace=True))
