"""Where a command finds the secrets it was given: paths in its environment, each of which can be read once."""

import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from scheduler.user_text import UserText

_MAX_SECRET_BYTES = 32_768
"""A secret is written before anyone reads it."""


@dataclass(frozen=True, slots=True)
class SecretPlaces:
    variables: Mapping[str, str]
    """By environment variable, the path."""
    descriptors: tuple[int, ...] = ()
    """Open files that the command inherits."""
    serve: "Callable[[subprocess.Popen[bytes]], None]" = lambda _: None
    """Called with the process that may read them."""


def encode_secret(secret: str) -> bytes:
    data = secret.encode()
    if len(data) > _MAX_SECRET_BYTES:
        raise ValueError(UserText("the secret is too long to pass to it"))
    return data
