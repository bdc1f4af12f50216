"""Keeps a worker for each channel that is on. Without a channel it does nothing and has no thread."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QObject, QTimer, Slot

from app.background import BackgroundTasks
from app.platform.user_presence import PresenceSource, UnknownPresence
from app.session import Session

if TYPE_CHECKING:
    from app.channels.worker import ChannelWorker

_DEBOUNCE_MS = 200
_STOP_S = 5.0


class ChannelService(QObject):
    """Lives in the GUI thread, where it only starts and wakes the workers."""

    def __init__(self, session: Session, presence: PresenceSource | None = None) -> None:
        super().__init__()
        self._session = session
        self._presence = presence or UnknownPresence()
        self._workers: dict[str, ChannelWorker] = {}
        self._tasks = BackgroundTasks(self)
        self._has_ended = self._is_wordless = False
        self._debounce = QTimer(self, singleShot=True, interval=_DEBOUNCE_MS)
        self._debounce.timeout.connect(self.refresh)

    def start(self) -> None:
        """An app that a script started answers nothing, so it asks nothing."""
        if self._session.is_started_by_script:
            return
        self._session.announced.connect(self._schedule)
        self._tasks.run(self._session.channels.outbox.recover, lambda _: self.refresh())

    @Slot()
    def _schedule(self) -> None:
        if not self._debounce.isActive() and not self._has_ended:
            self._debounce.start()

    @Slot()
    def refresh(self) -> None:
        self._tasks.run_latest("channels", self._session.channels.list_configured, self._keep)

    @Slot()
    def retry(self) -> None:
        """The network is back, or the machine woke up."""
        for one in self._workers.values():
            one.retry()

    def stop(self) -> None:
        """Before the session stops. What was not sent is sent at the next start."""
        self._has_ended = True
        self._debounce.stop()
        self._presence.watch(on=False)
        workers, self._workers = list(self._workers.values()), {}
        for one in workers:
            one.stop()
        for one in workers:
            one.join(_STOP_S)

    def _keep(self, configured: dict[str, str]) -> None:
        """`configured`: the channels that are on, with what their connections are now."""
        if self._has_ended:
            return
        self._presence.watch(on=bool(configured))
        if configured and not self._can_word_messages():
            return
        for key in self._workers.keys() - {f"{name} {what}" for name, what in configured.items()}:
            self._workers.pop(key).stop()
        for name, what in configured.items():
            key = f"{name} {what}"
            if key in self._workers:
                self._workers[key].wake()
            else:
                from app.channels.worker import ChannelWorker  # noqa: PLC0415  see _can_word_messages

                self._workers[key] = ChannelWorker(self._session, name, self._presence.read, self._warn)
                self._workers[key].start()

    def _can_word_messages(self) -> bool:
        """Messages are worded as in the window, with Qt's graphics, which a computer without a display may lack."""
        if self._is_wordless:
            return False
        try:
            import_module("app.channels.worker")
        except ImportError as error:
            self._is_wordless = True
            sentence = QCoreApplication.translate(
                "channels", "Nothing can be sent to your phone or mailbox: install Qt's libraries ({error})."
            )
            self._warn("", sentence.format(error=error))
            return False
        return True

    def _warn(self, title: str, text: str) -> None:
        """From any thread."""
        self._session.message_sent.emit(title, text)
