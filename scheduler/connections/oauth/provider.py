"""The OAuth settings of a connector's service. Values only."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from scheduler.connections.connector import Call


@dataclass(frozen=True, slots=True, kw_only=True)
class OAuth:
    """Where to sign in and with which scopes; the addresses depend on the connection's settings.

    The settings `client_id` and `client_secret` identify the client; the secret is optional.
    """

    authorize_url: Callable[[Mapping[str, Any]], str]
    token_url: Callable[[Mapping[str, Any]], str]
    account: "Callable[[Call], str]"
    """The name of the signed-in account, such as an address or workspace; the call's settings hold the access token."""
    scopes: tuple[str, ...] = ()
    extra_scopes: Callable[[Mapping[str, Any]], tuple[str, ...]] = lambda _: ()
    """Scopes that the user added in the settings."""
    is_needed: Callable[[Mapping[str, Any]], bool] = lambda _: True
    """Whether these settings require signing in; saved secrets are not among them."""
    scope_separator: str = " "
    """Between scopes."""
    extra_parameters: Mapping[str, str] = field(default_factory=dict)
    """Additional parameters of the authorize address."""
    account_hint_parameter: str | None = None
    """The parameter of that address that names the account to sign in with, if it has one."""
