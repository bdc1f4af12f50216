"""What leaves a log before anybody else sees it, and what stays to be useful."""

from pathlib import Path

import pytest

from app.keeping.redaction import HIDDEN, list_values, redact


@pytest.mark.parametrize(
    "private",
    [
        "https://me:pw@mail.example.org/inbox?key=1",
        "anna.b+x@example.org",
        "password=hunter2",
        "Authorization: Bearer abc",
        "api_key: 12ab",
        "token = qwertz",
        "sk-1234567890abcdefghijklmnop",
        "could not open 'Corner Bakery'",
        'row "Nuts & Bolts" is gone',
    ],
)
def test_what_is_private_goes(private: str) -> None:
    told = redact(f"2026-11-16 12:00:00 ERROR app.host: {private} was not expected")
    assert HIDDEN in told and "was not expected" in told
    for word in ("example", "hunter2", "abc", "12ab", "qwertz", "1234567890", "Bakery", "Bolts"):
        assert word not in told.removeprefix("2026-11-16 12:00:00 ERROR app.host")


def test_the_lines_of_code_and_the_kind_of_error_stay_but_not_what_it_says() -> None:
    text = (
        "Traceback (most recent call last):\n"
        '  File "/opt/dayhand/app/host.py", line 12, in _tick\n'
        "    wake = self._recovered().tick(now)\n"
        "ValueError: could not convert string to float: Corner Bakery\n"
    )
    told = redact(text)
    assert 'File "/opt/dayhand/app/host.py", line 12, in _tick' in told
    assert f"ValueError: {HIDDEN}" in told
    assert "Bakery" not in told


def test_values_that_are_known_go_wherever_they_stand_the_longest_first() -> None:
    told = redact("Cannot read /srv/tax/2026 nor /srv/tax of anna", ["/srv/tax", "/srv/tax/2026", "anna", "of"])
    assert told == f"Cannot read {HIDDEN} nor {HIDDEN} of {HIDDEN}"


def test_the_home_folder_is_not_named() -> None:
    assert redact("In /home/anna/notes", home=Path("/home/anna")) == "In ~/notes"


def test_ordinary_lines_stay_as_they_are() -> None:
    line = "2026-11-16 12:00:00,123 INFO app.life.shell: Dayhand 0.1.0 starts"
    assert redact(line) == line


def test_the_values_of_settings_are_found_at_any_depth() -> None:
    found = set(list_values({"path": "/a", "port": 993, "tls": True, "more": [{"x": "y"}, None]}))
    assert found == {"/a", "993", "y"}
