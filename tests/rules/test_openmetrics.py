"""The OpenMetrics text, read back by the parsers of Prometheus' own client."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from prometheus_client.openmetrics.parser import text_string_to_metric_families as parse_openmetrics
from prometheus_client.parser import text_string_to_metric_families as parse_prometheus

from scheduler.rules.openmetrics import (
    Histogram,
    MetricFamily,
    MetricKind,
    MetricSample,
    format_number,
    format_openmetrics,
    read_families,
)


def text_of(*families: MetricFamily) -> str:
    return "".join(f"{line}\n" for line in format_openmetrics(families))


@given(st.text(alphabet=st.characters(codec="utf-8"), max_size=30))
def test_any_label_value_and_help_is_read_back_as_it_was(text: str) -> None:
    family = MetricFamily(name="x", help=text.strip(), samples=[MetricSample(1, {"a": text, "b": "2"})])
    (found,) = parse_openmetrics(text_of(family))
    assert found.samples[0].labels == {"a": text, "b": "2"}
    assert found.documentation == text.strip()


@pytest.mark.parametrize("hostile", ['"} 1\nevil 2', "\\", '\\"', "\\n", "a\nb", "# EOF\n", '{le="1"}', "ünïcode 🎉"])
def test_a_hostile_label_value_adds_no_sample(hostile: str) -> None:
    text = text_of(MetricFamily(name="x", help=hostile, samples=[MetricSample(1, {"name": hostile})]))
    for parse in (parse_openmetrics, parse_prometheus):
        (found,) = parse(text)
        assert [(one.name, one.labels, one.value) for one in found.samples] == [("x", {"name": hostile}, 1)]


def test_a_histogram_is_cumulative_with_sum_and_count() -> None:
    histogram = Histogram([0.1, 1.0, 60.0])
    histogram.add(0, 3, 0.2)
    histogram.add(2, 2, 40)
    histogram.add(3, 1, 100)
    family = MetricFamily(
        name="x_seconds",
        help="h",
        unit="seconds",
        kind=MetricKind.HISTOGRAM,
        samples=list(histogram.to_samples({"workflow": "w"})),
    )
    (found,) = parse_openmetrics(text_of(family))
    assert (found.type, found.unit) == ("histogram", "seconds")
    buckets = {one.labels["le"]: one.value for one in found.samples if one.name == "x_seconds_bucket"}
    assert buckets == {"0.1": 3, "1.0": 3, "60.0": 5, "+Inf": 6}
    others = {one.name: one.value for one in found.samples if one.name != "x_seconds_bucket"}
    assert others == {"x_seconds_count": 6, "x_seconds_sum": pytest.approx(140.2)}


@given(st.floats() | st.integers(min_value=-(2**53), max_value=2**53))
def test_a_number_is_read_back_exactly(number: float) -> None:
    (found,) = parse_openmetrics(text_of(MetricFamily(name="x", help="", samples=[MetricSample(number)])))
    assert found.samples[0].value == number or math.isnan(number)
    assert format_number(math.inf) == "+Inf"


def test_families_survive_json() -> None:
    histogram = list(Histogram([1.0]).to_samples({}))
    families = [
        MetricFamily(name="x_seconds", help="h", unit="seconds", kind=MetricKind.HISTOGRAM, samples=histogram),
        MetricFamily(name="y", help="h", samples=[MetricSample(1, {"a": "b"})]),
    ]
    written = [
        {
            "name": one.name,
            "help": one.help,
            "kind": one.kind.value,
            "unit": one.unit,
            "samples": [{"value": s.value, "labels": s.labels, "suffix": s.suffix} for s in one.samples],
        }
        for one in families
    ]
    assert read_families(written) == families


def test_the_text_ends_with_its_mark() -> None:
    assert text_of().splitlines()[-1] == "# EOF"
