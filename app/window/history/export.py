"""Taking history along: where to, how far it is, and Cancel."""

from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QLabel, QProgressBar, QWidget

from app.asking import Asking
from app.life.installation import Installation
from app.look.theme import Tone
from app.window.history_file import HistoryFile
from app.window.saying import make_button, say_refusal
from app.words.times import say_number
from scheduler.engine.workflows.views.history import Found


class HistoryExport(QWidget):
    """Seen while a file is being written. A piece is asked for when the one before is there, so nobody waits for it."""

    ended = Signal(str, object)
    """What became of it, and its Tone."""

    def __init__(self, installation: Installation) -> None:
        super().__init__()
        self._installation, self._asking = installation, Asking(self)
        self._file: HistoryFile | None = None
        self._path, self._total, self._is_unwanted = Path(), 0, False
        self.words = QLabel()
        self.progress = QProgressBar()
        self.progress.setTextVisible(False)
        self.progress.setAccessibleName(self.tr("Rows that were written"))
        self.cancel = make_button(self.tr("Cancel"))
        self.cancel.clicked.connect(self._give_up)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.words)
        layout.addWidget(self.progress, 1)
        layout.addWidget(self.cancel)
        self.hide()

    def start(self, wanted: Found, path: Path) -> None:
        """Write all that is wanted, unless something is being written."""
        if self._file is not None:
            return
        views = self._installation.views
        self._file = HistoryFile(self._installation, wanted, path)
        self._path, self._total, self._is_unwanted = path, 0, False
        self.cancel.setEnabled(True)
        self._show()
        self.show()
        self._asking.ask_latest("count", lambda: views.count_history(wanted), self._take_total)
        self._go_on(self._file)

    def _go_on(self, file: HistoryFile) -> None:
        def take(is_more: bool) -> None:  # noqa: FBT001  as it was answered
            if is_more and self._is_unwanted:
                said = self.tr("{file} was not written.").format(file=self._path.name)
                self._asking.ask(file.give_up, lambda _: self._end(said, Tone.QUIET))
            elif is_more:
                self._show()
                self._go_on(file)
            else:
                said = self.tr("{number} rows were written to {file}.")
                self._end(said.format(number=say_number(file.number), file=self._path.name), Tone.GOOD)

        def refuse(error: Exception) -> None:
            self._asking.ask(file.give_up, lambda _: self._end(say_refusal(error), Tone.BAD))

        self._asking.ask(file.go_on, take, refuse)

    def _give_up(self) -> None:
        """A piece that is on its way is the last."""
        self._is_unwanted = True
        self.cancel.setEnabled(False)

    def _take_total(self, total: int) -> None:
        self._total = total
        self._show()

    def _show(self) -> None:
        if self._file is None:
            return
        number = self._file.number
        said = self.tr("Writing {file}: {number} of {total} rows") if self._total else self.tr("Writing {file}…")
        total = max(self._total, number)
        self.words.setText(said.format(file=self._path.name, number=say_number(number), total=say_number(total)))
        self.progress.setRange(0, total if self._total else 0)
        self.progress.setValue(number)

    def _end(self, said: str, tone: Tone) -> None:
        self._file = None
        self.hide()
        self.ended.emit(said, tone)


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
