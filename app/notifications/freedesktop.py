"""Notices through the desktop's own notification daemon, over D-Bus; with buttons where it has them."""

import html
import logging
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QIcon, QImage

from app.look.icons import app_icon
from app.notices.notice import NoNotices, Notice, Notices, Urgency
from app.notices.plain import tidy
from app.platform.bus import Bus, Reply
from app.platform.services import Service
from scheduler.workers.origin import CAN_TELL, Origin, origin_of
from scheduler.workers.processes import look_up

log = logging.getLogger(__name__)

_NAME = "org.freedesktop.Notifications"
_PATH = "/org/freedesktop/Notifications"
_URGENCY = {Urgency.LOW: 0, Urgency.NORMAL: 1, Urgency.CRITICAL: 2}
_BY_ITSELF, _NEVER = -1, 0
_ACTIONS = "actions"
_SIDE = 48
_PATIENCE = 10.0


@dataclass(slots=True)
class _Sent:
    """What should be on the screen under one key, and what the daemon knows of it."""

    notice: Notice
    number: int = 0
    """The daemon's; 0 until it told."""
    is_underway: bool = False
    is_stale: bool = False
    """It changed, and the daemon could not be told yet."""
    is_withdrawn: bool = False
    is_elsewhere: bool = False
    """No daemon took it, and somebody else shows it."""
    offered: frozenset[str] = frozenset()
    """The buttons that the daemon was given."""


class DesktopNotices(QObject):
    """Keeps what is open, and shows it again when a daemon comes (back).

    Make it before the bus is opened. What no daemon takes goes to `otherwise`.
    """

    pressed = Signal(str, str)
    closed = Signal(str)

    def __init__(self, bus: Bus, otherwise: Notices | None = None) -> None:
        super().__init__()
        self._otherwise = otherwise or NoNotices()
        self._otherwise.pressed.connect(self.pressed)
        self._otherwise.closed.connect(self._close_elsewhere)
        self._abilities: frozenset[str] | None = None
        self._is_told = False
        """Whether the bus said if there is a daemon; until then what is sent waits, and nobody else shows it."""
        self._asked = 0
        self._is_asking = False
        self._may_revive = False
        self._open: dict[str, _Sent] = {}
        self._service = Service(bus, _NAME)
        self._service.listen(_PATH, _NAME, "ActionInvoked", self._press)
        self._service.listen(_PATH, _NAME, "NotificationClosed", self._close)
        self._service.appeared.connect(self._meet)
        self._service.missing.connect(self._miss)
        self._service.vanished.connect(self._lose)
        if self._service.is_there:
            self._meet()

    def send(self, notice: Notice) -> None:
        try:
            self._send(notice)
        except Exception:  # the outermost frame: whoever has something to say goes on in any case
            log.exception("A notice could not be sent")

    def withdraw(self, key: str) -> None:
        try:
            self._withdraw(key)
        except Exception:  # as above
            log.exception("A notice could not be withdrawn")

    def end(self) -> None:
        for key in [key for key, sent in self._open.items() if sent.notice.actions]:
            self.withdraw(key)

    def _send(self, notice: Notice) -> None:
        _write(notice, 0, frozenset())  # what cannot be written is refused here, before it stands in the way of others
        sent = self._open.setdefault(notice.key, _Sent(notice))
        sent.notice = notice
        sent.is_withdrawn = sent.is_elsewhere = False
        self._may_revive = True
        sent.is_stale = True
        if self._abilities is None:
            if self._is_told and not self._is_asking:
                self._meet()
        elif not sent.is_underway:
            self._notify(sent, self._abilities)

    def _notify(self, sent: _Sent, abilities: frozenset[str]) -> None:
        body = _write(sent.notice, sent.number, abilities)
        self._service.call(
            _PATH, _NAME, "Notify", "susssasa{sv}i", body, then=partial(self._shown, sent), patience=_PATIENCE
        )
        sent.is_underway, sent.is_stale = True, False
        sent.offered = frozenset(id_ for id_, _ in sent.notice.actions if _ACTIONS in abilities)

    def _shown(self, sent: _Sent, reply: Reply) -> None:
        sent.is_underway = False
        key = sent.notice.key
        if self._open.get(key) is not sent:
            return  # the daemon went meanwhile; a new attempt has its own answer
        if reply.error is None:
            (sent.number,) = reply.body
        if sent.is_withdrawn:
            del self._open[key]
            if sent.number:
                self._take_away(sent.number)
        elif reply.error is not None:
            log.warning("The desktop did not take a notice: %s", reply.error)
            self._show_elsewhere(sent)
        elif sent.is_stale and self._abilities is not None:
            self._notify(sent, self._abilities)

    def _withdraw(self, key: str) -> None:
        self._otherwise.withdraw(key)
        sent = self._open.get(key)
        if sent is None:
            return
        if sent.is_underway:
            sent.is_withdrawn = True
            return
        del self._open[key]
        if sent.number:
            self._take_away(sent.number)

    def _take_away(self, number: int) -> None:
        self._service.call(_PATH, _NAME, "CloseNotification", "u", (number,))

    def _show_elsewhere(self, sent: _Sent) -> None:
        if not sent.is_elsewhere:
            sent.is_elsewhere = True
            self._otherwise.send(sent.notice)

    def _meet(self) -> None:
        """Ask what it can do; that also starts a daemon which only runs when it is needed."""
        self._is_told = self._is_asking = True
        self._asked += 1
        self._service.call(_PATH, _NAME, "GetCapabilities", then=partial(self._learn, self._asked), patience=_PATIENCE)

    def _learn(self, asked: int, reply: Reply) -> None:
        """Only the last question counts: an earlier one may have gone to another daemon, or to nobody."""
        if asked != self._asked:
            return
        if reply.error is not None:
            self._use(None)
        else:
            self._service.ask_process(partial(self._recognise, asked, frozenset(reply.body[0])))

    def _recognise(self, asked: int, abilities: frozenset[str], reply: Reply) -> None:
        """A job may play the daemon: it would press the buttons itself, so it gets none."""
        if asked == self._asked:
            may_answer = reply.error is None and not _is_of_script(reply.body[0])
            self._use(abilities if may_answer else abilities - {_ACTIONS})

    def _use(self, abilities: frozenset[str] | None) -> None:
        self._is_asking = False
        self._abilities = abilities
        waiting = [sent for sent in self._open.values() if sent.is_stale and not sent.is_underway]
        if abilities is None:
            for sent in waiting:
                self._show_elsewhere(sent)
            return
        for sent in waiting:
            if sent.is_elsewhere:
                sent.is_elsewhere = False
                self._otherwise.withdraw(sent.notice.key)
            self._notify(sent, abilities)

    def _miss(self) -> None:
        """Nobody is there, though a question may start somebody."""
        self._is_told = True
        if self._open and not self._is_asking:
            self._meet()

    def _lose(self) -> None:
        """What it showed went with it; its numbers mean nothing to the next one."""
        self._is_told = True
        self._abilities = None
        self._open = {
            key: _Sent(sent.notice, is_stale=True, is_elsewhere=sent.is_elsewhere)
            for key, sent in self._open.items()
            if not sent.is_withdrawn
        }
        if self._open and self._may_revive:
            self._may_revive = False  # once: a notice at which a daemon dies must not kill it for ever
            self._meet()

    def _key_of(self, number: int) -> str | None:
        """All daemons tell everybody of every press: the number says whether it is ours."""
        return next((key for key, sent in self._open.items() if sent.number == number != 0), None)

    def _press(self, body: tuple[Any, ...]) -> None:
        number, action = body
        key = self._key_of(number)
        if key is not None and not self._open[key].is_withdrawn and action in self._open[key].offered:
            self.pressed.emit(key, action)

    def _close(self, body: tuple[Any, ...]) -> None:
        number, _ = body
        key = self._key_of(number)
        if key is None or self._open[key].is_underway:
            return  # one that is being replaced comes back under the same number
        del self._open[key]
        self.closed.emit(key)

    def _close_elsewhere(self, key: str) -> None:
        self._open.pop(key, None)
        self.closed.emit(key)


