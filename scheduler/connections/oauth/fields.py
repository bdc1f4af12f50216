"""The fields of connections that sign in through the browser."""

from scheduler.connections.connector import Field


def sign_in_fields(
    where: str, *, required: bool = True, when: tuple[str, tuple[str, ...]] | None = None
) -> tuple[Field, ...]:
    """Client and account fields; `where` is a sentence that says where to get a client ID."""
    return (
        Field(name="client_id", label="Client ID", help=where, required=required, when=when, is_endpoint=False),
        Field(
            name="client_secret",
            label="Client secret",
            help="Shown next to the client ID; some apps have none.",
            secret=True,
            required=False,
            when=when,
        ),
        Field(name="account", label="Account", help="Filled in when you sign in.", required=False, when=when),
    )
