"""The versions of a script beside each other, and the way back to an earlier one."""

from zoneinfo import ZoneInfo

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QListWidgetItem, QSplitter, QVBoxLayout, QWidget

from app.asking import Asking
from app.life.installation import Installation
from app.look.theme import Space
from app.widgets.diff import DiffView
from app.window.saying import make_button
from app.window.workflow_facts import WorkflowFacts, read_sources
from app.window.workflow_lines import make_lines
from app.words.times import say_time
from scheduler.engine.workflows.views.versions import VersionView

_WIDE = 640
_VERSION = Qt.ItemDataRole.UserRole


class VersionsTab(QWidget):
    rollback = Signal(int)

    def __init__(self, installation: Installation) -> None:
        super().__init__()
        self._installation, self._asking = installation, Asking(self)
        self._slug = ""
        self._versions: tuple[VersionView, ...] = ()
        self.list = make_lines(self.tr("Versions"))
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
        self.back.clicked.connect(self._ask_back)
        self.back.setEnabled(False)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802  # Qt's name
        """In a narrow window the difference is below the list."""
        super().resizeEvent(event)
        self._split.setOrientation(Qt.Orientation.Horizontal if self.width() >= _WIDE else Qt.Orientation.Vertical)

    def show_facts(self, facts: WorkflowFacts) -> None:
        if (facts.details.workflow, facts.versions) == (self._slug, self._versions):
            return
        self._slug, self._versions = facts.details.workflow, facts.versions
        zone = ZoneInfo(facts.machine_zone)
        with QSignalBlocker(self.list):
            self.list.clear()
            for one in facts.versions:
                item = QListWidgetItem(self._say(one, say_time(one.created, zone, facts.now)))
                item.setData(_VERSION, one)
                self.list.addItem(item)
        self.list.setCurrentRow(0)

    def _say(self, one: VersionView, when: str) -> str:
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
        """With the version before it."""
        chosen = self._chosen()
        self.back.setEnabled(chosen is not None and not chosen.current)
        if chosen is None:
            return
        before = max((one.version for one in self._versions if one.version < chosen.version), default=None)
        installation, slug, number = self._installation, self._slug, chosen.version
        self._asking.ask_latest(
            "sources",
            lambda: read_sources(installation, slug, before, number),
            lambda texts: self._show(texts, before, number),
        )

    def _show(self, texts: tuple[str, str], before: int | None, number: int) -> None:
        old = self.tr("Version {number}").format(number=before) if before is not None else self.tr("Nothing before")
        self.diff.set_texts(*texts, old_title=old, new_title=self.tr("Version {number}").format(number=number))

    def _ask_back(self) -> None:
        chosen = self._chosen()
        if chosen is not None:
            self.rollback.emit(chosen.version)
