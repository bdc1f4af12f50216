"""Keeps the notifications in sync with the open problems: applies the policy's decisions, forwards button presses."""

from collections.abc import Callable, Iterable
from datetime import timedelta, tzinfo

from PySide6.QtCore import QObject, QTimer, Signal

from app.notifications.content import SUMMARY_PREFIX, OpenProblem
from app.notifications.notification import NotificationBackend
from app.notifications.policy import NotificationRules, NotificationState, decide
from scheduler.engine.clock import Clock

_MAX_DELAY = timedelta(minutes=10)
"""A timer does not run while the machine sleeps, so check the clock now and then while something waits."""


class Notifier(QObject):
    """Runs in the GUI thread. Pass it all open problems whenever they may have changed."""

    pressed = Signal(str, str)
    """Key of an open problem, and the action that the user chose for it."""
    show_requested = Signal(object)
    """The user wants to see these problems: a set of keys."""

    def __init__(
        self, backend: NotificationBackend, clock: Clock, zone: Callable[[], tzinfo], rules: NotificationRules
    ) -> None:
        super().__init__()
        self._backend = backend
        self._clock = clock
        self._zone = zone
        self._rules = rules
        self._board = NotificationState()
        self._problems: dict[str, OpenProblem] = {}
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(self.refresh)
        backend.pressed.connect(self._press)
        backend.closed.connect(self._close)

    def update(self, problems: Iterable[OpenProblem]) -> None:
        """All open problems; those that are missing are solved."""
        self._problems = {problem.key: problem for problem in problems}
        self.refresh()

    def set_rules(self, rules: NotificationRules) -> None:
        """The user changed the settings."""
        self._rules = rules
        self.refresh()

    def refresh(self) -> None:
        """Apply the policy again; also call it after the machine woke up or changed its time zone."""
        now = self._clock.now()
        decision = decide(self._board, self._problems.values(), self._rules, now, self._zone())
        self._board = decision.state
        for key in decision.withdraw:
            self._backend.withdraw(key)
        for notification in decision.send:
            self._backend.send(notification)
        self._timer.stop()
        if decision.wake_at is not None:
            delay = min(decision.wake_at - now, _MAX_DELAY)
            self._timer.start(round(delay.total_seconds() * 1000) + 1)

    def _press(self, key: str, action: str) -> None:
        if key.startswith(SUMMARY_PREFIX):
            self.show_requested.emit(self._board.problems_of(key))
        elif key in self._problems:
            self.pressed.emit(key, action)

    def _close(self, key: str) -> None:
        self._board = self._board.close(key)
