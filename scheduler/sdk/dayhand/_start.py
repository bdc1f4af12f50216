"""Starts the loop in whatever Python the author chose, with nothing of ours on its path but `dayhand`.

This file must be readable by older Pythons, so that they can say that they are too old.
"""

import os
import sys


def start() -> int:
    """Import the package beside this file under its name, and serve."""
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
