"""The sample workflow and its data, for a first look: receipts in a folder, a table, one approval request."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from platformdirs import user_data_path

from app.resources import find_resource
from scheduler.engine.api.backend import Backend
from scheduler.engine.runtime import Runtime
from scheduler.engine.workflows.deployment import DeployOptions


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """The sample in one language."""

    script: str
    inbox: str
    """The folder with the receipts, and the name of its connection."""
    table: str
    receipts: Mapping[str, str]

    def read(self) -> str:
        return find_resource(self.script).read_text(encoding="utf-8")

    def connection_settings(self, folder: Path) -> dict[str, dict[str, str]]:
        """Its connections, with their settings."""
        return {
            f"files:{self.inbox}": {"path": str(folder / self.inbox)},
            f"table:{self.table}": {"path": str(folder / f"{self.table}.csv")},
        }

    def write_receipts(self, folder: Path) -> None:
        """Existing files are kept."""
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


def prepare_demo(backend: Backend, folder: Path) -> None:
    """Create receipts, connections and the workflow; existing files are kept."""
    ENGLISH.write_receipts(folder)

    def connect(runtime: Runtime) -> None:
        for name, given in ENGLISH.connection_settings(folder).items():
            runtime.connect(name, given)

    backend.execute(connect)
    validated = backend.validate(str(find_resource(ENGLISH.script)), ENGLISH.read())
    options = DeployOptions(grant=True, replace=True)
    backend.execute(lambda runtime: runtime.workflow_commands.deploy(validated, options))
