"""Prints the process ids of the programs in a folder, run by test_windows.py: windows_programs.py FOLDER."""

import importlib.util
import sys
from pathlib import Path

spec = importlib.util.spec_from_file_location("steps", Path(__file__).parents[2] / "packaging" / "windows" / "steps.py")
assert spec is not None and spec.loader is not None
steps = importlib.util.module_from_spec(spec)
spec.loader.exec_module(steps)
sys.stdout.write("".join(f"{pid}\n" for pid in steps.list_processes(Path(sys.argv[1]))))
