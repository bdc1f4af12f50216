"""The timeline with its controls: a button back to the whole day, and the same runs as a list."""

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from PySide6.QtCore import QSettings, Qt, Signal
from PySide6.QtWidgets import QListWidgetItem, QSizePolicy, QVBoxLayout, QWidget

from app.theme.tokens import Space
from app.widgets.flow_layout import FlowLayout
from app.widgets.timeline import Timeline
from app.widgets.timeline_labels import describe_bar
from app.widgets.timeline_layout import TimelineBar, TimelineLane
from app.widgets.visible_text import escape_invisible
from app.window.feedback import make_button
from app.window.page import make_section_heading
from app.window.workflows.list_view import make_text_list

_SETTINGS_FILE = "window.ini"
_LIST_KEY = "today/timeline_as_list"
_MAX_LIST_ROWS = 300
_MAX_LIST_HEIGHT = 400
_BAR_ID = Qt.ItemDataRole.UserRole


class TimelinePanel(QWidget):
    """A picture says nothing to a screen reader: the list says the same. The choice is remembered."""

    opened = Signal(str)
    """The id of a bar."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self._settings = QSettings(str(folder / _SETTINGS_FILE), QSettings.Format.IniFormat)
        self._lanes: Sequence[TimelineLane] = ()
        self._bars: Sequence[TimelineBar] = ()
        self._zone, self._now = ZoneInfo("UTC"), datetime.min.replace(tzinfo=UTC)
        self._rows: list[tuple[str, str]] = []
        """Bar and text of each row of the list."""
        self.timeline = Timeline()
        self.timeline.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.timeline.setAccessibleDescription(
            self.tr("Use the arrow keys to move between runs, or choose Show as list.")
        )
        self.timeline.opened.connect(self.opened)
        self.timeline.cluster_opened.connect(self._show_cluster)
        self.timeline.span_changed.connect(lambda *_: self._show_controls())
        self.list = make_text_list(self.tr("Runs of the day"))
        self.list.setMaximumHeight(_MAX_LIST_HEIGHT)
        self.list.itemActivated.connect(lambda item: self.opened.emit(item.data(_BAR_ID)))
        self.whole_day = make_button(self.tr("Show the whole day"))
        self.whole_day.clicked.connect(self.timeline.show_day)
        self.as_list = make_button(self.tr("Show as list"), importance="quiet")
        self.as_list.clicked.connect(self._toggle)
        top = FlowLayout()
        top.addWidget(make_section_heading(self.tr("Timeline")))
        top.add_right_aligned(self.whole_day, self.as_list)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(Space.MEDIUM)
        layout.addLayout(top)
        layout.addWidget(self.timeline)
        layout.addWidget(self.list)
        self._is_list = str(self._settings.value(_LIST_KEY, "")) == "yes"
        self._show_controls()

    def set_day(
        self,
        lanes: Sequence[TimelineLane],
        bars: Sequence[TimelineBar],
        *,
        zone: ZoneInfo,
        now: datetime,
        known_since: datetime | None = None,
    ) -> None:
        self._lanes, self._bars, self._zone, self._now = lanes, bars, zone, now
        self.timeline.set_day(lanes, bars, zone=zone, now=now, known_since=known_since)
        self._show_controls()

    def _toggle(self) -> None:
        self._set_list(is_list=not self._is_list)
        self._settings.setValue(_LIST_KEY, "yes" if self._is_list else "no")
        self._settings.sync()

    def _show_cluster(self, bars: Sequence[str]) -> None:
        """Runs too close together to tell apart in the picture: show them in the list."""
        self._set_list(is_list=True)
        place = next((place for place, (bar, _) in enumerate(self._rows) if bar in bars), -1)
        self.list.setCurrentRow(place)
        self.list.setFocus()

    def _set_list(self, *, is_list: bool) -> None:
        self._is_list = is_list
        self._show_controls()

    def _show_controls(self) -> None:
        self.timeline.setVisible(not self._is_list)
        self.list.setVisible(self._is_list)
        self.as_list.setText(self.tr("Show as timeline") if self._is_list else self.tr("Show as list"))
        self.whole_day.setVisible(not self._is_list and not self.timeline.is_whole_day)
        if self._is_list:
            self._fill_list()

    def _fill_list(self) -> None:
        """Unchanged rows are kept, with selection and scroll position."""
        rows = self._make_rows()
        if rows == self._rows:
            return
        chosen = self.list.currentItem()
        kept = None if chosen is None else chosen.data(_BAR_ID)
        self._rows = rows
        while self.list.count() > len(rows):
            self.list.takeItem(self.list.count() - 1)
        for place, (bar, text) in enumerate(rows):
            item = self.list.item(place) if place < self.list.count() else QListWidgetItem(self.list)
            item.setText(text)
            item.setData(_BAR_ID, bar)
            if bar == kept:
                self.list.setCurrentRow(place)

    def _make_rows(self) -> list[tuple[str, str]]:
        """The visible span in order of time; of very many, those around now."""
        start, end = self.timeline.span
        titles = {lane.id: lane.title for lane in self._lanes}
        shown = [bar for bar in self._bars if start <= bar.start < end and bar.lane in titles]
        shown.sort(key=lambda bar: abs(bar.start - self._now))
        shown = sorted(shown[:_MAX_LIST_ROWS], key=lambda bar: bar.start)
        return [
            (bar.id, escape_invisible(describe_bar(titles[bar.lane], bar, zone=self._zone, now=self._now)))
            for bar in shown
        ]
