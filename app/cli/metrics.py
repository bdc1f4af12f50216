"""`metrics`: numbers for Prometheus and other monitoring, in the OpenMetrics text format."""

from argparse import ArgumentParser, Namespace
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from app.cli.command import Command, call_api
from app.data.data_dir import add_data_dir
from scheduler.rules.openmetrics import format_openmetrics, read_families


def _metrics_arguments(parser: ArgumentParser) -> None:
    parser.description = (
        "Print the current numbers (planned times, runs, queue, requests, durations) in the OpenMetrics text format,\n"
        "counted from the stored history. Works with and without a running app. Settings has a switch to write them\n"
        "to a file for node_exporter every minute."
    )
    add_data_dir(parser)


@dataclass(frozen=True, slots=True)
class _MetricsOutput:
    answer: dict[str, Any]
    is_verbatim = True
    """Its lines are for programs."""

    def data(self) -> dict[str, Any]:
        return self.answer

    def lines(self) -> Iterable[str]:
        return format_openmetrics(read_families(self.answer["families"]))


def _metrics(options: Namespace) -> _MetricsOutput:
    return _MetricsOutput(call_api(options, "metrics"))


VERBS = {"metrics": Command(_metrics_arguments, _metrics)}
