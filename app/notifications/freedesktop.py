"""Notifications through the desktop's notification daemon, over D-Bus; with buttons where it supports them."""

import html
import logging
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QIcon, QImage

from app.notifications.content import sanitize
from app.notifications.notification import Notification, NotificationBackend, NullBackend, Urgency
from app.notifications.shown_file import ShownFile
from app.platform.dbus import Bus, DBusReply
from app.platform.dbus_service import DBusService
from app.theme.icons import load_app_icon
from scheduler.workers.origin import ProcessOrigin, origin_of
from scheduler.workers.system import HAS_PROCESS_MARKS, find_process

log = logging.getLogger(__name__)

_NAME = "org.freedesktop.Notifications"
_PATH = "/org/freedesktop/Notifications"
_URGENCY = {Urgency.LOW: 0, Urgency.NORMAL: 1, Urgency.CRITICAL: 2}
_DEFAULT_EXPIRY, _NEVER_EXPIRES = -1, 0
_ACTIONS = "actions"
_ICON_PIXELS = 48
_TIMEOUT_S = 10.0


@dataclass(slots=True)
class _Sent:
    """What should be shown for one key, and what the daemon knows of it."""

    notification: Notification
    number: int = 0
    """The daemon's id; 0 until it replied."""
    is_sending: bool = False
    is_stale: bool = False
    """It changed, and the daemon does not know yet."""
    is_withdrawn: bool = False
    is_in_fallback: bool = False
    """No daemon accepted it; the fallback shows it."""
    offered: frozenset[str] = frozenset()
    """Ids of the buttons that were sent to the daemon."""


