"""Shows notices through desktop-notifier, on a thread with a loop of its own. Knows nothing of Qt.

For Windows and macOS, on neither of which it has run; the tests run it over D-Bus, where it works as well.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING

from app.notices.notice import Notice
from app.notices.plain import tidy

if TYPE_CHECKING:
    from desktop_notifier import DesktopNotifier, Notification

log = logging.getLogger(__name__)

_PATIENCE = 20.0
"""Seconds for one notice; the first on macOS waits for the person to say whether Dayhand may send any."""
_ENDING = 3.0
_CLICK = "default"

Order = Callable[[], Awaitable[None]]


class ToastError(Exception):
    """The system did not take a notice."""


class Toaster:
    """One order after the other. All three callables are called on its thread."""

    def __init__(
        self,
        *,
        press: Callable[[Notice, str], object],
        close: Callable[[Notice], object],
        fail: Callable[[Notice], object],
        icon: Path | None = None,
    ) -> None:
        self._press = press
        self._close = close
        self._fail = fail
        self._icon = icon
        self._notifier: DesktopNotifier | None = None
        self._permission: asyncio.Task[bool] | None = None
        self._shown: dict[str, tuple[str, Notice]] = {}
        """By key: under which name the system knows it."""
        self._loop = asyncio.new_event_loop()
        self._orders: asyncio.Queue[Order | None] = asyncio.Queue()
        self._thread = Thread(target=self._run, name="notices", daemon=True)
        self._order(self._begin)
        self._thread.start()

    def send(self, notice: Notice) -> None:
        self._order(partial(self._send, notice))

    def withdraw(self, key: str) -> None:
        self._order(partial(self._withdraw, key))

    def end(self) -> None:
        """Take away what has buttons, since nobody would hear them; waits for that, but not for long."""
        self._order(None)
        self._thread.join(_ENDING)

    def _order(self, order: Order | None) -> None:
        with suppress(RuntimeError):  # it has ended
            self._loop.call_soon_threadsafe(self._orders.put_nowait, order)

    def _run(self) -> None:
        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
            runner.run(self._work())

    async def _work(self) -> None:
        while (order := await self._orders.get()) is not None:
            await self._try(order)
        for key, (_, notice) in list(self._shown.items()):
            if notice.actions:
                await self._try(partial(self._withdraw, key))

    async def _try(self, order: Order) -> None:
        try:
            await order()
        except Exception as error:  # noqa: BLE001  the outermost frame: the next order is carried out in any case
            log.warning("The system's notices failed: %s", error or type(error).__name__)

    async def _begin(self) -> None:
        """What an app that was killed left there has nobody behind its buttons."""
        await (await self._meet()).clear_all()

    async def _meet(self) -> "DesktopNotifier":
        if self._notifier is None:
            from desktop_notifier import DesktopNotifier, Icon  # noqa: PLC0415  slow to load, so on this thread

            icon = None if self._icon is None else Icon(path=self._icon)
            made = DesktopNotifier(app_name="Dayhand", app_icon=icon)
            # macOS calls from the thread of the window.
            made.on_clicked = lambda name: self._loop.call_soon_threadsafe(self._hear, name, _CLICK)
            made.on_button_pressed = lambda name, place: self._loop.call_soon_threadsafe(self._hear, name, place)
            made.on_dismissed = lambda name: self._loop.call_soon_threadsafe(self._hear, name, None)
            self._notifier = made
        return self._notifier

    async def _send(self, notice: Notice) -> None:
        try:
            async with asyncio.timeout(_PATIENCE):
                await self._show(notice)
        except Exception:
            self._fail(notice)
            raise

    async def _show(self, notice: Notice) -> None:
        from desktop_notifier import Capability  # noqa: PLC0415  as above

        notifier = await self._meet()
        if Capability.TITLE not in await notifier.get_capabilities():
            raise ToastError("this system shows none")
        if not await self._may_send(notifier):
            return  # the person does not want any, so nobody else shows it either
        arrived: list[None] = []
        made = _write(notice, lambda: arrived.append(None))
        await notifier.send_notification(made)
        if not arrived:
            raise ToastError("this one was not taken")
        former, _ = self._shown.pop(notice.key, (None, None))
        self._shown[notice.key] = made.identifier, notice
        if former is not None:
            self._orders.put_nowait(partial(notifier.clear, former))

    async def _may_send(self, notifier: "DesktopNotifier") -> bool:
        """Asked each time, since the person may change it; a question that is still open is not asked again."""
        if self._permission is None or self._permission.done():
            self._permission = asyncio.create_task(notifier.request_authorisation())
        return await asyncio.shield(self._permission)

    async def _withdraw(self, key: str) -> None:
        name, _ = self._shown.pop(key, (None, None))
        if name is not None and self._notifier is not None:
            await self._notifier.clear(name)

    def _hear(self, name: str, place: str | None) -> None:
        """What was pressed or closed is not on the screen any longer."""
        found = next(((key, notice) for key, (known, notice) in self._shown.items() if known == name), None)
        if found is None:
            return
        key, notice = found
        del self._shown[key]
        if place == _CLICK:
            self._press(notice, _CLICK)
        elif place is not None:
            self._press(notice, notice.actions[int(place)][0])
        self._close(notice)


def _write(notice: Notice, dispatched: Callable[[], None]) -> "Notification":
    """Buttons go by their place: macOS shares those with the same labels between notices."""
    from desktop_notifier import Button, Notification, Urgency  # noqa: PLC0415  as above

    clean = tidy(notice)
    return Notification(
        title=clean.title,
        message=clean.text,
        urgency=Urgency(clean.urgency.value),
        buttons=tuple(
            Button(title=label, identifier=str(place))
            for place, (action, label) in enumerate(clean.actions)
            if action != _CLICK
        ),
        thread=clean.group or None,
        on_dispatched=dispatched,
    )
