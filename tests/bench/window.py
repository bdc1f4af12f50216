"""The window over a history of a million runs, while fifty workflows run and ten thousand events arrive.

`python -m tests.bench.window FOLDER` is the app that is measured, with Qt's offscreen screen: it prints the longest
time for which the window could not react, and how long it takes to open and to answer a filter.
"""

import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QEvent, QEventLoop, QObject, QTimer

from app.asking import close_asking
from app.keeping.preferences import Preferences
from app.life.appearing import appear
from app.life.garbage import Garbage
from app.life.installation import Installation
from app.life.shell import Shell
from app.look.dressing import Look
from app.platform.bus import Bus
from app.platform.moods import Moods
from app.window.history import HistoryPage
from scheduler.engine.workflows.deploying import Wish
from tests.app.watchdog import Watchdog
from tests.bench.history_size import LARGE, Store, renamed
from tests.bench.measure import Figure

BUSY = 50
EVENTS = 10_000
SECONDS = 20
SCRIPT = f'''"""Busy: publishes and consumes."""
import dayhand

flow = dayhand.Workflow("Bench 0")
things = flow.topic("things")


@flow.producer(every="10s", publishes=[things])
def make(ctx, state):
    made = state.get("made", 0)
    for number in range(made, min(made + 100, {EVENTS // BUSY})):
        ctx.publish(things, id=str(number), title=f"Thing {{number}}")
    return {{"made": made + 100}}


@flow.consumer(subscribe=[things])
class Take:
    def prepare(self, ctx, state):
        batch = ctx.peek(things, limit=20)
        return dayhand.prepared(reserve=batch, say="Take them") if batch else dayhand.nothing()
'''


def busy_window(folder: Path) -> list[Figure]:
    place = folder / "window"
    store = Store(place, LARGE)
    validated = store.house.validation.validate("busy.py", SCRIPT)
    for number in range(BUSY):
        store.house.commands.deploy(renamed(validated, f"Busy {number}"), Wish(grant=True))
    store.close()
    command = [sys.executable, "-m", "tests.bench.window", str(place)]
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=600, env=environment)
    told = json.loads(done.stdout.splitlines()[-1])
    return [
        Figure(name="window thread blocked at most, 50 workflows busy", unit="ms", ours=told["blocked"], wanted=50),
        Figure(name="window opened over a million runs", unit="ms", ours=told["open"], wanted=300),
        Figure(name="History filtered over a million runs, median", unit="ms", ours=told["filter"], wanted=100),
    ]


class _Painted(QObject):
    """Hears when something is painted."""

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


def _filter(page: HistoryPage) -> list[float]:
    """The seconds until each answer was shown."""
    answers = []
    end = time.monotonic() + SECONDS
    words = ["harbour", "museum", "bakery receipt", "garage", "airline", ""]
    while time.monotonic() < end:
        for word in words:
            shown = page._shown
            asked = time.perf_counter()
            page.field.setText(word)
            page.field.searched.emit(word)
            _spend(5_000, lambda shown=shown: page._shown is not shown)
            answers.append(time.perf_counter() - asked)
            _spend(200)
    return answers


def _measure(folder: Path) -> dict[str, float]:
    app, tray = appear(folder)
    garbage = Garbage()
    installation = Installation(folder)
    look = Look(app)
    shell = Shell(installation, Moods(), Bus(None), tray, Preferences(welcomed=True), look)
    installation.announced.connect(garbage.stir)
    installation.start()
    shell.start(background=True)
    _spend(3_000)

    opened: list[float] = []
    begin = time.perf_counter()
    painted = _Painted(lambda: opened.append(time.perf_counter() - begin))
    shell.window.installEventFilter(painted)
    shell.window.come_up()
    _spend(30_000, lambda: bool(opened))
    shell.window.removeEventFilter(painted)
    shell.window.open_page("history")
    page = shell.window.page
    assert isinstance(page, HistoryPage)
    _spend(30_000, lambda: page.model.rowCount() > 0)

    dog = Watchdog()
    with dog.watching():
        answers = _filter(page)
    print(f"{len(dog.gaps)} beats; the longest gaps: {sorted(dog.gaps)[-10:]}", file=sys.stderr)
    for block in dog.blocks:
        print(block.most_common(3), file=sys.stderr)
    shell.close()
    installation.end()
    installation.close()
    close_asking()
    look.deleteLater()
    garbage.close()
    return {"blocked": max(dog.gaps), "open": opened[0] * 1000, "filter": statistics.median(answers) * 1000}


if __name__ == "__main__":
    print(json.dumps(_measure(Path(sys.argv[1]))))
