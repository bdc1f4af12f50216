"""Tells what happens, one readable line for each run, wait and answer."""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime

from app.widgets.plain import cut, reveal
from scheduler.engine.refusal import RefusedError
from scheduler.engine.workflows.views import WorkflowViews
from scheduler.engine.workflows.views.requests import RequestView
from scheduler.engine.workflows.views.runs import RunView
from scheduler.rules.phases import Status
from scheduler.rules.sentences import finish

Say = Callable[[str], None]

_ANSWERS = {
    "yes": "you said yes",
    "no": "you said no",
    "happened": "you said that it happened",
    "not-happened": "you said that it did not happen",
    "skip": "you let it go",
    "solved": "it no longer needs you",
    "withdrawn": "it no longer needs you",
}
_QUIET = {"producer": "looked for news", "consumer": "looked; nothing to report"}
"""What is said of a run that went well and said nothing itself."""
_MAX_SENTENCE = 300
_REST = frozenset({Status.COMMITTED, Status.CRASHED, Status.CANCELLED})


class Narrator:
    """Looks when it is told to. `command` is how a command line begins, with which it says how to answer."""

    def __init__(
        self, views: WorkflowViews, say: Say, command: Callable[[str], str], now: Callable[[], datetime]
    ) -> None:
        self._views = views
        self._now = now
        self._say = say
        self._command = command
        self._number = views.last_number()
        self._watched: dict[str, str] = {one.run: "" for one in views.attention() if one.run is not None}
        """Runs that are not at rest, with the status that was last told."""
        self._asked: dict[str, RequestView] = {}

    def look(self) -> None:
        """Say what is new."""
        news = self._views.news(self._number, self._watched)
        self._number = news.number
        open_now = {one.id: one for one in self._views.attention()}
        for gone in [one for one in self._asked if one not in open_now]:  # before what followed from the answer
            self._tell_answer(self._find_answer(self._asked.pop(gone)))
        for run in news.runs:
            self._tell_run(run)
        for one in open_now.values():
            if one.id not in self._asked:
                self._asked[one.id] = replace(one, call=None, ui=None)  # they may be large
                self._tell_request(one)

    def _find_answer(self, asked: RequestView) -> RequestView:
        try:
            return self._views.request(asked.id)
        except RefusedError:  # its workflow was removed, with all that was asked about it
            return replace(asked, answer="withdrawn")

    def _tell_run(self, run: RunView) -> None:
        if run.status in _REST or run.status in (Status.LOGIC, Status.INTERNAL):
            known = self._watched.pop(run.id, None)
        else:
            known = self._watched.get(run.id)
            self._watched[run.id] = run.status.value
        sentence = _say_run(run)
        if sentence is not None and known != run.status.value:
            self._write(run.workflow, sentence)

    def _tell_request(self, one: RequestView) -> None:
        what = "" if not one.call else f" ({one.call['tool']} of {one.call['connection']})"
        how = f"Answer: {self._command(one.how[0])}"
        if one.kind == "approval":  # nobody approves what they have not seen
            how = f"See all of it and how to answer: {self._command(f'dayhand attention {one.id}')}"
        self._write(one.workflow, f"asks: {finish(cut(one.sentence, _MAX_SENTENCE) + what)} {how}")

    def _tell_answer(self, one: RequestView) -> None:
        answer = _ANSWERS.get(one.answer or "", "it was answered")
        self._write(one.workflow, f"{answer}: {cut(one.sentence, _MAX_SENTENCE)}")

    def _write(self, workflow: str, sentence: str) -> None:
        self._say(f"{self._now().astimezone():%H:%M:%S}  {workflow}: {reveal(' '.join(sentence.split()))}")


def _say_run(run: RunView) -> str | None:
    """None where another line says it: how it ended, or what it asks."""
    match run.status:
        case Status.ACTIVE:
            return None if run.attempt == 1 else f"tries again, attempt {run.attempt}"
        case Status.COMMITTED:
            return run.summary or _QUIET.get(run.kind, "done")
        case Status.TRANSIENT:
            return f"will try again. {run.error}"
        case Status.APPROVAL:
            return None if run.error is None else f"waits for you. {run.error}"
        case Status.RECONCILIATION:
            return f"finds out whether it happened. {run.error}"
        case Status.LOGIC | Status.INTERNAL:
            return f"failed. {run.error}"
        case Status.CRASHED:
            return "was interrupted"
        case Status.CANCELLED:
            return f"was stopped. {run.summary}" if run.summary else "was stopped"
