"""The pictures of the README exist, are small, and are all used."""

import re
from pathlib import Path

import pytest
from PySide6.QtGui import QImage

ROOT = Path(__file__).parents[2]
SHOWN = sorted(set(re.findall(r'(?:src|srcset)="(resources/pictures/[^"]+)"', (ROOT / "README.md").read_text())))


def test_the_readme_shows_every_picture_in_light_and_dark() -> None:
    assert [
        f"resources/pictures/{name}-{theme}.png" for name in ("today", "workflow") for theme in ("dark", "light")
    ] == SHOWN
    assert sorted(str(path.relative_to(ROOT)) for path in (ROOT / "resources/pictures").iterdir()) == SHOWN


@pytest.mark.parametrize("name", SHOWN)
def test_every_picture_shows_a_window_and_is_small(name: str) -> None:
    image = QImage(str(ROOT / name))
    assert (image.width(), image.height()) == (1180, 880)
    assert (ROOT / name).stat().st_size < 150_000
    is_dark = image.pixelColor(600, 870).lightness() < 128
    assert is_dark == name.endswith("-dark.png")