def _is_of_script(pid: int) -> bool:
    """Or of a process that connected and ended, as only one does that does not want to be recognised."""
    return CAN_TELL and (look_up(pid) is None or origin_of(pid, None) is Origin.SCRIPT)


def _write(notice: Notice, replaces: int, abilities: frozenset[str]) -> tuple[Any, ...]:
    """The values of Notify, for a daemon with these abilities."""
    clean = tidy(notice)
    return (
        "Dayhand",
        replaces,
        "dayhand",
        clean.title,
        html.escape(clean.text, quote=False) if "body-markup" in abilities else clean.text,
        [part for action in clean.actions for part in action] if _ACTIONS in abilities else [],
        {"urgency": ("y", _URGENCY[notice.urgency]), "desktop-entry": ("s", "dayhand"), **_picture()},
        _NEVER if notice.urgency is Urgency.CRITICAL else _BY_ITSELF,
    )


@cache
def _picture() -> dict[str, Any]:
    """Our icon itself where the desktop does not know it by its name, which the installer tells."""
    if QIcon.hasThemeIcon("dayhand"):
        return {}
    image = app_icon().pixmap(_SIDE, _SIDE).toImage().convertToFormat(QImage.Format.Format_RGBA8888)
    shape = (image.width(), image.height(), image.bytesPerLine(), True, 8, 4)
    return {"image-data": ("(iiibiiay)", (*shape, bytes(image.constBits())))}
