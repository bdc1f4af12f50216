"""Renders the application icon in the sizes that desktops need.

python packaging/icons.py SVG FOLDER writes FOLDER/16.png … FOLDER/512.png and FOLDER/dayhand.ico.
"""  # noqa: INP001  not a package: it would hide the PyPI package of that name

import struct
import sys
from pathlib import Path

from PySide6.QtCore import QBuffer, QByteArray
from PySide6.QtGui import QGuiApplication, QImage, QPainter
from PySide6.QtSvg import QSvgRenderer

SIZES = (16, 22, 24, 32, 48, 64, 128, 256, 512)
_WINDOWS = (16, 24, 32, 48, 64, 256)


def draw(svg: Path, size: int) -> bytes:
    """Render the SVG as PNG."""
    image = QImage(size, size, QImage.Format.Format_ARGB32)
    image.fill(0)
    painter = QPainter(image)
    QSvgRenderer(str(svg)).render(painter)
    painter.end()
    written = QByteArray()
    buffer = QBuffer(written)
    buffer.open(QBuffer.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")  # type: ignore[call-overload]  the stubs want bytes, Qt wants str
    return bytes(written.data())


def write_ico(pictures: dict[int, bytes]) -> bytes:
    """Several PNGs as one Windows icon."""
    head, body = struct.pack("<HHH", 0, 1, len(pictures)), b""
    start = len(head) + 16 * len(pictures)
    for size, png in pictures.items():
        head += struct.pack("<BBBBHHII", size % 256, size % 256, 0, 0, 1, 32, len(png), start + len(body))
        body += png
    return head + body


def write_all(svg: Path, folder: Path) -> None:
    app = QGuiApplication.instance() or QGuiApplication(["icons", "-platform", "offscreen"])
    folder.mkdir(parents=True, exist_ok=True)
    pictures = {size: draw(svg, size) for size in SIZES}
    for size, png in pictures.items():
        (folder / f"{size}.png").write_bytes(png)
    (folder / "dayhand.ico").write_bytes(write_ico({size: pictures[size] for size in _WINDOWS}))
    del app


if __name__ == "__main__":
    write_all(Path(sys.argv[1]), Path(sys.argv[2]))
