"""Paths of scripts stay inside the folder of their connection, whatever they are and wherever links lead."""

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from scheduler.connections.connector import ToolFailedError
from scheduler.connections.connectors.files.actions import delete, move, write
from scheduler.connections.connectors.folder import place_in, root_of
from scheduler.rules.failures import FailureClass
from tests.connections.calls import call

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
    """A folder with links that lead out, in circles, to itself and to a sibling whose name begins like its own."""
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
def test_no_path_leads_out(tree: Path, path: str, follow: bool) -> None:  # noqa: FBT001
    with suppress(ToolFailedError):
        place = place_in(tree, path, follow=follow)
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
def test_a_path_that_leads_out_is_a_mistake_of_the_script(tree: Path, path: str) -> None:
    with pytest.raises(ToolFailedError) as refused:
        place_in(tree, path, follow=True)
    assert refused.value.failure.kind is FailureClass.LOGIC


def test_links_inside_are_followed(tree: Path) -> None:
    assert place_in(tree, "self/b/deep", follow=True) == tree / "a/b/deep"


def test_a_link_at_the_end_may_be_meant_itself(tree: Path) -> None:
    assert place_in(tree, "out", follow=False) == tree / "out"


def test_a_folder_on_a_disk_that_is_not_connected_may_come_back(tmp_path: Path) -> None:
    for path in (tmp_path / "gone", "~nobody-has-this-name/x"):
        with pytest.raises(ToolFailedError, match="Connect its disk") as refused:
            root_of(call({"path": str(path)}))
        assert refused.value.failure.kind is FailureClass.TRANSIENT


def test_the_home_of_the_person_may_be_written_as_a_tilde(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "x").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path))
    assert root_of(call({"path": "~/x"})) == tmp_path / "x"
