"""Paths of scripts stay inside the folder of the connection, whatever links exist."""

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from scheduler.connections.connector import ToolFailedError
from scheduler.connections.connectors.files.actions import delete, move, write
from scheduler.connections.connectors.folder import resolve_path, resolve_root
from scheduler.file_system.windows_names import find_name_mistake
from scheduler.rules.failures import FailureClass
from tests.connections.tool_calls import call

PARTS = [
    "..",
    ".",
    "",
    "a",
    "b",
    "deep",
    "out",
    "self",
    "loop",
    "beside",
    "up",
    "secret.txt",
    "new",
    "\0",
    "é",
    "~",
    "x" * 300,
]
paths = st.builds(
    "{}{}".format, st.sampled_from(["", "", "", "/", "//"]), st.lists(st.sampled_from(PARTS)).map("/".join)
)


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with links that lead out, in circles, to itself and to a sibling whose name has the same prefix."""
    base = tmp_path_factory.mktemp("tree")
    root = base / "root"
    (root / "a/b/deep").mkdir(parents=True)
    (base / "root-beside").mkdir()
    for place in (base, root / "a", base / "root-beside"):
        (place / "secret.txt").write_text("secret")
    links = {
        "out": base,
        "self": root,
        "loop": root / "loop",
        "beside": base / "root-beside",
        "a/up": Path("../.."),
        "a/b/out": base / "secret.txt",
        "b": root / "a/b",
    }
    for name, target in links.items():
        (root / name).symlink_to(target)
    yield root
    (root / "loop").unlink()


@given(path=paths | st.text(), follow=st.booleans())
@settings(max_examples=400, deadline=None)
def test_no_path_resolves_outside_the_folder(tree: Path, path: str, follow: bool) -> None:  # noqa: FBT001
    with suppress(ToolFailedError):
        place = resolve_path(tree, path, follow=follow)
        real = Path(os.path.realpath(place if follow else place.parent))
        assert real == tree or tree in real.parents


@given(path=paths)
@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_nothing_outside_is_ever_changed(tree: Path, path: str) -> None:
    here = {"path": str(tree)}
    with suppress(ToolFailedError):
        write(call(here, "k", path=path, text="new", overwrite=True))
    with suppress(ToolFailedError):
        move(call(here, "k", source="a/secret.txt", target=path))
        move(call(here, "k", source=path, target="a/secret.txt"))
    with suppress(ToolFailedError):
        if path.strip("./") not in ("a", "a/secret.txt"):
            delete(call(here, "k", path=path + "/new"))
    base = tree.parent
    assert sorted(place.name for place in base.iterdir()) == ["root", "root-beside", "secret.txt"]
    assert [place.read_text() for place in (base / "secret.txt", base / "root-beside/secret.txt")] == ["secret"] * 2
    assert [place.name for place in (base / "root-beside").iterdir()] == ["secret.txt"]


@pytest.mark.parametrize(
    "path", ["../secret.txt", "/etc/passwd", "out/secret.txt", "a/b/out", "beside/secret.txt", "loop", "", "."]
)
def test_a_path_outside_the_folder_is_a_logic_error(tree: Path, path: str) -> None:
    with pytest.raises(ToolFailedError) as refused:
        resolve_path(tree, path, follow=True)
    assert refused.value.failure.kind is FailureClass.LOGIC


def test_links_inside_are_followed(tree: Path) -> None:
    assert resolve_path(tree, "self/b/deep", follow=True) == tree / "a/b/deep"


def test_a_final_link_is_not_followed_on_request(tree: Path) -> None:
    assert resolve_path(tree, "out", follow=False) == tree / "out"


def test_a_missing_folder_is_a_transient_error(tmp_path: Path) -> None:
    for path in (tmp_path / "gone", "~nobody-has-this-name/x"):
        with pytest.raises(ToolFailedError, match="Connect its disk") as refused:
            resolve_root(call({"path": str(path)}))
        assert refused.value.failure.kind is FailureClass.TRANSIENT


def test_a_tilde_means_the_home_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "x").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path))
    assert resolve_root(call({"path": "~/x"})) == tmp_path / "x"


def test_a_name_that_the_system_refuses_is_refused_with_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("scheduler.connections.connectors.folder.find_name_mistake", find_name_mistake)
    with pytest.raises(ToolFailedError, match='The name "50% off\\?" contains \\?, which Windows does not allow'):
        resolve_path(tmp_path, "notes/50% off?", follow=True)
    with pytest.raises(ToolFailedError, match="does not allow in names"):
        resolve_path(tmp_path, "..\\secret.txt", follow=False)
