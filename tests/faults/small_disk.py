"""A small disk that can be filled, emptied and made read-only."""

import os
import subprocess
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path


@dataclass
class SmallDisk:
    path: Path

    def fill(self) -> None:
        """To the last byte."""
        with suppress(OSError), (self.path / "filler").open("ab", buffering=0) as file:
            while file.write(bytes(1 << 16)):
                pass
        with suppress(OSError), (self.path / "filler").open("ab", buffering=0) as file:
            while file.write(b"0"):
                pass
        room = os.statvfs(self.path)
        assert room.f_bavail == 0, "the disk is not full"

    def make_room(self) -> None:
        (self.path / "filler").unlink()

    def forbid_writing(self) -> None:
        subprocess.run(["mount", "-o", "remount,ro", str(self.path)], check=True)
