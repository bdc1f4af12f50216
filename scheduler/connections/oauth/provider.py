"""What a connector says of the service that people sign in to. Plain values; nothing acts."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from scheduler.connections.connector import Call


@dataclass(frozen=True, slots=True, kw_only=True)
class OAuth:
    """Where and for what to sign in; the addresses follow from the settings of the connection.

    The settings `client_id` and `client_secret` say which app asks; the secret may be missing.
    """

    authorize_url: Callable[[Mapping[str, Any]], str]
    token_url: Callable[[Mapping[str, Any]], str]
    account: "Callable[[Call], str]"
    """Who signed in, as people call it: an address, a workspace. The settings of the call hold the access token."""
    scopes: tuple[str, ...] = ()
    own_scopes: Callable[[Mapping[str, Any]], tuple[str, ...]] = lambda _: ()
    """Those that the person wrote into the settings."""
    wanted: Callable[[Mapping[str, Any]], bool] = lambda _: True
    """Whether the settings call for signing in; secrets that are kept already are not among them."""
    separator: str = " "
    """What stands between scopes."""
    extra: Mapping[str, str] = field(default_factory=dict)
    """What else the authorize address takes."""
    hint: str | None = None
    """Which parameter of that address names the account that should sign in, where it has one."""
