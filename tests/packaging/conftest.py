import os
from pathlib import Path

import pytest

CLONE = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def package() -> Path:
    return find_built("DAYHAND_DEB", "dayhand_*.deb")


@pytest.fixture(scope="session")
def tarball() -> Path:
    return find_built("DAYHAND_TARBALL", "dayhand-*.tar.xz")


@pytest.fixture(scope="session")
def setup() -> Path:
    return find_built("DAYHAND_SETUP", "Dayhand-*-setup.exe")


def find_built(variable: str, pattern: str) -> Path:
    """The file in the environment variable, or the newest that was built here."""
    given = os.environ.get(variable)
    files = [Path(given)] if given else sorted((CLONE / ".build" / "out").glob(pattern))
    if not files:
        pytest.skip(f"there is no {pattern}; packaging/build makes it")
    return files[-1]
