"""The versions of a script: compare each with the one before, and roll back."""

from zoneinfo import ZoneInfo

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QListWidgetItem, QSplitter, QVBoxLayout, QWidget

from app.background import BackgroundTasks
from app.i18n.time_text import format_day_and_time
from app.session import Session
from app.theme.tokens import Space
from app.widgets.diff import DiffView
from app.window.feedback import make_button
from app.window.workflows.list_view import make_text_list
from app.window.workflows.workflow_data import WorkflowData
from scheduler.engine.queries.versions import VersionView

_WIDE_PX = 640
_VERSION = Qt.ItemDataRole.UserRole


class VersionsTab(QWidget):
    rollback = Signal(int)

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session, self._background = session, BackgroundTasks(self)
        self._slug = ""
        self._versions: tuple[VersionView, ...] = ()
        self.list = make_text_list(self.tr("Versions"))
        self.list.setMinimumSize(180, 100)
        self.back = make_button(self.tr("Roll back to this version…"))
        self.diff = DiffView()
        left = QWidget()
        column = QVBoxLayout(left)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(Space.SMALL)
        column.addWidget(self.list, 1)
        column.addWidget(self.back)
        self._split = QSplitter(Qt.Orientation.Horizontal)
        self._split.addWidget(left)
        self._split.addWidget(self.diff)
        self._split.setStretchFactor(1, 1)
        self._split.setSizes([240, 800])
        self._split.setHandleWidth(Space.MEDIUM)
        self._split.setChildrenCollapsible(False)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, Space.MEDIUM, 0, 0)
        layout.addWidget(self._split)
        self.list.currentRowChanged.connect(lambda _: self._compare())
        self.back.clicked.connect(self._request_rollback)
        self.back.setEnabled(False)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802  # Qt's name
        """In a narrow window the diff is below the list."""
        super().resizeEvent(event)
        self._split.setOrientation(Qt.Orientation.Horizontal if self.width() >= _WIDE_PX else Qt.Orientation.Vertical)

    def show_data(self, facts: WorkflowData) -> None:
        if (facts.details.workflow, facts.versions) == (self._slug, self._versions):
            return
        self._slug, self._versions = facts.details.workflow, facts.versions
        zone = ZoneInfo(facts.machine_zone)
        with QSignalBlocker(self.list):
            self.list.clear()
            for one in facts.versions:
                item = QListWidgetItem(self._describe(one, format_day_and_time(one.created, zone, facts.now)))
                item.setData(_VERSION, one)
                self.list.addItem(item)
        self.list.setCurrentRow(0)

    def _describe(self, one: VersionView, when: str) -> str:
        said = self.tr("Version {number} · {when}").format(number=one.version, when=when)
        notes = {"rollback": self.tr("rolled back"), "fix": self.tr("repair")}
        extra = [self.tr("in use")] if one.current else []
        extra += [notes[one.origin]] if one.origin in notes else []
        return f"{said}\n{', '.join(extra)}" if extra else said

    def _chosen(self) -> VersionView | None:
        item = self.list.currentItem()
        found: VersionView | None = None if item is None else item.data(_VERSION)
        return found

    def _compare(self) -> None:
        """Show the diff to the previous version."""
        chosen = self._chosen()
        self.back.setEnabled(chosen is not None and not chosen.current)
        if chosen is None:
            return
        before = max((one.version for one in self._versions if one.version < chosen.version), default=None)
        session, slug, number = self._session, self._slug, chosen.version
        self._background.run_latest(
            "sources",
            lambda: (
                "" if before is None else session.queries.source(slug, before),
                session.queries.source(slug, number),
            ),
            lambda texts: self._show(texts, before, number),
        )

    def _show(self, texts: tuple[str, str], before: int | None, number: int) -> None:
        old = self.tr("Version {number}").format(number=before) if before is not None else self.tr("No earlier version")
        self.diff.set_texts(*texts, old_title=old, new_title=self.tr("Version {number}").format(number=number))

    def _request_rollback(self) -> None:
        chosen = self._chosen()
        if chosen is not None:
            self.rollback.emit(chosen.version)
