"""The templates that need no server."""

import os
import ssl
from pathlib import Path

import pytest
import trustme

from scheduler.rules.phases import RunStatus
from tests.connections.web_servers import Reply, http_server
from tests.engine.engine_fixture import DAY, HOUR, MINUTE
from tests.templates.template_runtime import TEMPLATES, TemplateRuntime


def add_file(folder: Path, name: str, home: TemplateRuntime, *, minutes_ago: int = 10, text: str = "x") -> None:
    """Write a file that was last changed that long ago, by the test clock."""
    file = folder / name
    file.write_text(text)
    at = home.runtime.clock.wall.timestamp() - 60 * minutes_ago
    os.utime(file, (at, at))


def begin_sorting(home: TemplateRuntime, place: Path, *, backs_up: bool = False) -> tuple[Path, Path]:
    inbox, backup = place / "inbox", place / "backup"
    inbox.mkdir()
    answers = {"FOLDER": str(inbox), "BACKUP": backs_up, "BACKUP_FOLDER": str(backup)}
    home.deploy_template(TEMPLATES["sort-folder"], answers, {})
    return inbox, backup


def list_files(folder: Path) -> list[str]:
    return sorted(file.relative_to(folder).as_posix() for file in folder.rglob("*") if file.is_file())


def test_all_new_files_are_sorted_by_type_after_one_approval(home: TemplateRuntime, tmp_path: Path) -> None:
    inbox, _ = begin_sorting(home, tmp_path)
    for name in ("a.pdf", "b.JPG", "c", "d.csv"):
        add_file(inbox, name, home)
    home.pass_time(10 * MINUTE)
    assert list_files(inbox) == ["a.pdf", "b.JPG", "c", "d.csv"], "nothing is moved before the approval"
    sentence, call = home.answer()
    assert sentence == "Move 4 files"
    assert call == {
        "moves": [
            {"source": "a.pdf", "target": "Documents/a.pdf"},
            {"source": "b.JPG", "target": "Pictures/b.JPG"},
            {"source": "c", "target": "Other/c"},
            {"source": "d.csv", "target": "Tables/d.csv"},
        ]
    }
    assert list_files(inbox) == ["Documents/a.pdf", "Other/c", "Pictures/b.JPG", "Tables/d.csv"]
    assert "Moved 4 files" in home.summaries
    home.pass_time(10 * MINUTE)
    assert home.runtime.requests() == []


def test_rejected_files_stay_and_are_not_asked_for_again(home: TemplateRuntime, tmp_path: Path) -> None:
    inbox, _ = begin_sorting(home, tmp_path)
    add_file(inbox, "a.pdf", home)
    home.pass_time(5 * MINUTE)
    home.answer(yes=False)
    home.pass_time(10 * MINUTE)
    assert list_files(inbox) == ["a.pdf"] and home.runtime.requests() == []
    assert "1 file not moved" in home.summaries


def test_files_of_the_same_name_get_a_number_and_nothing_is_overwritten(home: TemplateRuntime, tmp_path: Path) -> None:
    inbox, _ = begin_sorting(home, tmp_path)
    (inbox / "Documents").mkdir()
    (inbox / "Documents" / "a.pdf").write_text("old")
    add_file(inbox, "a.pdf", home, text="new")
    home.pass_time(5 * MINUTE)
    home.answer()
    assert (inbox / "Documents" / "a.pdf").read_text() == "old"
    assert (inbox / "Documents" / "a 2.pdf").read_text() == "new"


@pytest.mark.parametrize("change", ["a file was deleted", "a target was taken"])
def test_a_folder_that_changed_before_the_approval_asks_again_with_a_new_list(
    home: TemplateRuntime, tmp_path: Path, change: str
) -> None:
    inbox, _ = begin_sorting(home, tmp_path)
    for name in ("a.pdf", "b.pdf"):
        add_file(inbox, name, home)
    home.pass_time(5 * MINUTE)
    if change == "a file was deleted":
        (inbox / "a.pdf").unlink()
    else:
        (inbox / "Documents").mkdir()
        (inbox / "Documents/a.pdf").write_text("theirs")
    home.answer()
    assert (inbox / "b.pdf").exists()
    home.pass_time(5 * MINUTE)
    _, call = home.answer()
    targets = [one["target"] for one in call["moves"]]
    assert targets == (["Documents/b.pdf"] if "deleted" in change else ["Documents/a 2.pdf", "Documents/b.pdf"])
    assert not (inbox / "b.pdf").exists() and home.runtime.requests() == []


def test_a_running_download_is_not_moved(home: TemplateRuntime, tmp_path: Path) -> None:
    inbox, _ = begin_sorting(home, tmp_path)
    for name in ("film.mp4.part", ".hidden"):
        add_file(inbox, name, home)
    add_file(inbox, "young.txt", home, minutes_ago=-4)
    home.pass_time(3 * MINUTE)
    assert list_files(inbox) == [".hidden", "film.mp4.part", "young.txt"]
    home.pass_time(10 * MINUTE)
    home.answer()
    assert list_files(inbox) == [".hidden", "Documents/young.txt", "film.mp4.part"]


def test_a_file_changed_before_its_turn_is_moved_once(home: TemplateRuntime, tmp_path: Path) -> None:
    inbox, _ = begin_sorting(home, tmp_path)
    add_file(inbox, "a.pdf", home, minutes_ago=-4)
    home.pass_time(2 * MINUTE)
    add_file(inbox, "a.pdf", home, minutes_ago=-5)
    home.pass_time(15 * MINUTE)
    assert home.answer()[0] == "Move 1 file"
    assert home.runtime.pending("found", home.slug) == [] and home.errors == []


