"""A report as a mail: subject, text and HTML."""

from app.report.content import describe_report
from app.report.html import write_html
from app.report.text import write_text
from scheduler.engine.monitoring.report_mail import ReportText
from scheduler.engine.queries.report import Report


def write_mail(report: Report) -> ReportText:
    content = describe_report(report)
    subject = f"Dayhand · {content.span}: {content.headline}"
    return ReportText(subject=subject, text=write_text(content), html=write_html(content))
