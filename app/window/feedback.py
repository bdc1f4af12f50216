"""Small widgets that pages share: headings, buttons, form rows, and the lines that show a result or the state."""

from PySide6.QtCore import QCoreApplication, QSize, Qt, Signal
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QKeySequence, QPainter, QPaintEvent
from PySide6.QtWidgets import QFormLayout, QFrame, QHBoxLayout, QLabel, QLineEdit, QPushButton, QVBoxLayout, QWidget

from app.i18n.translate import translate_text
from app.overview import Overview, describe_next_run, describe_state
from app.theme.stylesheet import set_style
from app.theme.tokens import Space, TextStyle, Tone, make_font
from app.widgets.details_view import make_label
from app.widgets.file_dialog import choose_folder, choose_save_path
from app.widgets.snackbar import Snackbar
from scheduler.engine.errors import RefusedError

translate = QCoreApplication.translate


def describe_error(error: Exception) -> str:
    """The error in words that fit the window: the engine's own sentences may name commands of the terminal."""
    if isinstance(error, RefusedError):
        match error.code:
            case "busy":
                return translate("saying", "It is running. Wait until it finishes, or stop it first.")
            case "paused":
                return translate("saying", "It is paused. Resume it first.")
            case "blocked":
                return translate("saying", "It is blocked. See Attention for the reason.")
            case "which":
                return translate("saying", "It has several parts that can run. Open it and choose one.")
            case "answer first" | "acting":
                return translate("saying", "It is waiting for your answer. Answer in Attention first.")
            case "nothing to retry":
                return translate("saying", "There is nothing to retry.")
        return translate_text(error.sentence)
    return translate_text(str(error)) or type(error).__name__


def make_heading(text: str, kind: TextStyle = TextStyle.TITLE) -> QLabel:
    heading = QLabel(text)
    heading.setTextFormat(Qt.TextFormat.PlainText)
    heading.setFont(make_font(kind, heading.font()))
    if kind is TextStyle.DISPLAY:  # as tall as a button, so that titles stay put from page to page
        button = QPushButton(text)
        button.ensurePolished()
        heading.setMinimumHeight(button.sizeHint().height())
    return heading


def make_button(label: str, shortcut: str = "", *, importance: str = "") -> QPushButton:
    """The tooltip shows the shortcut."""
    button = QPushButton(label)
    button.setAutoDefault(False)
    if importance:
        set_style(button, "importance", importance)
    if shortcut:
        button.setShortcut(QKeySequence(shortcut))
        add_shortcut_tooltip(button)
    return button


def add_shortcut_tooltip(button: QPushButton) -> None:
    """Say how its shortcut is pressed; call it again when its label changes."""
    keys = button.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
    button.setToolTip(f"{button.text().replace('&', '')} ({keys})")


class ElidedLabel(QLabel):
    """Plain text on one line; what does not fit ends in dots, and the tooltip shows all of it."""

    def __init__(self) -> None:
        super().__init__()
        self.setTextFormat(Qt.TextFormat.PlainText)

    def minimumSizeHint(self) -> QSize:  # noqa: N802  # Qt's name
        return QSize(0, super().minimumSizeHint().height())

    @property
    def shown_text(self) -> str:
        return self.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideRight, self.contentsRect().width())

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802  # Qt's name
        shown = self.shown_text
        self.setToolTip("" if shown == self.text() else self.text())
        place = self.contentsRect()
        alignment = int(self.alignment())
        self.style().drawItemText(
            QPainter(self), place, alignment, self.palette(), self.isEnabled(), shown, self.foregroundRole()
        )


class WindowFoot(QWidget):
    """The lowest line of the window: the overall state, and Help."""

    help_requested = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.status = ElidedLabel()
        set_style(self.status, "ink", "muted")
        self.help_button = make_button(self.tr("Help"), importance="quiet")
        self.help_button.clicked.connect(self.help_requested)
        line = QFrame()
        line.setFrameShape(QFrame.Shape.HLine)
        line.setForegroundRole(line.palette().ColorRole.Mid)
        row = QHBoxLayout()
        row.setContentsMargins(Space.LARGE, Space.TIGHT, Space.LARGE, Space.SMALL)
        row.addWidget(self.status, 1)
        row.addWidget(self.help_button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(line)
        layout.addLayout(row)

    def show_overview(self, overview: Overview) -> None:
        parts = describe_state(overview), describe_next_run(overview)
        self.status.setText(" · ".join(part for part in parts if part))


class StatusLine(QWidget):
    """What a command did; screen readers announce it.

    In the main window it is shown over the page for a few seconds, and an error until it is replaced: a line in the
    page would move everything below it under the user's pointer. In a dialog it is a line, hidden while empty.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._label = make_label("")
        self._tone = Tone.QUIET
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._label)
        self.hide()

    @property
    def message(self) -> str:
        return self._label.text()

    def show_message(self, sentence: str, tone: Tone = Tone.GOOD) -> None:
        before, overlay = self._label.text(), self._find_overlay()
        self._tone = tone
        self._label.setText(sentence)
        set_style(self._label, "ink", tone.value)
        self.setVisible(bool(sentence) and overlay is None)
        if overlay is not None and sentence:
            overlay.show_message(sentence, tone, stays=tone is Tone.BAD)
        elif overlay is not None and before and overlay.sentence == before:
            overlay.dismiss()
        elif sentence:
            QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, sentence))

    def show_error(self, error: Exception) -> None:
        self.show_message(describe_error(error), Tone.BAD)

    def clear(self) -> None:
        self.show_message("")

    def clear_error(self) -> None:
        """What was wrong is being corrected; any other message stays."""
        if self._tone is Tone.BAD:
            self.clear()

    def _find_overlay(self) -> Snackbar | None:
        overlay = getattr(self.window(), "snackbar", None)
        return overlay if isinstance(overlay, Snackbar) else None


def make_field_label(words: str, field: QWidget) -> QLabel:
    label = QLabel(words)
    label.setBuddy(field)
    # Qt draws a text with an underlined letter wider than it measures it.
    label.setMinimumWidth(label.sizeHint().width() + Space.HAIR)
    return label


def add_row(form: QFormLayout, words: str, field: QWidget, first: QWidget | None = None) -> None:
    """Add a row whose label lines up with the field, or with the first part of a taller one."""
    label = make_field_label(words, first or field)
    label.setMinimumHeight((first or field).sizeHint().height())
    if first is not None:
        label.setMaximumHeight(label.minimumHeight())
    form.addRow(label, field)


def make_path_button(line: QLineEdit, name: str, *, is_folder: bool) -> QPushButton:
    """A button that fills the line from a file dialog. An existing file may be intended, so there is no warning."""

    def choose() -> None:
        if is_folder:
            path = choose_folder(line, translate("paths", "Choose a folder"), line.text())
        else:
            path = choose_save_path(line, translate("paths", "Choose a file"), line.text(), confirm_overwrite=False)
        if path:
            line.setText(path)

    button = make_button(translate("paths", "Choose…"))
    button.setAccessibleName(name)
    button.clicked.connect(choose)
    return button


def align_left(*widgets: QWidget) -> QWidget:
    box = QWidget()
    row = QHBoxLayout(box)
    row.setContentsMargins(0, 0, 0, 0)
    row.setSpacing(Space.SMALL)
    for widget in widgets:
        row.addWidget(widget)
    row.addStretch(1)
    return box
