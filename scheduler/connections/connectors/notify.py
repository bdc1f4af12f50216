"""Notifications on the user's own screen, and on the channel that they gave the same name."""

from collections.abc import Callable

from scheduler.connections.connector import (
    Call,
    Connector,
    Parameter,
    ParameterKind,
    Tool,
    ToolExample,
    ToolFailedError,
)
from scheduler.rules.failures import FailureClass
from scheduler.user_text import UserText

Forward = Callable[[str, str, str, str], None]
"""Gives a script's message to the user's channels: connection, workflow, title and text."""


def notify(show: Callable[[str, str], None], forward: Forward = lambda *_: None) -> Connector:
    """The connector that shows a title and a text through `show`, and forwards them to channels by their rules."""

    def send(call: Call) -> None:
        """Done once it is handed over. `show` raises a RuntimeError while the app is quitting."""
        title, text = call.parameters["title"], call.parameters.get("text") or ""
        try:
            forward(call.connection, call.workflow, title, text)
            show(title, text)
        except RuntimeError as error:
            sentence = UserText("Notifications cannot be shown right now.")
            raise ToolFailedError.because(FailureClass.TRANSIENT, sentence) from error

    def test(_: Call) -> str:
        show("Dayhand", UserText("Notifications work."))
        return UserText("A notification was shown.")

    return Connector(
        kind="notify",
        title="Notification",
        help="Shows notifications on this computer; notify:me also on the phone connected as ntfy:me or telegram:me.",
        fields=(),
        tools=(
            Tool(
                name="send",
                may=UserText("show you notifications"),
                help=UserText("Show a notification."),
                parameters={
                    "title": Parameter(ParameterKind.TEXT, help="One short line.", editable=True),
                    "text": Parameter(ParameterKind.TEXT, required=False, help="More details.", editable=True),
                },
                example=ToolExample({"title": "Backup done", "text": "12 files"}, None),
                run=send,
                mutating=True,
                # No checker: there is no way to find out what was shown.
            ),
        ),
        test=test,
    )
