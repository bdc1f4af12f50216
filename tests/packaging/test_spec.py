"""What packaging/dayhand.spec builds on a Mac, where it was never run: here it runs with fakes for PyInstaller."""

import sys
import sysconfig
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from scheduler import __version__

SPEC = Path(__file__).parents[2] / "packaging" / "dayhand.spec"


@pytest.fixture
def bundle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    sysconfig.get_path("stdlib")  # what it finds it keeps, and on a Mac it would find nothing here
    monkeypatch.setattr(sys, "platform", "darwin")
    asked_for: list[str] = []
    for name in ("PyInstaller", "PyInstaller.utils"):
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    hooks = SimpleNamespace(collect_data_files=lambda name: asked_for.append(name) or [])
    monkeypatch.setitem(sys.modules, "PyInstaller.utils.hooks", hooks)
    made: dict[str, Any] = {"data of": asked_for}
    analysis = SimpleNamespace(binaries=[], datas=[], scripts=[], pure=[])
    given = {
        "SPECPATH": str(SPEC.parent),
        "workpath": str(tmp_path),
        "Analysis": lambda *_, **__: analysis,
        "PYZ": lambda *_: None,
        "EXE": lambda *_, **__: None,
        "COLLECT": lambda *_, **__: None,
        "BUNDLE": lambda *_, **arguments: made.update(arguments),
    }
    exec(compile(SPEC.read_text(), str(SPEC), "exec"), given)
    return made


def test_the_mac_bundle_has_windows_but_no_dock_icon(bundle: dict[str, Any]) -> None:
    assert bundle["info_plist"]["LSUIElement"] is True
    assert bundle["info_plist"]["LSBackgroundOnly"] is False


def test_the_mac_bundle_has_the_version(bundle: dict[str, Any]) -> None:
    assert (bundle["name"], bundle["version"]) == ("Dayhand.app", __version__)


def test_the_mac_bundle_includes_the_notification_library(bundle: dict[str, Any]) -> None:
    assert bundle["data of"] == ["desktop_notifier"]
