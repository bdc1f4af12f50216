"""Everything the pane of one workflow shows, read at once. Never in the GUI thread."""

from dataclasses import dataclass
from datetime import datetime

from app.data.script_file import is_file_changed
from app.i18n.translate import translate_text
from app.session import Session
from app.window.history.history_data import HistoryRow, make_rows, read_questions
from app.window.new_workflow.answers_change import find_template_of
from app.window.new_workflow.deploy_check import UsedTool, describe_permission
from scheduler.engine.queries.schedule_data import ScheduleData
from scheduler.engine.queries.statistics import Statistics
from scheduler.engine.queries.versions import VersionView
from scheduler.engine.queries.workflows import WorkflowDetails
from scheduler.rules.history_query import HistoryQuery

_MAX_RECENT = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkflowData:
    details: WorkflowDetails
    schedules: tuple[ScheduleData, ...]
    recent: tuple[HistoryRow, ...]
    week: Statistics
    versions: tuple[VersionView, ...]
    uses: tuple[UsedTool, ...]
    always_allowed: tuple[str, ...]
    """What it does without asking, because the user chose to always allow it."""
    missing: tuple[str, ...]
    request: str
    """Its oldest open request, or empty."""
    is_file_changed: bool
    """The file has other contents than the version in use."""
    has_answers: bool
    """It was made from a template, whose answers can be changed."""
    machine_zone: str
    now: datetime


def read_workflow(session: Session, slug: str) -> WorkflowData:
    """RefusedError if there is no such workflow."""
    queries = session.queries
    details, permissions = queries.workflow(slug), queries.permissions(slug)
    page = queries.history(HistoryQuery(workflow=slug), None, _MAX_RECENT)
    rows = make_rows(page, {slug: details.name}, read_questions(session, page.runs))[:_MAX_RECENT]
    versions = tuple(queries.versions(slug))
    return WorkflowData(
        details=details,
        schedules=tuple(queries.schedules(details.workflow)),
        recent=rows,
        week=queries.statistics(slug),
        versions=versions,
        uses=tuple(map(describe_permission, permissions.tools)),
        always_allowed=tuple(map(translate_text, permissions.always_allowed)),
        missing=queries.unconnected(details.connections),
        request=next((one.id for one in queries.attention() if details.workflow in one.workflows), ""),
        is_file_changed=any(is_file_changed(details.path, one.sha256) for one in versions if one.current),
        has_answers=find_template_of(session, details.workflow, details.version) is not None,
        machine_zone=session.zone,
        now=session.now(),
    )
