"""How a connection proves to a web server who it is, and whose certificates it believes."""

import base64
from typing import TYPE_CHECKING

from scheduler.connections.certificates import believing
from scheduler.connections.connector import Call, Field, FieldKind, ToolFailedError
from scheduler.connections.mistakes import wrong
from scheduler.rules.failures import FailureClass

if TYPE_CHECKING:
    import ssl

CERTIFICATE = Field(
    name="certificate",
    label="Certificate",
    help="A PEM file to believe beside the system's, for a server with a certificate of its own.",
    required=False,
    kind=FieldKind.PATH,
    locates=False,
)


def login_headers(call: Call) -> dict[str, str]:
    """The headers that the choice in "auth" asks for."""
    match call.settings.get("auth") or "none":
        case "basic":
            return basic(_needed(call, "user", "The user"), _needed(call, "secret", "The password"))
        case "bearer":
            return {"Authorization": f"Bearer {_needed(call, 'secret', 'The token')}"}
        case "header":
            return {call.settings.get("header") or "X-Api-Key": _needed(call, "secret", "The value of the header")}
        case "oauth2":
            return {"Authorization": f"Bearer {_needed(call, 'access_token', 'The login')}"}
    return {}


def basic(user: str, password: str) -> dict[str, str]:
    if ":" in user:
        raise wrong("A user with a colon cannot be sent to a web server. Write the user without it.")
    return {"Authorization": f"Basic {base64.b64encode(f'{user}:{password}'.encode()).decode()}"}


def password_headers(call: Call) -> dict[str, str]:
    """For a server that may want a user and password; none where no user is named."""
    user = call.settings.get("user")
    return basic(user, call.settings.get("password") or "") if user else {}


def trust(call: Call) -> "ssl.SSLContext | None":
    """Whose certificates are believed; None for those that the system believes."""
    return believing(call.settings.get("certificate"))


def _needed(call: Call, field: str, what: str) -> str:
    value = call.settings.get(field)
    if not value:
        raise ToolFailedError.because(FailureClass.AUTH, f"{what} of {call.connection} is missing. Connect it again.")
    return str(value)
