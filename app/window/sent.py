"""What a fixer was told, word for word."""

from PySide6.QtGui import QFontDatabase
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QPlainTextEdit, QVBoxLayout, QWidget

from app.look.theme import Space
from app.widgets.details_view import make_text
from app.widgets.plain import reveal


class SentDialog(QDialog):
    """Accepted if it is to be sent, where that is asked."""

    def __init__(self, text: str, parent: QWidget | None = None, *, asks: bool = False) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("What would be sent") if asks else self.tr("What was sent"))
        self.resize(760, 560)
        went = self.tr(
            "This went to whoever repairs scripts, and nothing else. Passwords and the words of mails were left out."
        )
        goes = self.tr(
            "This goes to whoever repairs scripts, and nothing else. Passwords and the words of mails are left out."
        )
        self.text = QPlainTextEdit(reveal(text))
        self.text.setReadOnly(True)
        self.text.setTabChangesFocus(True)
        self.text.setProperty("field", "true")
        self.text.setAccessibleName(self.windowTitle())
        self.text.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        kinds = QDialogButtonBox.StandardButton
        buttons = QDialogButtonBox(kinds.Cancel if asks else kinds.Close)
        self.send = None if not asks else buttons.addButton(self.tr("&Send"), QDialogButtonBox.ButtonRole.AcceptRole)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(Space.LARGE, Space.LARGE, Space.LARGE, Space.LARGE)
        layout.setSpacing(Space.MEDIUM)
        layout.addWidget(make_text(goes if asks else went))
        layout.addWidget(self.text, 1)
        layout.addWidget(buttons)
