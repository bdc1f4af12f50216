"""A secret in the keyring, such as a passphrase or token, for the commands of jobs. Scripts never see it."""

from typing import Any

from scheduler.connections.connector import Call, Connector, Field, Tool, ToolFailedError
from scheduler.rules.failures import FailureClass
from scheduler.rules.script_limits import HAND_OVER_TOOL
from scheduler.user_text import UserText

SECRET_FIELD = "secret"  # noqa: S105  the name of a field


def _refuse(call: Call) -> Any:
    raise ToolFailedError.because(
        FailureClass.LOGIC,
        UserText(
            "Scripts cannot read the secret of {connection}. Pass it to a command: ctx.run([…], "
            'secrets={"PASSWORD_FILE": "{connection}"}).',
            connection=call.connection,
        ),
    )


def _test(call: Call) -> str:
    return UserText(
        "The secret of {connection} is in the keyring. There is nothing to test it against.", connection=call.connection
    )


def _make(kind: str, title: str, help_line: str, label: str) -> Connector:
    return Connector(
        kind=kind,
        title=title,
        help=help_line,
        fields=(
            Field(name=SECRET_FIELD, label=label, secret=True, help="Stored only in the keyring of this computer."),
        ),
        tools=(
            Tool(
                name=HAND_OVER_TOOL,
                may=UserText("pass the secret {name} to commands"),
                help=UserText("Pass the secret to a command."),
                parameters={},
                run=_refuse,
            ),
        ),
        test=_test,
    )


secret = _make(
    "secret", "Secret", UserText("A passphrase or token for the commands of jobs, passed through a pipe."), "Secret"
)
restic = _make("restic", "Restic", UserText("The password of a restic repository, for backup jobs."), "Password")
