"""Connectors of other makers, found by the entry points of installed packages; a broken one never stops the others."""

import sys
from importlib.metadata import EntryPoint, entry_points

from platformdirs import user_data_path

from scheduler.connections.bounded import bounded
from scheduler.connections.connector import Connector

GROUP = "dayhand.connectors"


def installed_connectors() -> tuple[list[Connector], list[str]]:
    """Those that could be loaded, and a sentence for each that could not."""
    _add_own_folder()
    found: list[Connector] = []
    warnings: list[str] = []
    for entry in sorted(entry_points(group=GROUP), key=lambda entry: entry.name):
        loaded = _load(entry)
        if isinstance(loaded, Connector):
            found.append(loaded)
        else:
            warnings.append(loaded)
    return found, warnings


def _add_own_folder() -> None:
    """Packages are found in the person's folder too: an app that brings its own Python has no other place for them."""
    folder = str(user_data_path("dayhand", appauthor=False) / "connectors")
    if folder not in sys.path:
        sys.path.append(folder)


def _load(entry: EntryPoint) -> Connector | str:
    whose = f" of the package {entry.dist.name}" if entry.dist else ""
    told = f'The connector "{entry.name}"{whose} was left out'
    try:
        loaded = entry.load()
    except (Exception, SystemExit) as error:  # noqa: BLE001  whatever foreign code does while it is imported
        return f"{told}, because it could not be loaded ({type(error).__name__}: {error})."
    return bounded(loaded) if isinstance(loaded, Connector) else f"{told}, because what it names is not a connector."
