"""Network status from Qt: for Windows, macOS, and Linux without NetworkManager."""

from PySide6.QtCore import QObject, Signal
from PySide6.QtNetwork import QNetworkInformation

_REACHABLE = {
    QNetworkInformation.Reachability.Disconnected: False,
    QNetworkInformation.Reachability.Online: True,
}
"""Local and site networks are unknown: a workflow may or may not need more."""


class QtNetwork(QObject):
    """All values are None if Qt has no backend for this system."""

    changed = Signal()

    def __init__(self, information: QNetworkInformation | None = None) -> None:
        super().__init__()
        self._information = information or _load()
        if self._information is not None:
            self._information.reachabilityChanged.connect(self.changed)
            self._information.isMeteredChanged.connect(self.changed)

    @property
    def is_reachable(self) -> bool | None:
        if self._information is None:
            return None
        return _REACHABLE.get(self._information.reachability())

    @property
    def is_metered(self) -> bool | None:
        if self._information is None or not self._information.supports(QNetworkInformation.Feature.Metered):
            return None
        return self._information.isMetered()


def _load() -> QNetworkInformation | None:
    if not QNetworkInformation.loadBackendByFeatures(QNetworkInformation.Feature.Reachability):
        return None
    return QNetworkInformation.instance()
