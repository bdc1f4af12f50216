"""Takes the README screenshots: the real window with sample data, light and dark."""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

ROOT = Path(__file__).parents[2]
PICTURES = ROOT / "resources" / "pictures"
MAX_BYTES = 150_000
SIZE = (1180, 880)
TIMEOUT_S = 120.0
LOAD_S = 2.0
"""Enough for a page to load its data."""
TIME_OF_DAY = timedelta(hours=14, minutes=20)
"""Shown in the pictures, whenever they are taken."""
APPEARANCES = ("light", "dark")


@contextmanager
def screen() -> Iterator[str]:
    """Start a virtual display; yields its name."""
    reader, writer = os.pipe()
    line = ["Xvfb", "-displayfd", str(writer), "-screen", "0", "1280x960x24", "-nolisten", "tcp", "-noreset"]
    server = subprocess.Popen(line, pass_fds=[writer], stderr=subprocess.DEVNULL)
    os.close(writer)
    try:
        with os.fdopen(reader) as output:
            number = output.readline().strip()
        if not number:
            sys.exit("Xvfb could not be started.")
        yield f":{number}"
    finally:
        server.terminate()
        server.wait(30)


def main() -> None:
    """Each appearance in a separate process."""
    PICTURES.mkdir(exist_ok=True)
    with screen() as display:
        for look in APPEARANCES:
            environment = {**os.environ, "DISPLAY": display, "QT_QPA_PLATFORM": "xcb", "PYTHONPATH": str(ROOT)}
            for name in ("WAYLAND_DISPLAY", "XDG_CURRENT_DESKTOP"):
                environment.pop(name, None)
            subprocess.run([sys.executable, "-m", "tests.pictures", look], env=environment, check=True, cwd=ROOT)
    for path in sorted(PICTURES.glob("*.png")):
        size = path.stat().st_size
        sys.stdout.write(f"{path.relative_to(ROOT)}: {size:,} bytes\n")
        if size > MAX_BYTES:
            sys.exit(f"{path.name} is larger than {MAX_BYTES:,} bytes.")


@contextmanager
def make_folder() -> Iterator[Path]:
    """The folder for the data, with a name that may be seen in a picture."""
    folder = Path(tempfile.gettempdir()) / "Dayhand"
    folder.mkdir()
    try:
        yield folder
    finally:
        shutil.rmtree(folder)


def take(look: str) -> None:
    from PySide6.QtWidgets import QApplication

    from app.background import close_background_tasks
    from app.overview_watcher import OverviewWatcher
    from app.session import Session
    from app.theme.stylesheet import Theme
    from app.theme.tokens import Appearance
    from app.window.main_window import MainWindow
    from tests.pictures.sample import ShiftedClock, prepare

    app = QApplication([])
    theme = Theme(app, Appearance(look))
    midnight = datetime.now(UTC).astimezone().replace(hour=0, minute=0, second=0, microsecond=0)
    with make_folder() as folder:
        installation = Session(folder, clock=ShiftedClock(midnight + TIME_OF_DAY))
        prepare(installation, folder)
        installation.start()
        window = MainWindow(installation)
        window.resize(*SIZE)
        watcher = OverviewWatcher(installation)
        watcher.changed.connect(window.show_overview)
        window.show()
        watcher.refresh()
        wait(app, lambda: bool(installation.queries.attention()))
        snap(app, window, f"today-{look}")
        window.open_page("workflows", "receipts")
        snap(app, window, f"workflow-{look}")
        watcher.close()
        window.shut_down()
        close_background_tasks()
        installation.stop()
        installation.close()
    assert theme.appearance == look


def snap(app: object, window: object, name: str) -> None:
    """Take a picture after two refreshes."""
    from PySide6.QtGui import QImage

    for _ in range(2):
        window.refresh()  # type: ignore[attr-defined]
        pause(app, LOAD_S)
    picture = window.grab().toImage().convertToFormat(QImage.Format.Format_RGB888)  # type: ignore[attr-defined]
    picture.save(str(PICTURES / f"{name}.png"), quality=0)


def wait(app: object, holds: Callable[[], bool]) -> None:
    end = time.monotonic() + TIMEOUT_S
    while not holds():
        if time.monotonic() > end:
            sys.exit("The window did not finish loading.")
        pause(app, 0.02)


def pause(app: object, seconds: float) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        app.processEvents()  # type: ignore[attr-defined]
        time.sleep(0.005)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        take(sys.argv[1])
    else:
        main()
