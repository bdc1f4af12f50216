"""The tarball on a bare Debian 12, unpacked in a home folder: the app in it does what the clone does.

The tests of this file depend on each other, in order; only libraries listed in the README are installed. The tarball is
the latest of packaging/build, or the file in DAYHAND_TARBALL.
"""

import json
import subprocess
import zipfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
import trustme

from tests.connections.dovecot import Dovecot, running_dovecot
from tests.desktop import desktop
from tests.desktop.processes import wait_until
from tests.packaging.bare_debian import HOME, USER, Machine, bare_debian, missing_programs

pytestmark = pytest.mark.packaging

PASSWORD = "correct horse"
WINDOW = ("libegl1", "libgl1", "libwayland-client0", "libwayland-cursor0")
"""The packages listed in the README."""
TINY = """# /// script
# dependencies = ["tiny"]
# ///
import dayhand

flow = dayhand.Workflow("Tiny")


@flow.job(cron="0 3 * * *")
def work(ctx):
    import tiny

    ctx.done(tiny.WORD)
"""
MAIL = """import dayhand

flow = dayhand.Workflow("Mail", connections=["imap:home"])


@flow.job(every="5m")
def poll(ctx):
    found = ctx.call("imap:home", "search")
    ctx.done(", ".join(mail["subject"] for mail in found))
"""
LAMP = """from scheduler.connections.connector import Connector

connector = Connector(kind="lamp", title="Lamp", help="", fields=(), tools=(), test=lambda call: "On.")
"""


@pytest.fixture(scope="module")
def machine() -> Iterator[Machine]:
    if lack := [*missing_programs(), *desktop.missing_programs()]:
        pytest.skip(f"needed: {', '.join(lack)}")
    with bare_debian() as made:
        yield made


@pytest.fixture(scope="module")
def program(machine: Machine, tarball: Path) -> str:
    """Unpack it as a user would."""
    subprocess.run(["tar", "-xJf", str(tarball), "-C", str(machine.home)], check=True)
    folder = tarball.name.removesuffix(".tar.xz")
    machine.do("chown", "-R", f"{USER}:", f"{HOME}/{folder}")
    return f"{HOME}/{folder}/dayhand"


@pytest.fixture(scope="module")
def dovecot(machine: Machine) -> Iterator[Dovecot]:
    """A mail server with a certificate that only this machine trusts, as set by its administrator."""
    authority = trustme.CA()
    machine.do("apt-get", "install", "-y", "--no-install-recommends", "ca-certificates")
    authority.cert_pem.write_to_path(machine.root / "usr/local/share/ca-certificates/ours.crt")
    machine.do("update-ca-certificates")
    with running_dovecot(authority, **{USER: PASSWORD}) as server:
        server.deliver(USER, b"Subject: Hello from far away\r\nMessage-ID: <1@example.org>\r\n\r\nHello\r\n", "1")
        yield server


def write(machine: Machine, name: str, text: str) -> str:
    (machine.home / name).write_text(text)
    return f"{HOME}/{name}"


def steps(machine: Machine, *command: str) -> list[dict[str, Any]]:
    """What a script would do, as shown by `try`."""
    steps: list[dict[str, Any]] = json.loads(machine.do(*command, "--json", user=USER))["steps"]
    return steps


def labels(node: Any) -> Iterator[str]:
    """The labels of a tray menu and its submenus."""
    _, properties, children = node
    if "label" in properties:
        yield str(properties["label"][1]).replace("_", "")
    for _, child in children:
        yield from labels(child)


def test_it_runs_where_it_was_unpacked_on_a_bare_machine(machine: Machine, program: str) -> None:
    assert machine.do(program, "--version", user=USER).startswith("dayhand ")
    machine.do(program, "--headless", "--until-idle", user=USER)
    assert json.loads(machine.do(program, "list", "--json", user=USER))["workflows"] == []


def test_a_workflow_made_from_a_template_runs_in_a_worker(machine: Machine, program: str) -> None:
    file = f"{HOME}/nightly.py"
    answers = ("--set", "COMMAND=/bin/true", "--set", "AT=04:00", "--no-edit")
    machine.do(program, "new", "run-command", file, *answers, user=USER)
    assert json.loads(machine.do(program, "list", "--json", user=USER))["workflows"][0]["name"] == "Run a command"
    [step] = steps(machine, program, "try", file)
    assert step["commands"] == [["/bin/true"]]


def test_jobs_of_a_crontab_are_imported(machine: Machine, program: str) -> None:
    crontab = write(machine, "crontab", "30 2 * * 1 /bin/true --weekly\n")
    output = machine.do(program, "import-jobs", "crontab", crontab, "--into", f"{HOME}/imported", user=USER)
    assert "Mondays at 02:30" in output
    assert "/bin/true" in (machine.home / "imported" / "true_weekly.py").read_text()


