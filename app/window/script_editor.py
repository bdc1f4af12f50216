"""A plain editor for a script, for users without a program for Python files. What is saved is checked at once."""

from pathlib import Path

from PySide6.QtCore import QCoreApplication, QSize, Qt, QUrl, Signal
from PySide6.QtGui import QCloseEvent, QDesktopServices, QFontDatabase, QGuiApplication, QTextCursor
from PySide6.QtWidgets import QDialog, QHBoxLayout, QPlainTextEdit, QVBoxLayout, QWidget

from app.background import BackgroundTasks
from app.data.atomic_file import write_atomically
from app.session import Session
from app.theme.tokens import Space, Tone
from app.widgets.confirm_dialog import confirm
from app.widgets.details_view import make_label
from app.widgets.fit_to_screen import fit_to_screen
from app.window.feedback import StatusLine, make_button
from app.window.new_workflow.deploy_check import check_script
from app.window.new_workflow.deploy_dialog import DeployDialog
from scheduler.engine.errors import RefusedError

_SIZE = QSize(860, 680)
translate = QCoreApplication.translate


class ScriptEditor(QDialog):
    """Saves to the same file; *Update…* then offers to run what was saved."""

    saved = Signal()

    def __init__(self, session: Session, path: Path, parent: QWidget | None = None, line: int | None = None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._session, self._path, self._line = session, path, line
        self._background = BackgroundTasks(self)
        self._content = b""
        """Of the file when it was last read or written."""
        self.setWindowTitle(path.name)
        self.text = QPlainTextEdit()
        self.text.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self.text.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.text.setAccessibleName(self.tr("Script"))
        self.text.setProperty("field", "true")
        self.text.setEnabled(False)
        self.status_line = StatusLine()
        self.save = make_button(self.tr("Save"), "Ctrl+S", importance="primary")
        self.update_button = make_button(self.tr("Update…"))
        self.folder = make_button(self.tr("Show in folder"))
        self.copy = make_button(self.tr("Copy path"))
        self.close_button = make_button(self.tr("Close"))
        self._lay_out()
        self.save.clicked.connect(self._save)
        self.update_button.clicked.connect(self._update)
        self.folder.clicked.connect(lambda: QDesktopServices.openUrl(QUrl.fromLocalFile(str(path.parent))))
        self.copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(str(path)))
        self.close_button.clicked.connect(self.close)
        self.text.document().modificationChanged.connect(self._show_state)
        self._show_state()
        self._background.run(path.read_bytes, self._show, self._refuse)

    def reject(self) -> None:
        """Escape closes it as the button does."""
        self.close()

    def closeEvent(self, event: QCloseEvent) -> None:  # noqa: N802  # Qt's name
        is_changed = self.text.document().isModified()
        if is_changed and not confirm(
            self.tr("Close"), self.tr("Close without saving your changes?"), self.tr("Close without saving"), self
        ):
            event.ignore()
            return
        super().closeEvent(event)

    def _lay_out(self) -> None:
        buttons = QHBoxLayout()
        buttons.setSpacing(Space.SMALL)
        for button in (self.folder, self.copy):
            buttons.addWidget(button)
        buttons.addStretch(1)
        for button in (self.close_button, self.update_button, self.save):
            buttons.addWidget(button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(Space.WIDE, Space.WIDE, Space.WIDE, Space.LARGE)
        layout.setSpacing(Space.MEDIUM)
        layout.addWidget(make_label(str(self._path), "muted"))
        layout.addWidget(self.text, 1)
        layout.addWidget(self.status_line)
        layout.addLayout(buttons)
        fit_to_screen(self, _SIZE)

    def _show(self, content: bytes) -> None:
        try:
            text = content.decode()
        except UnicodeDecodeError as error:
            self._refuse(error)
            return
        self._content = content
        self.text.setPlainText(text)
        self.text.setEnabled(True)
        block = self.text.document().findBlockByNumber((self._line or 1) - 1)
        self.text.setTextCursor(QTextCursor(block) if block.isValid() else QTextCursor(self.text.document()))
        self.text.setFocus()

    def _show_state(self) -> None:
        is_changed = self.text.document().isModified()
        self.save.setEnabled(is_changed)
        self.update_button.setEnabled(not is_changed and bool(self._content))

    def _save(self) -> None:
        session, path, before = self._session, self._path, self._content
        text = self.text.toPlainText()
        content = text.replace("\n", "\r\n").encode() if b"\r\n" in before else text.encode()
        self.save.setEnabled(False)

        def show(_: object) -> None:
            self._content = content
            self.text.document().setModified(text != self.text.toPlainText())
            self._show_state()
            self.status_line.show_message(self.tr("Saved. Checking…"), Tone.QUIET)
            said = self.tr("Saved. Choose Update to run this version from now on.")
            self._background.run_latest(
                "check",
                lambda: check_script(session, path),
                lambda _: self.status_line.show_message(said, Tone.GOOD),
                self._refuse,
            )
            self.saved.emit()

        self._background.run(lambda: _write(path, before, content), show, self._refuse)

    def _update(self) -> None:
        dialog = DeployDialog(self._session, self._path, self)
        dialog.deployed.connect(lambda _, sentence: self.status_line.show_message(sentence, Tone.GOOD))
        dialog.open()

    def _refuse(self, error: Exception) -> None:
        self.status_line.show_error(error)
        self._show_state()


def _write(path: Path, before: bytes, content: bytes) -> None:
    """Replace the file, unless another program changed it since it was read."""
    target = path.resolve()  # a link stays a link
    if target.read_bytes() != before:
        said = translate("editing", "{file} was changed by another program. Copy your changes, and open it again.")
        raise RefusedError("changed", said.format(file=path.name))
    mode = target.stat().st_mode
    write_atomically(target, content)
    target.chmod(mode)
