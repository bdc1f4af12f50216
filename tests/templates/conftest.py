from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.connections.radicale_server import PASSWORD
from tests.templates.template_runtime import TemplateRuntime, open_template_runtime


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[TemplateRuntime]:
    secrets = {"imap:home": {"password": "imap"}, "caldav:calendar": {"password": PASSWORD}}
    with open_template_runtime(tmp_path, monkeypatch, secrets) as made:
        yield made
