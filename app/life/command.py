"""How this very program is started once more: at login, or for a trial beside it."""

import sys
from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path

from app.keeping.folder import data_dir


def own_command() -> list[str]:
    """Whatever else is installed under its name."""
    return [sys.executable] if getattr(sys, "frozen", False) else [sys.executable, "-m", "app.main"]


def start_command(folder: Path, system: str = sys.platform) -> Sequence[str]:
    """How the session starts it, with this very folder."""
    program, *words = own_command()
    if system == "win32" and words:  # what a terminal starts there opens one of its own
        program = str(Path(program).with_name("pythonw.exe"))
    usual = folder == data_dir(Namespace(data_dir=None))
    return [program, *words, "start", "--background", *([] if usual else ["--data-dir", str(folder)])]
