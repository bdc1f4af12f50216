"""Takes the pictures of the README: the real window over a real installation with sample data, light and dark."""

import os
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
LARGEST = 150_000
SIZE = (1180, 880)
LIMIT = 120.0
REST = 2.0
"""Seconds in which a page has surely read what it shows."""
AT = timedelta(hours=14, minutes=20)
"""The time of day that is seen, whenever they are taken."""
LOOKS = ("light", "dark")


@contextmanager
def screen() -> Iterator[str]:
    """A display of its own; its name."""
    reader, writer = os.pipe()
    line = ["Xvfb", "-displayfd", str(writer), "-screen", "0", "1280x960x24", "-nolisten", "tcp", "-noreset"]
    server = subprocess.Popen(line, pass_fds=[writer], stderr=subprocess.DEVNULL)
    os.close(writer)
    try:
        with os.fdopen(reader) as told:
            number = told.readline().strip()
        if not number:
            sys.exit("Xvfb could not be started.")
        yield f":{number}"
    finally:
        server.terminate()
        server.wait(30)


def main() -> None:
    """Each look in a process of its own, as a person would start it."""
    PICTURES.mkdir(exist_ok=True)
    with screen() as display:
        for look in LOOKS:
            environment = {**os.environ, "DISPLAY": display, "QT_QPA_PLATFORM": "xcb", "PYTHONPATH": str(ROOT)}
            for name in ("WAYLAND_DISPLAY", "XDG_CURRENT_DESKTOP"):
                environment.pop(name, None)
            subprocess.run([sys.executable, "-m", "tests.pictures", look], env=environment, check=True, cwd=ROOT)
    for path in sorted(PICTURES.glob("*.png")):
        size = path.stat().st_size
        sys.stdout.write(f"{path.relative_to(ROOT)}: {size:,} bytes\n")
        if size > LARGEST:
            sys.exit(f"{path.name} is larger than {LARGEST:,} bytes.")


def take(look: str) -> None:
    from PySide6.QtWidgets import QApplication

    from app.asking import close_asking
    from app.life.installation import Installation
    from app.look.dressing import Look
    from app.look.theme import Appearance
    from app.lookout import Lookout
    from app.window.window import Window
    from tests.pictures.sample import ShiftedClock, prepare

    app = QApplication([])
    dressed = Look(app, Appearance(look))
    midnight = datetime.now(UTC).astimezone().replace(hour=0, minute=0, second=0, microsecond=0)
    with tempfile.TemporaryDirectory(prefix="dayhand-pictures-") as folder:
        installation = Installation(Path(folder), clock=ShiftedClock(midnight + AT))
        prepare(installation, Path(folder))
        installation.start()
        window = Window(installation)
        window.resize(*SIZE)
        lookout = Lookout(installation)
        lookout.changed.connect(window.show_overview)
        window.show()
        lookout.look()
        wait(app, lambda: bool(installation.views.attention()))
        snap(app, window, f"today-{look}")
        window.open_page("workflows", "receipts")
        snap(app, window, f"workflow-{look}")
        lookout.close()
        window.let_go()
        close_asking()
        installation.end()
        installation.close()
    assert dressed.appearance == look


def snap(app: object, window: object, name: str) -> None:
    """After everything was read again, twice, and drawn."""
    from PySide6.QtGui import QImage

    for _ in range(2):
        window.refresh()  # type: ignore[attr-defined]
        pause(app, REST)
    picture = window.grab().toImage().convertToFormat(QImage.Format.Format_RGB888)  # type: ignore[attr-defined]
    picture.save(str(PICTURES / f"{name}.png"), quality=0)


def wait(app: object, holds: Callable[[], bool]) -> None:
    end = time.monotonic() + LIMIT
    while not holds():
        if time.monotonic() > end:
            sys.exit("The window did not come to rest.")
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
