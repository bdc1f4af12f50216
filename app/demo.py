"""The sample workflow with data of its own, for a first look: receipts in a folder, a table, one question."""

from pathlib import Path

from platformdirs import user_data_path

from app.resources import find_resource
from scheduler.engine.house import House
from scheduler.engine.workflows.deploying import Wish

SAMPLE = "samples/receipts.py"
_RECEIPTS = {
    "bakery.txt": "Corner Bakery\nDate: 2026-11-12\nTotal: 7.40\n",
    "books.txt": "Paper Moon Books\nDate: 2026-11-13\nTotal: 24.90\n",
    "hardware.txt": "Nuts & Bolts\nDate: 2026-11-14\nTotal: 13.25\n",
}


def demo_dir() -> Path:
    return user_data_path("dayhand-demo", appauthor=False)


def prepare_demo(house: House, folder: Path) -> None:
    """Receipts, connections and the workflow; what is there already stays as it is. Nothing must run yet."""
    write_receipts(folder)
    for name, given in places(folder).items():
        house.connect(name, given)
    script = find_resource(SAMPLE)
    validated = house.validation.validate(str(script), script.read_text(encoding="utf-8"))
    house.commands.deploy(validated, Wish(grant=True, replace=True))


def write_receipts(folder: Path) -> None:
    """A few to begin with; what is there already stays as it is."""
    receipts = folder / "receipts"
    receipts.mkdir(parents=True, exist_ok=True)
    for name, text in _RECEIPTS.items():
        path = receipts / name
        if not path.exists():
            path.write_text(text, encoding="utf-8")


def places(folder: Path) -> dict[str, dict[str, str]]:
    """What the sample uses, by connection: the folder that it looks into, and the table that it fills."""
    return {
        "files:receipts": {"path": str(folder / "receipts")},
        "table:expenses": {"path": str(folder / "expenses.csv")},
    }
