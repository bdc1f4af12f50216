"""Parses schedule descriptions back into times, without knowing specs. For test_description.py."""

import re
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, timedelta

MONTHS = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
]
WEEKDAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
NTH = ["first", "second", "third", "fourth", "fifth"]
_NUMBERS = r"\d+(?:(?:, | to | and | … )\d+)*"
_TIME = r"\d\d:\d\d(?::\d\d)?"
_SPANS = rf"(?P<spans>(?:(?:, | and | )(?:from {_TIME} to {_TIME}|at {_TIME}))*)"
_INTERVAL = re.compile(
    rf"every (?P<number>\d+ )?(?P<unit>second|minute|hour)s?"
    rf"(?: at (?P<past>{_NUMBERS}) seconds? past)?"
    rf"(?: from (?P<first>:[\d:]+) to (?P<last>:[\d:]+) of every hour)?{_SPANS}"
)
_HOURLY = re.compile(rf"hourly at (?P<past>:[\d:]+(?:(?:, | and ):[\d:]+)*){_SPANS}")
_NUMBERED = re.compile(
    rf"(?:at|in) (?:seconds? (?P<seconds>{_NUMBERS}) of )?(?:every minute|minutes? (?P<minutes>{_NUMBERS}))"
    rf" of (?:every hour|hours? (?P<hours>{_NUMBERS}))"
)
_WINDOW = re.compile(rf"(?:(?:, | and |)from {_TIME} to {_TIME})+")
_LISTED = re.compile(rf"(?P<dates>.*?),? at (?P<times>{_TIME}(?:(?:, | and ){_TIME})*)")
_UNIT = {"second": 1, "minute": 60, "hour": 3600}


def described_times(words: str, first: date, last: date) -> Iterator[datetime]:
    """The times that a reader of the description would expect."""
    words = words if re.match(_WEEKDAY, words) else f"{words[0].lower()}{words[1:]}"
    parts = [_read_part(part) for part in re.split(r"; (?:and )?", words)]
    for number in range((last - first).days + 1):
        day = first + timedelta(days=number)
        seconds_of_day = sorted({second for fits, seconds in parts if fits(day) for second in seconds})
        midnight = datetime(day.year, day.month, day.day, tzinfo=UTC)
        yield from (midnight + timedelta(seconds=second) for second in seconds_of_day)


def described_exclusion(words: str) -> Callable[[datetime], bool]:
    """Whether a reader of the description would expect a time to be excluded."""
    text = words.partition(", except ")[2].removesuffix("every day")
    matches: Callable[[datetime], bool] = lambda _at: True  # noqa: E731
    if match := _WINDOW.match(text):
        pairs = re.findall(rf"from ({_TIME}) to ({_TIME})", match[0])
        matches = lambda at: any(low <= f"{at:%H:%M}" <= high for low, high in pairs)  # noqa: E731
    elif match := _NUMBERED.match(text):
        hours, minutes, seconds = (_numbers(match[name], 60) for name in ("hours", "minutes", "seconds"))
        matches = lambda at: at.hour in hours and at.minute in minutes and at.second in seconds  # noqa: E731
    fits = _read_dates(text[match.end() if match else 0 :].strip())
    return lambda at: matches(at) and fits(at.date())


def _read_part(part: str) -> tuple[Callable[[date], bool], set[int]]:
    if match := _INTERVAL.match(part):
        times = _spanned(match, _read_interval(match))
    elif match := _HOURLY.match(part):
        past = [_second(f"00{text}") for text in re.findall(r":[\d:]+", match["past"])]
        times = _spanned(match, lambda low, high: (t for t in _each_hour(past) if low <= t <= high))
    elif match := _NUMBERED.match(part):
        hours, minutes = _numbers(match["hours"], 24), _numbers(match["minutes"], 60)
        times = {h * 3600 + m * 60 + s for h in hours for m in minutes for s in _numbers(match["seconds"] or "0", 60)}
    else:
        match = _LISTED.fullmatch(part)
        assert match, part
        return _read_dates(match["dates"]), {_second(time) for time in re.findall(_TIME, match["times"])}
    return _read_dates(part[match.end() :].strip()), set(times)


def _read_interval(match: re.Match[str]) -> Callable[[int, int], Iterator[int]]:
    step = int(match["number"] or 1) * _UNIT[match["unit"]]
    if match["past"]:
        assert step == 60
        past = _numbers(match["past"], 60)
        return lambda low, high: (t for t in range(86400) if t % 60 in past and low <= t <= high)
    if match["first"]:
        in_hour = range(_second(f"00{match['first']}"), _second(f"00{match['last']}") + 1, step)
        return lambda low, high: (t for t in _each_hour(list(in_hour)) if low <= t <= high)
    return lambda low, high: iter(range(low, min(high, 86399) + 1, step))


def _spanned(match: re.Match[str], times: Callable[[int, int], Iterator[int]]) -> set[int]:
    spans = re.findall(rf"(?:from|at) ({_TIME})(?: to ({_TIME}))?", match["spans"])
    pairs = [(_second(low), _second(high or low)) for low, high in spans] or [(0, 86400)]
    return {time for low, high in pairs for time in times(low, high)}


def _each_hour(past: list[int]) -> Iterator[int]:
    return (hour * 3600 + time for hour in range(24) for time in past)


