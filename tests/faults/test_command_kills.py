"""kill -9 of the app and of the command line in the middle of every command that answers: one outcome or none."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults.command_cases import CASES, Case
from tests.faults.command_kills import attack, open_keyring

ROUNDS = 4
"""A hundred each by hand: python -m tests.faults.command_kills --rounds 100"""


@pytest.fixture(scope="module", autouse=True)
def _keyring() -> Iterator[None]:
    with open_keyring():
        yield


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.verb)
def test_it_happens_once_or_not_at_all(case: Case, tmp_path: Path) -> None:
    outcomes = attack(case, ROUNDS, 1, tmp_path)
    assert sum(outcomes.values()) == ROUNDS
