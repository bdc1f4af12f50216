"""The guide for connector authors: its example can be built, installed, found and used."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from scheduler.connections.connector import Connector
from scheduler.connections.registry import builtin_registry
from scheduler.rules.failures import FailureClass
from tests.connections.http_failures import failure
from tests.connections.tool_calls import call, tool_of
from tests.connections.web_servers import ReceivedRequest, Reply, http_server

PAGE = (Path(__file__).parents[2] / "resources" / "connectors.md").read_text()
BLOCKS = dict(re.findall(r"^```(\w+)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL))


@pytest.fixture
def lamp(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Connector]:
    project = tmp_path / "project"
    project.mkdir()
    (project / "dayhand_lamp.py").write_text(BLOCKS["python"])
    (project / "pyproject.toml").write_text(BLOCKS["toml"])
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-build-isolation", "--no-deps"]
    place = tmp_path / "data" / "dayhand" / "connectors"
    subprocess.run([*pip, "--target", str(place), str(project)], check=True)
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    registry = builtin_registry(lambda *_: None)
    assert registry.warnings == ()
    yield registry.connector("lamp")
    sys.modules.pop("dayhand_lamp", None)


def test_the_example_is_built_installed_and_used(lamp: Connector) -> None:
    shines = [False]

    def answer(request: ReceivedRequest) -> Reply:
        if request.headers["Authorization"] != "Bearer right":
            return Reply(401)
        if request.method == "PUT":
            shines[0] = json.loads(request.body)["on"]
        return Reply(body=json.dumps({"on": shines[0]}).encode())

    with http_server(answer) as server:
        settings = {"address": server.url, "token": "right"}
        assert lamp.test(call(settings)) == "The lamp is off."
        assert tool_of(lamp, "switch").run(call(settings, "key", on=True)) == {"on": True}
        assert tool_of(lamp, "state").run(call(settings)) == {"on": True}
        check = tool_of(lamp, "switch").check
        assert check is not None
        assert check(call(settings, "key", on=True)).happened and not check(call(settings, "key", on=False)).happened
        assert [request.headers["Idempotency-Key"] for request in server.requests[:2]] == ["none", "key"]
        refused = failure(lambda: lamp.test(call({**settings, "token": "wrong"})))
        assert refused.kind is FailureClass.AUTH


def test_every_class_of_failure_that_a_connector_may_raise_is_explained() -> None:
    classes = set(re.findall(r"^\| `([A-Z]+)` \|", PAGE, re.MULTILINE))
    assert classes == {kind.name for kind in FailureClass} - {"INTERNAL"}
