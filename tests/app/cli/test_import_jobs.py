"""`import-jobs`: real files in, a script out that is deployed paused and does what the old job did."""

import io
import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from app.session import Session
from scheduler.engine.api.commands import CommandApi
from scheduler.engine.errors import RefusedError
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


def test_each_line_becomes_a_paused_workflow_with_old_and_new_times(cli: CommandLine, here: Path) -> None:
    answer = cli.run_json("import-jobs", "crontab", write_crontab(here))
    first, second = answer["jobs"]
    assert (first["line"], first["same"], len(first["old"]), first["old"]) == (3, True, 10, first["new"])
    assert second["same"]
    [left] = answer["left"]
    assert (left["place"], left["line"]) == ("my.cron", 5)
    assert answer["created"] == [job["workflow"] for job in answer["jobs"]]
    views = cli.run_json("list")["workflows"]
    assert {view["workflow"] for view in views} == set(answer["created"])
    assert {(view["state"], *view["tags"]) for view in views} == {("paused", "imported")}
    assert Path(first["file"]).parent == here / "imported_jobs"


def test_imported_jobs_say_that_they_are_not_started_and_start_at_once(
    cli: CommandLine, here: Path, app: Session
) -> None:
    cli.run_json("import-jobs", "crontab", write_crontab(here))
    words = {view["words"] for view in cli.run_json("list")["workflows"]}
    assert words == {"Imported, not started yet. Resume it once its old entry is switched off."}
    assert len(cli.run_json("resume", "--tag", "imported")["resumed"]) == 2
    assert {view["state"] for view in cli.run_json("list")["workflows"]} == {"idle"}
    assert cli.run_text("list", "--state", "paused") == "No workflow matches.\n"
    code, _, err = cli.run("resume", "--tag", "imported")
    assert (code, err) == (1, "No paused workflow has the tag imported.\n")


def test_one_of_names_tag_and_everything_is_resumed(cli: CommandLine) -> None:
    assert cli.run("resume")[0] == cli.run("resume", "x", "--tag", "y")[0] == cli.run("resume", "x", "--all")[0] == 2


def test_workflows_are_named_after_their_comment_or_command(cli: CommandLine, here: Path) -> None:
    (here / "x").write_text("PATH=/opt/bin:/bin\n# Photos\n0 3 * * * nice a\n\n0 4 * * * cd /x && restic backup ~/D\n")
    cli.run_json("import-jobs", "crontab", "x")
    assert [view["name"] for view in cli.run_json("list")["workflows"]] == ["Photos", "restic backup ~/D"]


def test_the_output_shows_the_times_and_what_to_do_next(cli: CommandLine, here: Path) -> None:
    (here / "x").write_text("@daily one\n@reboot never\n@hourly two\n")
    checked = cli.run_text("import-jobs", "crontab", "x", "--check", "--times")
    assert checked.count("OLD                     NEW") == 2 and "≠" not in checked
    output = cli.run_text("import-jobs", "crontab", "x", "--into", "there")
    assert "The next ten times of 2 jobs are the same, old and new" in output and "OLD" not in output
    assert "x, line 2: @reboot never" in output
    assert f"2 jobs imported, paused, in {here}/there:\n    one\n    two\n" in output
    assert f"Then start them: dayhand resume --data-dir {cli.folder} one two" in output
    assert f"To undo: dayhand remove --data-dir {cli.folder} one two" in output


