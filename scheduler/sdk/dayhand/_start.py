"""Starts the worker loop in the Python chosen by the author, with only `dayhand` on its path.

Older Pythons must be able to parse this file, so that they can report that they are too old.
"""

import os
import sys


def start() -> int:
    """Import this package as `dayhand` and run the worker loop."""
    if sys.version_info < (3, 9):
        sys.stderr.write("Python %d.%d is too old; Dayhand's scripts need 3.9 or later.\n" % sys.version_info[:2])
        return 3
    import importlib.util

    folder = os.path.dirname(os.path.abspath(__file__))
    spec = importlib.util.spec_from_file_location(
        "dayhand", os.path.join(folder, "__init__.py"), submodule_search_locations=[folder]
    )
    assert spec is not None and spec.loader is not None
    package = importlib.util.module_from_spec(spec)
    sys.modules["dayhand"] = package
    spec.loader.exec_module(package)
    from dayhand._worker import main

    main(sys.argv[1])
    return 0


if __name__ == "__main__":
    sys.exit(start())
