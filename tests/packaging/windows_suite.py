"""Runs the portable part of the tests in a Windows Python, and prints how many passed and why others were left out.

    python -m tests.packaging.windows_suite [PATH | PYTEST OPTION]…

Called by packaging/test --windows, which makes the machine. A test that cannot hold on Windows says so itself:
@pytest.mark.posix("reason").
"""

import subprocess
import sys
import time
import xml.etree.ElementTree as ET
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from tests.packaging.windows_machine import CLONE, PYTHON, WindowsMachine, windows_machine

FOLDERS = (
    "rules",
    "timing",
    "job_import",
    "sdk",
    "store",
    "workers",
    "engine",
    "runs",
    "library",
    "faults/test_kills.py",
    "app",
)
"""The rest tests Linux itself, or against servers that exist only there."""
LIMIT_S = 3_600
# Wine does not pass QT_* variables on.
_PYTEST = """
import os, sys
os.environ["QT_QPA_PLATFORM"] = "offscreen"
import pytest
sys.exit(pytest.main(sys.argv[1:]))
"""


@dataclass
class Results:
    """Of one folder."""

    folder: str
    seconds: float = 0
    passed: int = 0
    failed: list[str] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)
    """How many by reason."""
    problem: str = ""
    """Why there is no report."""


def run_folder(machine: WindowsMachine, folder: str, options: list[str]) -> Results:
    report = machine.drive / "report.xml"
    report.unlink(missing_ok=True)
    path = folder.replace("/", "\\")
    begun = time.monotonic()
    results = Results(folder)
    arguments = [
        "-p",
        "no:cacheprovider",
        "--continue-on-collection-errors",
        "--junitxml",
        r"C:\report.xml",
        path,
        *options,
    ]
    command = machine.line("env", "-C", "/dayhand", "wine", PYTHON, "-X", "utf8", "-c", _PYTEST)
    try:
        with subprocess.Popen([*command, *arguments, path, *options], stdin=subprocess.PIPE) as process:
            status = process.wait(LIMIT_S)
        if not report.exists():
            results.problem = f"ended with {status} and without a report"
    except subprocess.TimeoutExpired:
        process.kill()
        results.problem = f"was not finished after {LIMIT_S / 60:.0f} minutes"
    results.seconds = time.monotonic() - begun
    if report.exists():
        read_report(report, results)
    return results


def read_report(report: Path, results: Results) -> None:
    for case in ET.parse(report).iter("testcase"):  # our own
        name = f"{case.get('classname')}::{case.get('name')}"
        skipped = case.find("skipped")
        if skipped is not None:
            results.left_out[skipped.get("message", "")] += 1
        elif case.find("failure") is not None or case.find("error") is not None:
            results.failed.append(name)
        else:
            results.passed += 1


def print_table(everything: list[Results]) -> None:
    print(f"\n{'':24}{'passed':>8}{'failed':>8}{'left out':>10}{'seconds':>9}")
    for one in everything:
        left_out = one.left_out.total()
        print(f"{one.folder:24}{one.passed:8}{len(one.failed):8}{left_out:10}{one.seconds:9.0f}  {one.problem}")
    reasons: Counter[str] = sum((one.left_out for one in everything), Counter())
    print("\nLeft out:")
    for reason, count in reasons.most_common():
        print(f"{count:6}  {reason}")
    for one in everything:
        for name in one.failed:
            print(f"FAILED {name}")


def main() -> int:
    given = sys.argv[1:]
    paths = [argument for argument in given if (CLONE / argument.partition("::")[0]).exists()]
    options = [argument for argument in given if argument not in paths]
    with windows_machine() as machine:
        everything = []
        for folder in paths or [f"tests/{name}" for name in FOLDERS]:
            print(f"\n== {folder}", flush=True)
            everything.append(run_folder(machine, folder, options))
    print_table(everything)
    return 1 if any(one.failed or one.problem for one in everything) else 0


if __name__ == "__main__":
    sys.exit(main())