def test_the_own_crontab_is_read_and_its_lines_can_be_switched_off(
    cli: CommandLine, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = here / "crontab"
    program.write_text("#!/bin/sh\n[ \"$1\" = -l ] && printf '@daily one\\n@reboot two\\n@hourly three\\n'\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(here), prepend=":")
    answer = cli.run_json("import-jobs", "crontab")
    assert answer["created"] == ["one", "three"]
    assert answer["switch_off"] == ["crontab -l | sed '1s/^/#/; 3s/^/#/' | crontab -"]
    program.write_text("#!/bin/sh\necho 'no crontab for me' >&2; exit 1\n")
    assert cli.run_refused("import-jobs", "crontab") == ("file", "You have no crontab.")


def test_importing_again_changes_nothing_and_says_what_is_there(cli: CommandLine, here: Path) -> None:
    (here / "x").write_text("@daily one\n@hourly two\n@hourly two\n")
    assert cli.run_json("import-jobs", "crontab", "x")["created"] == ["one", "two", "two-2"]
    (here / "x").write_text("# moved\n\n@hourly two\n@daily one\n@hourly two\n@weekly new\n")
    answer = cli.run_json("import-jobs", "crontab", "x", "--into", "elsewhere")
    assert [job["imported_before"] for job in answer["jobs"]] == ["two", "one", "two-2", None]
    assert answer["created"] == ["new"]
    assert [file.name for file in (here / "elsewhere").iterdir()] == ["new.py"]
    output = cli.run_text("import-jobs", "crontab", "x")
    assert "two (2): Hourly" in output
    assert "Imported before, as two-2; nothing was changed." in output and "4 jobs were imported before." in output


def test_a_job_whose_script_was_changed_still_counts_as_imported(cli: CommandLine, here: Path) -> None:
    (here / "x").write_text("@daily one\n")
    [job] = cli.run_json("import-jobs", "crontab", "x")["jobs"]
    script = Path(job["file"])
    script.write_text(script.read_text().replace("'0 0 * * *'", "'0 5 * * *'"))
    cli.run_json("deploy", str(script))
    assert cli.run_json("import-jobs", "crontab", "x")["created"] == []


def test_an_import_can_be_undone_and_repeated(cli: CommandLine, here: Path, app: Session) -> None:
    (here / "x").write_text("@daily one\n@hourly two\n")
    created = cli.run_json("import-jobs", "crontab", "x")["created"]
    cli.run_json("remove", *created)
    assert cli.run_json("list")["workflows"] == []
    assert cli.run_json("import-jobs", "crontab", "x")["created"] == created


def fail_at(monkeypatch: pytest.MonkeyPatch, number: int, error: BaseException) -> None:
    """The deployment with that number fails."""
    deploy, count = CommandApi.deploy, iter(range(1, 1000))

    def fail_once(*args: Any, **options: Any) -> dict[str, Any]:
        if next(count) == number:
            raise error
        return deploy(*args, **options)

    monkeypatch.setattr(CommandApi, "deploy", fail_once)


def test_a_bad_line_is_named_with_its_number_and_the_others_are_imported(
    cli: CommandLine, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (here / "x").write_text("0 1 * * * one\n0 0 30 2 * never\n0 2 * * * two\n0 3 * * * three\n")
    fail_at(monkeypatch, 2, RefusedError("script", "It does not load."))
    code, out, err = cli.run("import-jobs", "crontab", "x", "--json")
    answer = json.loads(out)
    assert (code, err, answer["created"]) == (1, "1 of 3 could not be imported.\n", ["one", "three"])
    assert [(left["line"], left["text"]) for left in answer["left"]] == [(2, "0 0 30 2 * never")]
    assert [(job["line"], job["error"]) for job in answer["jobs"] if job["error"]] == [(3, "It does not load.")]
    assert sorted(file.name for file in (here / "imported_jobs").iterdir()) == ["one.py", "three.py"]


def test_an_import_that_was_interrupted_is_continued(
    cli: CommandLine, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (here / "x").write_text("".join(f"0 {hour} * * * job-{hour}\n" for hour in range(5)))
    fail_at(monkeypatch, 3, KeyboardInterrupt())
    with suppress(KeyboardInterrupt):
        cli.run("import-jobs", "crontab", "x")
    assert sorted(file.stem for file in (here / "imported_jobs").iterdir()) == ["job_0", "job_1"]
    assert cli.run_json("import-jobs", "crontab", "x")["created"] == ["job-2", "job-3", "job-4"]


def test_an_imported_job_does_what_cron_did(cli: CommandLine, here: Path, app: Session) -> None:
    """With its variables, and with the text after the percent sign as its input."""
    created = cli.run_json("import-jobs", "crontab", write_crontab(here))["created"]
    assert cli.run_text("resume", *created).splitlines() == [f"{one} resumed." for one in created]
    for workflow in created:
        code, _, err = cli.run("run", workflow, "--wait")
        assert (code, err) == (0, "")
    assert (here / "said").read_text() == "Good morning"
    assert (here / "fed").read_text() == "first\nsecond\n"


def test_jobs_can_be_started_at_once(cli: CommandLine, here: Path) -> None:
    (here / "x").write_text("@daily one\n")
    cli.run_json("import-jobs", "crontab", "x", "--start")
    [view] = cli.run_json("list")["workflows"]
    assert view["state"] == "idle"


def test_every_supported_crontab_line_can_be_imported(cli: CommandLine, here: Path) -> None:
    (here / "all").write_text(TRANSLATED + "\n".join(LEFT))
    answer = cli.run_json("import-jobs", "crontab", "all", "--check")
    assert len({job["name"] for job in answer["jobs"]}) == len(TRANSLATED.splitlines())
    assert len(answer["left"]) == len(LEFT)
    assert all(job["same"] for job in answer["jobs"])


def test_a_single_job_can_be_given_a_name(cli: CommandLine, here: Path) -> None:
    (here / "x").write_text("@daily one\n")
    assert cli.run_json("import-jobs", "crontab", "x", "--name", "My job")["created"] == ["my-job"]
    (here / "x").write_text("@daily two\n@daily three\n")
    assert cli.run("import-jobs", "crontab", "x", "--name", "Another")[0] == 2


def test_a_check_leaves_nothing_behind(cli: CommandLine, here: Path) -> None:
    answer = cli.run_json("import-jobs", "crontab", write_crontab(here), "--check")
    assert (answer["created"], len(answer["jobs"])) == ([], 2)
    assert [file.name for file in here.iterdir()] == ["my.cron"]
    assert not cli.folder.exists()


def test_an_existing_file_is_never_replaced(cli: CommandLine, here: Path) -> None:
    (here / "one.py").write_text("precious")
    (here / "x").write_text("@daily one\n")
    [job] = cli.run_json("import-jobs", "crontab", "x", "--into", ".")["jobs"]
    assert Path(job["file"]) == here / "one_2.py"
    assert (here / "one.py").read_text() == "precious"


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
    answer = cli.run_json("import-jobs", "systemd", "b.timer", "b.service")
    [job] = answer["jobs"]
    assert (job["name"], job["same"], len(job["new"])) == ("Nightly", True, 10)
    assert answer["switch_off"] == ["systemctl --user disable --now b.timer"]
    assert cli.run_refused("import-jobs", "systemd", "b.service")[0] == "file"


def test_the_service_and_drop_ins_beside_a_timer_are_found(cli: CommandLine, here: Path) -> None:
    units = here / "units"
    (units / "b.timer.d").mkdir(parents=True)
    (units / "b.timer").write_text(TIMER + "[Timer]\nUnit=other.service\n")
    (units / "other.service").write_text(SERVICE)
    (units / "b.timer.d" / "late.conf").write_text("[Timer]\nOnCalendar=\nOnCalendar=*-*-* 05:00\n")
    answer = cli.run_json("import-jobs", "systemd", "units/b.timer", "--check")
    [job] = answer["jobs"]
    assert (job["words"], job["place"]) == ("Daily at 05:00", "b.timer.d/late.conf")
    assert answer["switch_off"] == ["systemctl --user disable --now b.timer"]


def test_the_own_timers_are_read_without_naming_them(
    cli: CommandLine, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(here))
    assert cli.run_refused("import-jobs", "systemd") == ("file", "You have no systemd timers of your own.")
    units = here / ".config" / "systemd" / "user"
    units.mkdir(parents=True)
    (units / "b.timer").write_text(TIMER)
    (units / "b.service").write_text(SERVICE)
    (units / "unrelated.service").write_text(SERVICE)
    answer = cli.run_json("import-jobs", "systemd", "--check")
    assert ([job["name"] for job in answer["jobs"]], answer["left"]) == (["Nightly"], [])


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
    assert [job["name"] for job in answer["jobs"]] == ["Nightly", "Other"]
    assert answer["left"] == []


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