def test_the_bundled_uv_installs_the_packages_of_a_script(machine: Machine, program: str) -> None:
    """From a local wheel without network, with the system's Python, which the .deb recommends."""
    machine.do("apt-get", "install", "-y", "--no-install-recommends", "python3")
    with zipfile.ZipFile(machine.home / "tiny-1.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr("tiny.py", "WORD = 'tiny as it is'\n")
        wheel.writestr("tiny-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: tiny\nVersion: 1.0\n")
        wheel.writestr("tiny-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr("tiny-1.0.dist-info/RECORD", "")
    offline = ("env", f"UV_FIND_LINKS={HOME}", "UV_NO_INDEX=1", "UV_OFFLINE=1")
    [step] = steps(machine, *offline, program, "try", write(machine, "tiny.py", TINY))
    assert step["summary"] == "tiny as it is", step


def test_a_password_is_stored_in_the_keyring_and_mail_is_read_over_tls(
    machine: Machine, program: str, dovecot: Dovecot
) -> None:
    where = ("--host", "localhost", "--port", str(dovecot.tls_port), "--security", "tls", "--user", USER)
    connect = (program, "connect", "imap:home", *where, "--secrets-from-stdin")
    with machine.keyring():
        machine.do(*connect, user=USER, given=json.dumps({"password": PASSWORD}))
        [step] = steps(machine, program, "try", write(machine, "mail.py", MAIL))
    assert step["summary"] == "Hello from far away", step
    kept = [path for path in (machine.home / ".local").rglob("*") if path.is_file()]
    assert kept and not [path for path in kept if PASSWORD.encode() in path.read_bytes()]


def test_a_missing_keyring_is_reported(machine: Machine, program: str, dovecot: Dovecot) -> None:
    """This also shows that the test above used the real keyring."""
    where = ("--host", "localhost", "--port", str(dovecot.tls_port), "--security", "tls", "--user", USER)
    connect = (program, "connect", "imap:work", *where, "--secrets-from-stdin")
    refused = machine.run(*connect, user=USER, given=json.dumps({"password": PASSWORD}))
    assert refused.returncode == 1
    assert "keyring" in refused.stderr


def test_a_third_party_connector_is_found(machine: Machine, program: str) -> None:
    place = ".local/share/dayhand/connectors"
    machine.do("mkdir", "-p", f"{HOME}/{place}/lamp-1.0.dist-info", user=USER)
    write(machine, f"{place}/lamp.py", LAMP)
    write(machine, f"{place}/lamp-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: lamp\nVersion: 1.0\n")
    write(machine, f"{place}/lamp-1.0.dist-info/entry_points.txt", "[dayhand.connectors]\nlamp = lamp:connector\n")
    machine.do(program, "connect", "lamp:desk", user=USER)
    [lamp] = [
        one
        for one in json.loads(machine.do(program, "connections", "--json", user=USER))["connections"]
        if one["connection"] == "lamp:desk"
    ]
    assert lamp["is_connected"]


def test_the_tray_menu_is_in_the_system_language(machine: Machine, program: str) -> None:
    machine.do("apt-get", "install", "-y", "--no-install-recommends", *WINDOW)
    machine.desk.start_tray()
    machine.start("env", "LANG=de_DE.UTF-8", program, "--background")

    def shown() -> list[str]:
        with suppress(AssertionError):  # the icon, or its menu, is just being made
            for item in machine.desk.tray_items():
                place = (item.partition("/")[0], "/MenuBar", "com.canonical.dbusmenu", "GetLayout")
                return list(labels(machine.desk.bus.call(*place, "iias", (0, -1, []))[1]))
        return []

    wait_until(lambda: "Beenden" in shown(), "a menu in German")
    machine.do(program, "quit", user=USER)


def kept_secrets(machine: Machine) -> list[str]:
    """Dayhand's entries in the keyring, unlocked and locked."""
    place = ("org.freedesktop.secrets", "/org/freedesktop/secrets", "org.freedesktop.Secret.Service", "SearchItems")
    unlocked, locked = machine.desk.bus.call(*place, "a{ss}", ({"service": "dayhand"},))
    return [*unlocked, *locked]


def test_uninstalling_the_data_also_deletes_the_passwords(machine: Machine, program: str) -> None:
    """Those of the connection above, which apps started since then have kept."""
    data = machine.home / ".local" / "share" / "dayhand"
    with machine.keyring():
        assert len(kept_secrets(machine)) == 1
        wait_until(
            lambda: machine.run(program, "uninstall-data", "--yes", user=USER).returncode == 0, "the end of the app"
        )
        assert kept_secrets(machine) == []
    assert not data.exists()


def test_a_browser_starts_with_the_system_libraries(machine: Machine, program: str) -> None:
    """And without other changes made for the frozen app. The fake browser only prints its environment."""
    opener = machine.root / "usr" / "local" / "bin" / "xdg-open"
    opener.write_text('#!/bin/sh\nenv >"$HOME/told.part"\nmv "$HOME/told.part" "$HOME/told"\n')
    opener.chmod(0o755)
    connect = f"{program} connect google:home --set client_id=x --secrets-from-stdin"
    with machine.keyring():
        machine.start("sh", "-c", f"""echo '{{"client_secret": "x"}}' | {connect}""")
        variables = wait_until(lambda: [path.read_text() for path in machine.home.glob("told")], "the browser")[0]
    assert f"HOME={HOME}" in variables.splitlines()
    assert "LD_LIBRARY_PATH" not in variables
    assert str(Path(program).parent) not in variables
