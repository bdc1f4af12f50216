"""Tells a monitoring service at intervals that Dayhand runs. Driven by the engine's ticks: a hung engine is silent."""

from datetime import datetime

from scheduler.engine.context import EngineContext
from scheduler.engine.monitoring.ping_sender import PingSender
from scheduler.rules.pings import Ping, PingEvent


class Heartbeat:
    """Belongs to the engine's thread."""

    def __init__(self, context: EngineContext, sender: PingSender) -> None:
        self._context = context
        self._sender = sender
        self._last: tuple[str, datetime] | None = None
        """The connection of the last ping, and its time."""

    def tick(self, now: datetime) -> None:
        """After each tick that succeeded: ping if it is time."""
        connection, interval = self._context.settings.ping, self._context.settings.ping_every
        if not connection:
            self._last = None
            return
        if self._last is not None:
            before, at = self._last
            if before == connection and at <= now < at + interval:
                return
        self._last = connection, now
        self._sender.submit(connection, Ping(event=PingEvent.SUCCESS, at=now))