class FreedesktopBackend(QObject):
    """Remembers what is open, and shows it again when a daemon appears.

    Create it before opening the bus. What no daemon accepts goes to `fallback`, and so do buttons that it cannot show.
    """

    pressed = Signal(str, str)
    closed = Signal(str)

    def __init__(
        self, bus: Bus, fallback: NotificationBackend | None = None, shown_file: ShownFile | None = None
    ) -> None:
        super().__init__()
        self._shown_file = shown_file
        self._daemon = ""
        """Process id and start of the daemon; empty until they are known."""
        self._fallback = fallback or NullBackend()
        self._fallback.pressed.connect(self.pressed)
        self._fallback.closed.connect(self._close_in_fallback)
        self._capabilities: frozenset[str] | None = None
        self._is_daemon_known = False
        """Whether the bus reported if there is a daemon; until then notifications wait."""
        self._last_query = 0
        self._is_querying = False
        self._may_restart = False
        self._open: dict[str, _Sent] = {}
        self._service = DBusService(bus, _NAME)
        self._service.subscribe(_PATH, _NAME, "ActionInvoked", self._handle_press)
        self._service.subscribe(_PATH, _NAME, "NotificationClosed", self._handle_closed)
        self._service.appeared.connect(self._query_capabilities)
        self._service.missing.connect(self._handle_missing)
        self._service.vanished.connect(self._handle_vanished)
        if self._service.has_owner:
            self._query_capabilities()

    def send(self, notification: Notification) -> None:
        try:
            self._send(notification)
        except Exception:  # the outermost frame: a notification must not break its caller
            log.exception("A notification could not be sent")

    def withdraw(self, key: str) -> None:
        try:
            self._withdraw(key)
        except Exception:  # as above
            log.exception("A notification could not be withdrawn")

    def end(self) -> None:
        for key in [key for key, sent in self._open.items() if sent.notification.actions]:
            self.withdraw(key)
        self._fallback.end()

    def _send(self, notification: Notification) -> None:
        _notify_arguments(notification, 0, frozenset())  # raise for bad values here, before they block others
        sent = self._open.setdefault(notification.key, _Sent(notification))
        sent.notification = notification
        sent.is_withdrawn = sent.is_in_fallback = False
        self._may_restart = True
        sent.is_stale = True
        if self._capabilities is None:
            if self._is_daemon_known and not self._is_querying:
                self._query_capabilities()
        elif not sent.is_sending:
            self._notify(sent, self._capabilities)

    def _notify(self, sent: _Sent, capabilities: frozenset[str]) -> None:
        if sent.notification.has_buttons and _ACTIONS not in capabilities:
            self._move_to_fallback(sent)
            return
        body = _notify_arguments(sent.notification, sent.number, capabilities)
        self._service.call(
            _PATH,
            _NAME,
            "Notify",
            "susssasa{sv}i",
            body,
            callback=partial(self._handle_notify_reply, sent),
            timeout_s=_TIMEOUT_S,
        )
        sent.is_sending, sent.is_stale = True, False
        sent.offered = frozenset(id_ for id_, _ in sent.notification.actions if _ACTIONS in capabilities)

    def _handle_notify_reply(self, sent: _Sent, reply: DBusReply) -> None:
        sent.is_sending = False
        key = sent.notification.key
        if self._open.get(key) is not sent:
            return  # the daemon vanished; a new attempt gets its own reply
        if reply.error is None:
            (sent.number,) = reply.body
            self._save_shown()
        if sent.is_withdrawn:
            del self._open[key]
            if sent.number:
                self._close_in_daemon(sent.number)
        elif reply.error is not None:
            log.warning("The desktop did not accept a notification: %s", reply.error)
            self._show_in_fallback(sent)
        elif sent.is_stale and self._capabilities is not None:
            self._notify(sent, self._capabilities)

    def _withdraw(self, key: str) -> None:
        self._fallback.withdraw(key)
        sent = self._open.get(key)
        if sent is None:
            return
        if sent.is_sending:
            sent.is_withdrawn = True
            return
        del self._open[key]
        if sent.number:
            self._close_in_daemon(sent.number)

    def _close_in_daemon(self, number: int) -> None:
        self._service.call(_PATH, _NAME, "CloseNotification", "u", (number,))
        self._save_shown()

    def _save_shown(self) -> None:
        if self._shown_file is not None and self._daemon:
            self._shown_file.write(self._daemon, [sent.number for sent in self._open.values() if sent.offered])

    def _meet_daemon(self, pid: int) -> None:
        """Withdraw what an app that was killed left behind: nobody would hear its buttons."""
        process = find_process(pid)
        self._daemon = "" if process is None else f"{pid} {process.started}"
        if self._shown_file is not None and self._daemon:
            known = {sent.number for sent in self._open.values()}
            for number in set(self._shown_file.read(self._daemon)) - known:
                self._close_in_daemon(number)

    def _move_to_fallback(self, sent: _Sent) -> None:
        """The daemon shows no buttons, or may not have them."""
        if sent.number:
            self._close_in_daemon(sent.number)
        sent.number, sent.is_stale = 0, False
        self._show_in_fallback(sent)

    def _show_in_fallback(self, sent: _Sent) -> None:
        if not sent.is_in_fallback:
            sent.is_in_fallback = True
            self._fallback.send(sent.notification)

    def _query_capabilities(self) -> None:
        """This also starts a daemon that runs on demand."""
        self._is_daemon_known = self._is_querying = True
        self._last_query += 1
        self._service.call(
            _PATH,
            _NAME,
            "GetCapabilities",
            callback=partial(self._receive_capabilities, self._last_query),
            timeout_s=_TIMEOUT_S,
        )

    def _receive_capabilities(self, query: int, reply: DBusReply) -> None:
        """Only the last query counts: an earlier one may have gone to another daemon, or to none."""
        if query != self._last_query:
            return
        if reply.error is not None:
            self._use_daemon(None)
        else:
            self._service.query_process_id(partial(self._check_process, query, frozenset(reply.body[0])))

    def _check_process(self, query: int, capabilities: frozenset[str], reply: DBusReply) -> None:
        """A job may pose as the daemon and press the buttons itself, so it gets none."""
        if query == self._last_query:
            if reply.error is None:
                self._meet_daemon(reply.body[0])
            may_answer = reply.error is None and not _is_of_script(reply.body[0])
            self._use_daemon(capabilities if may_answer else capabilities - {_ACTIONS})

    def _use_daemon(self, capabilities: frozenset[str] | None) -> None:
        self._is_querying = False
        self._capabilities = capabilities
        waiting = [sent for sent in self._open.values() if sent.is_stale and not sent.is_sending]
        if capabilities is None:
            for sent in waiting:
                self._show_in_fallback(sent)
            return
        for sent in waiting:
            has_what_it_needs = _ACTIONS in capabilities or not sent.notification.has_buttons
            if sent.is_in_fallback and has_what_it_needs:
                sent.is_in_fallback = False
                self._fallback.withdraw(sent.notification.key)
            self._notify(sent, capabilities)

    def _handle_missing(self) -> None:
        """No daemon runs, but a query may start one."""
        self._is_daemon_known = True
        if self._open and not self._is_querying:
            self._query_capabilities()

    def _handle_vanished(self) -> None:
        """Its notifications are gone; its ids mean nothing to the next daemon."""
        self._is_daemon_known = True
        self._capabilities = None
        self._daemon = ""
        self._open = {
            key: _Sent(sent.notification, is_stale=True, is_in_fallback=sent.is_in_fallback)
            for key, sent in self._open.items()
            if not sent.is_withdrawn
        }
        if self._open and self._may_restart:
            self._may_restart = False  # once: a notification that crashes the daemon must not do so forever
            self._query_capabilities()

    def _find_key(self, number: int) -> str | None:
        """Daemons broadcast every press: the id shows whether it is ours."""
        return next((key for key, sent in self._open.items() if sent.number == number != 0), None)

    def _handle_press(self, body: tuple[Any, ...]) -> None:
        number, action = body
        key = self._find_key(number)
        if key is not None and not self._open[key].is_withdrawn and action in self._open[key].offered:
            self.pressed.emit(key, action)

    def _handle_closed(self, body: tuple[Any, ...]) -> None:
        number, _ = body
        key = self._find_key(number)
        if key is None or self._open[key].is_sending:
            return  # one that is being replaced comes back under the same id
        del self._open[key]
        self._save_shown()
        self.closed.emit(key)

    def _close_in_fallback(self, key: str) -> None:
        self._open.pop(key, None)
        self.closed.emit(key)


