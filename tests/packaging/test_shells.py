"""Completion in zsh and fish; bash is tested with the commands."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests.desktop.processes import wait_until

pytestmark = pytest.mark.packaging

COMPLETIONS = Path(__file__).parents[2] / "resources" / "completions"
TYPED = [
    ("uninst", "uninstall-data"),
    ("deploy --gr", "--grant"),
    ("deploy rec", "receipts.py"),
    ("resolve 12 hap", "happened"),
]


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a file to complete, and `dayhand` on the PATH."""
    (tmp_path / "receipts.py").touch()
    (tmp_path / "bin").mkdir()
    program = tmp_path / "bin" / "dayhand"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m app.main "$@"\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


@pytest.mark.parametrize(("typed", "expected"), TYPED)
def test_fish_completes(place: Path, typed: str, expected: str) -> None:
    if shutil.which("fish") is None:
        pytest.skip("fish is not installed")
    code = f"source {COMPLETIONS}/dayhand.fish; complete -C 'dayhand {typed}'"
    done = subprocess.run(["fish", "-c", code], cwd=place, capture_output=True, text=True, timeout=60, check=True)
    assert [line.partition("\t")[0] for line in done.stdout.splitlines()] == [expected]


class Zsh:
    """An interactive zsh, since it does not complete in scripts."""

    def __init__(self, folder: Path) -> None:
        self._ours, theirs = os.openpty()
        self.output = b""
        self.process = subprocess.Popen(
            ["zsh", "-f", "-i"], stdin=theirs, stdout=theirs, stderr=theirs, cwd=folder, start_new_session=True
        )
        os.close(theirs)
        os.set_blocking(self._ours, False)

    def type(self, keys: str) -> None:
        os.write(self._ours, keys.encode())

    def shows(self, text: str) -> bool:
        with suppress(BlockingIOError):
            self.output += os.read(self._ours, 65536)
        return text.encode() in self.output


@pytest.fixture
def zsh(place: Path) -> Iterator[Zsh]:
    if shutil.which("zsh") is None:
        pytest.skip("zsh is not installed")
    made = Zsh(place)
    try:
        made.type(f"PS1=; unsetopt zle; fpath=({COMPLETIONS} $fpath); autoload -Uz compinit && compinit -u; ")
        made.type("setopt zle; print rea''dy\n")
        wait_until(lambda: made.shows("ready"), "the shell")
        yield made
    finally:
        made.process.kill()
        made.process.wait()


@pytest.mark.parametrize(("typed", "expected"), TYPED)
def test_zsh_completes(zsh: Zsh, typed: str, expected: str) -> None:
    zsh.output = b""
    zsh.type(f"dayhand {typed}\t")
    wait_until(lambda: zsh.shows(expected), f"{expected}, after {zsh.output!r}")
