"""Lists of numbers and names as people say them: `1, 2 and 3`, `1 to 5 and 9`, `0, 2, 4 … 58`."""

from collections.abc import Callable, Sequence
from itertools import pairwise

_LONG = 6
_RUN = 3


def join(parts: Sequence[str], last: str = "and") -> str:
    return f"{', '.join(parts[:-1])} {last} {parts[-1]}" if len(parts) > 1 else parts[0]


def step_of(numbers: Sequence[int]) -> int | None:
    """The distance between neighbours where it is the same for all."""
    steps = {later - earlier for earlier, later in pairwise(numbers)}
    return steps.pop() if len(steps) == 1 else None


def runs(numbers: Sequence[int]) -> list[tuple[int, int]]:
    """First and last of each stretch without a hole; the numbers are in order."""
    found: list[tuple[int, int]] = []
    for number in numbers:
        if found and found[-1][1] == number - 1:
            found[-1] = found[-1][0], number
        else:
            found.append((number, number))
    return found


def number_parts(numbers: Sequence[int], name: Callable[[int], str] = str) -> list[str]:
    """What to join: every number is said, or lies in what is said."""
    if len(numbers) >= _LONG and (step_of(numbers) or 1) > 1:
        first, second, third = map(name, numbers[:3])
        return [f"{first}, {second}, {third} … {name(numbers[-1])}"]
    parts = []
    for first_number, last_number in runs(numbers):
        if last_number - first_number + 1 >= _RUN:
            parts.append(f"{name(first_number)} to {name(last_number)}")
        else:
            parts += [name(number) for number in range(first_number, last_number + 1)]
    return parts


def say_numbers(numbers: Sequence[int], name: Callable[[int], str] = str) -> str:
    return join(number_parts(numbers, name))
