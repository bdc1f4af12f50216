"""The programs that run from a folder on Windows: windows_programs.py FOLDER prints their process ids."""

import importlib.util
import sys
from pathlib import Path

STEPS = Path(__file__).parents[2] / "packaging" / "windows" / "steps.py"


def list_programs(folder: Path) -> list[int]:
    """As the installer finds them; without this process."""
    spec = importlib.util.spec_from_file_location("steps", STEPS)
    assert spec is not None and spec.loader is not None
    steps = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(steps)
    return list(steps.list_processes(folder))


if __name__ == "__main__":
    sys.stdout.write("".join(f"{pid}\n" for pid in list_programs(Path(sys.argv[1]))))
