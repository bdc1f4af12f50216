"""A realistic data folder of any size: workflows in every state, a week of history, and open requests of many kinds.

Nothing in it runs on its own.
"""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any, NamedTuple

from app.session import Session
from scheduler.engine.workflows.deployment import DeployOptions
from scheduler.engine.workflows.validation import ValidatedScript
from scheduler.rules.phases import HandlerKind, RunPhase, RunStatus
from scheduler.rules.requests import RequestKind
from scheduler.store import handlers, logs, requests
from scheduler.store.requests import RequestRow
from scheduler.timing.occurrences import OccurrenceReason, OccurrenceState
from tests.app.window.sample_data import add_not_run, add_run, make_handler

REQUESTS_BY_SIZE = {0: 0, 3: 5, 30: 133, 300: 300}
"""By the number of workflows, as many requests as such a household has open on a bad day."""
DAYS = 7
CLOSED_TABLE = "The table is open in another program. Close it there."
LONG_NAME = "Nightly encrypted off-site backup of the family's photos, films and scanned documents to the cottage"


class Chore(NamedTuple):
    name: str
    cron: str
    done: str | None
    """What a run reports; None if it has nothing to report."""
    tag: str = "home"
    command: str = ""
    minutes: float = 2


CHORES = (
    Chore("Receipts", "15 8,18 * * *", "Filed 3 receipts, 41 so far", "money"),
    Chore("Back up photos", "0 3 * * *", "Saved 1,204 photos (5.1 GB)", command="restic backup ~/Pictures", minutes=95),
    Chore("Morning digest", "0 7 * * 1-5", "Sent 12 headlines", "reading"),
    Chore("Tidy downloads", "0 */4 * * *", "Moved 9 files"),
    Chore("Invoices of the shop", "30 9 * * *", "Sent 4 invoices, 2 reminders", "work"),
    Chore("Payment reminders", "0 10 * * 1-5", "Sent 6 reminders", "work"),
    Chore(LONG_NAME, "30 1 * * *", "Copied 12 GB", command="rclone sync ~/Archive cottage:archive", minutes=140),
    Chore("Certificates and disks", "0 6 * * *", None, "server", "check-certificates --all"),
    Chore("Prune Docker images", "45 4 * * 0", "Freed 14.2 GB", "server", "docker system prune -f"),
    Chore("Price of the espresso machine", "20 */3 * * *", None, "reading"),
    Chore("Rotate database dumps", "10 2 * * *", "Kept 14 dumps", "server", "/usr/local/bin/rotate-dumps --keep 14"),
    Chore("Calendar reminders for Mia and Jonas", "0 20 * * *", "2 reminders for tomorrow"),
    Chore("Sync the music library", "0 22 * * 5", "Copied 31 songs", command="rsync -a ~/Music nas:"),
    Chore("Water the balcony", "0 6,19 * 5-9 *", "Watered for 4 minutes"),
    Chore("Send the weekly report to the team", "0 16 * * 5", "Sent to 8 people", "work"),
)


def fill(session: Session, number: int) -> None:
    """Create that many workflows and their requests; call it before the session starts."""
    if not number:
        return
    session._runtime.connect("table:expenses", {"path": str(session.folder / "expenses.csv")})
    session._runtime.connect("files:receipts", {"path": str(session.folder)})
    now = session.now().replace(microsecond=0)
    for place in range(number):
        _add_workflow(session, place)
    _add_past(session, number, now)
    _add_requests(session, number, REQUESTS_BY_SIZE[number], now)


def add_running(session: Session, number: int) -> None:
    """Runs that are active now; call it after the session started, which ends those of an earlier start."""
    for place in [each for each in (1, 6, 10, 17, 23, 40, 77) if each < number]:
        at = session.now() - timedelta(minutes=3 + 7 * place)
        active = {"phase": RunPhase.EXECUTING, "status": RunStatus.ACTIVE, "ended": None, "summary": None}
        add_run(session, f"active{place:04}", _slug(place), at, **_JOB, **active)
    session.announced.emit(None)


_JOB: dict[str, Any] = {
    "handler": "go",
    "trigger": "automatic",
    "kind": HandlerKind.JOB,
    "prepared_at": None,
    "mutating_at": None,
    "mutated_at": None,
}
_SCRIPT = '''"""{name}."""
import dayhand

flow = dayhand.Workflow("{name}", tags=["{tag}"])


@flow.job(cron="{cron}")
def go(ctx):
    ctx.run({command})
'''


def _chore(place: int) -> Chore:
    chore = CHORES[place % len(CHORES)]
    turn = place // len(CHORES)
    return chore._replace(name=f"{chore.name} ({turn + 1})") if turn else chore


def _slug(place: int) -> str:
    return f"chore-{place:03}"


def _add_workflow(session: Session, place: int) -> None:
    chore, slug = _chore(place), _slug(place)
    source = _SCRIPT.format(name=chore.name, tag=chore.tag, cron=chore.cron, command=chore.command.split() or ["true"])
    path = session.folder / f"{slug}.py"
    path.write_text(source, encoding="utf-8")
    described = {
        "slug": slug,
        "name": chore.name,
        "docstring": f"{chore.name}.",
        "line": 4,
        "tags": [chore.tag],
        "topics": [],
        "connections": [],
        "handlers": [make_handler("go", "job", {"cron": chore.cron})],
    }
    script = ValidatedScript(path=str(path), source=source, described=described, uses=())
    session._runtime.workflow_commands.deploy(script, DeployOptions(grant=True, paused=place % 9 == 3))


