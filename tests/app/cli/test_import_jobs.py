"""`import-jobs`: real files in, a script out that is deployed, paused, and does what the old entry did."""

import io
import json
from pathlib import Path

import pytest

from app.life.installation import Installation
from tests.app.verbs.served import Line
from tests.importing.crontabs import LEFT, TRANSLATED
from tests.importing.test_systemd import SERVICE, TIMER
from tests.importing.test_tasks import DAILY, task

CRONTAB = """\
# Say hello
GREETING="Good morning"
*/30 6-8 * * mon-fri  printf '%s\\n' "$GREETING" > {place}/said
0 4 * * * cat > {place}/fed%first%second
@reboot never
"""


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the person is."""
    place = tmp_path / "here"
    place.mkdir()
    monkeypatch.chdir(place)
    return place


def write_crontab(here: Path) -> str:
    (here / "my.cron").write_text(CRONTAB.replace("'%s\\n'", "'\\%s'").format(place=here))
    return "my.cron"


def test_a_crontab_arrives_paused_with_old_and_new_times(line: Line, here: Path) -> None:
    answer = line.ask("import-jobs", "crontab", write_crontab(here))
    first, second = answer["jobs"]
    assert (first["line"], first["same"], len(first["old"]), first["old"]) == (3, True, 10, first["new"])
    assert second["same"]
    [left] = answer["left"]
    assert (left["place"], left["line"]) == ("my.cron", 5)
    assert answer["workflow"] == "imported-from-crontab"
    [view] = line.ask("list")["workflows"]
    assert (view["state"], view["tags"]) == ("paused", ["imported"])
    assert Path(answer["file"]) == here / "imported_from_crontab.py"


def test_a_person_reads_everything_side_by_side(line: Line, here: Path) -> None:
    said = line.read("import-jobs", "crontab", write_crontab(here))
    assert "OLD                     NEW" in said
    assert "≠" not in said
    assert "my.cron, line 5: @reboot never" in said
    assert "2 jobs in " in said
    assert "dayhand resume imported-from-crontab" in said


def test_an_imported_job_does_what_cron_did(line: Line, here: Path, app: Installation) -> None:
    """With its variables, and with what follows the percent sign as its input."""
    [first, second] = line.ask("import-jobs", "crontab", write_crontab(here))["jobs"]
    line.ask("resume", "imported-from-crontab")
    for job in (first, second):
        code, _, err = line.type("run", f"imported-from-crontab/{job['handler']}", "--wait")
        assert (code, err) == (0, "")
    assert (here / "said").read_text() == "Good morning"
    assert (here / "fed").read_text() == "first\nsecond\n"


def test_a_whole_life_of_crontabs_is_deployed(line: Line, here: Path) -> None:
    """Every line that translates makes a script that is valid, and each has a name of its own."""
    (here / "all").write_text(TRANSLATED + "\n".join(LEFT))
    answer = line.ask("import-jobs", "crontab", "all", "--name", "All of it", "--into", "x.py")
    assert len({job["handler"] for job in answer["jobs"]}) == len(TRANSLATED.splitlines())
    assert len(answer["left"]) == len(LEFT)
    assert all(job["same"] for job in answer["jobs"])
    assert len(line.ask("show", "all-of-it")["handlers"]) == len(answer["jobs"])


def test_only_looking_leaves_nothing_behind(line: Line, here: Path) -> None:
    answer = line.ask("import-jobs", "crontab", write_crontab(here), "--check")
    assert (answer["file"], answer["workflow"], len(answer["jobs"])) == (None, None, 2)
    assert [file.name for file in here.iterdir()] == ["my.cron"]
    assert not line.folder.exists()


def test_a_file_that_is_there_is_never_replaced(line: Line, here: Path) -> None:
    (here / "mine.py").write_text("precious")
    code, sentence = line.refuse("import-jobs", "crontab", write_crontab(here), "--into", "mine.py")
    assert (code, "--into" in sentence) == ("file", True)
    assert (here / "mine.py").read_text() == "precious"


def test_what_is_refused_leaves_no_file(line: Line, here: Path) -> None:
    """The second has the name of the first, and comes from another file."""
    line.ask("import-jobs", "crontab", write_crontab(here))
    code, _ = line.refuse("import-jobs", "crontab", "my.cron", "--into", "again.py")
    assert code == "exists"
    assert not (here / "again.py").exists()


def test_nothing_to_import_is_said_with_all_reasons(line: Line, here: Path) -> None:
    (here / "x").write_text("@reboot a\n0 0 30 2 * b\n")
    code, out, err = line.type("import-jobs", "crontab", "x", "--json")
    assert (code, err) == (1, "Nothing could be imported.\n")
    assert len(json.loads(out)["left"]) == 2


def test_a_crontab_comes_through_a_pipe(line: Line, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"@daily /bin/true\n")))
    [job] = line.ask("import-jobs", "crontab", "-", "--check")["jobs"]
    assert (job["place"], job["words"]) == ("crontab", "Daily at 00:00")


def test_times_of_another_zone_are_said_to_be_so(line: Line, here: Path) -> None:
    (here / "x").write_text("CRON_TZ=Asia/Tokyo\n@daily /bin/true\n")
    [job] = line.ask("import-jobs", "crontab", "x", "--check")["jobs"]
    assert job["words"] == "Daily at 00:00 (Tokyo)"


def test_lines_of_other_users_stay_where_they_are(line: Line, here: Path) -> None:
    (here / "x").write_text("@daily nobody-like-me /bin/true\n")
    assert line.type("import-jobs", "crontab", "x", "--system")[0] == 1


def test_timers_of_systemd_arrive(line: Line, here: Path) -> None:
    (here / "b.timer").write_text(TIMER)
    (here / "b.service").write_text(SERVICE)
    [job] = line.ask("import-jobs", "systemd", "b.timer", "b.service")["jobs"]
    assert (job["handler"], job["same"], len(job["new"])) == ("nightly", True, 10)
    assert line.refuse("import-jobs", "systemd", "b.service")[0] == "file"


def test_a_whole_folder_of_units_is_read(line: Line, here: Path) -> None:
    """As it is on a person's computer: with links to what is enabled, drop-ins and services of their own."""
    (here / "b.timer").write_text(TIMER)
    (here / "b.service").write_text(SERVICE)
    (here / "c.timer").write_text(TIMER.replace("Nightly", "Other") + "[Timer]\nUnit=b.service\n")
    for folder in ("timers.target.wants", "c.timer.d"):
        (here / folder).mkdir()
    (here / "timers.target.wants" / "b.timer").symlink_to(here / "b.timer")
    (here / "c.timer.d" / "more.conf").write_text("[Timer]\nPersistent=no\n")
    answer = line.ask("import-jobs", "systemd", ".", "--check")
    assert [job["handler"] for job in answer["jobs"]] == ["nightly"]
    assert [left["place"] for left in answer["left"]] == ["c.timer"]


