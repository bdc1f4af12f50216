"""One secret that the keyring keeps for commands of jobs: a passphrase, a token. No script ever sees it."""

from typing import Any

from scheduler.connections.connector import Call, Connector, Field, Tool, ToolFailedError
from scheduler.rules.failures import FailureClass
from scheduler.rules.handing_over import HAND_OVER

FIELD = "secret"


def _refuse(call: Call) -> Any:
    raise ToolFailedError.because(
        FailureClass.LOGIC,
        f"Scripts never see the secret of {call.connection}. Hand it to a command: "
        f'ctx.run([…], secrets={{"PASSWORD_FILE": "{call.connection}"}}).',
    )


def _test(call: Call) -> str:
    return f"The keyring keeps the secret of {call.connection}; there is nothing to try it with."


def _make(kind: str, title: str, help_line: str, label: str) -> Connector:
    return Connector(
        kind=kind,
        title=title,
        help=help_line,
        fields=(Field(name=FIELD, label=label, secret=True, help="Kept in the keyring of this computer only."),),
        tools=(
            Tool(
                name=HAND_OVER,
                may="hand the secret {name} to commands",
                help="Hand the secret to a command.",
                parameters={},
                run=_refuse,
            ),
        ),
        test=_test,
    )


secret = _make("secret", "Secret", "A passphrase or token that commands of jobs read from a pipe.", "Secret")
restic = _make("restic", "Restic", "The password of a restic repository, for backups that jobs make.", "Password")