def _second(text: str) -> int:
    hours, minutes, seconds = (*map(int, text.split(":")), 0)[:3]
    return hours * 3600 + minutes * 60 + seconds


def _numbers(text: str | None, bound: int) -> set[int]:
    """`0, 2, 4 … 10`, `1 to 5, 7 and 9`; all below the bound without a text."""
    if text is None:
        return set(range(bound))
    if "…" in text:
        low, next_one, *_, high = map(int, re.findall(r"\d+", text))
        return set(range(low, high + 1, next_one - low))
    numbers: set[int] = set()
    for part in re.split(", | and ", text):
        first, _, last_text = part.partition(" to ")
        numbers |= set(range(int(first), int(last_text or first) + 1))
    return numbers


_MONTH = f"(?:{'|'.join(MONTHS)})"
_MONTH_LIST = rf"{_MONTH}(?:(?:, | and ){_MONTH})*"
_ORDINAL = r"\d+(?:st|nd|rd|th)"
_DAY_LIST = rf"(?:{_ORDINAL}|last day)(?:(?:, | to | and | … )(?:{_ORDINAL}|last day))*"
_WEEKDAY = f"(?:{'|'.join(WEEKDAYS)})"


def _read_dates(text: str) -> Callable[[date], bool]:
    fits: list[Callable[[date], bool]] = []
    if match := re.search(rf" ?in the years ({_NUMBERS})| ?\bin (\d\d\d\d)|(?<=[a-z]) (\d\d\d\d)", text):
        named = _numbers(match[1] or match[2] or match[3], 0)
        fits.append(lambda day: day.year in named)
        text = text[: match.start()] + text[match.end() :]
    # Rewrite `1 January and 1 July` as `1st of January and July`.
    text = re.sub(rf"\b(\d+) ({_MONTH})(?: and \1 ({_MONTH}))?", _as_of, text)
    if match := re.search(rf"\b(?:of |in )?(?:each month )?(?:from ({_MONTH}) to ({_MONTH})|({_MONTH_LIST}))", text):
        names = re.findall(_MONTH, match[0])
        numbers = [MONTHS.index(name) + 1 for name in names]
        inside = set(range(numbers[0], numbers[1] + 1)) if match[1] else set(numbers)
        fits.append(lambda day: day.month in inside)
        text = text[: match.start()] + text[match.end() :]
    text = text.removesuffix(" of the month").strip()
    text = re.sub(r"^(daily|on) ?", "", text)
    if text:
        fits.append(_read_days(text.removeprefix("the ")))
    return lambda day: all(fit(day) for fit in fits)


def _as_of(match: re.Match[str]) -> str:
    others = f" and {match[3]}" if match[3] else ""
    return f"the {match[1]}th of {match[2]}{others}"


def _read_days(text: str) -> Callable[[date], bool]:
    if match := re.fullmatch(rf"({_DAY_LIST}) or (.+)", text):
        by_day, by_weekday = _read_day_list(match[1]), _read_weekdays(match[2])
        return lambda day: by_day(day) or by_weekday(day)
    if match := re.fullmatch(rf"({_DAY_LIST}) +if it is (.+)", text):
        by_day, by_weekday = _read_day_list(match[1]), _read_weekdays(match[2])
        return lambda day: by_day(day) and by_weekday(day)
    if re.fullmatch(_DAY_LIST, text):
        return _read_day_list(text)
    return _read_weekdays(text)


def _read_day_list(text: str) -> Callable[[date], bool]:
    plain = re.sub(r",? ?(?:and )?last day", "", text)
    days = _numbers(re.sub(r"(?<=\d)(?:st|nd|rd|th)", "", plain), 0) if plain else set()
    with_last = plain != text
    return lambda day: day.day in days or (with_last and (day + timedelta(days=1)).day == 1)


def _read_weekdays(text: str) -> Callable[[date], bool]:
    """Any of: plain weekdays, `a Monday or Friday`, `the first and last Friday and second Monday`."""
    if match := re.fullmatch(rf"(?:from )?({_WEEKDAY}) to ({_WEEKDAY})(?: and on (.+))?", text):
        first, last = WEEKDAYS.index(match[1]), WEEKDAYS.index(match[2])
        also = _read_weekdays(match[3]) if match[3] else lambda _day: False
        return lambda day: (day.weekday() - first) % 7 <= (last - first) % 7 or also(day)
    weekdays: set[tuple[int, str]] = set()
    which: list[str] = []
    text = text.replace(" of the month", "")
    for word in re.findall(r"\w+", text):
        if word in ("weekdays", "weekday"):
            weekdays |= {(number, "any") for number in range(5)}
        elif word == "weekends":
            weekdays |= {(5, "any"), (6, "any")}
        elif word in (*NTH, "last"):
            which.append(word)
        elif word.removesuffix("s") in WEEKDAYS:
            weekdays |= {(WEEKDAYS.index(word.removesuffix("s")), nth) for nth in which or ["any"]}
            which = []
        else:
            assert word in ("on", "the", "a", "and", "or"), text
    return lambda day: bool(weekdays & {(day.weekday(), name) for name in _names(day)})


def _names(day: date) -> set[str]:
    last = {"last"} if (day + timedelta(days=7)).month != day.month else set()
    return {"any", NTH[(day.day - 1) // 7]} | last