def test_everything_is_backed_up_overnight_only_if_wanted(home: TemplateRuntime, tmp_path: Path) -> None:
    inbox, backup = begin_sorting(home, tmp_path, backs_up=True)
    add_file(inbox, "a.pdf", home)
    home.pass_time(DAY)
    assert list_files(backup) == ["a.pdf"]


def test_without_a_backup_there_is_no_job_for_it(home: TemplateRuntime, tmp_path: Path) -> None:
    _, backup = begin_sorting(home, tmp_path)
    home.pass_time(DAY)
    assert not backup.exists()


def test_missed_nights_are_caught_up_once(home: TemplateRuntime, tmp_path: Path) -> None:
    place = tmp_path / "nights"
    home.deploy_template(TEMPLATES["run-command"], {"COMMAND": ["sh", "-c", f"echo x >> {place}"]}, {})
    home.pass_time(DAY)
    assert place.read_text() == "x\n"
    home.runtime.crash(off=3 * DAY)
    home.pass_time(MINUTE)
    assert place.read_text() == "x\nx\n"
    assert home.summaries == ["sh finished", "sh finished late"]


def test_a_failed_command_is_reported_with_its_log(home: TemplateRuntime) -> None:
    home.deploy_template(TEMPLATES["run-command"], {"COMMAND": ["sh", "-c", "echo broken; exit 3"]}, {})
    home.pass_time(DAY)
    [run] = home.runtime.runs(workflow=home.slug)
    assert run.status is RunStatus.LOGIC
    assert "code 3" in home.errors[0]
    assert home.runtime.log(run.id).startswith("broken\n")
    assert len(home.runtime.requests()) == 1


def test_a_command_runs_in_its_folder_on_the_chosen_days(home: TemplateRuntime, tmp_path: Path) -> None:
    """The test starts on a Monday."""
    answers = {"COMMAND": ["sh", "-c", "date >> here"], "FOLDER": str(tmp_path), "DAYS": ["wed"]}
    home.deploy_template(TEMPLATES["run-command"], answers, {})
    home.pass_time(DAY)
    assert not (tmp_path / "here").exists()
    home.pass_time(6 * DAY)
    assert len((tmp_path / "here").read_text().splitlines()) == 1


def begin_watching(home: TemplateRuntime, host: str, authority: Path, *, full: int = 101) -> None:
    template = TEMPLATES["certificates-and-disks"]
    source = template.source.replace("AUTHORITY = None", f"AUTHORITY = {str(authority)!r}")
    from dataclasses import replace

    home.deploy_template(replace(template, source=source), {"HOSTS": [host], "DISKS": ["/"], "FULL": full}, {})


@pytest.fixture
def authority(tmp_path: Path) -> tuple[trustme.CA, Path]:
    made = trustme.CA()
    path = tmp_path / "authority.pem"
    made.cert_pem.write_to_path(str(path))
    return made, path


def test_an_expiring_certificate_is_reported_once_per_step(
    home: TemplateRuntime, authority: tuple[trustme.CA, Path]
) -> None:
    ca, path = authority
    ends = home.runtime.clock.wall + 20 * DAY
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    ca.issue_cert("localhost", not_after=ends).configure_cert(context)
    with http_server(lambda _: Reply(), context) as server:
        begin_watching(home, f"localhost:{server.url.rpartition(':')[2].strip('/')}", path)
        assert len(home.notifications) == 1 and "expires in" in home.notifications[0][1]
        home.pass_time(DAY)
        assert len(home.notifications) == 1
        home.pass_time(6 * DAY)
        assert len(home.notifications) == 2
        home.pass_time(11 * DAY)
        assert home.notifications[-1][1].endswith(" expires tomorrow")


def test_an_invalid_certificate_and_an_unreachable_server_are_reported(home: TemplateRuntime, tmp_path: Path) -> None:
    theirs, ours = trustme.CA(), tmp_path / "ours.pem"
    trustme.CA().cert_pem.write_to_path(str(ours))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    theirs.issue_cert("localhost").configure_cert(context)
    with http_server(lambda _: Reply(), context) as server:
        place = f"localhost:{server.url.rpartition(':')[2].strip('/')}"
        begin_watching(home, place, ours)
    assert "is not valid" in home.notifications[0][1]
    home.pass_time(7 * HOUR)
    assert "cannot be reached" in home.notifications[1][1]


@pytest.mark.parametrize("host", ["https://localhost:1/page", "localhost:1", "localhost:x"])
def test_a_missing_server_and_a_missing_disk_are_reported_without_stopping_the_rest(
    home: TemplateRuntime, host: str
) -> None:
    answers = {"HOSTS": [host], "DISKS": ["/nowhere", "~"], "FULL": 0}
    home.deploy_template(TEMPLATES["certificates-and-disks"], answers, {})
    assert home.errors == []
    [(_, text)] = home.notifications
    away, gone, full = text.splitlines()
    assert away.startswith(f"{host} cannot be reached")
    assert gone == "/nowhere cannot be checked: No such file or directory"
    assert full.startswith("~ is ")


def test_a_full_disk_is_reported_once(home: TemplateRuntime, authority: tuple[trustme.CA, Path]) -> None:
    home.deploy_template(TEMPLATES["certificates-and-disks"], {"HOSTS": [], "DISKS": ["/"], "FULL": 0}, {})
    home.pass_time(HOUR)
    [(title, text)] = home.notifications
    assert title == "Certificates and disks"
    assert "% full" in text
