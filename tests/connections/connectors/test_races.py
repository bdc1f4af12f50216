"""Somebody else may write in the folder too: who swaps a folder for a link in the moment between gains nothing."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from scheduler.connections.connector import ToolFailedError
from scheduler.connections.connectors.files import actions
from scheduler.connections.connectors.files import connector as reading
from scheduler.connections.connectors.files.connector import files
from scheduler.connections.connectors.http import connector as downloading
from scheduler.connections.connectors.http.connector import http
from tests.connections.calls import call, tool_of
from tests.connections.web_servers import Reply, web


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    place = tmp_path / "outside"
    place.mkdir()
    (place / "file").write_text("private")
    return place


@pytest.fixture
def root(tmp_path: Path, outside: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder in which "sub" becomes a link that leads out as soon as a path in it was looked at."""
    root = tmp_path / "root"
    (root / "sub").mkdir(parents=True)
    (root / "sub" / "file").write_text("public")
    (root / "other").write_text("mine")

    def swapping(look: Callable[..., Path]) -> Callable[..., Path]:
        def look_and_swap(*args: Any, **more: Any) -> Path:
            found = look(*args, **more)
            if "sub" in found.parts and not (root / "sub").is_symlink():
                (root / "sub").rename(root / "was")
                (root / "sub").symlink_to(outside)
            return found

        return look_and_swap

    for module in (actions, reading, downloading):
        monkeypatch.setattr(module, "place_in", swapping(module.place_in))
    return root


@pytest.mark.parametrize(
    ("tool", "parameters"),
    [
        ("read", {"path": "sub/file"}),
        ("write", {"path": "sub/new", "text": "x"}),
        ("write", {"path": "sub/file", "text": "x", "overwrite": True}),
        ("write", {"path": "sub/deeper/new", "text": "x"}),
        ("delete", {"path": "sub/file"}),
        ("move", {"source": "sub/file", "target": "mine"}),
        ("move", {"source": "other", "target": "sub/other"}),
    ],
)
def test_files_stay_inside(root: Path, outside: Path, tool: str, parameters: dict[str, Any]) -> None:
    with pytest.raises(ToolFailedError):
        tool_of(files, tool).run(call({"path": str(root)}, "k", **parameters))
    assert {place.name: place.read_text() for place in outside.iterdir()} == {"file": "private"}
    assert (root / "other").read_text() == "mine" and not (root / "mine").exists()


def test_downloads_stay_inside(root: Path, outside: Path) -> None:
    with web(lambda _: Reply(body=b"x")) as server:
        settings = {"base_url": server.url, "auth": "none", "folder": str(root)}
        with pytest.raises(ToolFailedError):
            tool_of(http, "download").run(call(settings, path="a", name="sub/file"))
    assert {place.name: place.read_text() for place in outside.iterdir()} == {"file": "private"}
