"""The window over a history of a million runs, while fifty workflows run and ten thousand events arrive.

`python -m tests.bench.window FOLDER filter` is the app that is measured, with Qt's offscreen screen: it prints the
longest time for which the window could not react, and how long it takes to open and to answer a filter. With `due` it
is watched while a thousand schedules are due at one instant, with `requests` it opens Attention with 300 requests, and
with `pages` it goes from page to page with 300 workflows.
"""

import json
import os
import statistics
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from PySide6.QtCore import QEvent, QEventLoop, QObject, QTimer
from PySide6.QtWidgets import QApplication, QComboBox

from app.lifecycle import restart_loop
from app.lifecycle.early_tray import show_tray
from app.lifecycle.startup import StartOptions
from app.session import Session
from app.tray.icon import TrayIcon
from app.window.attention.page import AttentionPage
from app.window.history.filters import HistoryFilters
from app.window.history.page import HistoryPage
from app.window.main_window import MainWindow
from scheduler.engine.workflows.deployment import DeployOptions
from scheduler.rules.requests import RequestKind
from scheduler.store import requests
from scheduler.store.requests import RequestRow
from tests.app.watchdog import Watchdog
from tests.bench.history_size import LARGE, Store, renamed
from tests.bench.measure import Figure
from tests.pictures.household import fill as fill_household

BUSY = 50
EVENTS = 10_000
SCRIPT = '''"""Busy: publishes and consumes."""
import dayhand

flow = dayhand.Workflow("Bench 0")
things = flow.topic("things")


@flow.producer(every="10s", publishes=[things])
def make(ctx, state):
    made = state.get("made", 0)
    for number in range(made, made + 100):
        ctx.publish(things, id=str(number), title=f"Thing {number}")
    return {"made": made + 100}


@flow.consumer(subscribe=[things])
class Take:
    def prepare(self, ctx, state):
        batch = ctx.peek(things, limit=20)
        return dayhand.prepared(reserve=batch, say="Take them") if batch else dayhand.nothing()
'''
WANTED: tuple[dict[str, Any], ...] = (
    {"text": "harbour"},
    {"result": "failed"},
    {"text": "museum", "workflow": "bench-0"},
    {"trigger": "event", "result": "done"},
    {"text": "bakery receipts"},
    {"workflow": "bench-1", "since": "7 days"},
    {"text": "garage", "trigger": "automatic", "since": "30 days"},
    {"result": "skipped"},
    {},
)
DUE, EACH = 1_000, 50
REQUESTS = 300
WORKFLOWS = 300
_JOB = """
@flow.job(cron="* * * * *")
def job_{number}(ctx):
    ctx.done("Did it")
"""
_COUNT = "SELECT sum(sequence) FROM workflows"
_TIMEOUT_S = 180


def busy_window(folder: Path) -> list[Figure]:
    place = folder / "window"
    fill(place, LARGE)
    result = _run(place, "filter")
    fill_due(folder / "due")
    due = _run(folder / "due", "due")
    fill_requests(folder / "requests")
    asked = _run(folder / "requests", "requests")
    fill_workflows(folder / "pages")
    pages = _run(folder / "pages", "pages")
    return [
        Figure(name="window thread late at most, 50 workflows busy", unit="ms", ours=result["late"], target=50),
        Figure(name="the same without what other processes took", unit="ms", ours=result["own"], target=50),
        Figure(name="window opened over a million runs", unit="ms", ours=result["open"], target=300),
        Figure(name="History filtered over a million runs, median", unit="ms", ours=result["filter"], target=100),
        Figure(name="the same, slowest", unit="ms", ours=result["slowest"], target=100),
        Figure(name="what is filtered counted, median", unit="ms", ours=result["count"], target=100),
        Figure(name="Attention opened with 300 requests", unit="ms", ours=asked["open"], target=300),
        Figure(name="the table of 250 requests opened", unit="ms", ours=asked["table"], target=300),
        Figure(name="window thread computing for a page, 300 workflows", unit="ms", ours=pages["own"], target=100),
        Figure(name="window thread late at most, 1,000 due at once", unit="ms", ours=due["late"], target=100),
        Figure(name="the same without what other processes took", unit="ms", ours=due["own"], target=100),
    ]


