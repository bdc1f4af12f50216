"""The dialog that changes the answers of a workflow that was made from a template."""

from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from app.i18n.template_labels import translate_template_text
from app.i18n.translate import translate_text
from app.session import Session
from app.widgets.visible_text import escape_invisible
from app.window.new_workflow.answers_change import GivenAnswers, change_answers, prepare_change
from app.window.new_workflow.template_dialog import TemplateDialog
from app.window.new_workflow.template_setup import KnownSetup, PreparedScript, read_setup


class ChangeAnswersDialog(TemplateDialog):
    changed = Signal(str)
    """A message."""

    def __init__(self, session: Session, given: GivenAnswers, parent: QWidget | None = None) -> None:
        super().__init__(session, parent)
        self.set_titles(self.tr("Change answers"), escape_invisible(given.name))
        self._given = given
        self._prepared: PreparedScript | None = None
        for page in (self.questions_page, self.accounts, self.ready):
            self.stack.addWidget(page)
        for part in (self.name, self._name_label):
            part.hide()
        self.ready.hide_options()
        if given.fixed:
            said = self.tr("This workflow's file was changed by hand; change these answers there: {names}.")
            names = ", ".join(translate_template_text(one.text) for one in given.fixed)
            self.summary.setText(said.format(names=names))
        self.summary.setVisible(bool(given.fixed))
        self.show_template(given.template, given.answers, given.name)
        self._background.run(lambda: read_setup(session), self._keep_known)

    def finish_text(self) -> str:
        return self.tr("Save")

    def prepare(self) -> None:
        session, given, answers = self._session, self._given, dict(self._answers)
        self._background.run(lambda: prepare_change(session, given, answers), self._show_prepared, self.fail)

    def finish(self) -> None:
        session, given, prepared = self._session, self._given, self._prepared
        if prepared is None:
            self._set_busy(busy=False)
            return
        if prepared.source == given.source:
            self._end(self.tr("Nothing was changed."))
            return
        self._set_busy(busy=True)
        self.ready.busy.show()
        self.status_line.clear()
        self._background.run(lambda: change_answers(session, given, prepared), self._show_changed, self.fail)

    def _keep_known(self, known: KnownSetup) -> None:
        self._known = known
        if self.current_page() is self.accounts:
            self.show_page(self.accounts)

    def _show_prepared(self, prepared: PreparedScript) -> None:
        self._prepared = prepared
        self._set_busy(busy=False)
        self.ready.show_checked(prepared.checked)
        self.continue_button.setFocus()
        self.fit()

    def _show_changed(self, answer: dict[str, Any]) -> None:
        self._set_busy(busy=False)
        said = self.tr("Answers changed.")
        self._end(" ".join(filter(None, (said, translate_text(answer["warning"])))))

    def _end(self, sentence: str) -> None:
        """An account that was connected here but not chosen is removed."""
        self._remove_connections(tuple(self._made_connections))
        self.accept()
        self.changed.emit(sentence)
        self.deleteLater()
