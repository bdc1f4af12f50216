"""Past runs as a file for other programs."""

import csv
import json
from pathlib import Path

from PySide6.QtWidgets import QFileDialog

from app.life.installation import Installation
from app.window.history_rows import Row, read_page
from scheduler.engine.workflows.views.history import Found

_MOST_EXPORTED, _AT_ONCE = 100_000, 1_000
_COLUMNS = ("at", "result", "workflow", "what", "seconds", "run")


def write_history(installation: Installation, wanted: Found, path: Path) -> tuple[int, bool]:
    """As JSON if the file is called so, else as CSV; how many rows, and whether there are more than fit in one file."""
    rows: list[Row] = []
    cursor: str | None = None
    while len(rows) < _MOST_EXPORTED:
        read = read_page(installation, wanted, cursor, _AT_ONCE)
        rows += read.rows
        cursor = read.cursor
        if cursor is None:
            break
    written = [
        {
            "at": row.at.isoformat(),
            "result": row.state.value,
            "workflow": row.name,
            "what": row.what,
            "seconds": None if row.took is None else row.took.total_seconds(),
            "run": row.run,
        }
        for row in rows
    ]
    with path.open("w", encoding="utf-8", newline="") as file:
        if path.suffix.lower() == ".json":
            json.dump(written, file, indent=1)
        else:
            table = csv.DictWriter(file, _COLUMNS)
            table.writeheader()
            table.writerows(written)
    return len(written), cursor is not None


def name_by_kind(dialog: QFileDialog) -> None:
    """A file is what its name says, so the name that is proposed follows the kind that is chosen."""

    def name(kind: str) -> None:
        ending = ".json" if "*.json" in kind else ".csv"
        dialog.setDefaultSuffix(ending)
        dialog.selectFile(Path(*dialog.selectedFiles()[:1]).with_suffix(ending).name)

    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    dialog.setDefaultSuffix(".csv")
    dialog.selectFile("history.csv")
    dialog.filterSelected.connect(name)
