"""The .deb on a bare Debian 12, from installation to removal. The tests of this file depend on each other, in order.

The package is the latest of packaging/build, or the file in DAYHAND_DEB.
"""

import json
import shutil
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.desktop import desktop
from tests.desktop.processes import wait_until
from tests.packaging.bare_debian import HOME, USER, Machine, bare_debian, missing_programs

pytestmark = pytest.mark.packaging

SAMPLE = "/usr/lib/dayhand/_internal/app/shipped_resources/samples/receipts.py"
LARGEST = 60_000_000
FIRST = Path(__file__).with_name("stores") / "schema-2.db"
"""See test_upgrade.py."""
RECEIPT = "Corner Bakery\nDate: 2026-11-12\nTotal: 7.40\n"


@pytest.fixture(scope="module")
def machine() -> Iterator[Machine]:
    if lack := [*missing_programs(), *desktop.missing_programs()]:
        pytest.skip(f"needed: {', '.join(lack)}")
    with bare_debian() as made:
        made.desk.start_notifications()
        made.desk.start_tray()
        yield made


def dayhand(machine: Machine, *arguments: str) -> dict[str, object]:
    answer: dict[str, object] = json.loads(machine.do("dayhand", *arguments, "--json", user=USER))
    return answer


def statuses(machine: Machine) -> list[tuple[str, str]]:
    return [(run["handler"], run["status"]) for run in dayhand(machine, "history")["runs"]]  # type: ignore[attr-defined]


def rows(machine: Machine) -> int:
    table = machine.home / "expenses.csv"
    return len(table.read_text().splitlines()) - 1 if table.exists() else 0


def put_receipt(machine: Machine, name: str) -> None:
    path = machine.home / "receipts" / name
    path.write_text(RECEIPT)


def waiting(folder: Path, *states: str) -> set[str]:
    """The keys of what is in these states."""
    marks = ", ".join("?" * len(states))
    with closing(sqlite3.connect(folder / "dayhand.db")) as db:
        return {key for (key,) in db.execute(f"SELECT key FROM occurrences WHERE state IN ({marks})", states)}


def questions(machine: Machine, folder: str) -> list[dict[str, str]]:
    """The open requests, once all that the killed app left are there; empty before."""
    output = machine.run("dayhand", "attention", "--data-dir", folder, "--json", user=USER).stdout
    requests: list[dict[str, str]] = json.loads(output).get("requests", []) if output else []
    return requests if {one["kind"] for one in requests} == {"approval", "run-interrupted"} else []


