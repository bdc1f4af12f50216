"""Opens the dialogs that add workflows. Imported when one is first opened: they are slow to load."""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Qt

from app.window.import_jobs.dialog import ImportJobsDialog
from app.window.new_workflow.deploy_dialog import DeployDialog
from app.window.new_workflow.new_dialog import NewWorkflowDialog
from app.window.page import Page


def open_deploy(page: Page, path: Path, done: Callable[[str, str], None]) -> None:
    dialog = DeployDialog(page.session, path, page)
    dialog.deployed.connect(done)
    dialog.open()


def open_new(page: Page, done: Callable[[str, str, str], None], import_jobs: Callable[[], None]) -> None:
    dialog = NewWorkflowDialog(page.session, page)
    dialog.started.connect(done)
    dialog.import_chosen.connect(import_jobs)
    dialog.open()


def open_import(page: Page, done: Callable[[str], None]) -> None:
    dialog = ImportJobsDialog(page.session, page)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.imported.connect(done)
    dialog.open()
