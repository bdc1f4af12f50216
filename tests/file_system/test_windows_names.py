"""Names that Windows refuses, or takes for something else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scheduler.file_system.windows_names import find_name_mistake


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("50% off?", "contains ?, which"),
        ('a<b>"c', 'contains " < >, which'),
        ("..\\secret", "contains \\, which"),
        ("notes.txt:hidden", "contains :, which"),
        ("C:", "contains :, which"),
        ("bell\a", "a control character"),
        ("report.", "ends in a dot"),
        ("report ", "ends in a dot or a space"),
        ("NUL", "the name of a device"),
        ("com1.tar.gz", "the name of a device"),
        ("aux .txt", "the name of a device"),
        ("LPT²", "the name of a device"),
    ],
)
def test_a_name_that_windows_refuses_has_a_reason(name: str, words: str) -> None:
    assert words in (find_name_mistake(name) or "")


@pytest.mark.parametrize("name", ["notes.txt", ".hidden", "50% off!", "Käse", "console", "com10", "null.txt", "a b"])
def test_other_names_are_fine(name: str) -> None:
    assert find_name_mistake(name) is None


@given(st.text(), st.sampled_from("\\/:"), st.text())
def test_no_accepted_name_leads_into_another_folder_or_stream(before: str, sign: str, after: str) -> None:
    assert find_name_mistake(before + sign + after) is not None
