"""Native notifications on Windows and macOS, through desktop-notifier on its own thread and event loop.

The tests run it over D-Bus, where it works as well; of Windows and macOS they have only the places where it fails.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal, Slot

from app.notifications.content import sanitize
from app.notifications.notification import CLICK, Notification, NotificationBackend, NullBackend

if TYPE_CHECKING:
    from desktop_notifier import DesktopNotifier
    from desktop_notifier import Notification as NativeNotification

log = logging.getLogger(__name__)

_SEND_TIMEOUT_S = 20.0
"""The first one on macOS waits for the user's permission."""
_END_TIMEOUT_S = 3.0

_Task = Callable[[], Awaitable[None]]


class NativeNotificationError(Exception):
    """The system did not accept a notification."""


class NativeNotifier:
    """Runs one task at a time. All three callbacks are called on its thread. Does not use Qt."""

    def __init__(
        self,
        *,
        press: Callable[[Notification, str], object],
        close: Callable[[Notification], object],
        fail: Callable[[Notification], object],
        icon: Path | None = None,
    ) -> None:
        self._press = press
        self._close = close
        self._fail = fail
        self._icon = icon
        self._notifier: DesktopNotifier | None = None
        self._permission: asyncio.Task[bool] | None = None
        self._shown: dict[str, tuple[str, Notification]] = {}
        """By key: the system's identifier."""
        self._loop = asyncio.new_event_loop()
        self._tasks: asyncio.Queue[_Task | None] = asyncio.Queue()
        self._thread = Thread(target=self._run, name="notifications", daemon=True)
        self._enqueue(self._clear)
        self._thread.start()

    def send(self, notification: Notification) -> None:
        self._enqueue(partial(self._send, notification))

    def withdraw(self, key: str) -> None:
        self._enqueue(partial(self._withdraw, key))

    def end(self) -> None:
        """Remove notifications with buttons, since no one handles them any more; waits briefly for that."""
        self._enqueue(None)
        self._thread.join(_END_TIMEOUT_S)

    def _enqueue(self, task: _Task | None) -> None:
        with suppress(RuntimeError):  # the loop is closed
            self._loop.call_soon_threadsafe(self._tasks.put_nowait, task)

    def _run(self) -> None:
        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
            runner.run(self._work())

    async def _work(self) -> None:
        while (task := await self._tasks.get()) is not None:
            await self._try(task)
        for key, (_, notification) in list(self._shown.items()):
            if notification.actions:
                await self._try(partial(self._withdraw, key))

    async def _try(self, task: _Task) -> None:
        try:
            await task()
        except Exception as error:  # noqa: BLE001  the outermost frame: the next task must still run
            log.warning("A native notification failed: %s", error or type(error).__name__)

    async def _clear(self) -> None:
        """Remove what a killed app left behind: its buttons do nothing."""
        await (await self._connect()).clear_all()

    async def _connect(self) -> "DesktopNotifier":
        if self._notifier is None:
            from desktop_notifier import DesktopNotifier, Icon  # noqa: PLC0415  slow to import, so on this thread

            icon = None if self._icon is None else Icon(path=self._icon)
            made = DesktopNotifier(app_name="Dayhand", app_icon=icon)
            # macOS calls back on the GUI thread.
            made.on_clicked = lambda identifier: self._loop.call_soon_threadsafe(self._handle_event, identifier, CLICK)
            made.on_button_pressed = lambda identifier, button: self._loop.call_soon_threadsafe(
                self._handle_event, identifier, button
            )
            made.on_dismissed = lambda identifier: self._loop.call_soon_threadsafe(self._handle_event, identifier, None)
            self._notifier = made
        return self._notifier

    async def _send(self, notification: Notification) -> None:
        try:
            async with asyncio.timeout(_SEND_TIMEOUT_S):
                await self._show(notification)
        except Exception:
            self._fail(notification)
            raise

    async def _show(self, notification: Notification) -> None:
        from desktop_notifier import Capability  # noqa: PLC0415  as above

        notifier = await self._connect()
        if Capability.TITLE not in await notifier.get_capabilities():
            raise NativeNotificationError("this system shows no notifications")
        if not await self._may_send(notifier):
            return  # the user wants none, so the fallback shows none either
        dispatched: list[None] = []
        made = _make_native(notification, lambda: dispatched.append(None))
        await notifier.send_notification(made)
        if not dispatched:
            raise NativeNotificationError("the notification was not accepted")
        previous, _ = self._shown.pop(notification.key, (None, None))
        self._shown[notification.key] = made.identifier, notification
        if previous is not None:
            self._tasks.put_nowait(partial(notifier.clear, previous))

    async def _may_send(self, notifier: "DesktopNotifier") -> bool:
        """Checked each time, since the user may change it; an open permission dialog is not opened again."""
        if self._permission is None or self._permission.done():
            self._permission = asyncio.create_task(notifier.request_authorisation())
        return await asyncio.shield(self._permission)

    async def _withdraw(self, key: str) -> None:
        identifier, _ = self._shown.pop(key, (None, None))
        if identifier is not None and self._notifier is not None:
            await self._notifier.clear(identifier)

    def _handle_event(self, identifier: str, button: str | None) -> None:
        """A notification that was pressed or closed is no longer on the screen."""
        found = next(
            ((key, notification) for key, (known, notification) in self._shown.items() if known == identifier), None
        )
        if found is None:
            return
        key, notification = found
        del self._shown[key]
        if button == CLICK:
            self._press(notification, CLICK)
        elif button is not None:
            self._press(notification, notification.actions[int(button)][0])
        self._close(notification)


