"""One channel: a thread that sends what its rules say, and one that waits for answers; the app never waits for it."""

import logging
import threading
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime, timedelta

from app.channels import content
from app.i18n.translate import translate_text
from app.overview import Overview
from app.overview_watcher import load_overview
from app.session import Session
from scheduler.connections.channel import ChannelReply, ReplyKind, StopSignal
from scheduler.connections.connector import ToolFailedError
from scheduler.engine.channels.answers import AnswerResult, ChannelAnswer
from scheduler.engine.channels.plan import ChannelPlan
from scheduler.engine.errors import RefusedError
from scheduler.engine.queries.requests import RequestView
from scheduler.rules.channels import Presence
from scheduler.rules.failures import Failure, FailureClass
from scheduler.rules.requests import RequestAction
from scheduler.timing.zones import find_zone

log = logging.getLogger(__name__)

_BACKOFF_S = (2.0, 5.0, 15.0, 60.0, 300.0)
"""Between tries while the service cannot be reached."""
_POLL_S = 30.0
"""How often to look whether the user has left the computer, while something waits for that."""
_MIN_WAIT_S = 0.05
_MAX_NOTES, _NOTES_WITHIN = 5, timedelta(minutes=1)


class ChannelWorker:
    """Create it, `start` it, `wake` it after every change, `stop` it before the session stops."""

    def __init__(
        self, session: Session, name: str, presence: Callable[[], Presence], warn: Callable[[str, str], None]
    ) -> None:
        """`warn` shows the user something at this computer: title and text."""
        self.name = name
        self._session = session
        self._channels = session.channels
        self._presence = presence
        self._warn = warn
        self._stop = StopSignal()
        self._woken = threading.Event()
        self._listening_since: datetime | None = None
        self._failures = {"send": 0, "receive": 0}
        self._problem = ""
        self._said: list[datetime] = []
        self._threads = [
            threading.Thread(target=self._run, args=(one,), name=f"{name} {what}", daemon=True)
            for what, one in (("send", self._send_loop), ("receive", self._receive_loop))
        ]

    def start(self) -> None:
        for one in self._threads:
            one.start()

    def wake(self) -> None:
        self._woken.set()

    def retry(self) -> None:
        """The network is back."""
        self._failures = dict.fromkeys(self._failures, 0)
        self.wake()

    def stop(self) -> None:
        self._stop.set()
        self._woken.set()

    def join(self, seconds: float) -> None:
        for one in self._threads:
            one.join(seconds)

    def _run(self, loop: Callable[[], None]) -> None:
        """Whatever a third-party channel raises, it is tried again."""
        while not self._stop.is_set:
            try:
                loop()
            except Exception:
                if not self._stop.is_set:
                    log.exception("The channel %s failed", self.name)
                    self._stop.wait(_BACKOFF_S[-1])
            else:
                return

    def _send_loop(self) -> None:
        wait_s = _MIN_WAIT_S
        while not self._stop.is_set:
            self._woken.wait(wait_s)
            if self._stop.is_set:
                return
            self._woken.clear()
            try:
                wait_s = self._step()
                self._failures["send"] = 0
            except ToolFailedError as error:
                wait_s = self._back_off("send", error.failure)
            except RefusedError:  # it was disconnected just now
                return

    def _step(self) -> float:
        """Send and close what is to be; returns how long nothing else is to be done."""
        presence = self._presence()
        plan = self._channels.plan(self.name, presence, find_zone(self._session.zone))
        if not plan.is_empty:
            self._carry_out(plan, load_overview(self._session))
            return _MIN_WAIT_S
        if plan.wake_at is None:
            return _POLL_S * 20
        left = (plan.wake_at - self._channels.now()).total_seconds()
        return max(min(left, _POLL_S), _MIN_WAIT_S)

    def _carry_out(self, plan: ChannelPlan, overview: Overview) -> None:
        channels, name = self._channels, self.name
        views = {one.id: one for one in overview.requests}
        for row in plan.closing:
            if self._stop.is_set:
                return
            one = self._find(row.request)
            title = "Dayhand" if one is None else content.name_of(one, overview)
            channels.close(row, content.say_outcome(one, title, name))
        for key in plan.questions:
            if self._stop.is_set or key not in views:
                continue
            offered = channels.list_offered(name, key)
            said = self._describe(views[key], overview)
            message = content.make_message(said, views[key], offered)
            channels.send_question(name, key, message, content.label_buttons(views[key], offered))
        together = tuple(key for key in plan.summary if key in views)
        if together:
            channels.send_summary(name, together, content.make_summary([views[key] for key in together], overview))
        for row in plan.dropped:
            channels.outbox.drop(row)
        for row in plan.news:
            channels.send_news(row, content.make_news("".join(row.covers), row.title or "", row.body or ""))
        if plan.news_summary:
            first, *others = plan.news_summary
            channels.send_news(first, content.make_news_summary([row.title or "" for row in plan.news_summary]))
            for row in others:
                channels.outbox.drop(row)

    def _describe(self, one: RequestView, overview: Overview) -> content.MessageText:
        shows_call = self._channels.rules(self.name).shows_call
        return content.describe(one, overview, self._session.registry, shows_call=shows_call)

    def _find(self, request: str | None) -> RequestView | None:
        if request is None:
            return None
        try:
            return self._session.queries.request(request)
        except RefusedError:  # its workflow was removed
            return None

    def _receive_loop(self) -> None:
        while not self._stop.is_set:
            try:
                if self._channels.channel(self.name).receive is None:
                    return
                for reply in self._channels.receive(self.name, self._stop):
                    self._listening_since = self._listening_since or self._channels.now()
                    self._failures["receive"] = 0
                    if reply is not None:
                        self._handle(reply)
            except ToolFailedError as error:
                self._listening_since = None
                self._stop.wait(self._back_off("receive", error.failure))
            except RefusedError:
                return
            self._listening_since = None

    def _handle(self, reply: ChannelReply) -> None:
        """The cursor moves on only afterwards: what a crash interrupts is read again, and counts only once."""
        match reply.kind:
            case ReplyKind.BUTTON:
                self._tell(self._press(reply.text), reply)
            case ReplyKind.TEXT:
                self._tell(self._confirm(reply.text), reply)
            case ReplyKind.PUBLISHED:
                if not self._channels.outbox.adopt(self.name, reply.message, reply.title, reply.text):
                    self._lock()
        self._channels.outbox.save_cursor(self.name, reply.cursor)

    def _press(self, payload: str) -> ChannelAnswer:
        return self._session.execute(lambda runtime: runtime.channel_answers.press(self.name, payload))

    def _confirm(self, text: str) -> ChannelAnswer:
        key, since = self._channels.read_code(self.name), self._listening_since or self._channels.now()
        return self._session.execute(lambda runtime: runtime.channel_answers.confirm(self.name, text, key, since))

    def _tell(self, answer: ChannelAnswer, reply: ChannelReply) -> None:
        """What became of an answer. If saying so fails, the answer counts all the same."""
        with suppress(ToolFailedError):
            match answer.result:
                case AnswerResult.NEEDS_CODE:
                    self._ask_code(answer)
                    self._respond(reply, "")
                case AnswerResult.REFUSED:
                    if reply.respond is not None:
                        self._respond(reply, answer.sentence)
                    elif self._may_say():
                        self._channels.say(self.name, content.say_refusal(answer.sentence))
                case AnswerResult.DONE:
                    self._respond(reply, "")
                    self.wake()
                case AnswerResult.IGNORED:
                    self._respond(reply, "")

    def _may_say(self) -> bool:
        """Somebody who presses buttons all the time must not flood the phone."""
        now = self._channels.now()
        self._said = [at for at in self._said if timedelta() <= now - at < _NOTES_WITHIN][-_MAX_NOTES:]
        if len(self._said) == _MAX_NOTES:
            return False
        self._said.append(now)
        return True

    def _respond(self, reply: ChannelReply, sentence: str) -> None:
        if reply.respond is not None:
            reply.respond(content.say_refusal(sentence).text if sentence else "")

    def _ask_code(self, answer: ChannelAnswer) -> None:
        one, since = self._find(answer.request), self._listening_since or self._channels.now()
        if one is None or self._channels.outbox.is_code_requested(self.name, answer.request, since):
            return
        said = self._describe(one, load_overview(self._session))
        from_app = not self._channels.channel(self.name).proves_sender
        message = content.ask_code(said, one, RequestAction(answer.action), from_app=from_app)
        self._channels.send_code_request(self.name, answer.request, message)

    def _lock(self) -> None:
        warning = self._channels.outbox.lock_after_foreign_message(self.name)
        if warning:
            log.warning("%s", warning)
            self._warn(self.name, translate_text(warning))

    def _back_off(self, what: str, failure: Failure) -> float:
        if failure.kind in (FailureClass.AUTH, FailureClass.PERMISSION):
            self._channels.note_trouble(self.name, failure)
        if failure.sentence != self._problem:
            self._problem = failure.sentence
            log.warning("%s: %s", self.name, failure.sentence)
        number = min(self._failures[what], len(_BACKOFF_S) - 1)
        self._failures[what] += 1
        least = failure.retry_after or timedelta()
        return max(_BACKOFF_S[number], least.total_seconds())
