"""What a fixer was told, word for word."""

from PySide6.QtCore import QSize
from PySide6.QtGui import QFontDatabase
from PySide6.QtWidgets import QDialog, QHBoxLayout, QPlainTextEdit, QVBoxLayout, QWidget

from app.look.theme import Space
from app.widgets.details_view import make_text
from app.widgets.fitting import fit
from app.widgets.plain import reveal
from app.window.saying import make_button, make_heading


class SentDialog(QDialog):
    """Accepted if it is to be sent, where that is asked."""

    def __init__(self, text: str, parent: QWidget | None = None, *, asks: bool = False) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("What would be sent") if asks else self.tr("What was sent"))
        fit(self, QSize(760, 560))
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
        self.send = make_button(self.tr("&Send"), importance="primary") if asks else None
        close = make_button(self.tr("Cancel") if asks else self.tr("Close"))
        close.clicked.connect(self.reject)
        row = QHBoxLayout()
        row.setSpacing(Space.MEDIUM)
        row.addStretch(1)
        row.addWidget(close)
        if self.send is not None:
            self.send.clicked.connect(self.accept)
            row.addWidget(self.send)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(Space.WIDE, Space.WIDE, Space.WIDE, Space.LARGE)
        layout.setSpacing(Space.MEDIUM)
        layout.addWidget(make_heading(self.windowTitle()))
        layout.addWidget(make_text(goes if asks else went, "muted"))
        layout.addWidget(self.text, 1)
        layout.addLayout(row)
