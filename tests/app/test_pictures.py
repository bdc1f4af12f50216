"""The pictures of the README: there, small, and those that it shows."""

import re
from pathlib import Path

import pytest
from PySide6.QtGui import QImage

ROOT = Path(__file__).parents[2]
SHOWN = sorted(set(re.findall(r'(?:src|srcset)="(resources/pictures/[^"]+)"', (ROOT / "README.md").read_text())))


def test_the_readme_shows_each_in_light_and_dark() -> None:
    assert [
        f"resources/pictures/{name}-{look}.png" for name in ("today", "workflow") for look in ("dark", "light")
    ] == SHOWN
    assert sorted(str(path.relative_to(ROOT)) for path in (ROOT / "resources/pictures").iterdir()) == SHOWN


@pytest.mark.parametrize("name", SHOWN)
def test_it_is_a_picture_of_a_window_and_not_large(name: str) -> None:
    image = QImage(str(ROOT / name))
    assert (image.width(), image.height()) == (1180, 880)
    assert (ROOT / name).stat().st_size < 150_000
    is_dark = image.pixelColor(600, 870).lightness() < 128
    assert is_dark == name.endswith("-dark.png")
