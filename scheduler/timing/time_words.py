"""Times of day in words: `at 09:00 and 18:00`, `every 15 minutes from 09:00 to 17:45`, `hourly at :15`."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta

from scheduler.timing.cron_fields import HOUR, MINUTE, SECOND, CronField, FieldValues
from scheduler.timing.durations import describe_duration
from scheduler.timing.number_words import common_step, consecutive_runs, format_numbers
from scheduler.user_text import UserText, join_words

_HOUR = 3600
_DAY = 86400
_INTERVALS = (
    (_DAY, None, UserText("every {number} days")),
    (_HOUR, UserText("every hour"), UserText("every {number} hours")),
    (60, UserText("every minute"), UserText("every {number} minutes")),
    (1, UserText("every second"), UserText("every {number} seconds")),
)
"""Units with the words for one and for several; one day is called 24 hours."""
_FIELDS = {
    HOUR: (UserText("every hour"), UserText("hour {numbers}"), UserText("hours {numbers}")),
    MINUTE: (UserText("every minute"), UserText("minute {numbers}"), UserText("minutes {numbers}")),
    SECOND: (UserText("every second"), UserText("second {numbers}"), UserText("seconds {numbers}")),
}
"""The words for all values of a field, for one and for several."""
# Up to this many times are listed one by one; evenly spaced ones only below _MIN_EVEN.
_MAX_LISTED, _MAX_LISTED_UNEVEN, _MIN_EVEN = 6, 12, 5
_MAX_RUNS = 3


@dataclass(frozen=True, slots=True)
class TimeWords:
    """Words, and the times themselves if the words just list them."""

    words: str
    listed: tuple[int, ...] = ()


def describe_interval(seconds: int) -> str:
    """`every minute`, `every 90 minutes`, `every 24 hours`, `every 1 hour 1 second`."""
    for size, singular, plural in _INTERVALS:
        number, rest = divmod(seconds, size)
        words = singular if number == 1 else UserText(plural, number=number)
        if number and not rest and words is not None:
            if number <= 120:
                return words
            break
    return UserText("every {duration}", duration=describe_duration(timedelta(seconds=seconds)))


def describe_time_list(times: Sequence[int]) -> TimeWords:
    name = _clock(times)
    return TimeWords(UserText("at {times}", times=join_words([name(time) for time in times])), tuple(times))


def describe_times(values: FieldValues) -> TimeWords:
    """The times of day given by the hours, minutes and seconds."""
    in_hour = [minute * 60 + second for minute in values.minutes for second in values.seconds]
    if _is_whole(values.hours, HOUR):
        return TimeWords(_around_the_clock(values, in_hour))
    times = [hour * _HOUR + rest for hour in values.hours for rest in in_hour]
    step = common_step(times)
    if len(times) < (_MAX_LISTED + 1 if step is None else _MIN_EVEN):
        return describe_time_list(times)
    if step is not None:
        return TimeWords(_often(describe_interval(step), [times]))
    ranges = [
        [hour * _HOUR + rest for hour in range(first, last + 1) for rest in in_hour]
        for first, last in consecutive_runs(values.hours)
    ]
    is_even_all_hour = len(in_hour) == 1 or (common_step(in_hour) or 0) * len(in_hour) == _HOUR
    if is_even_all_hour and len(ranges) <= _MAX_RUNS:
        return TimeWords(_often(describe_interval(_HOUR // len(in_hour)), ranges))
    if len(times) <= _MAX_LISTED_UNEVEN:
        return describe_time_list(times)
    if len(ranges) <= _MAX_RUNS and (_is_whole(values.minutes, MINUTE) or len(in_hour) <= _MAX_LISTED):
        return TimeWords(_often(_around_the_clock(values, in_hour), ranges))
    return TimeWords(_by_number(values, seconds=values.seconds != (0,)))


def describe_window(values: FieldValues) -> str:
    """The ranges of a day in which hour, minute and second all match; empty for the whole day."""
    if not _is_whole(values.seconds, SECOND):
        return _by_number(values, seconds=True)
    minutes = consecutive_runs(values.minutes)
    if _is_whole(values.minutes, MINUTE):
        hours = [] if _is_whole(values.hours, HOUR) else consecutive_runs(values.hours)
    elif len(minutes) == len(values.hours) == 1:
        hours = [(values.hours[0], values.hours[0])]
    else:
        return UserText("in {fields}", fields=_number_fields(values, seconds=False))
    spans = [(f"{first:02}:{minutes[0][0]:02}", f"{last:02}:{minutes[0][1]:02}") for first, last in hours]
    return join_words([UserText("from {first} to {last}", first=first, last=last) for first, last in spans])


def _often(interval: str, ranges: list[list[int]]) -> str:
    spans = join_words([_span(times) for times in ranges])
    return UserText("{interval} {spans}", interval=interval, spans=spans)


def _around_the_clock(values: FieldValues, in_hour: list[int]) -> str:
    step = common_step(in_hour)
    if step is not None and step * len(in_hour) == _HOUR and in_hour[0] == 0:
        return describe_interval(step)
    if _is_whole(values.minutes, MINUTE):
        numbers = format_numbers(values.seconds)
        if values.seconds == (1,):
            return UserText("every minute at {numbers} second past", numbers=numbers)
        return UserText("every minute at {numbers} seconds past", numbers=numbers)
    if len(in_hour) <= _MAX_LISTED:
        name = _past(in_hour)
        return UserText("hourly at {times}", times=join_words([name(time) for time in in_hour]))
    if step is not None:
        name = _past(in_hour)
        return UserText(
            "{interval} from {first} to {last} of every hour",
            interval=describe_interval(step),
            first=name(in_hour[0]),
            last=name(in_hour[-1]),
        )
    return _by_number(values, seconds=values.seconds != (0,))


def _by_number(values: FieldValues, *, seconds: bool) -> str:
    """Works for any values, if not pretty."""
    return UserText("at {fields}", fields=_number_fields(values, seconds=seconds))


def _number_fields(values: FieldValues, *, seconds: bool) -> str:
    words = UserText("{part} of {whole}", part=_numbered(values.minutes, MINUTE), whole=_numbered(values.hours, HOUR))
    return UserText("{part} of {whole}", part=_numbered(values.seconds, SECOND), whole=words) if seconds else words


def _numbered(numbers: tuple[int, ...], field: CronField) -> str:
    every, singular, plural = _FIELDS[field]
    if _is_whole(numbers, field):
        return every
    return UserText(plural if len(numbers) > 1 else singular, numbers=format_numbers(numbers))


def _span(times: Sequence[int]) -> str:
    name = _clock(times)
    if len(times) == 1:
        return UserText("at {time}", time=name(times[0]))
    return UserText("from {first} to {last}", first=name(times[0]), last=name(times[-1]))


def _clock(times: Sequence[int]) -> Callable[[int], str]:
    """`09:00`, or `09:00:30` if any of the times has seconds."""
    exact = any(time % 60 for time in times)
    return lambda time: f"{time // _HOUR:02}:{time // 60 % 60:02}" + (f":{time % 60:02}" if exact else "")


def _past(times: Sequence[int]) -> Callable[[int], str]:
    """`:15`, or `:15:30` if any of the times has seconds."""
    exact = any(time % 60 for time in times)
    return lambda time: f":{time // 60:02}" + (f":{time % 60:02}" if exact else "")


def _is_whole(numbers: tuple[int, ...], field: CronField) -> bool:
    return len(numbers) == field.high - field.low + 1
