"""Metrics as values, and as text in the OpenMetrics format. Pure.

What is counted from the stored history is a gauge: retention makes it smaller, which a counter must never be. The kinds
are those that the older text format knows too, since node_exporter reads files in that format.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


class MetricKind(StrEnum):
    COUNTER = "counter"
    """Only grows, or begins again at 0; its samples end with `_total`."""
    GAUGE = "gauge"
    HISTOGRAM = "histogram"


@dataclass(frozen=True, slots=True)
class MetricSample:
    value: float
    labels: dict[str, str] = field(default_factory=dict)
    suffix: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricFamily:
    name: str
    help: str
    samples: list[MetricSample]
    kind: MetricKind = MetricKind.GAUGE
    unit: str = ""
    """The name ends with it."""


@dataclass(slots=True)
class Histogram:
    """How many values are within each upper bound, and their sum."""

    bounds: Sequence[float]
    counts: list[int] = field(default_factory=list)
    """Per bound, then beyond the last; not cumulative."""
    total: float = 0.0

    def __post_init__(self) -> None:
        self.counts = self.counts or [0] * (len(self.bounds) + 1)

    def add(self, place: int, number: int, total: float) -> None:
        """Add that many values, which belong to the bound at that place."""
        self.counts[place] += number
        self.total += total

    def to_samples(self, labels: Mapping[str, str]) -> Iterator[MetricSample]:
        number = 0
        for bound, count in zip([*self.bounds, math.inf], self.counts, strict=True):
            number += count
            yield MetricSample(number, {**labels, "le": format_number(float(bound))}, "_bucket")
        yield MetricSample(number, dict(labels), "_count")
        yield MetricSample(self.total, dict(labels), "_sum")


def format_openmetrics(families: Iterable[MetricFamily]) -> Iterator[str]:
    """The lines of the exposition."""
    for family in families:
        yield f"# TYPE {family.name} {family.kind}"
        if family.unit:
            yield f"# UNIT {family.name} {family.unit}"
        yield f"# HELP {family.name} {_escape(family.help)}"
        for sample in family.samples:
            labels = ",".join(f'{name}="{_escape(value)}"' for name, value in sample.labels.items())
            braces = f"{{{labels}}}" if labels else ""
            yield f"{family.name}{sample.suffix}{braces} {format_number(sample.value)}"
    yield "# EOF"


def read_families(written: Iterable[Mapping[str, Any]]) -> list[MetricFamily]:
    """Families that were sent as JSON."""
    return [
        MetricFamily(
            name=one["name"],
            help=one["help"],
            kind=MetricKind(one["kind"]),
            unit=one["unit"],
            samples=[MetricSample(sample["value"], sample["labels"], sample["suffix"]) for sample in one["samples"]],
        )
        for one in written
    ]


def format_number(value: float) -> str:
    """The shortest form that means exactly this number; floats always have a point, as the format wants for bounds."""
    if isinstance(value, int):
        return str(value)
    return repr(value) if math.isfinite(value) else {math.inf: "+Inf", -math.inf: "-Inf"}.get(value, "NaN")


def _escape(text: str) -> str:
    return text.replace("\\", r"\\").replace("\n", r"\n").replace('"', r"\"")
