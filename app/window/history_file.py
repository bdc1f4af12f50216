"""Past runs as a file for other programs, written piece by piece. Reads the store: never in the GUI thread."""

import csv
import io
import json
from pathlib import Path

from app.keeping.bundle import WholeFile, refusing
from app.life.installation import Installation
from app.window.history_rows import Row, read_page
from scheduler.engine.workflows.views.history import Found

_COLUMNS = ("at", "result", "workflow", "what", "seconds", "run")
_AT_ONCE = 1_000


class HistoryFile:
    """JSON if it is called so, else CSV. It is in its place once it is whole; given up, nothing of it stays."""

    def __init__(self, installation: Installation, wanted: Found, path: Path) -> None:
        self.number = 0
        """How many rows were written."""
        self._installation, self._wanted, self._path = installation, wanted, path
        self._is_json = path.suffix.lower() == ".json"
        self._whole: WholeFile | None = None
        self._cursor: str | None = None

    def go_on(self) -> bool:
        """Write more rows, the newest first; whether there are others. BundleError, or what reading refuses."""
        whole = self._whole = self._whole or WholeFile(self._path)
        read = read_page(self._installation, self._wanted, self._cursor, _AT_ONCE)
        rows = [_write(row) for row in read.rows]
        is_last = read.cursor is None
        text = self._as_json(rows, is_last=is_last) if self._is_json else self._as_csv(rows)
        with refusing(self._path):
            whole.file.write(text.encode())
        self.number += len(rows)
        self._cursor = read.cursor
        if is_last:
            whole.keep()
        return not is_last

    def give_up(self) -> None:
        if self._whole is not None:
            self._whole.give_up()

    def _as_json(self, rows: list[dict[str, str | float | None]], *, is_last: bool) -> str:
        lines = ",\n".join(json.dumps(row) for row in rows)
        before = "[\n" if self._cursor is None else ",\n" if rows else ""
        return f"{before}{lines}\n]\n" if is_last else f"{before}{lines}"

    def _as_csv(self, rows: list[dict[str, str | float | None]]) -> str:
        text = io.StringIO(newline="")
        table = csv.DictWriter(text, _COLUMNS)
        if self._cursor is None:
            table.writeheader()
        table.writerows(rows)
        return text.getvalue()


def _write(row: Row) -> dict[str, str | float | None]:
    return {
        "at": row.at.isoformat(),
        "result": row.state.value,
        "workflow": row.name,
        "what": row.what,
        "seconds": None if row.took is None else row.took.total_seconds(),
        "run": row.run,
    }
