"""Properties of every schedule, for any times, zone and instant."""

from datetime import date, datetime, timedelta
from itertools import islice, pairwise
from typing import Any
from zoneinfo import ZoneInfo

from hypothesis import assume, example, given
from hypothesis import strategies as st

from scheduler.timing.catchup import MAX_GRACE
from scheduler.timing.compiled import PlannedTimes
from scheduler.timing.cron_fields import FIELDS, WEEKDAY, expand_fields
from scheduler.timing.due import ScheduleSnapshot, compute_due
from scheduler.timing.durations import format_duration, parse_duration
from scheduler.timing.errors import BadScheduleError
from scheduler.timing.jitter import parse_jitter
from scheduler.timing.occurrences import OccurrenceReason, OccurrenceState
from scheduler.timing.policies import Catchup, Policies
from scheduler.timing.spec import ScheduleSpec
from tests.timing.debian_cron import Job
from tests.timing.schedule_builders import NOW, spec
from tests.timing.strategies import days, examples, fields, instants, kinds, narrowed, schedules, spans, weekdays, zones

Written = dict[str, Any]


def compiled(written: Written) -> PlannedTimes:
    try:
        return spec(**written).compile("UTC")
    except BadScheduleError:
        assume(False)  # noqa: FBT003
        raise


@examples(60)
@given(schedules, instants)
def test_the_next_time_is_strictly_later_and_there_is_none_before_it(written: Written, instant: datetime) -> None:
    times = compiled(written)
    result = times.after(instant)
    assert result is None or result > instant
    first = next(times.between(instant, instant + timedelta(days=60)), None)
    if result is None or result <= instant + timedelta(days=60):
        assert first == result
    else:
        assert first is None


@examples(60)
@given(schedules, instants, spans)
def test_a_later_instant_never_has_an_earlier_next_time(written: Written, instant: datetime, span: timedelta) -> None:
    times = compiled(written)
    early, late = times.after(instant), times.after(instant + span)
    if early is None:
        assert late is None
    elif early > instant + span:
        assert late == early
    else:
        assert late is None or late > early


@examples(60)
@given(schedules, instants, spans)
def test_between_equals_repeated_after(written: Written, instant: datetime, span: timedelta) -> None:
    times = compiled(written)
    expected, at = [], times.after(instant)
    while at is not None and at <= instant + span and len(expected) < 200:
        expected.append(at)
        at = times.after(at)
    result = list(islice(times.between(instant, instant + span), 200))
    assert result == expected
    assert all(earlier < later for earlier, later in pairwise(result))


@examples(60)
@given(schedules, instants, spans)
def test_the_last_time_of_a_range_is_the_last_of_between(written: Written, instant: datetime, span: timedelta) -> None:
    times = compiled(written)
    between = list(times.between(instant, instant + span))
    assert times.last(instant, instant + span) == (between[-1] if between else None)


@examples(60)
@given(schedules, instants, spans, st.integers(0, 50))
def test_the_count_is_the_length_of_between(written: Written, instant: datetime, span: timedelta, most: int) -> None:
    times = compiled(written)
    number = sum(1 for _ in times.between(instant, instant + span))
    count = times.count(instant, instant + span, most)
    assert (count.number, count.more) == (min(number, most), number > most)


def is_excluded(wall: datetime, exclusion: str | Written) -> bool:
    """An independent reading of an exclusion: by date, or by all parts of a calendar."""
    if isinstance(exclusion, str):
        first, _, last = exclusion.partition("/")
        return date.fromisoformat(first) <= wall.date() <= date.fromisoformat(last or first)
    job = Job.read(f"{exclusion.get('minute', '*')} {exclusion.get('hour', '*')} * * {exclusion.get('weekday', '*')}")
    return wall.minute in job.minutes and wall.hour in job.hours and job.matches_day(wall.date())


def has_open_step(exclusion: str | Written) -> bool:
    """Whether the exclusion contains a step like `5/10`, which the oracle cannot parse."""
    return not isinstance(exclusion, str) and any(
        "/" in item and item[0] != "*" and "-" not in item for text in exclusion.values() for item in text.split(",")
    )


@examples(60)
@given(kinds, narrowed, instants, spans)
def test_exclusions_and_limits_remove_exactly_what_they_cover(
    kind: Written, rest: Written, instant: datetime, span: timedelta
) -> None:
    """No remaining time is excluded or out of bounds, and no other time is lost."""
    assume(not any(map(has_open_step, rest.get("exclude", []))))
    zone = ZoneInfo(rest["timezone"])
    times = compiled(kind | rest)
    every = compiled(kind | {"timezone": zone.key}).between(instant, instant + span)
    expected = [
        at
        for at in every
        if (times.start_at is None or times.start_at <= at)
        and (times.end_at is None or at <= times.end_at)
        and not any(is_excluded(at.astimezone(zone), exclusion) for exclusion in rest.get("exclude", []))
    ]
    assert list(times.between(instant, instant + span)) == expected


