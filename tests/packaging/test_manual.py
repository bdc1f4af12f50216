"""Manual page, desktop entry, software center description, icons and build scripts."""

import importlib.util
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from app.cli import command_line

CLONE = Path(__file__).parents[2]
DESKTOP = CLONE / "resources" / "desktop"


def load(name: str) -> ModuleType:
    """Import a file of packaging/, which is not a package."""
    spec = importlib.util.spec_from_file_location(f"packaging_{name}", CLONE / "packaging" / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look there
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("manual")
    load("manual").write_all(folder, "2026-11-16")
    return folder


def test_every_command_is_in_the_manual_page(written: Path) -> None:
    text = (written / "dayhand.1").read_text().replace(r"\-", "-")
    assert [verb for verb in command_line.VERBS if f".SS {verb}" not in text] == []


def test_every_option_of_a_command_is_explained(written: Path) -> None:
    text = (written / "dayhand.1").read_text().replace(r"\-", "-")
    section = text.partition(".SS deploy FILE")[2].partition(".SS")[0]
    for option in ("--check", "--grant", "--replace", "--paused", "--watch", "--data-dir", "--json"):
        assert option in section
    assert "add it as a workflow" in section


def test_groff_reads_the_manual_page_without_warnings(written: Path) -> None:
    if shutil.which("groff") is None:
        pytest.skip("groff is not installed")
    command = ["groff", "-man", "-Tutf8", "-ww", "-z", str(written / "dayhand.1")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_desktop_entry_starts_the_command_and_shows_its_icon() -> None:
    entry = dict(line.split("=", 1) for line in (DESKTOP / "dayhand.desktop").read_text().splitlines() if "=" in line)
    assert (entry["Exec"], entry["Icon"], entry["Type"]) == ("dayhand start %f", "dayhand", "Application")
    if shutil.which("desktop-file-validate"):
        subprocess.run(["desktop-file-validate", str(DESKTOP / "dayhand.desktop")], check=True, timeout=60)


def test_software_centers_accept_the_description() -> None:
    if shutil.which("appstreamcli") is None:
        pytest.skip("appstreamcli is not installed")
    command = ["appstreamcli", "validate", "--no-net", *map(str, DESKTOP.glob("*.metainfo.xml"))]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stdout


def test_icons_are_rendered_in_desktop_sizes(tmp_path: Path) -> None:
    code = CLONE / "packaging" / "icons.py"
    command = [sys.executable, str(code), str(CLONE / "resources/icons/app.svg"), str(tmp_path)]
    subprocess.run(command, check=True, timeout=60)
    assert {"16.png", "48.png", "256.png", "dayhand.ico"} <= {path.name for path in tmp_path.iterdir()}
    assert (tmp_path / "48.png").read_bytes().startswith(b"\x89PNG")
    head = (tmp_path / "dayhand.ico").read_bytes()[:6]
    assert head == b"\0\0\1\0\6\0"


@pytest.mark.parametrize("script", ["build", "lock", "deb/prerm", "deb/postinst", "deb/make.sh", "windows/make.sh"])
def test_build_scripts_have_valid_syntax(script: str) -> None:
    subprocess.run(["sh", "-n", str(CLONE / "packaging" / script)], check=True, timeout=60)
