"""`report`: what ran, what was approved, what did not run and why, over some days."""

import json
from argparse import ArgumentParser, Namespace
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from app.cli.command import Command, call_api
from app.cli.formatting import TIME_EXAMPLES
from app.data.data_dir import add_data_dir


def _report_arguments(parser: ArgumentParser) -> None:
    parser.description = (
        "Show what ran, what was approved and from where, what did not run and why, and what is failing, paused or\n"
        "waiting now. Settings has the same report by mail, each day or week."
    )
    add_data_dir(parser)
    parser.add_argument("--since", metavar="TIME", help=f"from this time (default: the last 7 days): {TIME_EXAMPLES}")
    parser.add_argument("--until", metavar="TIME", help="up to this time (default: now)")
    parser.add_argument("--format", choices=["text", "html", "json"], default="text", help="default: text")


@dataclass(frozen=True, slots=True)
class _ReportOutput:
    answer: dict[str, Any]
    format: str
    is_verbatim = True
    """HTML and JSON are for programs."""

    def data(self) -> dict[str, Any]:
        return self.answer

    def lines(self) -> Iterable[str]:
        if self.format == "json":
            return [json.dumps(self.answer, indent=2, ensure_ascii=False)]
        from PySide6.QtCore import QLocale

        from app.report.content import describe_report
        from app.report.html import write_html
        from app.report.text import write_text
        from scheduler.engine.queries.report import read_report

        QLocale.setDefault(QLocale.c())  # English, with 24 hours, as everything that commands print
        content = describe_report(read_report(self.answer))
        written = write_html(content) if self.format == "html" else write_text(content)
        return written.splitlines()


def _report(options: Namespace) -> _ReportOutput:
    return _ReportOutput(call_api(options, "report", since=options.since, until=options.until), options.format)


VERBS = {"report": Command(_report_arguments, _report)}
