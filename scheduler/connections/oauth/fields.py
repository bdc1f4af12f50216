"""The fields of every connection that signs in through the browser."""

from scheduler.connections.connector import Field


def sign_in_fields(
    where: str, *, required: bool = True, when: tuple[str, tuple[str, ...]] | None = None
) -> tuple[Field, ...]:
    """Which app asks, and for whom; `where` says in a sentence where a person gets such an app."""
    return (
        Field(name="client_id", label="Client ID", help=where, required=required, when=when, locates=False),
        Field(
            name="client_secret",
            label="Client secret",
            help="Shown beside the client ID; some apps have none.",
            secret=True,
            required=False,
            when=when,
        ),
        Field(name="account", label="Account", help="Who signs in; filled in when you do.", required=False, when=when),
    )
