"""`dayhand sdk`: an author's own Python and editor find the package that scripts import."""

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import dayhand
import pytest

from app.cli import command_line
from app.cli.sdk import PACKAGE, write_wheel
from scheduler import __version__

FOLDER = str(Path(dayhand.__file__).parents[1])


def run(capsys: pytest.CaptureFixture[str], *words: object) -> tuple[int, str, str]:
    code = command_line.run(["sdk", *map(str, words)])
    printed = capsys.readouterr()
    return code, printed.out, printed.err


@pytest.fixture
def venv(tmp_path: Path) -> Path:
    """An environment without packages."""
    place = tmp_path / "environment"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", place], check=True)
    return place


def import_in(venv: Path) -> str:
    code = "import dayhand, importlib.metadata as m; print(dayhand.__file__, m.version('dayhand-sdk'))"
    command = [venv / "bin" / "python", "-I", "-c", code]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def test_it_says_where_the_package_is(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys)
    assert code == 0
    assert out.startswith(f"{PACKAGE}\n")
    assert (PACKAGE / "py.typed").exists()
    assert json.loads(run(capsys, "--json")[1]) == {"folder": FOLDER, "package": str(PACKAGE), "version": __version__}


def test_an_environment_can_import_it_and_is_updated_by_the_same_command(
    capsys: pytest.CaptureFixture[str], venv: Path
) -> None:
    for _ in range(2):
        assert run(capsys, "--venv", venv)[0] == 0
    place, version = import_in(venv).split()
    assert Path(place).is_relative_to(venv)
    assert (Path(place).with_name("py.typed").exists(), version) == (True, __version__)


def test_what_is_not_an_environment_is_refused(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    code, _, error = run(capsys, "--venv", tmp_path)
    assert (code, list(tmp_path.iterdir())) == (1, [])
    assert f"Create one: python3 -m venv {tmp_path}" in error


def test_an_environment_with_dayhand_itself_is_left_alone(capsys: pytest.CaptureFixture[str], venv: Path) -> None:
    (packages,) = venv.glob("lib/python*/site-packages")
    (packages / "dayhand-0.1.0.dist-info").mkdir()
    code, _, error = run(capsys, "--venv", venv)
    assert (code, "contains Dayhand itself" in error) == (1, True)
    assert not (packages / "dayhand").exists()


def test_the_wheel_lists_every_file_that_it_holds(tmp_path: Path) -> None:
    import zipfile

    with zipfile.ZipFile(write_wheel(tmp_path)) as archive:
        record = archive.read(f"dayhand_sdk-{__version__}.dist-info/RECORD").decode()
        assert sorted(archive.namelist()) == sorted(line.split(",")[0] for line in record.splitlines())
        assert "dayhand/__init__.py" in archive.namelist()


@pytest.mark.parametrize(
    ("option", "file", "key"),
    [
        ("--vscode", ".vscode/settings.json", "python.analysis.extraPaths"),
        ("--pyright", "pyrightconfig.json", "extraPaths"),
    ],
)
def test_settings_of_an_editor_get_one_more_folder_and_keep_the_rest(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, option: str, file: str, key: str
) -> None:
    path = tmp_path / file
    assert run(capsys, option, tmp_path, "--yes")[0] == 0
    assert json.loads(path.read_text()) == {key: [FOLDER]}
    path.write_text(json.dumps({"other": "ü", key: ["/mine"]}))
    run(capsys, option, tmp_path, "--yes")
    assert json.loads(path.read_text()) == {"other": "ü", key: ["/mine", FOLDER]}
    before = path.stat().st_mtime_ns
    assert "is set up already" in run(capsys, option, tmp_path, "--yes")[1]
    assert path.stat().st_mtime_ns == before


def test_settings_with_comments_are_not_touched(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / ".vscode" / "settings.json"
    path.parent.mkdir()
    path.write_text('{\n    // mine\n    "a": 1\n}\n')
    code, _, error = run(capsys, "--vscode", tmp_path, "--yes")
    assert (code, "// mine" in path.read_text()) == (1, True)
    assert f'"python.analysis.extraPaths": ["{FOLDER}"]' in error


def test_settings_in_a_project_file_are_not_hidden_by_another_file(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    project = tmp_path / "pyproject.toml"
    project.write_text("[tool.pyright]\nstrict = ['a']\n")
    code, _, error = run(capsys, "--pyright", tmp_path, "--yes")
    assert (code, (tmp_path / "pyrightconfig.json").exists()) == (1, False)
    line = error.strip().rpartition(": ")[2]
    assert tomllib.loads(project.read_text() + line)["tool"]["pyright"]["extraPaths"] == [FOLDER]


@pytest.mark.parametrize(("typed", "is_written"), [("y", True), ("n", False)])
def test_the_change_is_shown_before_it_is_written(
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    terminal: tuple[int, int],
    typed: str,
    is_written: bool,  # noqa: FBT001
) -> None:
    user, program = terminal
    os.write(user, f"{typed}\n".encode())
    with os.fdopen(os.dup(program)) as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        code, out, _ = run(capsys, "--pyright", tmp_path)
    assert f'+        "{FOLDER}"' in out
    assert (code == 0, (tmp_path / "pyrightconfig.json").exists()) == (is_written, is_written)


def test_without_a_terminal_nothing_is_written(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    code, _, error = run(capsys, "--pyright", tmp_path)
    assert (code, list(tmp_path.iterdir())) == (1, [])
    assert "--yes" in error
