"""The command-line options of `./packaging/bench`."""

import argparse
from collections.abc import Sequence

PARTS = ("cron", "missed", "add", "stored", "late", "runs", "scale", "desktop", "frozen", "window", "idle")


def read_options(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="packaging/bench", description="Measure Dayhand beside its peers.")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    parser.add_argument(
        "--only", action="append", choices=PARTS, metavar="PART", help=f"{', '.join(PARTS)}; may be repeated"
    )
    parser.add_argument("--idle-seconds", type=int, default=130)
    return parser.parse_args(arguments)