def _add_past(session: Session, number: int, now: datetime) -> None:
    """A run a day at the hour of its schedule, the oldest first; some fail, and some times are missed or skipped."""
    midnight = now.astimezone().replace(hour=0, minute=0, second=0).astimezone(UTC)
    past = [_plan_run(place, day, midnight) for place in range(number) for day in range(DAYS)]
    for at, place, day in sorted(past):
        chore, slug, run = _chore(place), _slug(place), f"run{place:04}d{day}"
        ended = at + timedelta(minutes=chore.minutes, seconds=place % 60)
        if ended > now:
            continue
        if (place + day) % 11 == 7:
            state, reason = OccurrenceState.MISSED, OccurrenceReason.PASSED
            if day % 2:
                state, reason = OccurrenceState.SKIPPED, OccurrenceReason.OVERLAP
            add_not_run(session, f"{slug}/go", at, state, reason)
            continue
        facts: dict[str, Any] = {"summary": chore.done, "ended": ended}
        if _fails(place) and day < 2:
            facts |= {"status": RunStatus.LOGIC, "error": {"sentence": CLOSED_TABLE}, "summary": None, "followed": True}
        add_run(session, run, slug, at, **_JOB, **facts)
        with session._runtime.database.write() as db:
            logs.append(db, run, f"$ {chore.command or 'go'}\n{facts['summary'] or CLOSED_TABLE}\n")


def _plan_run(place: int, day: int, midnight: datetime) -> tuple[datetime, int, int]:
    minute, hours = _chore(place).cron.split()[:2]
    hour = int(hours.split(",")[0].removeprefix("*/"))
    return midnight + timedelta(days=-day, hours=hour, minutes=int(minute) + place % 40), place, day


def _fails(place: int) -> bool:
    return place % 7 == 1


def _add_requests(session: Session, number: int, wanted: int, now: datetime) -> None:
    """One of each rare kind, failures of several workflows, and many approvals of a few."""
    with session._runtime.database.write() as db:
        for place, row in zip(range(wanted), _make_requests(number), strict=False):
            requests.add(db, row._replace(created=now - timedelta(minutes=17 * place + 3)))
        for place in range(number):
            if _fails(place):
                for days in (1, 0):
                    handlers.count_failure(db, _slug(place), "go", now - timedelta(days=days, hours=2))


def _make_requests(number: int) -> Iterator[RequestRow]:
    yield from (make(_slug(place % number)) for place, make in enumerate(_RARE[: 5 if number > 3 else 2]))
    failing = [place for place in range(number) if _fails(place)][:20]
    for place in failing:
        text = f"{CLOSED_TABLE} Nothing was lost."
        yield _request(RequestKind.RUN_FAILED, _slug(place), f"go of {place}", text, run=f"run{place:04}d0")
    for each in count():
        make = (_receipt, _mail, _receipt)[each % 3]
        place = (0, 5, 4, 0)[each % 4] if each % 5 else each
        yield make(each, _slug(place % number))


def _request(kind: RequestKind, workflow: str, subject: str, sentence: str, **facts: Any) -> RequestRow:
    row = RequestRow(
        id=f"{workflow}-{kind.slug}-{subject}".replace(" ", "-"),
        kind=kind,
        workflow=workflow,
        subject=subject,
        sentence=sentence,
        created=datetime.now(UTC),
    )
    return row._replace(**facts)


def _receipt(number: int, workflow: str) -> RequestRow:
    shops = ("Corner Bakery", "Paper Moon Books", "Nuts & Bolts", "Ursula's Garden Centre and Nursery, Bad Homburg")
    row = {"shop": shops[number % 4], "date": f"2026-11-{1 + number % 28:02}", "amount": 7.4 + number * 13.85}
    call = {"connection": "table:expenses", "tool": "append", "parameters": {"rows": [row]}}
    return _request(RequestKind.APPROVAL, workflow, f"receipt {number}", f"Add receipt {number}", call=call)


def _mail(number: int, workflow: str) -> RequestRow:
    parameters = {
        "to": f"customer{number}@example.com",
        "subject": f"Invoice 2026-{1000 + number} is due",
        "text": "Dear customer,\n\nplease pay until Friday.\n\nThank you!",
    }
    call = {"connection": "smtp:work", "tool": "send", "parameters": parameters}
    return _request(RequestKind.APPROVAL, workflow, f"mail {number}", "Remind them", call=call)


def _ask_what_happened(workflow: str) -> RequestRow:
    said = "The mail server did not answer in time. Did it happen?"
    call = {"connection": "smtp:work", "tool": "send", "parameters": {"to": "ann@example.com", "subject": "Invoice 7"}}
    return _request(RequestKind.UNSURE, workflow, "unsure", said, call=call)


def _ask_question(workflow: str) -> RequestRow:
    questions = [{"name": "folder", "text": "Which folder?", "kind": "choice", "choices": ["Home", "Work", "Tax 2026"]}]
    said = "Where does the letter of the tax office belong?"
    return _request(RequestKind.QUESTION, workflow, "question", said, questions=questions)


_RARE: tuple[Callable[[str], RequestRow], ...] = (
    _ask_what_happened,
    _ask_question,
    lambda workflow: _request(
        RequestKind.RECONNECT, workflow, "imap:private", "Your sign-in to private has expired. Sign in again."
    ),
    lambda workflow: _request(
        RequestKind.PERMISSION, workflow, "files:receipts write", "It wants to write files in receipts."
    ),
    lambda workflow: _request(
        RequestKind.SCRIPT_ERROR, workflow, "script", "KeyError: 'total' in line 12", run="run0004d0"
    ),
)
