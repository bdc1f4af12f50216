"""Takes a picture of every page and dialog, to look at: `python -m tests.pictures.tour FOLDER`.

By default with 0, 3, 30 and 300 workflows, in five sizes, light and dark, English and German; `--help` shows how to
take fewer. Names what scrolls sideways.
"""

import argparse
import itertools
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[2]
SIZES = {
    "1280x800": (1280, 800, 1),
    "800x600": (800, 600, 1),
    "640x400": (640, 400, 1),
    "text200": (1280, 800, 2),
    "narrow200": (640, 800, 2),
}
"""Width and height in points, and how large the text is; 640x400 is a screen of 1280x800 pixels scaled by 2."""
NORMAL_DPI = 96
SETTLED_S = 0.6
"""Enough for a page to load and lay out."""


class Choice(NamedTuple):
    number: int
    size: str
    look: str
    language: str

    @property
    def name(self) -> str:
        return f"{self.number:03}-{self.size}-{self.look}-{self.language}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--workflows", type=int, nargs="+", default=[0, 3, 30, 300])
    parser.add_argument("--size", nargs="+", default=list(SIZES), choices=SIZES)
    parser.add_argument("--look", nargs="+", default=["light", "dark"])
    parser.add_argument("--language", nargs="+", default=["en", "de"])
    parser.add_argument("--page", nargs="+", default=[], help="only these, such as today or dialog-new")
    given = parser.parse_args()
    choices = [Choice(*one) for one in itertools.product(given.workflows, given.size, given.look, given.language)]
    if len(choices) == 1 and "QT_FONT_DPI" in os.environ:
        take(choices[0], given.folder / choices[0].name, given.page)
        return
    for choice in choices:
        screen = _write_screen(given.folder, *SIZES[choice.size][:2])
        environment = {
            **os.environ,
            "QT_QPA_PLATFORM": f"offscreen:configfile={screen}",
            "QT_FONT_DPI": str(NORMAL_DPI),
        }
        chosen = ["--workflows", choice.number, "--size", choice.size, "--look", choice.look]
        line = [given.folder, *chosen, "--language", choice.language]
        line += ["--page", *given.page] if given.page else []
        command = [sys.executable, "-m", "tests.pictures.tour", *map(str, line)]
        subprocess.run(command, env=environment, check=True, cwd=ROOT)