@pytest.fixture(scope="module")
def newer(package: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same package with a higher version."""
    folder = tmp_path_factory.mktemp("newer")
    tree = folder / "tree"
    subprocess.run(["dpkg-deb", "--raw-extract", str(package), str(tree)], check=True)
    control = tree / "DEBIAN" / "control"
    control.write_text(control.read_text().replace("\nVersion: ", "\nVersion: 9."))
    made = folder / "dayhand_newer.deb"
    command = ["dpkg-deb", "--root-owner-group", "-Zgzip", "-z1", "--build", str(tree), str(made)]
    subprocess.run(command, check=True, capture_output=True)
    return made


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    """A version that cannot be installed."""
    tree = tmp_path / "tree"
    (tree / "DEBIAN").mkdir(parents=True)
    (tree / "DEBIAN" / "control").write_text(
        "Package: dayhand\nVersion: 8\nArchitecture: amd64\nMaintainer: N <n@example.org>\nDescription: broken\n"
    )
    (tree / "DEBIAN" / "preinst").write_text("#!/bin/sh\nexit 1\n")
    (tree / "DEBIAN" / "preinst").chmod(0o755)
    made = tmp_path / "dayhand_broken.deb"
    subprocess.run(["dpkg-deb", "--build", str(tree), str(made)], check=True, capture_output=True)
    return made


def test_the_package_is_small(package: Path) -> None:
    assert package.stat().st_size < LARGEST


def test_apt_installs_it_with_its_dependencies(machine: Machine, package: Path) -> None:
    machine.install(package)
    assert machine.do("dayhand", "--version", user=USER).startswith("dayhand ")
    assert machine.do("dpkg", "--audit") == ""


def test_no_bundled_library_misses_a_dependency(machine: Machine) -> None:
    output = machine.do("sh", "-c", "find /usr/lib/dayhand -name '*.so*' -type f -exec ldd {} + 2>/dev/null || true")
    lost = {line.split()[0] for line in output.splitlines() if "not found" in line}
    own = {path.name for path in (machine.root / "usr/lib/dayhand").rglob("*.so*")}
    assert lost - own == set()


def test_scripts_have_the_whole_standard_library(machine: Machine) -> None:
    script = machine.home / "all.py"
    names = "bz2 csv ctypes curses decimal email.mime.text http.client imaplib json lzma sqlite3 ssl smtplib uuid"
    imports = "\n".join(f"    import {name}" for name in [*names.split(), "xml.etree.ElementTree", "zoneinfo"])
    script.write_text(
        "import dayhand\n"
        'flow = dayhand.Workflow("All")\n'
        '@flow.job(cron="0 3 * * *")\n'
        f"def work(ctx):\n{imports}\n"
        "    import os, subprocess\n"
        "    assert 'LD_LIBRARY_PATH' not in os.environ\n"
        "    assert not any(name.startswith(('_PYI', 'QT_', 'OPENSSL_')) for name in os.environ)\n"
        "    subprocess.run(['/bin/true'], check=True)\n"
    )
    machine.do("dayhand", "deploy", f"{HOME}/all.py", user=USER)
    program = machine.start("dayhand", "start", "--headless", "--seconds", "120")
    wait_until(lambda: machine.run("dayhand", "run", "all", "--wait", user=USER).returncode == 0, "the app and its run")
    machine.do("dayhand", "remove", "all", user=USER)
    machine.do("dayhand", "quit", user=USER)
    program.wait(60)


def test_an_approval_in_a_notification_leads_to_a_committed_run(machine: Machine) -> None:
    machine.do("mkdir", f"{HOME}/receipts", user=USER)
    machine.do("dayhand", "connect", "files:receipts", "--path", f"{HOME}/receipts", user=USER)
    machine.do("dayhand", "connect", "table:expenses", "--path", f"{HOME}/expenses.csv", user=USER)
    machine.do("dayhand", "deploy", SAMPLE, "--grant", user=USER)
    put_receipt(machine, "one.txt")
    machine.start("dayhand", "start", "--background")
    wait_until(machine.desk.tray_items, "the icon in the tray")
    wait_until(lambda: machine.run("dayhand", "run", "receipts", user=USER).returncode == 0, "the app to hear commands")
    machine.desk.press("xfce4-notifyd", "Approve")
    wait_until(lambda: rows(machine) == 1, "the row in the table")
    wait_until(lambda: ("AddToExpenses", "committed") in statuses(machine), "the committed run")


def test_after_a_failed_upgrade_the_old_version_is_restarted(machine: Machine, broken: Path) -> None:
    before = set(machine.pids())
    assert machine.run("dpkg", "--install", machine.copy_package(broken)).returncode != 0
    wait_until(machine.pids, "the app after the failed upgrade")
    assert before.isdisjoint(machine.pids())
    wait_until(
        lambda: machine.run("dayhand", "run", "receipts/check", user=USER).returncode == 0, "it to hear commands"
    )
    assert not (machine.root / "run" / "dayhand-upgrade").exists()


def test_an_upgrade_keeps_pending_work_and_restarts_the_app(machine: Machine, newer: Path) -> None:
    put_receipt(machine, "two.txt")
    machine.do("dayhand", "run", "receipts/check", user=USER)
    wait_until(lambda: dayhand(machine, "attention").get("requests"), "the question")
    before = set(machine.pids())
    machine.install(newer)
    assert "\nVersion: 9." in machine.do("dpkg", "-s", "dayhand")
    wait_until(machine.pids, "the app after the upgrade")
    assert before.isdisjoint(machine.pids())
    [request] = dayhand(machine, "attention")["requests"]  # type: ignore[misc]
    answer = ("dayhand", "approve", request["id"])  # type: ignore[index]
    wait_until(lambda: machine.run(*answer, user=USER).returncode == 0, "the app to hear the answer")
    wait_until(lambda: rows(machine) == 2, "the second row")


def test_data_of_the_first_schema_survives_an_upgrade(machine: Machine) -> None:
    """Including queued work and the interrupted run, which is reported."""
    folder = machine.home / "first"
    folder.mkdir()
    shutil.copy(FIRST, folder / "dayhand.db")
    machine.do("chown", "-R", f"{USER}:", f"{HOME}/first")
    before = waiting(folder, "queued")
    assert len(before | waiting(folder, "started")) == 3
    filed = rows(machine)
    program = machine.start("dayhand", "start", "--headless", "--data-dir", f"{HOME}/first")
    requests = wait_until(lambda: questions(machine, f"{HOME}/first"), "the questions")
    request = min((one for one in requests if one["kind"] == "approval"), key=lambda one: one["created"])
    assert waiting(folder, "queued", "started") >= before
    answer = ("dayhand", "approve", request["id"], "--data-dir", f"{HOME}/first")
    wait_until(lambda: machine.run(*answer, user=USER).returncode == 0, "the app to hear the answer")
    wait_until(lambda: rows(machine) == filed + 1, "the row of the first version's receipt")
    machine.do("dayhand", "quit", "--data-dir", f"{HOME}/first", user=USER)
    program.wait(60)


def test_data_of_a_newer_version_is_rejected_and_left_unchanged(machine: Machine) -> None:
    """As after a downgrade."""
    path = machine.home / "first" / "dayhand.db"
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA user_version = 999")
    written = path.read_bytes()
    command = ("dayhand", "start", "--headless", "--seconds", "1", "--data-dir", f"{HOME}/first")
    refused = machine.run(*command, user=USER)
    assert refused.returncode == 1
    assert "newer" in refused.stderr and len(refused.stderr.splitlines()) == 1
    assert path.read_bytes() == written


def test_removal_ends_the_app_and_deletes_its_autostart_entry(machine: Machine) -> None:
    entry = machine.home / ".config" / "autostart" / "dayhand.desktop"
    machine.do("mkdir", "-p", f"{HOME}/.config/autostart", user=USER)
    entry.write_text("[Desktop Entry]\nType=Application\nName=Dayhand\nExec=/usr/bin/dayhand start --background\n")
    assert machine.pids()
    machine.do("apt-get", "remove", "-y", "dayhand")
    assert machine.pids() == []
    assert not entry.exists()


def test_a_purge_leaves_only_the_users_data(machine: Machine, package: Path) -> None:
    """After a removal there is nothing left to purge."""
    assert machine.find_paths("dayhand") == []
    machine.install(package)
    machine.do("apt-get", "purge", "-y", "dayhand")
    assert machine.find_paths("dayhand") == []
    assert (machine.home / ".local" / "share" / "dayhand" / "dayhand.db").exists()
