"""Reports changes of the machine's time zone."""

import os
from collections.abc import Mapping
from pathlib import Path

from PySide6.QtCore import QFileSystemWatcher, QObject, Signal

from app.platform.zone import machine_zone


class ZoneWatch(QObject):
    """Watches the folder, since setting a zone replaces the link."""

    changed = Signal(str)

    def __init__(self, environment: Mapping[str, str] = os.environ, root: Path = Path("/")) -> None:
        super().__init__()
        self._environment = environment
        self._root = root
        self._last = machine_zone(environment, root)
        self._watcher = QFileSystemWatcher(self)
        self._watcher.directoryChanged.connect(self.check)
        self._watcher.fileChanged.connect(self.check)
        self._watch()

    def check(self) -> None:
        self._watch()
        zone = machine_zone(self._environment, self._root)
        if zone != self._last:
            self._last = zone
            self.changed.emit(zone)

    def _watch(self) -> None:
        """Repeated at each check: a file that was replaced is no longer watched."""
        folder = self._root / "etc"
        paths = [str(path) for path in (folder, folder / "timezone") if path.exists()]
        watched = {*self._watcher.directories(), *self._watcher.files()}
        if missing := [path for path in paths if path not in watched]:
            self._watcher.addPaths(missing)
