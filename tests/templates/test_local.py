"""The templates that need nothing but this computer."""

import os
import ssl
from pathlib import Path

import pytest
import trustme

from scheduler.rules.phases import Status
from tests.connections.web_servers import Reply, web
from tests.engine.harness import DAY, HOUR, MINUTE
from tests.templates.household import TEMPLATES, Household


def land(folder: Path, name: str, home: Household, *, minutes_ago: int = 10, text: str = "x") -> None:
    """A file that was last touched so long ago, by the clock of the test."""
    file = folder / name
    file.write_text(text)
    at = home.shop.clock.wall.timestamp() - 60 * minutes_ago
    os.utime(file, (at, at))


def sort(home: Household, place: Path) -> tuple[Path, Path]:
    inbox, backup = place / "inbox", place / "backup"
    inbox.mkdir()
    home.begin(TEMPLATES["sort-folder"], {"FOLDER": str(inbox), "BACKUP": str(backup)}, {})
    return inbox, backup


def tree(folder: Path) -> list[str]:
    return sorted(file.relative_to(folder).as_posix() for file in folder.rglob("*") if file.is_file())


def test_what_lands_in_a_folder_is_sorted_by_kind(home: Household, tmp_path: Path) -> None:
    inbox, _ = sort(home, tmp_path)
    for name in ("a.pdf", "b.JPG", "c", "d.csv"):
        land(inbox, name, home)
    home.wait(10 * MINUTE)
    assert tree(inbox) == ["Documents/a.pdf", "Other/c", "Pictures/b.JPG", "Tables/d.csv"]
    assert "Moved a.pdf to Documents/a.pdf" in home.summaries
    assert home.shop.requests() == []


def test_a_name_that_is_taken_gets_a_number_and_nothing_is_replaced(home: Household, tmp_path: Path) -> None:
    inbox, _ = sort(home, tmp_path)
    (inbox / "Documents").mkdir()
    (inbox / "Documents" / "a.pdf").write_text("old")
    land(inbox, "a.pdf", home, text="new")
    home.wait(5 * MINUTE)
    assert (inbox / "Documents" / "a.pdf").read_text() == "old"
    assert (inbox / "Documents" / "a 2.pdf").read_text() == "new"


def test_a_download_that_still_goes_on_is_left_alone(home: Household, tmp_path: Path) -> None:
    inbox, _ = sort(home, tmp_path)
    for name in ("film.mp4.part", ".hidden"):
        land(inbox, name, home)
    land(inbox, "young.txt", home, minutes_ago=-4)
    home.wait(3 * MINUTE)
    assert tree(inbox) == [".hidden", "film.mp4.part", "young.txt"]
    home.wait(10 * MINUTE)
    assert tree(inbox) == [".hidden", "Documents/young.txt", "film.mp4.part"]


def test_a_file_that_is_taken_away_before_its_turn_troubles_nobody(home: Household, tmp_path: Path) -> None:
    inbox, _ = sort(home, tmp_path)
    for name in ("a.pdf", "b.pdf"):
        land(inbox, name, home)
    home.wait(2 * MINUTE)
    for file in inbox.glob("?.pdf"):
        file.unlink()
    home.wait(10 * MINUTE)
    assert home.shop.pending("found", home.slug) == []
    assert home.troubles == []


def test_everything_has_a_second_copy_in_the_morning(home: Household, tmp_path: Path) -> None:
    inbox, backup = sort(home, tmp_path)
    land(inbox, "a.pdf", home)
    home.wait(DAY)
    assert tree(backup) == ["Documents/a.pdf"]


def test_a_night_that_was_missed_is_made_up_for_once(home: Household, tmp_path: Path) -> None:
    place = tmp_path / "nights"
    home.begin(TEMPLATES["nightly-command"], {"COMMAND": ["sh", "-c", f"echo x >> {place}"]}, {})
    home.wait(DAY)
    assert place.read_text() == "x\n"
    home.shop.crash(off=3 * DAY)
    home.wait(MINUTE)
    assert place.read_text() == "x\nx\n"
    assert home.summaries == ["sh is done", "sh is done, late but done"]


def test_a_command_that_fails_is_told_with_its_log(home: Household) -> None:
    home.begin(TEMPLATES["nightly-command"], {"COMMAND": ["sh", "-c", "echo broken; exit 3"]}, {})
    home.wait(DAY)
    [run] = home.shop.runs(workflow=home.slug)
    assert run.status is Status.LOGIC
    assert "code 3" in home.troubles[0]
    assert home.shop.log(run.id).startswith("broken\n")
    assert len(home.shop.requests()) == 1


def watch(home: Household, host: str, authority: Path, *, full: int = 101) -> None:
    template = TEMPLATES["certificates-and-disks"]
    source = template.source.replace("AUTHORITY = None", f"AUTHORITY = {str(authority)!r}")
    from dataclasses import replace

    home.begin(replace(template, source=source), {"HOSTS": [host], "DISKS": ["/"], "FULL": full}, {})


@pytest.fixture
def authority(tmp_path: Path) -> tuple[trustme.CA, Path]:
    made = trustme.CA()
    path = tmp_path / "authority.pem"
    made.cert_pem.write_to_path(str(path))
    return made, path


def test_a_certificate_that_ends_soon_is_told_once_at_each_step(
    home: Household, authority: tuple[trustme.CA, Path]
) -> None:
    ca, path = authority
    ends = home.shop.clock.wall + 20 * DAY
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    ca.issue_cert("localhost", not_after=ends).configure_cert(context)
    with web(lambda _: Reply(), context) as server:
        watch(home, f"localhost:{server.url.rpartition(':')[2].strip('/')}", path)
        assert len(home.told) == 1 and "ends in" in home.told[0][1]
        home.wait(DAY)
        assert len(home.told) == 1
        home.wait(6 * DAY)
        assert len(home.told) == 2


def test_a_certificate_that_does_not_hold_and_a_server_that_is_away_are_told(home: Household, tmp_path: Path) -> None:
    theirs, ours = trustme.CA(), tmp_path / "ours.pem"
    trustme.CA().cert_pem.write_to_path(str(ours))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    theirs.issue_cert("localhost").configure_cert(context)
    with web(lambda _: Reply(), context) as server:
        place = f"localhost:{server.url.rpartition(':')[2].strip('/')}"
        watch(home, place, ours)
    assert "does not hold" in home.told[0][1]
    home.wait(7 * HOUR)
    assert "cannot be reached" in home.told[1][1]


@pytest.mark.parametrize("host", ["https://localhost:1/page", "localhost:1", "localhost:x"])
def test_an_address_and_a_disk_that_are_not_there_are_told_and_stop_nobody(home: Household, host: str) -> None:
    answers = {"HOSTS": [host], "DISKS": ["/nowhere", "~"], "FULL": 0}
    home.begin(TEMPLATES["certificates-and-disks"], answers, {})
    assert home.troubles == []
    [(_, text)] = home.told
    away, gone, full = text.splitlines()
    assert away.startswith(f"{host} cannot be reached")
    assert gone == "/nowhere cannot be looked at: No such file or directory"
    assert full.startswith("~ is ")


def test_a_full_disk_is_told_once(home: Household, authority: tuple[trustme.CA, Path]) -> None:
    home.begin(TEMPLATES["certificates-and-disks"], {"HOSTS": [], "DISKS": ["/"], "FULL": 0}, {})
    home.wait(HOUR)
    [(title, text)] = home.told
    assert title == "Certificates and disks"
    assert "% full" in text