def _make_native(notification: Notification, on_dispatched: Callable[[], None]) -> "NativeNotification":
    """Buttons are identified by position: macOS shares those with the same labels between notifications."""
    from desktop_notifier import Button, Urgency  # noqa: PLC0415  as above
    from desktop_notifier import Notification as NativeNotification  # noqa: PLC0415  as above

    clean = sanitize(notification)
    return NativeNotification(
        title=clean.title,
        message=clean.text,
        urgency=Urgency(clean.urgency.value),
        buttons=tuple(
            Button(title=label, identifier=str(position))
            for position, (action, label) in enumerate(clean.actions)
            if action != CLICK
        ),
        thread=clean.group or None,
        on_dispatched=on_dispatched,
    )


class NativeBackend(QObject):
    """The backend: receives the notifier's callbacks in the GUI thread, and ignores those of replaced notifications."""

    pressed = Signal(str, str)
    closed = Signal(str)
    _native_pressed = Signal(object, str)
    _native_closed = Signal(object)
    _failed = Signal(object)

    def __init__(self, fallback: NotificationBackend | None = None, icon: Path | None = None) -> None:
        super().__init__()
        self._fallback = fallback or NullBackend()
        self._fallback.pressed.connect(self.pressed)
        self._fallback.closed.connect(self._forget)
        self._open: dict[str, Notification] = {}
        self._native_pressed.connect(self._press, Qt.ConnectionType.QueuedConnection)
        self._native_closed.connect(self._close, Qt.ConnectionType.QueuedConnection)
        self._failed.connect(self._show_in_fallback, Qt.ConnectionType.QueuedConnection)
        self._notifier = NativeNotifier(
            press=self._native_pressed.emit, close=self._native_closed.emit, fail=self._failed.emit, icon=icon
        )

    def send(self, notification: Notification) -> None:
        self._fallback.withdraw(notification.key)
        self._open[notification.key] = notification
        self._notifier.send(notification)

    def withdraw(self, key: str) -> None:
        self._fallback.withdraw(key)
        if self._open.pop(key, None) is not None:
            self._notifier.withdraw(key)

    def end(self) -> None:
        self._open.clear()
        self._fallback.end()
        self._notifier.end()

    @Slot(object, str)
    def _press(self, notification: Notification, action: str) -> None:
        if notification.key in self._open:
            self.pressed.emit(notification.key, action)

    @Slot(object)
    def _close(self, notification: Notification) -> None:
        """Unless another one has replaced it."""
        if self._open.get(notification.key) is notification:
            self._forget(notification.key)

    @Slot(object)
    def _show_in_fallback(self, notification: Notification) -> None:
        if self._open.get(notification.key) is notification:
            self._fallback.send(notification)

    @Slot(str)
    def _forget(self, key: str) -> None:
        if self._open.pop(key, None) is not None:
            self.closed.emit(key)
