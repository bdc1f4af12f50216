"""Resource files are found in a clone and in an installed copy, whatever is beside it."""

import subprocess
import sys
from pathlib import Path

import pytest

import app.resources
from app.resources import MissingResourceError, find_resource, read_resource

READ = "import sys; sys.path.insert(0, sys.argv[1]); from app.resources import *; print(read_resource('icons/x.svg'))"


def test_a_clone_finds_its_icons() -> None:
    assert find_resource("icons/app.svg").name == "app.svg"
    assert read_resource("icons/app.svg").lstrip().startswith("<svg")


def test_a_missing_file_is_named_with_what_to_do() -> None:
    with pytest.raises(MissingResourceError, match=r"icons/none\.svg is missing .* Reinstall Dayhand"):
        find_resource("icons/none.svg")


def test_an_installed_copy_finds_its_own_files_first(tmp_path: Path) -> None:
    """Laid out like a wheel, with another package's `resources` folder beside it."""
    site = tmp_path / "site-packages"
    for folder, text in (
        (site / "app" / "shipped_resources" / "icons", "ours"),
        (site / "resources" / "icons", "theirs"),
    ):
        folder.mkdir(parents=True)
        (folder / "x.svg").write_text(text)
    (site / "app" / "__init__.py").touch()
    (site / "app" / "resources.py").write_text(Path(app.resources.__file__).read_text())
    read = subprocess.run(
        [sys.executable, "-I", "-c", READ, str(site)], capture_output=True, text=True, check=True, cwd=tmp_path
    )
    assert read.stdout.strip() == "ours"
