"""Tell the person something: a notification on their own screen."""

from collections.abc import Callable

from scheduler.connections.connector import Call, Connector, Parameter, ParameterKind, Tool, ToolFailedError
from scheduler.rules.failures import FailureClass


def notify(tell: Callable[[str, str], None]) -> Connector:
    """The connector that shows a title and a text through `tell`."""

    def send(call: Call) -> None:
        """Done when it is handed over. What takes it says with a RuntimeError that it is about to end."""
        try:
            tell(call.parameters["title"], call.parameters.get("text") or "")
        except RuntimeError as error:
            sentence = "Notifications cannot be shown right now."
            raise ToolFailedError.because(FailureClass.TRANSIENT, sentence) from error

    def test(_: Call) -> str:
        tell("Dayhand", "Notifications arrive.")
        return "A notification was shown."

    return Connector(
        kind="notify",
        title="Notification",
        help="Shows notifications on this computer.",
        fields=(),
        tools=(
            Tool(
                name="send",
                may="show you notifications",
                help="Show a notification.",
                parameters={
                    "title": Parameter(ParameterKind.TEXT, help="One short line."),
                    "text": Parameter(ParameterKind.TEXT, required=False, help="What else there is to say."),
                },
                run=send,
                mutating=True,
                # Nothing acts late on this computer, and nobody can ask a screen what was on it.
            ),
        ),
        test=test,
    )