@examples(60)
@given(st.integers(0, 59), st.integers(0, 23), days, weekdays, st.sampled_from(("day", "weekday")), zones, instants)
def test_a_calendar_and_a_cron_with_the_same_fixed_values_have_the_same_times(
    minute: int, hour: int, day: str, weekday: str, part: str, zone: str, instant: datetime
) -> None:
    """Where only one of day and weekday is given, OR and AND cannot differ."""
    text, value = (f"{minute} {hour} {day} * *", day) if part == "day" else (f"{minute} {hour} * * {weekday}", weekday)
    cron = compiled({"cron": text, "timezone": zone})
    calendar = compiled({"calendar": {"minute": minute, "hour": hour, part: value}, "timezone": zone})
    until = instant + timedelta(days=40)
    assert list(cron.between(instant, until)) == list(calendar.between(instant, until))


@examples(60)
@given(st.fixed_dictionaries({field.name: fields(field.low, field.high) for field in FIELDS.values()}))
@example({name: "5-5/1" if name != "year" else "2030-2030/1" for name in FIELDS})
@example({name: "*,5" if name != "year" else "2030,*" for name in FIELDS})
def test_a_field_expands_to_the_numbers_of_its_ranges_and_steps(texts: dict[str, str]) -> None:
    """croniter reads some of them differently."""
    values = expand_fields(texts)
    result = (values.seconds, values.minutes, values.hours, values.days, values.months, values.weekdays, values.years)
    for field, numbers in zip(FIELDS.values(), result, strict=True):
        top = 6 if field is WEEKDAY else field.high
        expected = set()
        for item in texts[field.name].split(","):
            span, _, step = item.partition("/")
            first, _, last = span.partition("-")
            if span == "*":
                first, last = str(field.low), str(top)
            end = int(last or (max(int(first), top) if step else first))
            expected.update(range(int(first), end + 1, int(step or 1)))
        if field is WEEKDAY:
            expected = {number % 7 for number in expected}
        assert (set(range(field.low, top + 1)) if numbers is None else set(numbers)) == expected


@examples(60)
@given(schedules, instants, st.integers(1, 86_400), st.sampled_from(("", "+")), st.data())
def test_jitter_keeps_the_order_of_times(
    written: Written, instant: datetime, seconds: int, sign: str, data: st.DataObject
) -> None:
    """Whatever the keys; never before the start, never by more than allowed."""
    times, jitter = compiled(written), parse_jitter(f"{sign}{seconds}s")
    assert jitter is not None
    planned = times.upcoming(instant, 6)
    keys = st.text("0123456789abcdef", min_size=64, max_size=64)
    due = [jitter.due_time(at, data.draw(keys), times) for at in planned]
    shifts = [later - at for at, later in zip(planned, due, strict=True)]
    assert due == sorted(due)
    assert all(abs(shift) <= jitter.max_shift and (shift >= timedelta() or not sign) for shift in shifts)
    assert times.start_at is None or all(at >= times.start_at for at in due)


@examples(60)
@given(schedules)
def test_a_written_spec_is_read_back(written: Written) -> None:
    compiled(written)
    first = spec(**written)
    assert ScheduleSpec.read(first.write(), machine_zone="Asia/Tokyo", now=NOW + timedelta(days=999)) == first


@examples(60)
@given(st.integers(0, 36_500 * 86_400).map(lambda seconds: timedelta(seconds=seconds)))
def test_a_written_duration_is_read_back(length: timedelta) -> None:
    assert parse_duration(format_duration(length), "every") == length


catchups = st.sampled_from(Catchup)
jitters = st.sampled_from((None, "5s", "+20s", "10m"))


@examples(80)
@given(schedules, instants, spans, catchups, jitters)
def test_a_time_is_regular_at_most_until_the_next_one(
    written: Written, start: datetime, away: timedelta, mode: Catchup, jitter: str | None
) -> None:
    """After any absence: only times younger than a minute and than half the gap run as regular ones."""
    times = compiled(written)
    first = times.after(start)
    assume(first is not None)
    assert first is not None
    now = first + away
    schedule = ScheduleSnapshot(
        id="w/h", times=times, jitter=parse_jitter(jitter), policies=Policies(catchup=mode), next_at=first
    )
    result = compute_due(schedule, (), now)
    regular = [one for one in result.new if not one.late]
    for one in regular:
        following = times.after(one.planned)
        grace = MAX_GRACE if following is None else min(MAX_GRACE, (following - one.planned) / 2)
        assert now - one.due <= grace
    if jitter is None:
        assert len(regular) <= 1


@examples(80)
@given(schedules, instants, spans, jitters)
def test_catchup_one_runs_exactly_once_and_catchup_none_no_missed_time(
    written: Written, start: datetime, away: timedelta, jitter: str | None
) -> None:
    times = compiled(written)
    first = times.after(start)
    assume(first is not None)
    assert first is not None
    now = first + away
    one, none = (
        ScheduleSnapshot(
            id="w/h", times=times, jitter=parse_jitter(jitter), policies=Policies(catchup=mode), next_at=first
        )
        for mode in (Catchup.ONE, Catchup.NONE)
    )
    assume(one.due_time(first) <= now)
    result = compute_due(one, (), now)
    runs = [new for new in result.new if new.state is OccurrenceState.QUEUED]
    if result.gaps:
        assert len(runs) == 1 and all(gap.last < runs[0].planned for gap in result.gaps)
        assert {gap.reason for gap in result.gaps} == {OccurrenceReason.CAUGHT_UP}
    assert not any(new.late for new in compute_due(none, (), now).new)
