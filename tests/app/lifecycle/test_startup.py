"""PySide6 does not read the source of our modules at the start."""

import subprocess
import sys

COUNT = """
import linecache
from app.lifecycle.startup import skip_source_scan
{call}
import app.headless, app.lifecycle.desktop_ui
print(sum("/scheduler/" in name or "/app/" in name for name in linecache.cache))
"""


def count_sources_read(call: str) -> int:
    done = subprocess.run([sys.executable, "-c", COUNT.format(call=call)], capture_output=True, text=True, check=True)
    return int(done.stdout)


def test_pyside_reads_the_source_of_what_is_imported_after_it() -> None:
    """If this fails, PySide6 was fixed: remove `skip_source_scan`."""
    assert count_sources_read("import PySide6.QtCore") > 50


def test_skip_source_scan_prevents_that() -> None:
    assert count_sources_read("skip_source_scan()") == 0


def test_signals_slots_and_properties_still_work() -> None:
    script = """
from app.lifecycle.startup import skip_source_scan
skip_source_scan()
from PySide6.QtCore import QObject, QTimer, Signal, Slot, QCoreApplication
app = QCoreApplication([])
class Receiver(QObject):
    sent = Signal(int)
    @Slot(int)
    def receive(self, number):
        print(number, self.objectName())
        app.quit()
receiver = Receiver(objectName="named")
receiver.sent.connect(receiver.receive)
QTimer.singleShot(0, lambda: receiver.sent.emit(7))
app.exec()
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "7 named\n"
