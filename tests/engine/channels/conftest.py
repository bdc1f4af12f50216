from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.engine.channels.channel_runtime import ChannelRuntime


@pytest.fixture
def runtime(tmp_path: Path) -> Iterator[ChannelRuntime]:
    runtime = ChannelRuntime(tmp_path)
    runtime.connect()
    yield runtime
    runtime.close()
