"""The dialog that creates a workflow: choose a template, answer its questions, connect its accounts, and start it."""

from typing import Any

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QListWidgetItem, QStyleOptionViewItem, QWidget

from app.i18n.template_labels import translate_template_text
from app.i18n.translate import translate_text
from app.session import Session
from app.templates import list_templates
from app.theme.tokens import Space, TextStyle, colours_of, make_font
from app.widgets.visible_text import escape_invisible
from app.window.feedback import make_button
from app.window.new_workflow.answer_fields import required_text
from app.window.new_workflow.template_dialog import TemplateDialog
from app.window.new_workflow.template_setup import (
    KnownSetup,
    NewWorkflowOptions,
    PreparedScript,
    prepare_script,
    read_setup,
    start_workflow,
    suggest_path,
)
from app.window.workflows.list_view import TextListDelegate, make_text_list, paint_background

Index = QModelIndex | QPersistentModelIndex


class TemplateDelegate(TextListDelegate):
    """The name in bold, and the summary below it."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        colours, (name, _, summary) = colours_of(option.widget), str(index.data()).partition("\n")
        painter.save()
        paint_background(painter, option, colours)
        room = option.rect.adjusted(Space.MEDIUM, Space.MEDIUM, -Space.MEDIUM, -Space.SMALL)
        strong = make_font(TextStyle.STRONG, option.font)
        painter.setFont(strong)
        painter.setPen(QColor(colours.text))
        painter.drawText(room, Qt.TextFlag.TextSingleLine, name)
        painter.setFont(option.font)
        painter.setPen(QColor(colours.muted))
        below = room.adjusted(0, QFontMetrics(strong).height() + Space.HAIR, 0, 0)
        painter.drawText(below, Qt.TextFlag.TextWordWrap, summary)
        painter.restore()

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:  # noqa: N802  # Qt's name
        return super().sizeHint(option, index) + QSize(0, Space.TIGHT)


class NewWorkflowDialog(TemplateDialog):
    started = Signal(str, str, str)
    """Slug, a message, and the file to open in the editor or empty."""
    import_chosen = Signal()
    """Instead of a template."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(session, parent)
        self.set_titles(self.tr("New workflow"))
        self._prepared: PreparedScript | None = None
        self.templates = list_templates()
        self.list = make_text_list(self.tr("Templates"))
        self.list.setItemDelegate(TemplateDelegate(self.list))
        self.list.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)  # the dialog scrolls
        for template in self.templates:
            summary = translate_template_text(template.summary)
            item = QListWidgetItem(f"{translate_template_text(template.name)}\n{summary[:1].upper()}{summary[1:]}")
            self.list.addItem(item)
        for page in (self.list, self.questions_page, self.accounts, self.ready):
            self.stack.addWidget(page)
        self.list.itemDoubleClicked.connect(self.go_on)  # Return presses the default button
        self.list.currentItemChanged.connect(self._show_item)
        self.list.setCurrentRow(0)
        self.back.hide()
        self.import_button = make_button(self.tr("Import jobs…"))
        self.button_row.insertWidget(0, self.import_button)
        self.import_button.clicked.connect(self.reject)
        self.import_button.clicked.connect(self.import_chosen)
        self.list.setFocus()
        self._background.run(lambda: read_setup(session), self._keep_known)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802  # Qt's name
        super().resizeEvent(event)
        self._fit_list()

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802  # Qt's name
        self._fit_list()
        super().showEvent(event)

    def steps(self) -> list[QWidget]:
        return [self.list, *(super().steps() if self._template is not None else [])]

    def go_on(self) -> None:
        if self.current_page() is not self.list:
            super().go_on()
            return
        template = self.templates[max(self.list.currentRow(), 0)]
        if template is self._template:  # after Back: the answers are still there
            self.show_page(self.questions_page)
            return
        name = translate_template_text(template.name)
        summary = translate_template_text(template.summary)
        self.summary.setText(f"{summary[:1].upper()}{summary[1:]}.")
        self.show_template(template, {}, self._known.free_name(name))

    def show_page(self, page: QWidget) -> None:
        title = self.tr("New workflow")
        if page is self.ready:
            self.set_titles(title, escape_invisible(self.name.text().strip()))
        else:
            self.set_titles(title, title if page is self.list else translate_template_text(self.template.name))
        self.import_button.setVisible(page is self.list)
        super().show_page(page)
        if page is self.list:
            self.list.setFocus()

    def finish_text(self) -> str:
        return self.tr("Add") if self.template.is_for_programmers else self.tr("Start")

    def prepare(self) -> None:
        session, template, answers, name = self._session, self.template, dict(self._answers), self.name.text().strip()
        self.ready.show_options(suggest_path(name), is_for_programmers=template.is_for_programmers)
        self._background.run(lambda: prepare_script(session, template, answers, name), self._show_prepared, self.fail)

    def finish(self) -> None:
        session, prepared = self._session, self._prepared
        if prepared is None or not self.ready.file.text().strip():
            self._set_busy(busy=False)
            self.show_error(f"{self.ready.file.accessibleName()}: {required_text()}", self.ready.file)
            return
        is_for_programmers = self.template.is_for_programmers
        options = NewWorkflowOptions(
            path=self.ready.script_path(), paused=self.ready.paused.isChecked(), watch=is_for_programmers
        )
        self._set_busy(busy=True)
        self.ready.busy.show()
        self.status_line.clear()
        self._background.run(lambda: start_workflow(session, prepared, options), self._show_started, self.fail)

    def fail(self, error: Exception) -> None:
        super().fail(error)
        self.continue_button.setEnabled(self._prepared is not None)

    def _keep_known(self, known: KnownSetup) -> None:
        """The user may have chosen a template already."""
        self._known = known
        if self._template is not None and self.name.text() == translate_template_text(self.template.name):
            self.name.setText(known.free_name(self.name.text()))

    def _fit_list(self) -> None:
        """As tall as its items."""
        self.main_layout.activate()
        self.list.doItemsLayout()
        last = self.list.item(self.list.count() - 1)
        self.list.setFixedHeight(self.list.visualItemRect(last).bottom() + 2 * Space.TIGHT)

    def _show_item(self, item: QListWidgetItem | None) -> None:
        """On a small screen the list is higher than the dialog."""
        inner = self.body.widget()
        if item is not None and inner is not None:
            place = self.list.visualItemRect(item)
            corner = self.list.mapTo(inner, place.center())
            self.body.ensureVisible(corner.x(), corner.y(), 0, place.height())

    def _show_prepared(self, prepared: PreparedScript) -> None:
        self._prepared = prepared
        self._set_busy(busy=False)
        self.ready.show_checked(prepared.checked)
        self.continue_button.setFocus()
        self.fit()

    def _show_started(self, answer: dict[str, Any]) -> None:
        assert self._prepared is not None
        self._set_busy(busy=False)
        name = self._prepared.checked.name
        said = self.tr("{name} added, paused.") if self.ready.paused.isChecked() else self.tr("{name} started.")
        sentence = " ".join(filter(None, (said.format(name=name), translate_text(answer["warning"]))))
        path = str(self.ready.script_path()) if self.ready.edit.isChecked() else ""
        self._remove_connections(tuple(self._made_connections))  # only those that were not chosen in the end
        self.accept()
        self.started.emit(answer["workflow"], sentence, path)
        self.deleteLater()