def _run(place: Path, what: str) -> dict[str, float]:
    command = [sys.executable, "-m", "tests.bench.window", str(place), what]
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, timeout=600, env=environment)
    result: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return result


def fill(place: Path, number: int) -> None:
    """A history of that many runs, and workflows that are busy from the start."""
    store = Store(place, number)
    validated = store.runtime.validation.validate("busy.py", SCRIPT)
    for one in range(BUSY):
        store.runtime.workflow_commands.deploy(renamed(validated, f"Busy {one}"), DeployOptions(grant=True))
    store.close()


def fill_due(place: Path) -> None:
    """A thousand jobs, all due every minute."""
    store = Store(place, 0)
    source = 'import dayhand\n\nflow = dayhand.Workflow("Bench 0")\n' + "".join(
        _JOB.format(number=number) for number in range(EACH)
    )
    validated = store.runtime.validation.validate("due.py", source)
    for one in range(DUE // EACH):
        store.runtime.workflow_commands.deploy(renamed(validated, f"Due {one}"), DeployOptions(grant=True))
    store.close()


def fill_requests(place: Path) -> None:
    """Many requests of one workflow, and some of each of the others."""
    store = Store(place, 0)
    validated = store.runtime.validation.validate("busy.py", SCRIPT.replace('every="10s"', 'cron="0 0 1 1 *"'))
    for one in range(BUSY + 1):
        store.runtime.workflow_commands.deploy(
            renamed(validated, f"Busy {one}"), DeployOptions(grant=True, paused=True)
        )
    now = datetime.now(UTC)
    with store.runtime.database.write() as db:
        for number in range(REQUESTS):
            workflow = "busy-0" if number < REQUESTS - BUSY else f"busy-{number - REQUESTS + BUSY + 1}"
            parameters = {"shop": f"Shop {number}", "amount": number + 0.5, "date": "2026-11-17"}
            row = RequestRow(
                id=f"request{number}",
                kind=RequestKind.APPROVAL,
                workflow=workflow,
                subject=f"run{number}",
                sentence=f"Add receipt {number}",
                created=now - timedelta(minutes=REQUESTS - number),
                call={"connection": "table:expenses", "tool": "append", "parameters": parameters},
            )
            requests.add(db, row)
    store.close()


def fill_workflows(place: Path) -> None:
    """A large household."""
    place.mkdir(parents=True)
    session = Session(place)
    fill_household(session, WORKFLOWS)
    session.close()


class _Painted(QObject):
    """Calls back when something is painted."""

    def __init__(self, then: Callable[[], None]) -> None:
        super().__init__()
        self._then = then

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802  # Qt's name
        if event.type() is QEvent.Type.Paint:
            self._then()
        return super().eventFilter(watched, event)


def _spend(milliseconds: int, until: Callable[[], bool] = lambda: False) -> None:
    loop, look = QEventLoop(), QTimer(interval=2)
    look.timeout.connect(lambda: loop.quit() if until() else None)
    look.start()
    QTimer.singleShot(milliseconds, loop.quit)
    loop.exec()


def _open(tray: TrayIcon) -> tuple[MainWindow, float]:
    """Click on the icon; returns the window and the milliseconds until it was drawn."""
    painted: list[float] = []
    begin = time.perf_counter()
    tray.activated.emit()
    window = next(one for one in QApplication.topLevelWidgets() if isinstance(one, MainWindow))
    paints = _Painted(lambda: painted.append(time.perf_counter()))
    window.installEventFilter(paints)
    _spend(30_000, lambda: bool(painted))
    window.removeEventFilter(paints)
    return window, (painted[0] - begin) * 1000


def _filter(page: HistoryPage) -> tuple[list[float], list[float]]:
    """The milliseconds until each result was shown and until it was counted, while events arrive."""
    read = page.session._runtime.database.read()
    answers, counts, end = list[float](), list[float](), time.monotonic() + _TIMEOUT_S
    (already,) = read.execute(_COUNT).fetchone()
    while read.execute(_COUNT).fetchone()[0] - already < EVENTS:
        assert time.monotonic() < end, "the events do not arrive"
        for search in WANTED:
            shown, asked = page._shown, time.perf_counter()
            _look_for(page.filters, **search)
            _spend(5_000, lambda shown=shown: page._shown is not shown)
            answers.append((time.perf_counter() - asked) * 1000)
            _spend(5_000, lambda: page._total is not None or page.model.cursor is None)
            counts.append((time.perf_counter() - asked) * 1000)
            _spend(200)
    return answers, counts


def _look_for(filters: HistoryFilters, text: str = "", **chosen: Any) -> None:
    filters.blockSignals(True)  # noqa: FBT003  # Qt's own signature
    filters.search_field.setText(text)
    for name in ("workflow", "result", "trigger", "since"):
        box: QComboBox = getattr(filters, name)
        place = box.findData(chosen[name]) if name in chosen else 0
        assert place >= 0, f"{name} cannot be {chosen[name]}"
        box.setCurrentIndex(place)
    filters.blockSignals(False)  # noqa: FBT003
    filters.changed.emit()


def _drive_filter(tray: TrayIcon) -> dict[str, float]:
    _spend(3_000)
    window, opened = _open(tray)
    window.open_page("history")
    page = window.page
    assert isinstance(page, HistoryPage)
    _spend(30_000, lambda: page.model.rowCount() > 0)
    dog = Watchdog()
    with dog.watching():
        answers, counts = _filter(page)
    print(f"{len(answers)} answers, the slowest count in {max(counts):.0f} ms", file=sys.stderr)
    return {
        **_judge(dog),
        "open": opened,
        "filter": statistics.median(answers),
        "slowest": max(answers),
        "count": statistics.median(counts),
    }


def _drive_due(tray: TrayIcon) -> dict[str, float]:
    """Starts just before the full minute."""
    _open(tray)
    _spend(round((60 - (time.time() + 1) % 60) * 1000))
    dog = Watchdog()
    with dog.watching():
        _spend(15_000)
    return _judge(dog)


def _drive_requests(tray: TrayIcon) -> dict[str, float]:
    """Open the Attention page, then its largest group."""
    window, _ = _open(tray)
    _spend(30_000, lambda: window._overview is not None and len(window._overview.requests) == REQUESTS)
    begin = time.perf_counter()
    window.open_page("attention")
    page = window.page
    assert isinstance(page, AttentionPage)
    QApplication.processEvents()
    opened = (time.perf_counter() - begin) * 1000
    _spend(1_000)
    entry = next(one for one in page.cards.entries.values() if one.group.workflow == "busy-0")
    begin = time.perf_counter()
    entry.open()
    QApplication.processEvents()
    return {"open": opened, "table": (time.perf_counter() - begin) * 1000}


def _drive_pages(tray: TrayIcon) -> dict[str, float]:
    """Open each page twice; returns the most that the second time took, with the data that arrives afterwards."""
    window, _ = _open(tray)
    took = list[float]()
    for turn in range(2):
        for name in ("workflows", "attention", "history", "today"):
            begin = time.thread_time()
            window.open_page(name)
            _spend(1_000)
            if turn:
                took.append((time.thread_time() - begin) * 1000)
    return {"own": max(took)}


def _judge(dog: Watchdog) -> dict[str, float]:
    for gap in sorted(dog.gaps, key=lambda gap: gap.late)[-5:]:
        parts = f"{gap.computed:.0f} computing, {gap.starved:.0f} without a processor"
        print(f"{gap.late:.0f} ms late: {parts}", file=sys.stderr)
    for stack, times in sum(dog.blocks, Counter[str]()).most_common(5):
        print(f"found {times} times in {' < '.join(stack.split(' < ')[:4])}", file=sys.stderr)
    return {"late": max(gap.late for gap in dog.gaps), "own": max(gap.own for gap in dog.gaps)}


def _measure(folder: Path, drive: Callable[[TrayIcon], dict[str, float]]) -> dict[str, float]:
    """In the real app, from start to quit."""
    app, tray = show_tray(folder)
    result: dict[str, float] = {}

    def act() -> None:
        try:
            result.update(drive(tray))
        finally:
            app.exit()

    QTimer.singleShot(0, act)
    restart_loop.run(app, tray, folder, StartOptions(background=True))
    return result


_DRIVES = {"filter": _drive_filter, "due": _drive_due, "requests": _drive_requests, "pages": _drive_pages}

if __name__ == "__main__":
    print(json.dumps(_measure(Path(sys.argv[1]), _DRIVES[sys.argv[2]])))
