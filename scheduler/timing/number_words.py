"""Lists of numbers and names in words: `1, 2 and 3`, `1 to 5 and 9`, `0, 2, 4 … 58`."""

from collections.abc import Callable, Sequence
from itertools import pairwise

from scheduler.user_text import UserText, join_words

_MIN_ABBREVIATED = 6
_MIN_RUN = 3


def common_step(numbers: Sequence[int]) -> int | None:
    """The distance between neighbours if it is the same for all."""
    steps = {later - earlier for earlier, later in pairwise(numbers)}
    return steps.pop() if len(steps) == 1 else None


def consecutive_runs(numbers: Sequence[int]) -> list[tuple[int, int]]:
    """First and last of each run of consecutive numbers; the numbers are sorted."""
    found: list[tuple[int, int]] = []
    for number in numbers:
        if found and found[-1][1] == number - 1:
            found[-1] = found[-1][0], number
        else:
            found.append((number, number))
    return found


def number_parts(numbers: Sequence[int], name: Callable[[int], str] = str) -> list[str]:
    """The parts to join; every number is named or covered by a range."""
    if len(numbers) >= _MIN_ABBREVIATED and (common_step(numbers) or 1) > 1:
        first = [name(number) for number in numbers[:3]]
        return [UserText("{numbers} … {last}", numbers=first, last=name(numbers[-1]))]
    parts: list[str] = []
    for first_number, last_number in consecutive_runs(numbers):
        if last_number - first_number + 1 >= _MIN_RUN:
            parts.append(UserText("{first} to {last}", first=name(first_number), last=name(last_number)))
        else:
            parts += [name(number) for number in range(first_number, last_number + 1)]
    return parts


def format_numbers(numbers: Sequence[int], name: Callable[[int], str] = str) -> str:
    return join_words(number_parts(numbers, name))
