"""Another program that replaces a folder with a link during an action cannot redirect it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from scheduler.connections.connector import ToolFailedError
from scheduler.connections.connectors.files import actions
from scheduler.connections.connectors.files import connector as files_connector
from scheduler.connections.connectors.files.connector import files
from scheduler.connections.connectors.http import connector as http_connector
from scheduler.connections.connectors.http.connector import http
from tests.connections.tool_calls import call, tool_of
from tests.connections.web_servers import Reply, http_server


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    place = tmp_path / "outside"
    place.mkdir()
    (place / "file").write_text("private")
    return place


@pytest.fixture
def root(tmp_path: Path, outside: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder in which "sub" becomes a link to the outside as soon as a path in it was resolved."""
    root = tmp_path / "root"
    (root / "sub").mkdir(parents=True)
    (root / "sub" / "file").write_text("public")
    (root / "other").write_text("mine")

    def swap_after(resolve: Callable[..., Path]) -> Callable[..., Path]:
        def resolve_and_swap(*args: Any, **more: Any) -> Path:
            path = resolve(*args, **more)
            if "sub" in path.parts and not (root / "sub").is_symlink():
                (root / "sub").rename(root / "was")
                (root / "sub").symlink_to(outside)
            return path

        return resolve_and_swap

    for module in (actions, files_connector, http_connector):
        monkeypatch.setattr(module, "resolve_path", swap_after(module.resolve_path))
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
def test_file_tools_stay_inside_the_folder(root: Path, outside: Path, tool: str, parameters: dict[str, Any]) -> None:
    with pytest.raises(ToolFailedError):
        tool_of(files, tool).run(call({"path": str(root)}, "k", **parameters))
    assert {place.name: place.read_text() for place in outside.iterdir()} == {"file": "private"}
    assert (root / "other").read_text() == "mine" and not (root / "mine").exists()


def test_downloads_stay_inside_the_folder(root: Path, outside: Path) -> None:
    with http_server(lambda _: Reply(body=b"x")) as server:
        settings = {"base_url": server.url, "auth": "none", "folder": str(root)}
        with pytest.raises(ToolFailedError):
            tool_of(http, "download").run(call(settings, path="a", name="sub/file"))
    assert {place.name: place.read_text() for place in outside.iterdir()} == {"file": "private"}
