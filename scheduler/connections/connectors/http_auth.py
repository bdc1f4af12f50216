"""How a connection authenticates to a web server, and which certificates it trusts."""

import base64
from typing import TYPE_CHECKING

from scheduler.connections.connector import Call, Field, FieldKind, ToolFailedError
from scheduler.connections.errors import logic_failure
from scheduler.connections.tls import custom_tls_context
from scheduler.rules.failures import FailureClass
from scheduler.user_text import UserText

if TYPE_CHECKING:
    import ssl

CERTIFICATE = Field(
    name="certificate",
    label="Certificate",
    help="Extra certificate to trust (PEM), for a server with a self-signed certificate.",
    required=False,
    kind=FieldKind.PATH,
    is_endpoint=False,
)


def auth_headers(call: Call) -> dict[str, str]:
    """The headers for the method chosen in "auth"."""
    match call.settings.get("auth") or "none":
        case "basic":
            return basic_auth_headers(
                _require(call, "user", UserText("The user name")), _require(call, "secret", UserText("The password"))
            )
        case "bearer":
            return {"Authorization": f"Bearer {_require(call, 'secret', 'The token')}"}
        case "header":
            return {
                call.settings.get("header") or "X-Api-Key": _require(
                    call, "secret", UserText("The value of the header")
                )
            }
        case "oauth2":
            return {"Authorization": f"Bearer {_require(call, 'access_token', 'The sign-in')}"}
    return {}


def basic_auth_headers(user: str, password: str) -> dict[str, str]:
    if ":" in user:
        raise logic_failure(
            UserText("User names with a colon cannot be used to log in to a web server. Enter the name without it.")
        )
    return {"Authorization": f"Basic {base64.b64encode(f'{user}:{password}'.encode()).decode()}"}


def password_headers(call: Call) -> dict[str, str]:
    """Basic authentication if a user is set, otherwise no headers."""
    user = call.settings.get("user")
    return basic_auth_headers(user, call.settings.get("password") or "") if user else {}


def ssl_context(call: Call) -> "ssl.SSLContext | None":
    """The context that also trusts the user's certificate; None means the system's certificates only."""
    return custom_tls_context(call.settings.get("certificate"))


def _require(call: Call, field: str, what: str) -> str:
    value = call.settings.get(field)
    if not value:
        raise ToolFailedError.because(
            FailureClass.AUTH,
            UserText("{what} for {connection} is missing. Connect it again.", what=what, connection=call.connection),
        )
    return str(value)
