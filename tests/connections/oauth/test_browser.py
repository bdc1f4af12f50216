"""Opening the system's browser with a clean environment."""

import os
import time
from pathlib import Path

import pytest

from scheduler.connections.oauth.browser import clean_environment, open_browser
from scheduler.connections.oauth.errors import NoBrowserError

URL = "https://example.org/sign-in?state=a&b=$(touch no) 'x'"


def make(folder: Path, name: str, script: str) -> None:
    program = folder / name
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A PATH with only these programs."""
    monkeypatch.setenv("PATH", str(tmp_path))
    return tmp_path


def test_the_address_is_one_argument_and_the_environment_is_clean(
    programs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LD_LIBRARY_PATH", "/bundle")
    monkeypatch.setenv("LD_LIBRARY_PATH_ORIG", "/theirs")
    make(programs, "xdg-open", f'printf "%s|%s" "$*" "$LD_LIBRARY_PATH" >{programs}/told')
    open_browser(URL)
    assert (programs / "told").read_text() == f"{URL}|/theirs"


def test_if_one_opener_fails_the_next_is_tried(programs: Path) -> None:
    make(programs, "xdg-open", "exit 3")
    make(programs, "gio", f'printf "%s" "$*" >{programs}/told')
    open_browser(URL)
    assert (programs / "told").read_text() == f"open {URL}"


def test_without_a_browser_it_fails(programs: Path) -> None:
    with pytest.raises(NoBrowserError, match="No browser could be opened"):
        open_browser(URL)
    make(programs, "xdg-open", "exit 3")
    with pytest.raises(NoBrowserError):
        open_browser(URL)


def test_a_browser_that_keeps_running_is_not_waited_for(programs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scheduler.connections.oauth.browser._SECONDS", 0.1)
    go = programs / "go"
    os.mkfifo(go)
    make(programs, "xdg-open", f"read line <{go}; echo done >{programs}/told")
    open_browser(URL)
    assert not (programs / "told").exists()
    go.write_text("on\n")
    deadline = time.monotonic() + 60
    while not (programs / "told").exists():
        assert time.monotonic() < deadline


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"LD_LIBRARY_PATH": "/b", "LD_LIBRARY_PATH_ORIG": "/theirs"}, {"LD_LIBRARY_PATH": "/theirs"}),
        ({"LD_LIBRARY_PATH": "/b", "LD_LIBRARY_PATH_ORIG": ""}, {}),
        ({"LD_LIBRARY_PATH": "/b"}, {}),
        ({"LD_LIBRARY_PATH": "/b/lib:/opt/lib"}, {"LD_LIBRARY_PATH": "/opt/lib"}),
        ({"QT_PLUGIN_PATH": "/b/qt", "_PYI_ARCHIVE_FILE": "x"}, {}),
        (
            {"PATH": "/usr/bin:/bin", "DISPLAY": ":0", "EMPTY": ""},
            {"PATH": "/usr/bin:/bin", "DISPLAY": ":0", "EMPTY": ""},
        ),
        ({"OTHER": "/bundles"}, {"OTHER": "/bundles"}),
    ],
)
def test_what_a_frozen_app_added_is_removed(before: dict[str, str], after: dict[str, str]) -> None:
    assert clean_environment(before, "/b") == after


def test_an_app_that_is_not_frozen_keeps_its_environment() -> None:
    given = {"LD_LIBRARY_PATH": "/opt/lib", "PATH": "/bin"}
    assert clean_environment(given, None) == given
