"""A check box whose label wraps where there is no room for one line; Qt's own is never narrower than its label."""

from PySide6.QtCore import QPoint, QSize, Qt
from PySide6.QtGui import QPaintEvent, QTextLayout, QTextOption
from PySide6.QtWidgets import QCheckBox, QSizePolicy, QStyle, QStyleOptionButton, QStylePainter, QWidget


class WrappingCheckBox(QCheckBox):
    def __init__(self, label: str, parent: QWidget | None = None) -> None:
        super().__init__(label, parent)
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def minimumSizeHint(self) -> QSize:  # noqa: N802  # Qt's name
        longest = max(map(self.fontMetrics().horizontalAdvance, self._plain().split()), default=0)
        return QSize(self._beside() + longest, super().minimumSizeHint().height())

    def hasHeightForWidth(self) -> bool:  # noqa: N802  # Qt's name
        return True

    def heightForWidth(self, width: int) -> int:  # noqa: N802  # Qt's name
        more = len(self.wrap(width)) - 1
        return int(super().sizeHint().height()) + more * self.fontMetrics().lineSpacing()

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802  # Qt's name
        option = QStyleOptionButton()
        self.initStyleOption(option)
        option.text = "\n".join(self.wrap(self.width()))
        QStylePainter(self).drawControl(QStyle.ControlElement.CE_CheckBox, option)

    def hitButton(self, place: QPoint) -> bool:  # noqa: N802  # Qt's name
        """Every line, not only the first."""
        return self.rect().contains(place)

    def wrap(self, width: int) -> list[str]:
        """The lines of the label in a check box of that width, with the mark of the underlined letter."""
        plain, marked = self._plain(), self.text().find("&")
        layout, lines = QTextLayout(plain, self.font()), list[str]()
        layout.setTextOption(QTextOption(Qt.AlignmentFlag.AlignLeft))
        layout.beginLayout()
        while (line := layout.createLine()).isValid():
            line.setLineWidth(max(width - self._beside(), 1))
            start, end = line.textStart(), line.textStart() + line.textLength()
            text = plain[start:end]
            if start <= marked < end:
                text = f"{text[: marked - start]}&{text[marked - start :]}"
            lines.append(text.strip())
        layout.endLayout()
        return lines or [""]

    def _plain(self) -> str:
        return self.text().replace("&", "", 1)

    def _beside(self) -> int:
        """The width of everything but the label."""
        return int(super().sizeHint().width()) - self.fontMetrics().horizontalAdvance(self._plain())
