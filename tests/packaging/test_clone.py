"""A clone on a bare Debian 12 with only Python and git: its two commands install all that they need.

The tests of this file depend on each other, in order, and download a few hundred megabytes of packages.
"""

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.desktop import desktop
from tests.packaging.bare_debian import Machine, bare_debian, missing_programs

pytestmark = pytest.mark.packaging

CLONE = Path(__file__).parents[2]
AUTHORITY = "/root/authority.pem"
PASSED_ON = ("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "PIP_INDEX_URL", "NPM_CONFIG_REGISTRY")
ASKED = (
    "test_cron.py",
    "test_events.py",
    "test_imap.py",  # a mail server
    "test_google.py",  # an emulator, which needs npm and a recent Node
    "test_sign_in.py",  # a browser
    "test_desktop.py",
)
"""One file for each program that must be installed."""


@pytest.fixture(scope="module")
def machine() -> Iterator[Machine]:
    if lack := [*missing_programs(), *desktop.missing_programs()]:
        pytest.skip(f"needed: {', '.join(lack)}")
    with bare_debian() as made:
        made.do("apt-get", "install", "-y", "--no-install-recommends", "python3", "git")
        subprocess.run(["git", "clone", "-q", str(CLONE), str(made.root / "root" / "dayhand")], check=True)
        yield made


def run_in_clone(machine: Machine, *command: str) -> str:
    """Run a command in the clone, with the proxies and certificate authority of this network."""
    variables = [f"{name}={os.environ[name]}" for name in PASSED_ON if name in os.environ]
    if authority := os.environ.get("SSL_CERT_FILE"):
        shutil.copy(authority, f"{machine.root}{AUTHORITY}")
        variables += [f"{name}={AUTHORITY}" for name in ("SSL_CERT_FILE", "PIP_CERT", "NPM_CONFIG_CAFILE")]
    return machine.do("env", "--chdir=/root/dayhand", *variables, *command)


def test_the_first_start_installs_what_is_needed(machine: Machine) -> None:
    assert run_in_clone(machine, "./packaging/run", "--version").startswith("dayhand ")


def test_the_sample_runs_without_a_display(machine: Machine) -> None:
    output = run_in_clone(machine, "./packaging/run", "--seconds", "30")
    assert output.startswith("There is no display, so this is a demonstration")
    assert "receipts: asks: Add 3 receipts (45.55) to Expenses" in output


def test_the_tests_find_their_servers_browser_and_desktop(machine: Machine) -> None:
    paths = [str(path.relative_to(CLONE)) for name in ASKED for path in (CLONE / "tests").rglob(name)]
    assert len(paths) >= len(ASKED)
    output = run_in_clone(machine, "./packaging/test", "-rs", *paths)
    assert " passed in " in output
    assert "SKIPPED" not in output, output
