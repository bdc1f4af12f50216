"""The contents of the .deb, and the results of Debian's own checks.

The package is the latest of packaging/build, or the file in DAYHAND_DEB.
"""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

pytestmark = pytest.mark.packaging

CLONE = Path(__file__).parents[2]
EXPECTED = (
    "usr/bin/dayhand",
    "usr/lib/dayhand/dayhand",
    "usr/lib/dayhand/uv",
    "usr/lib/dayhand/_internal/app/shipped_resources/translations/dayhand_de.qm",
    "usr/share/applications/dayhand.desktop",
    "usr/share/metainfo/io.github.dayhand.Dayhand.metainfo.xml",
    "usr/share/icons/hicolor/48x48/apps/dayhand.png",
    "usr/share/icons/hicolor/scalable/apps/dayhand.svg",
    "usr/share/man/man1/dayhand.1.gz",
    "usr/share/bash-completion/completions/dayhand",
    "usr/share/zsh/vendor-completions/_dayhand",
    "usr/share/fish/vendor_completions.d/dayhand.fish",
    "usr/share/doc/dayhand/copyright",
    "usr/share/doc/dayhand/changelog.gz",
)
UNUSED = re.compile(r"Qml|Quick|WebEngine|Pdf|Designer|gtk|libqvnc|libqeglfs|libqlinuxfb|QtSql|/test/|/pictures/")
"""Parts of Qt, Python and our own files that Dayhand does not use."""


@pytest.fixture(scope="module")
def tree(package: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("package") / "tree"
    subprocess.run(["dpkg-deb", "--extract", str(package), str(folder)], check=True)
    return folder


def run(program: str, *arguments: str) -> "subprocess.CompletedProcess[str]":
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not installed")
    command = [program, *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)


def test_it_contains_all_files_for_the_desktop(tree: Path) -> None:
    assert [name for name in EXPECTED if not (tree / name).is_file()] == []


def test_it_contains_no_unused_files(tree: Path) -> None:
    assert [path for path in map(str, tree.rglob("*")) if UNUSED.search(path)] == []


def test_debians_own_checks_find_neither_errors_nor_warnings(package: Path) -> None:
    done = run("lintian", "--allow-root", "--fail-on", "error,warning", str(package))
    assert (done.returncode, done.stdout) == (0, "")


def test_every_lintian_override_has_a_reason() -> None:
    lines = (CLONE / "packaging" / "deb" / "lintian-overrides").read_text().splitlines()
    assert lines[0].startswith("# ")
    assert all(line.startswith(("# ", "dayhand: ")) for line in lines)


def test_menus_and_software_centers_accept_the_metadata(tree: Path) -> None:
    share = tree / "usr" / "share"
    entry = run("desktop-file-validate", str(share / "applications" / "dayhand.desktop"))
    assert (entry.returncode, entry.stdout) == (0, "")
    described = run("appstreamcli", "validate-tree", "--no-net", str(tree))
    assert described.returncode == 0, described.stdout


def test_the_manual_page_opens_without_warnings(tree: Path) -> None:
    page = subprocess.run(["zcat", str(tree / "usr/share/man/man1/dayhand.1.gz")], capture_output=True, check=True)
    path = tree / "dayhand.1"
    path.write_bytes(page.stdout)
    done = run("groff", "-man", "-Tascii", "-P-c", "-ww", str(path))
    assert (done.returncode, done.stderr) == (0, "")
    assert "uninstall-data" in re.sub(".\x08", "", done.stdout)  # bold is printed by overstriking