def _is_of_script(pid: int) -> bool:
    """Also true of a process that connected and ended: only one that hides does that."""
    return HAS_PROCESS_MARKS and (find_process(pid) is None or origin_of(pid, None) is ProcessOrigin.SCRIPT)


def _notify_arguments(notification: Notification, replaces: int, capabilities: frozenset[str]) -> tuple[Any, ...]:
    """The arguments of Notify, for a daemon with these capabilities."""
    clean = sanitize(notification)
    return (
        "Dayhand",
        replaces,
        "dayhand",
        clean.title,
        html.escape(clean.text, quote=False) if "body-markup" in capabilities else clean.text,
        [part for action in clean.actions for part in action] if _ACTIONS in capabilities else [],
        {"urgency": ("y", _URGENCY[notification.urgency]), "desktop-entry": ("s", "dayhand"), **_icon_hint()},
        _NEVER_EXPIRES if notification.urgency is Urgency.CRITICAL else _DEFAULT_EXPIRY,
    )


@cache
def _icon_hint() -> dict[str, Any]:
    """The icon as pixels where the desktop does not know it by name, which needs the installer."""
    if QIcon.hasThemeIcon("dayhand"):
        return {}
    image = load_app_icon().pixmap(_ICON_PIXELS, _ICON_PIXELS).toImage().convertToFormat(QImage.Format.Format_RGBA8888)
    shape = (image.width(), image.height(), image.bytesPerLine(), True, 8, 4)
    return {"image-data": ("(iiibiiay)", (*shape, bytes(image.constBits())))}
