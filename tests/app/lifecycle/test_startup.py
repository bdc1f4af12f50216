"""The sources of our modules are not read at the start."""

import subprocess
import sys

COUNT = """
import linecache
from app.life.sparing import spare_sources
{call}
import app.headless, app.life.shell
print(sum("/scheduler/" in name or "/app/" in name for name in linecache.cache))
"""


def sources_read(call: str) -> int:
    done = subprocess.run([sys.executable, "-c", COUNT.format(call=call)], capture_output=True, text=True, check=True)
    return int(done.stdout)


def test_pyside_reads_the_source_of_what_is_imported_after_it() -> None:
    """When this fails, PySide6 has mended its ways: take `app/life/sparing.py` out."""
    assert sources_read("import PySide6.QtCore") > 50


def test_sparing_sources_ends_that() -> None:
    assert sources_read("spare_sources()") == 0


def test_signals_slots_and_properties_work_as_before() -> None:
    script = """
from app.life.sparing import spare_sources
spare_sources()
from PySide6.QtCore import QObject, QTimer, Signal, Slot, QCoreApplication
app = QCoreApplication([])
class Heard(QObject):
    told = Signal(int)
    @Slot(int)
    def hear(self, number):
        print(number, self.objectName())
        app.quit()
heard = Heard(objectName="named")
heard.told.connect(heard.hear)
QTimer.singleShot(0, lambda: heard.told.emit(7))
app.exec()
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "7 named\n"
