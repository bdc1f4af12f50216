"""The choice of a connection of one kind, among those that are connected."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QWidget

from app.background import BackgroundTasks
from app.session import Session


class ConnectionBox(QComboBox):
    names_read = Signal()

    def __init__(self, session: Session, kind: str, none: str, parent: QWidget | None = None) -> None:
        """`none`: what stands for no connection."""
        super().__init__(parent)
        self._session, self._kind = session, kind
        self._background = BackgroundTasks(self)
        self.addItem(none, "")

    @property
    def chosen(self) -> str:
        """Its name; empty if none is chosen."""
        return str(self.currentData())

    def show_choice(self, chosen: str) -> None:
        self._show((), chosen)
        session = self._session
        self._background.run_latest(
            "connections",
            lambda: tuple(one.connection for one in session.queries.connections() if one.is_connected),
            lambda names: self._show(names, self.chosen),
        )

    def _show(self, names: tuple[str, ...], chosen: str) -> None:
        wanted = [name for name in names if name.startswith(f"{self._kind}:")]
        for name in [*wanted, *([chosen] if chosen else [])]:
            if self.findData(name) < 0:
                self.addItem(name, name)
        self.setCurrentIndex(max(self.findData(chosen), 0))
        self.names_read.emit()
