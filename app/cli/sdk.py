"""`sdk`: where the package that scripts import is, and how an author's editor finds it. Needs no app and no data."""

import base64
import difflib
import hashlib
import json
import subprocess
import sys
import tempfile
import zipfile
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import dayhand

from app.cli.command import Command, CommandResult
from app.widgets.visible_text import escape_invisible
from scheduler import __version__
from scheduler.engine.errors import RefusedError
from scheduler.workers.environments import find_uv

PACKAGE = Path(dayhand.__file__).parent
_DISTRIBUTION = "dayhand_sdk"
_VSCODE_KEY = "python.analysis.extraPaths"
_PYRIGHT_KEY = "extraPaths"
_DESCRIPTION = """Show where the package that scripts import is: "import dayhand".

With --venv it is installed into a virtual environment, so that your editor, your type checker and your tests find it;
run it again after an update of Dayhand. With --vscode or --pyright the settings of your editor are changed instead: you
see the change first."""


def _arguments(parser: ArgumentParser) -> None:
    parser.description = _DESCRIPTION
    choice = parser.add_mutually_exclusive_group()
    choice.add_argument("--venv", type=Path, metavar="DIR", help="install it into this virtual environment")
    choice.add_argument(
        "--vscode", type=Path, metavar="DIR", nargs="?", const=Path(), help="set up VS Code for the scripts in DIR"
    )
    choice.add_argument(
        "--pyright",
        type=Path,
        metavar="DIR",
        nargs="?",
        const=Path(),
        help="set up pyright, and editors that use it, for the scripts in DIR",
    )
    parser.add_argument("--yes", action="store_true", help="do not show the change and ask")


def _sdk(options: Namespace) -> CommandResult:
    if options.venv is not None:
        return _install(options.venv)
    if options.vscode is not None:
        return _set_up(options, options.vscode / ".vscode" / "settings.json", _VSCODE_KEY)
    if options.pyright is not None:
        _refuse_other_settings(options.pyright)
        return _set_up(options, options.pyright / "pyrightconfig.json", _PYRIGHT_KEY)
    return CommandResult(
        {"folder": str(PACKAGE.parent), "package": str(PACKAGE), "version": __version__}, _render_place
    )


def _render_place(answer: dict[str, Any]) -> Iterator[str]:
    yield answer["package"]
    yield ""
    yield "Install it into a virtual environment: dayhand sdk --venv .venv"
    yield "Use it in VS Code: dayhand sdk --vscode"
    yield "Use it in an editor with pyright: dayhand sdk --pyright"
    yield f"Check types with mypy: MYPYPATH={answer['folder']} mypy FILE"


def _install(place: Path) -> CommandResult:
    """As a wheel made from the files that scripts really run with."""
    if not (place / "pyvenv.cfg").is_file():
        raise RefusedError("venv", f"{place} is not a virtual environment. Create one: python3 -m venv {place}")
    if any(found for pattern in ("lib/python*", "Lib") for found in place.glob(f"{pattern}/site-packages/dayhand-*")):
        raise RefusedError("venv", f"{place} contains Dayhand itself, so scripts can import dayhand there already.")
    uv = find_uv()
    if uv is None:
        raise RefusedError("uv", "uv, which installs packages, was not found. Install uv, then try again.")
    with tempfile.TemporaryDirectory() as folder:
        wheel = write_wheel(Path(folder))
        done = subprocess.run(  # noqa: S603  a list, never a shell
            [uv, "--no-config", "pip", "install", "--offline", "--no-deps", "--reinstall", "--python", place, wheel],
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
        )
    if done.returncode:
        raise RefusedError("venv", f"It could not be installed into {place}: {' '.join(done.stderr.split())}")
    answer = {"venv": str(place.absolute()), "version": __version__}
    return CommandResult(answer, lambda _: [f"dayhand {__version__} is installed in {place}; scripts can import it."])


def write_wheel(folder: Path) -> Path:
    """The package as a wheel that any installer accepts."""
    info = f"{_DISTRIBUTION}-{__version__}.dist-info"
    sources = sorted(path for path in PACKAGE.iterdir() if path.suffix == ".py" or path.name == "py.typed")
    files = {f"dayhand/{path.name}": path.read_bytes() for path in sources}
    files[f"{info}/METADATA"] = (
        f"Metadata-Version: 2.1\nName: {_DISTRIBUTION}\nVersion: {__version__}\nRequires-Python: >=3.9\n"
        "Summary: What workflow scripts of Dayhand import.\n"
    ).encode()
    files[f"{info}/WHEEL"] = b"Wheel-Version: 1.0\nGenerator: dayhand\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    records = [f"{name},sha256={_hash(content)},{len(content)}" for name, content in files.items()]
    files[f"{info}/RECORD"] = "\n".join([*records, f"{info}/RECORD,,", ""]).encode()
    path = folder / f"{_DISTRIBUTION}-{__version__}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path


def _hash(content: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()


def _refuse_other_settings(folder: Path) -> None:
    """A pyrightconfig.json would replace the settings in pyproject.toml."""
    project = folder / "pyproject.toml"
    if not (folder / "pyrightconfig.json").exists() and project.is_file() and "[tool.pyright]" in project.read_text():
        raise RefusedError(
            "settings",
            f"{project} has the settings of pyright. Add this line to its [tool.pyright]: "
            f"{_PYRIGHT_KEY} = [{json.dumps(str(PACKAGE.parent))}]",
        )


def _set_up(options: Namespace, path: Path, key: str) -> CommandResult:
    """Add the folder of the package to a list in a JSON file, after showing the change."""
    before = path.read_text("utf-8") if path.exists() else ""
    settings = _parse(path, before, key)
    folder = str(PACKAGE.parent)
    if folder in settings.get(key, []):
        return CommandResult({"file": str(path), "changed": False}, lambda _: [f"{path} is set up already."])
    settings[key] = [*settings.get(key, []), folder]
    after = json.dumps(settings, indent=4, ensure_ascii=False) + "\n"
    if not options.yes:
        _confirm(options, path, before, after)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(after, "utf-8")
    except OSError as error:
        raise RefusedError("file", f"{path} could not be written: {error.strerror}.") from error
    return CommandResult({"file": str(path), "changed": True}, lambda _: [f"{path} was written."])


def _parse(path: Path, text: str, key: str) -> dict[str, Any]:
    try:
        settings = json.loads(text or "{}")
        if isinstance(settings, dict) and isinstance(settings.get(key, []), list):
            return settings
    except ValueError:
        pass
    raise RefusedError(
        "settings",
        f"{path} is not plain JSON, perhaps because of comments, so it was not changed. Add this to it: "
        f'"{key}": [{json.dumps(str(PACKAGE.parent))}]',
    )


def _confirm(options: Namespace, path: Path, before: str, after: str) -> None:
    if options.json or sys.stdin is None or not sys.stdin.isatty():
        raise RefusedError("asks", "Nothing was written: confirmation needs a terminal. Use --yes to write it anyway.")
    name = str(path)
    for line in difflib.unified_diff(before.splitlines(), after.splitlines(), name, name, lineterm=""):
        sys.stdout.write(f"{escape_invisible(line)}\n")
    if input("Write this? [y/N] ").strip().lower() not in ("y", "yes"):
        raise RefusedError("declined", "Nothing was written.")


VERBS = {"sdk": Command(_arguments, _sdk)}
