"""`import-jobs`: real files in, a script out that is deployed paused and does what the old job did."""

import io
import json
from pathlib import Path

import pytest

from app.session import Session
from tests.app.cli.live_cli import CommandLine
from tests.job_import.crontab_samples import LEFT, TRANSLATED
from tests.job_import.test_systemd import SERVICE, TIMER
from tests.job_import.test_windows_tasks import DAILY, task

CRONTAB = """\
# Say hello
GREETING="Good morning"
*/30 6-8 * * mon-fri  printf '%s\\n' "$GREETING" > {place}/said
0 4 * * * cat > {place}/fed%first%second
@reboot never
"""


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory."""
    place = tmp_path / "here"
    place.mkdir()
    monkeypatch.chdir(place)
    return place


def write_crontab(here: Path) -> str:
    (here / "my.cron").write_text(CRONTAB.replace("'%s\\n'", "'\\%s'").format(place=here))
    return "my.cron"


def test_a_crontab_is_imported_paused_with_old_and_new_times(cli: CommandLine, here: Path) -> None:
    answer = cli.run_json("import-jobs", "crontab", write_crontab(here))
    first, second = answer["jobs"]
    assert (first["line"], first["same"], len(first["old"]), first["old"]) == (3, True, 10, first["new"])
    assert second["same"]
    [left] = answer["left"]
    assert (left["place"], left["line"]) == ("my.cron", 5)
    assert answer["workflow"] == "imported-from-crontab"
    [view] = cli.run_json("list")["workflows"]
    assert (view["state"], view["tags"]) == ("paused", ["imported"])
    assert Path(answer["file"]) == here / "imported_from_crontab.py"


def test_the_output_shows_old_and_new_times_side_by_side(cli: CommandLine, here: Path) -> None:
    output = cli.run_text("import-jobs", "crontab", write_crontab(here))
    assert "OLD                     NEW" in output
    assert "≠" not in output
    assert "my.cron, line 5: @reboot never" in output
    assert "2 jobs in " in output
    assert f"dayhand resume --data-dir {cli.folder} imported-from-crontab" in output


def test_an_imported_job_does_what_cron_did(cli: CommandLine, here: Path, app: Session) -> None:
    """With its variables, and with the text after the percent sign as its input."""
    [first, second] = cli.run_json("import-jobs", "crontab", write_crontab(here))["jobs"]
    cli.run_json("resume", "imported-from-crontab")
    for job in (first, second):
        code, _, err = cli.run("run", f"imported-from-crontab/{job['handler']}", "--wait")
        assert (code, err) == (0, "")
    assert (here / "said").read_text() == "Good morning"
    assert (here / "fed").read_text() == "first\nsecond\n"


def test_every_supported_crontab_line_is_deployed(cli: CommandLine, here: Path) -> None:
    """Every line that can be translated becomes a valid handler with a name of its own."""
    (here / "all").write_text(TRANSLATED + "\n".join(LEFT))
    answer = cli.run_json("import-jobs", "crontab", "all", "--name", "All of it", "--into", "x.py")
    assert len({job["handler"] for job in answer["jobs"]}) == len(TRANSLATED.splitlines())
    assert len(answer["left"]) == len(LEFT)
    assert all(job["same"] for job in answer["jobs"])
    assert len(cli.run_json("show", "all-of-it")["handlers"]) == len(answer["jobs"])


def test_a_check_leaves_nothing_behind(cli: CommandLine, here: Path) -> None:
    answer = cli.run_json("import-jobs", "crontab", write_crontab(here), "--check")
    assert (answer["file"], answer["workflow"], len(answer["jobs"])) == (None, None, 2)
    assert [file.name for file in here.iterdir()] == ["my.cron"]
    assert not cli.folder.exists()


def test_an_existing_file_is_never_replaced(cli: CommandLine, here: Path) -> None:
    (here / "mine.py").write_text("precious")
    code, sentence = cli.run_refused("import-jobs", "crontab", write_crontab(here), "--into", "mine.py")
    assert (code, "--into" in sentence) == ("file", True)
    assert (here / "mine.py").read_text() == "precious"


def test_a_refused_import_leaves_no_file(cli: CommandLine, here: Path) -> None:
    """The second has the same name as the first, but another file."""
    cli.run_json("import-jobs", "crontab", write_crontab(here))
    code, _ = cli.run_refused("import-jobs", "crontab", "my.cron", "--into", "again.py")
    assert code == "exists"
    assert not (here / "again.py").exists()


def test_an_import_without_any_job_fails_and_lists_the_reasons(cli: CommandLine, here: Path) -> None:
    (here / "x").write_text("@reboot a\n0 0 30 2 * b\n")
    code, out, err = cli.run("import-jobs", "crontab", "x", "--json")
    assert (code, err) == (1, "Nothing could be imported.\n")
    assert len(json.loads(out)["left"]) == 2


def test_a_crontab_is_read_from_stdin(cli: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"@daily /bin/true\n")))
    [job] = cli.run_json("import-jobs", "crontab", "-", "--check")["jobs"]
    assert (job["place"], job["words"]) == ("crontab", "Daily at 00:00")


def test_times_in_another_zone_name_the_zone(cli: CommandLine, here: Path) -> None:
    (here / "x").write_text("CRON_TZ=Asia/Tokyo\n@daily /bin/true\n")
    [job] = cli.run_json("import-jobs", "crontab", "x", "--check")["jobs"]
    assert job["words"] == "Daily at 00:00 (Tokyo)"


def test_lines_of_other_users_are_not_imported(cli: CommandLine, here: Path) -> None:
    (here / "x").write_text("@daily nobody-like-me /bin/true\n")
    assert cli.run("import-jobs", "crontab", "x", "--system")[0] == 1


def test_systemd_timers_are_imported(cli: CommandLine, here: Path) -> None:
    (here / "b.timer").write_text(TIMER)
    (here / "b.service").write_text(SERVICE)
    [job] = cli.run_json("import-jobs", "systemd", "b.timer", "b.service")["jobs"]
    assert (job["handler"], job["same"], len(job["new"])) == ("nightly", True, 10)
    assert cli.run_refused("import-jobs", "systemd", "b.service")[0] == "file"


def test_a_folder_of_units_is_imported(cli: CommandLine, here: Path) -> None:
    """As on a real computer: with links to enabled units, drop-ins and own services."""
    (here / "b.timer").write_text(TIMER)
    (here / "b.service").write_text(SERVICE)
    (here / "c.timer").write_text(TIMER.replace("Nightly", "Other") + "[Timer]\nUnit=b.service\n")
    for folder in ("timers.target.wants", "c.timer.d"):
        (here / folder).mkdir()
    (here / "timers.target.wants" / "b.timer").symlink_to(here / "b.timer")
    (here / "c.timer.d" / "more.conf").write_text("[Timer]\nPersistent=no\n")
    answer = cli.run_json("import-jobs", "systemd", ".", "--check")
    assert [job["handler"] for job in answer["jobs"]] == ["nightly"]
    assert [left["place"] for left in answer["left"]] == ["c.timer"]


def test_two_units_with_the_same_name_are_refused(cli: CommandLine, here: Path) -> None:
    for folder in ("old", "new"):
        (here / folder).mkdir()
        (here / folder / "b.timer").write_text(TIMER)
    assert cli.run_refused("import-jobs", "systemd", "old", "new")[0] == "file"


def test_windows_tasks_are_read_as_utf16(cli: CommandLine, here: Path) -> None:
    (here / "t.xml").write_bytes(task(DAILY).encode("utf-16"))
    [job] = cli.run_json("import-jobs", "tasks", "t.xml")["jobs"]
    assert (job["title"], job["same"]) == ("Tidy up", True)


def test_expired_jobs_are_listed_and_the_others_imported(cli: CommandLine, here: Path) -> None:
    past = "<TimeTrigger><StartBoundary>2020-02-03T04:05:06</StartBoundary></TimeTrigger>"
    (here / "t.xml").write_bytes(task(past + DAILY).encode("utf-16"))
    answer = cli.run_json("import-jobs", "tasks", "t.xml")
    assert [job["text"].split()[0] for job in answer["jobs"]] == ["CalendarTrigger"]
    assert [left["reason"] for left in answer["left"]] == ["Its last time is over."]


def test_an_unreadable_file_is_refused(cli: CommandLine, here: Path) -> None:
    (here / "bytes").write_bytes(b"\xff\xff\xff")
    assert cli.run_refused("import-jobs", "crontab", "missing")[0] == "file"
    assert cli.run_refused("import-jobs", "crontab", "bytes")[0] == "file"
    assert cli.run("import-jobs", "sundial", "x")[0] == 2