def _write_screen(folder: Path, width: int, height: int) -> Path:
    """The settings of Qt's offscreen screen: its own is smaller than most dialogs."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "screen.json"
    dpi = {"logicalDpi": NORMAL_DPI, "logicalBaseDpi": NORMAL_DPI, "dpr": 1}
    path.write_text(json.dumps({"screens": [{"name": "it", "x": 0, "y": 0, "width": width, "height": height, **dpi}]}))
    return path


def take(choice: Choice, target: Path, wanted: list[str]) -> None:
    from PySide6.QtCore import QLocale
    from PySide6.QtWidgets import QApplication

    from app.background import close_background_tasks
    from app.i18n.languages import Language, install_language
    from app.session import Session
    from app.theme.stylesheet import Theme
    from app.theme.tokens import Appearance
    from app.window.main_window import MainWindow
    from tests.pictures.__main__ import TIME_OF_DAY, pause
    from tests.pictures.household import add_running, fill
    from tests.pictures.sample import ShiftedClock

    target.mkdir(parents=True, exist_ok=True)
    app = QApplication([])
    font = app.font()
    font.setPointSizeF(font.pointSizeF() * SIZES[choice.size][2])
    app.setFont(font)
    spoken = install_language(Language(choice.language), QLocale("de_DE" if choice.language == "de" else "en_GB"))
    theme = Theme(app, Appearance(choice.look))
    midnight = datetime.now(UTC).astimezone().replace(hour=0, minute=0, second=0, microsecond=0)
    with tempfile.TemporaryDirectory(prefix="Dayhand-") as name:
        session = Session(Path(name), clock=ShiftedClock(midnight + TIME_OF_DAY))
        fill(session, choice.number)
        session.start()
        session.engine_thread.submit(lambda _: None).result(60)  # the runs of an earlier start are ended
        add_running(session, choice.number)
        window = MainWindow(session)
        window.resize(*SIZES[choice.size][:2])
        window.show()
        for page, show in _list_views(session, window, choice.number):
            if wanted and page not in wanted:
                continue
            shown = show()
            _show_overview(session, window)
            pause(app, SETTLED_S)
            shown = shown or window
            shown.grab().save(str(target / f"{page}.png"))
            _report(choice, page, shown)
            if shown is not window:
                shown.close()
        window.shut_down()
        close_background_tasks()
        session.stop()
        session.close()
    assert theme.appearance == choice.look
    assert spoken or choice.language == "en"


def _show_overview(session: Any, window: Any) -> None:
    from app.overview_watcher import load_overview

    window.show_overview(load_overview(session))


def _list_views(session: Any, window: Any, number: int) -> Iterator[tuple[str, Callable[[], Any]]]:
    """By name, what shows it; returns the dialog if it is one."""
    from app.window.navigation import PAGES

    for name in PAGES:
        yield name, lambda name=name: window.open_page(name)
    if number:
        yield from _list_details(session, window)
    yield from _list_dialogs(session, window, number)


def _list_details(session: Any, window: Any) -> Iterator[tuple[str, Callable[[], Any]]]:
    def tab(place: int) -> None:
        window.open_page("workflows", "chore-001")
        window.pages["workflows"].pane.tabs.setCurrentIndex(place)

    def group() -> None:
        window.open_page("attention")
        entries = window.page.cards.entries.values()
        large = max(entries, key=lambda one: len(one.group.requests))
        if not large.is_open:
            large.open()
        large.focus_first()
        large.opened.emit(large)

    for place, part in enumerate(("overview", "versions", "permissions", "settings")):
        yield f"workflow-{part}", lambda place=place: tab(place)
    yield "history-run", lambda: window.open_page("history", "run0001d1")
    yield "attention-group", group


def _list_dialogs(session: Any, window: Any, number: int) -> Iterator[tuple[str, Callable[[], Any]]]:
    from app.window.connections.connect_dialog import ConnectDialog
    from app.window.help import HelpDialog
    from app.window.import_jobs.dialog import ImportJobsDialog
    from app.window.new_workflow.deploy_dialog import DeployDialog
    from app.window.new_workflow.new_dialog import NewWorkflowDialog
    from app.window.welcome.dialog import WelcomeDialog
    from app.window.workflows.backfill_dialog import BackfillDialog
    from app.window.workflows.schedule_dialog import ScheduleDialog

    def show(dialog: Any) -> Any:
        dialog.show()
        return dialog

    yield "dialog-welcome", lambda: show(WelcomeDialog(session, parent=window))
    yield "dialog-new", lambda: show(NewWorkflowDialog(session, window))
    yield "dialog-template", lambda: show(_open_template(NewWorkflowDialog(session, window)))
    yield "dialog-import", lambda: show(ImportJobsDialog(session, window))
    yield "dialog-connect", lambda: show(ConnectDialog(session, parent=window))
    yield "dialog-help", lambda: show(HelpDialog(window, window.page, window.page.title))
    if number:
        schedule = session.queries.schedule("chore-001/go")
        yield "dialog-deploy", lambda: show(DeployDialog(session, session.folder / "chore-000.py", window))
        yield "dialog-schedule", lambda: show(ScheduleDialog(session, schedule, window))
        yield "dialog-backfill", lambda: show(BackfillDialog(session, schedule, window))


def _open_template(dialog: Any) -> Any:
    """At its questions."""
    dialog.list.setCurrentRow(5)
    dialog.continue_button.click()
    return dialog


def _report(choice: Choice, page: str, shown: Any) -> None:
    from PySide6.QtWidgets import QAbstractScrollArea

    for area in shown.findChildren(QAbstractScrollArea):
        if area.isVisible() and area.horizontalScrollBar().maximum():
            wide = area.horizontalScrollBar().maximum()
            sys.stdout.write(f"{choice.name} {page}: {type(area).__name__} scrolls sideways by {wide} px\n")
    if shown.width() > SIZES[choice.size][0] or shown.height() > SIZES[choice.size][1]:
        sys.stdout.write(f"{choice.name} {page}: {shown.width()}x{shown.height()} is too large\n")


if __name__ == "__main__":
    main()
