"""A first poll of ten thousand messages reads page by page, in little memory, and survives a kill."""

import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import trustme

from scheduler.store.backups import STORE_FILE
from tests.connections.dovecot import PATIENCE, Dovecot, running_dovecot
from tests.connections.mail_poll_process import PASSWORD
from tests.connections.waiting import wait_until

ROOT = Path(__file__).parents[2]
FEW, MANY, PAGE = 1_000, 10_000, 500


@pytest.fixture(scope="module")
def dovecot() -> Iterator[Dovecot]:
    users = dict.fromkeys(("few", "many", "killed"), PASSWORD)
    with running_dovecot(trustme.CA(), **users) as one:
        for user, count in (("few", FEW), ("many", MANY), ("killed", MANY)):
            fill(one, user, count)
        yield one


def fill(dovecot: Dovecot, user: str, count: int) -> None:
    place = dovecot.maildir(user)
    owner = place.stat()
    for number in range(count):
        path = place / "new" / f"{number:09}.few"
        path.write_bytes(
            b"From: a@example.org\nSubject: mail %d\nMessage-ID: <%d@example.org>\n\n.\n" % (number, number)
        )
        os.chown(path, owner.st_uid, owner.st_gid)


def start(dovecot: Dovecot, folder: Path, user: str) -> "subprocess.Popen[bytes]":
    command = [
        sys.executable,
        "-m",
        "tests.connections.mail_poll_process",
        str(folder),
        str(dovecot.port),
        user,
        str(PAGE),
    ]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE)


def read_all(dovecot: Dovecot, folder: Path, user: str) -> int:
    """Returns the peak memory in kilobytes."""
    with start(dovecot, folder, user) as reader:
        output, _ = reader.communicate(timeout=10 * PATIENCE)
        assert reader.returncode == 0
    return int(output)


def ask(folder: Path, query: str) -> Any:
    with closing(sqlite3.connect(folder / STORE_FILE)) as db:
        return db.execute(query).fetchone()[0]


def headers_read(dovecot: Dovecot, user: str) -> int:
    """How many messages were fetched in the ended sessions, by the server's log."""
    return sum(map(int, re.findall(rf"imap\({user}\).*hdr_count=(\d+)", dovecot.log())))


def published(folder: Path) -> int:
    return int(ask(folder, "SELECT count(*) FROM events WHERE topic = 'mails'"))


def state(folder: Path) -> dict[str, Any]:
    state: dict[str, Any] = json.loads(ask(folder, "SELECT state FROM handlers WHERE name = 'poll'"))
    return state


def progress(folder: Path) -> dict[str, Any]:
    """The reported progress; empty in the first second."""
    progress: dict[str, Any] = json.loads(ask(folder, "SELECT progress FROM runs WHERE handler = 'poll'") or "{}")
    return progress


def test_memory_does_not_grow_with_the_folder(dovecot: Dovecot, tmp_path: Path) -> None:
    """Nine thousand more mails would be over twenty megabytes if held in memory."""
    few = read_all(dovecot, tmp_path / "few", "few")
    many = read_all(dovecot, tmp_path / "many", "many")
    assert (published(tmp_path / "few"), published(tmp_path / "many")) == (FEW, MANY)
    assert state(tmp_path / "many")["read"] == MANY
    assert many - few < 8 * 1024, "the app"
    assert state(tmp_path / "many")["memory"] - state(tmp_path / "few")["memory"] < 4 * 1024, "the worker"
    wait_until(lambda: headers_read(dovecot, "many") >= MANY)
    assert headers_read(dovecot, "many") == MANY, "each was asked about once"


def test_a_killed_poll_resumes_where_it_was(dovecot: Dovecot, tmp_path: Path) -> None:
    folder = tmp_path / "killed"
    with start(dovecot, folder, "killed") as reader:
        deadline = time.monotonic() + 10 * PATIENCE
        while not (folder / STORE_FILE).exists() or not has_read(folder, 3_000) or not progress(folder):
            assert reader.poll() is None and time.monotonic() < deadline
            time.sleep(0.01)
        os.kill(reader.pid, signal.SIGKILL)
    assert progress(folder)["done"] >= PAGE, "it was shown how far it had come"
    before = state(folder)["read"]
    assert 3_000 <= before < MANY and published(folder) == before, "what was read and what was published go together"
    headers = headers_read(dovecot, "killed")
    read_all(dovecot, folder, "killed")
    assert state(folder)["read"] == MANY, "each was read once"
    assert published(folder) == MANY
    assert ask(folder, "SELECT count(DISTINCT id) FROM events WHERE topic = 'mails'") == MANY
    assert headers_read(dovecot, "killed") - headers <= MANY - before + 2 * PAGE, "it did not start over"


def has_read(folder: Path, count: int) -> bool:
    try:
        return published(folder) >= count
    except sqlite3.OperationalError:
        return False
