"""A certificate file that a person chose for a server of their own."""

from pathlib import Path
from typing import TYPE_CHECKING

from scheduler.connections.disk import explained
from scheduler.connections.mistakes import wrong

if TYPE_CHECKING:
    import ssl


def believing(chosen: str | None) -> "ssl.SSLContext | None":
    """Whose certificates are believed beside those that the system believes; None for nobody's."""
    if not chosen:
        return None
    from ssl import SSLError  # noqa: PLC0415  costs the start of the app

    from scheduler.connections.trust import trusting  # noqa: PLC0415  as above

    with explained(chosen):
        try:
            return trusting(Path(chosen).expanduser())
        except (SSLError, RuntimeError) as error:
            raise wrong(f"{chosen} is not a certificate. Choose a PEM file.") from error
