"""Lets the engine feel what the machine goes through, at once instead of at its next look."""

from app.host import Host
from app.platform.moods import Moods
from scheduler.engine.engine import Engine


def attune(host: Host, moods: Moods) -> None:
    """Connect them for as long as both live. The same moods are the engine's conditions."""
    moods.changed.connect(lambda: host.ask(Engine.stir))
    moods.resumed.connect(lambda: host.ask(Engine.stir))
    moods.zone_changed.connect(lambda zone: host.ask(lambda engine: engine.follow_zone(zone)))
