"""The command line: reads arguments, calls one verb, prints its answer."""

import argparse
from collections.abc import Sequence

from scheduler import __version__


def run(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="dayhand", description="Runs your recurring chores on time, and asks first.")
    parser.add_argument("--version", action="version", version=f"dayhand {__version__}")
    parser.parse_args(arguments)
    return 0
