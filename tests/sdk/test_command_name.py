"""The command that a job really runs is found behind everything that only prepares it."""

import pytest
from dayhand._command_name import describe_command, find_command, name_program

ENVIRONMENT = ["/usr/bin/env", f"PATH={'/some/folder:' * 60}", "LANG=C"]
IN_FOLDER = ["/bin/sh", "-c", 'cd "$0" && exec "$@"', "/home/me"]


@pytest.mark.parametrize(
    ("words", "line", "program"),
    [
        (["restic", "backup", "~/Documents"], "restic backup ~/Documents", "restic"),
        ([*ENVIRONMENT, "/bin/sh", "-c", "restic backup ~/Documents"], "restic backup ~/Documents", "restic"),
        ([*ENVIRONMENT, *IN_FOLDER, "/bin/bash", "-c", "./backup.sh"], "./backup.sh", "backup.sh"),
        (["sh", "-c", 'printf "%s\\n" "$1" | "$2" -c "$0"', "mail me", "Hello", "/bin/sh"], "mail me", "mail"),
        (["/bin/sh", "-c", '"$@" || :', "sh", "rsync", "-a", "x"], "rsync -a x", "rsync"),
        (["sh", "-c", "cd /srv && nice -n 10 a.sh >/dev/null 2>&1"], None, "a.sh"),
        (["sh", "-c", "sleep 60; FOO=1 curl https://x.org | tee log"], None, "curl …"),
        (["sh", "-c", "[ -x /usr/sbin/anacron ] || ( cd / && run-parts /etc/cron.daily )"], None, "run-parts"),
        (["sh", "-c", "FOO=$(date; id) restic backup"], None, "restic"),
        (["sh", "-c", "if test -e x; then for i in $(seq 3); do a.sh $i; done; fi"], None, "a.sh"),
        (["timeout", "-k", "5", "30m", "python3", "/opt/sync.py", "--all"], None, "sync.py"),
        (["flock", "-n", "/run/lock", "ionice", "-c3", "rclone", "sync", "a", "b"], None, "rclone"),
        (["python3", "-m", "http.server"], None, "http.server"),
        (["python3", "-c", "pass"], None, "python3"),
        (["bash", "-lc", "restic forget"], "restic forget", "restic"),
        (["bash", "/home/me/backup.sh", "now"], None, "backup.sh"),
        (["cmd.exe", "/d", "/s", "/c", r'cd /d C:\x && "C:\My Tools\restic.exe" backup'], None, "restic.exe"),
    ],
)
def test_the_real_command_is_named(words: list[str], line: str | None, program: str) -> None:
    assert name_program(words) == program
    if line is not None:
        assert describe_command(words) == line


@pytest.mark.parametrize(
    "words",
    [
        ["sh", "-c", "echo no; exit 3"],
        ["sh", "-c", ""],
        ["sh"],
        ["env"],
        ["env", "-i"],
        ["nice", "-n", "5"],
        ["sh", "-c"],
    ],
)
def test_where_there_is_nothing_else_the_program_that_is_started_is_named(words: list[str]) -> None:
    assert name_program(words) == words[0]


def test_a_line_of_words_of_the_shell_alone_is_known_by_its_last_command() -> None:
    words = ["bash", "-c", "sleep 30; echo tick $(date -d $(cat day)); "]
    assert find_command(words) == find_command([*ENVIRONMENT, *IN_FOLDER, *words]) == ["echo", "tick", "$(…)"]


def test_a_text_with_quotes_that_do_not_match_is_split_at_spaces() -> None:
    assert find_command(["sh", "-c", "don't panic"]) == ["don't", "panic"]


def test_a_long_command_is_cut() -> None:
    assert describe_command(["echo", "x" * 1000]).endswith("xx…") and len(describe_command(["echo", "x" * 1000])) == 500
