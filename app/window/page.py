"""What every page of the window is: a widget with a title that can be told to look again."""

from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import QWidget

from app.asking import Asking
from app.life.installation import Installation
from app.overview import Overview


class Page(QWidget):
    """Made when it is first shown. The window calls `refresh` when it is shown and, while it is, after news."""

    open_page = Signal(str, str)
    """Go to a page, and on it to a subject: a workflow's slug, a run, a request; empty for the page itself."""
    said = Signal(str, object)
    """A sentence for the foot of the window, and its Tone."""

    preferred = Signal(object)
    """The Preferences that the person just changed: notices, looks and limits follow them."""

    import_wanted = Signal(str)
    """An export, looked through, that the app should go on from."""

    title = ""

    def __init__(self, installation: Installation) -> None:
        super().__init__()
        self.installation = installation
        self.asking = Asking(self)

    def refresh(self) -> None:
        """Look again; quick, since reading is done elsewhere."""

    def show_overview(self, overview: Overview) -> None:
        """How everything stands: when the page is opened, and after every change while it is in sight."""

    def open_subject(self, subject: str) -> None:
        """Show this one; `refresh` follows."""

    def order(self) -> None:
        """Before Tab goes on: put what was made late where it is seen."""

    def take_file(self, path: Path) -> None:
        """A script that was dropped on the window; only the page of workflows is given one."""

    def search(self) -> None:
        """Ctrl+F: put the cursor where one types what to look for, if there is such a place."""


def dropped_script(event: QDropEvent) -> Path | None:
    """The one Python file that is held over the window or was dropped on it."""
    urls = event.mimeData().urls()
    if len(urls) != 1 or not urls[0].isLocalFile() or not event.possibleActions() & Qt.DropAction.CopyAction:
        return None
    path = Path(urls[0].toLocalFile())
    return path if path.suffix.lower() == ".py" else None
