"""Network status from Qt."""

from typing import Any

import pytest
from PySide6.QtCore import QObject, Signal
from PySide6.QtNetwork import QNetworkInformation
from pytestqt.qtbot import QtBot

from app.platform import qt_network
from app.platform.qt_network import QtNetwork

Reachability = QNetworkInformation.Reachability


class FakeNetworkInformation(QObject):
    """Qt's own cannot be controlled."""

    reachabilityChanged = Signal(object)  # noqa: N815  Qt's name
    isMeteredChanged = Signal(bool)  # noqa: N815  Qt's name

    def __init__(self, reachability: Any, *, metered: bool | None) -> None:
        super().__init__()
        self._reachability, self.metered = reachability, metered

    def reachability(self) -> Any:
        return self._reachability

    def supports(self, feature: QNetworkInformation.Feature) -> bool:
        assert feature is QNetworkInformation.Feature.Metered
        return self.metered is not None

    def isMetered(self) -> bool:  # noqa: N802  Qt's name
        assert self.metered is not None
        return self.metered


@pytest.mark.parametrize(
    ("reachability", "expected"),
    [
        (Reachability.Unknown, None),
        (Reachability.Disconnected, False),
        (Reachability.Local, None),
        (Reachability.Site, None),
        (Reachability.Online, True),
    ],
)
def test_each_reachability_of_qt_is_mapped(qtbot: QtBot, reachability: Reachability, *, expected: bool | None) -> None:
    assert QtNetwork(FakeNetworkInformation(reachability, metered=None)).is_reachable is expected


def test_every_reachability_of_qt_is_tested() -> None:
    assert len(Reachability) == 5


@pytest.mark.parametrize("metered", [True, False, None])
def test_metered_is_known_where_qt_supports_it(qtbot: QtBot, *, metered: bool | None) -> None:
    assert QtNetwork(FakeNetworkInformation(Reachability.Online, metered=metered)).is_metered is metered


def test_changes_are_forwarded(qtbot: QtBot) -> None:
    information = FakeNetworkInformation(Reachability.Online, metered=False)
    network = QtNetwork(information)
    with qtbot.waitSignal(network.changed):
        information.reachabilityChanged.emit(Reachability.Disconnected)
    with qtbot.waitSignal(network.changed):
        information.isMeteredChanged.emit(True)  # noqa: FBT003  as Qt emits it


def test_without_a_backend_all_values_are_unknown(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(qt_network, "_load", lambda: None)
    network = QtNetwork()
    assert network.is_reachable is None
    assert network.is_metered is None


def test_the_real_backend_of_this_system_works(qtbot: QtBot) -> None:
    network = QtNetwork()
    assert network.is_reachable in (True, False, None)
    assert network.is_metered in (True, False, None)
