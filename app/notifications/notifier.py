"""Keeps the person's screen in step with the open problems: asks the policy, moves the notices, passes on presses."""

from collections.abc import Callable, Iterable
from datetime import timedelta, tzinfo

from PySide6.QtCore import QObject, QTimer, Signal

from app.notices.notice import Notices
from app.notices.policy import Board, Rules, decide
from app.notices.problems import MANY, Problem
from scheduler.engine.clock import Clock

_LONGEST = timedelta(minutes=10)
"""A timer does not run while the machine sleeps, so the clock is looked at now and then while something waits."""


class Herald(QObject):
    """In the GUI thread. Tell it all open problems whenever they may have changed."""

    pressed = Signal(str, str)
    """Key of an open problem, and the action that the person chose for it."""
    asked = Signal(object)
    """The person wants to see these problems: a set of keys."""

    def __init__(self, notices: Notices, clock: Clock, zone: Callable[[], tzinfo], rules: Rules) -> None:
        super().__init__()
        self._notices = notices
        self._clock = clock
        self._zone = zone
        self._rules = rules
        self._board = Board()
        self._problems: dict[str, Problem] = {}
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(self.look)
        notices.pressed.connect(self._press)
        notices.closed.connect(self._close)

    def tell(self, problems: Iterable[Problem]) -> None:
        """All that are open; what is missing is solved."""
        self._problems = {problem.key: problem for problem in problems}
        self.look()

    def follow(self, rules: Rules) -> None:
        """The person changed the settings."""
        self._rules = rules
        self.look()

    def look(self) -> None:
        """Also after the machine woke up, or moved to another zone."""
        now = self._clock.now()
        decision = decide(self._board, self._problems.values(), self._rules, now, self._zone())
        self._board = decision.board
        for key in decision.withdraw:
            self._notices.withdraw(key)
        for notice in decision.send:
            self._notices.send(notice)
        self._timer.stop()
        if decision.wake is not None:
            delay = min(decision.wake - now, _LONGEST)
            self._timer.start(round(delay.total_seconds() * 1000) + 1)

    def _press(self, key: str, action: str) -> None:
        if key.startswith(MANY):
            self.asked.emit(self._board.problems_of(key))
        elif key in self._problems:
            self.pressed.emit(key, action)

    def _close(self, key: str) -> None:
        self._board = self._board.close(key)
