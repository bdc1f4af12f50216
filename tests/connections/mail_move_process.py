"""Move messages in separate processes, which tests kill in the middle.

Each line on its input is the settings and the parameters of one move as JSON. For each it says which process makes it,
and then how that ended.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from scheduler.connections.connectors.mail.imap import imap
from tests.connections.tool_calls import call, tool_of

ROOT = Path(__file__).parents[2]


class Mover:
    """Starts this module as a process that moves one message after the other."""

    def __init__(self) -> None:
        command = [sys.executable, "-m", "tests.connections.mail_move_process"]
        self._process = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def start(self, settings: dict[str, Any], **parameters: Any) -> int:
        """Returns the id of the process; call `wait` afterwards."""
        assert self._process.stdin is not None and self._process.stdout is not None
        print(json.dumps([settings, parameters]), file=self._process.stdin, flush=True)
        return int(self._process.stdout.readline())

    def wait(self) -> int:
        """0 if it moved the message, or minus the signal that killed it."""
        assert self._process.stdout is not None
        return int(self._process.stdout.readline())

    def close(self) -> None:
        self._process.communicate()


def main() -> None:
    for line in sys.stdin:
        settings, parameters = json.loads(line)
        child = os.fork()
        if child == 0:
            code = 1
            try:
                tool_of(imap, "move").run(call(settings, key="k", **parameters))
                code = 0
            finally:
                os._exit(code)
        print(child, flush=True)  # noqa: T201  the process's result
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)  # noqa: T201  as above


if __name__ == "__main__":
    main()
