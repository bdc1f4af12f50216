"""The jobs that an import found, with check boxes, and the details of the selected one: its times, old and new."""

from collections.abc import Iterator
from datetime import datetime
from zoneinfo import ZoneInfo

from PySide6.QtCore import QCoreApplication, Qt, Signal
from PySide6.QtWidgets import QAbstractItemView, QFrame, QListWidget, QListWidgetItem

from app.i18n.time_text import format_day_and_time
from app.i18n.translate import translate_text
from app.job_importer import ImportPlan, JobImport
from app.theme.stylesheet import style_as_card
from app.theme.tokens import Tone
from app.widgets.details import DetailSection, DetailTable, Pairs, TextBlock
from app.widgets.visible_text import escape_invisible
from app.window.new_workflow.deploy_dialog import make_checkbox_style
from scheduler.job_import.comparison import TimesComparison
from scheduler.job_import.reader import JobSource
from scheduler.job_import.result import Untranslated

translate = QCoreApplication.translate
_ENTRY = Qt.ItemDataRole.UserRole
_TIMES_SHOWN = 8
"""Of those compared: as many as a table shows without scrolling."""
_CHECKABLE = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsUserCheckable


class JobList(QListWidget):
    """New jobs can be checked; those imported before and those that cannot be imported are only listed."""

    checks_changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName(self.tr("Jobs found"))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setTextElideMode(Qt.TextElideMode.ElideRight)
        style_as_card(self)
        self.setStyleSheet(make_checkbox_style(self))
        self.itemChanged.connect(lambda _: self.checks_changed.emit())

    def show_plan(self, plan: ImportPlan) -> None:
        self.blockSignals(True)  # noqa: FBT003  # Qt takes it so
        self.clear()
        for one in sorted(plan.jobs, key=lambda job: job.known_as is not None):
            self._add_job(one)
        for left in plan.left:
            what = self.tr("Left out") if left.is_setting else self.tr("Cannot be imported")
            self._add(left, f"{left.text}\n{what} · {left.place}")
        self.blockSignals(False)  # noqa: FBT003  # as above
        if self.count():
            self.setCurrentRow(0)
        self.checks_changed.emit()

    @property
    def selected_entry(self) -> JobImport | Untranslated | None:
        item = self.currentItem()
        entry: JobImport | Untranslated | None = None if item is None else item.data(_ENTRY)
        return entry

    def list_chosen(self) -> list[JobImport]:
        """Those that are checked."""
        items = [self.item(place) for place in range(self.count())]
        return [
            item.data(_ENTRY)
            for item in items
            if item.flags() & Qt.ItemFlag.ItemIsUserCheckable and item.checkState() is Qt.CheckState.Checked
        ]

    def check_all(self, *, is_checked: bool) -> None:
        for place in range(self.count()):
            item = self.item(place)
            if item.flags() & Qt.ItemFlag.ItemIsUserCheckable:
                item.setCheckState(Qt.CheckState.Checked if is_checked else Qt.CheckState.Unchecked)

    def _add_job(self, one: JobImport) -> None:
        words = translate_text(one.times.words)
        if one.known_as is not None:
            known = self.tr("Imported before")
            self._add(one, f"{one.name}\n{known}")
            return
        if one.times.is_same is False:
            words = self.tr("{words} · times differ").format(words=words)
        item = self._add(one, f"{one.name}\n{words}")
        item.setFlags(_CHECKABLE)
        item.setCheckState(Qt.CheckState.Checked)

    def _add(self, entry: JobImport | Untranslated, text: str) -> QListWidgetItem:
        item = QListWidgetItem(escape_invisible(text.replace("\t", " ")))
        item.setData(_ENTRY, entry)
        item.setToolTip(entry.text if isinstance(entry, Untranslated) else entry.job.text)
        item.setFlags(Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable)
        self.addItem(item)
        return item


def describe_entry(
    entry: JobImport | Untranslated, source: JobSource, zone: ZoneInfo, now: datetime
) -> Iterator[DetailSection]:
    """Where it comes from, what is different here, and its next times side by side."""
    place = translate("import", "{file}, line {line}")
    if isinstance(entry, Untranslated):
        yield _section((translate("import", "From"), place.format(file=entry.place, line=entry.line)))
        yield DetailSection(title="", body=TextBlock(text=entry.text, is_code=True))
        cannot, left_out = translate("import", "Why it cannot be imported"), translate("import", "Why it is left out")
        reason = TextBlock(text=translate_text(entry.reason))
        yield DetailSection(title=left_out if entry.is_setting else cannot, body=reason)
        return
    job = entry.job
    pairs = [
        (translate("import", "From"), place.format(file=job.place, line=job.line)),
        (translate("import", "Runs"), translate_text(entry.times.words)),
    ]
    if entry.known_as is not None:
        pairs.append((translate("import", "Imported before, as"), entry.known_as))
    yield _section(*pairs)
    yield DetailSection(title="", body=TextBlock(text=job.text, is_code=True))
    if job.notes:
        notes = "\n".join(translate_text(note) for note in job.notes)
        yield DetailSection(title=translate("import", "What is different"), body=TextBlock(text=notes))
    yield _compare(entry.times, source, zone, now)


def _section(*pairs: tuple[str, str]) -> DetailSection:
    return DetailSection(title="", body=Pairs(pairs=pairs))


def _compare(times: TimesComparison, source: JobSource, zone: ZoneInfo, now: datetime) -> DetailSection:
    new = [format_day_and_time(at, zone, now) for at in times.new[:_TIMES_SHOWN]]
    if times.old is None:
        rows: list[tuple[str, ...]] = [(text,) for text in new]
        return DetailSection(title=translate("import", "Next times"), body=DetailTable(columns=("Dayhand",), rows=rows))
    old = [format_day_and_time(at, zone, now) for at in times.old[:_TIMES_SHOWN]]
    number = max(len(old), len(new))
    rows = [(*((one[place] if place < len(one) else "-") for one in (old, new)),) for place in range(number)]
    rows = [row if row[0] == row[1] else (row[0], f"{row[1]}  ≠") for row in rows]
    title = translate("import", "Next times")
    if not times.is_same:
        title = translate("import", "Next times: they differ")
    columns = (_name_scheduler(source), "Dayhand")
    return DetailSection(
        title=title, body=DetailTable(columns=columns, rows=rows), tone=None if times.is_same else Tone.ATTENTION
    )


def _name_scheduler(source: JobSource) -> str:
    return {JobSource.CRONTAB: "cron", JobSource.SYSTEMD: "systemd", JobSource.TASKS: "Windows"}[source]