def test_two_units_of_one_name_are_refused(line: Line, here: Path) -> None:
    for folder in ("old", "new"):
        (here / folder).mkdir()
        (here / folder / "b.timer").write_text(TIMER)
    assert line.refuse("import-jobs", "systemd", "old", "new")[0] == "file"


def test_tasks_of_windows_arrive_in_their_own_encoding(line: Line, here: Path) -> None:
    (here / "t.xml").write_bytes(task(DAILY).encode("utf-16"))
    [job] = line.ask("import-jobs", "tasks", "t.xml")["jobs"]
    assert (job["title"], job["same"]) == ("Tidy up", True)


def test_what_will_never_come_again_is_listed_and_does_not_keep_the_others_out(line: Line, here: Path) -> None:
    past = "<TimeTrigger><StartBoundary>2020-02-03T04:05:06</StartBoundary></TimeTrigger>"
    (here / "t.xml").write_bytes(task(past + DAILY).encode("utf-16"))
    answer = line.ask("import-jobs", "tasks", "t.xml")
    assert [job["text"].split()[0] for job in answer["jobs"]] == ["CalendarTrigger"]
    assert [left["reason"] for left in answer["left"]] == ["Its last time has passed."]


def test_what_cannot_be_read_is_refused(line: Line, here: Path) -> None:
    (here / "bytes").write_bytes(b"\xff\xff\xff")
    assert line.refuse("import-jobs", "crontab", "missing")[0] == "file"
    assert line.refuse("import-jobs", "crontab", "bytes")[0] == "file"
    assert line.type("import-jobs", "sundial", "x")[0] == 2
