"""Errors of connections, tools and the keyring, with sentences that tell the user what to do."""

from scheduler.connections.connector import ToolFailedError
from scheduler.rules.failures import Failure, FailureClass
from scheduler.user_text import UserText


class ConnectionRuleError(ValueError):
    """Invalid input; `sentence` says what is wrong and what would be accepted."""

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence)
        self.sentence = sentence


class UnknownConnectorError(ConnectionRuleError):
    """There is no connector of this kind."""


class UnknownToolError(ConnectionRuleError):
    """The connector has no tool of this name."""


class BadConnectionNameError(ConnectionRuleError):
    """Not of the form kind:name."""


class BadParametersError(ConnectionRuleError):
    """The tool does not accept these parameters."""


class BadSettingsError(ConnectionRuleError):
    """A field of a connection is missing, unknown or invalid."""


class VaultError(Exception):
    """A keyring operation failed. Unless the secrets are missing, runs wait and the user need not reconnect."""

    kind = FailureClass.TRANSIENT
    is_unavailable = True
    """Whether the keyring is unavailable for all connections."""

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence)
        self.sentence = sentence

    @property
    def failure(self) -> Failure:
        """For a run: it waits, and this does not count as a failure of its script."""
        return Failure(kind=self.kind, sentence=self.sentence, counts=False)


class VaultUnavailableError(VaultError):
    """No keyring can be reached."""

    def __init__(self) -> None:
        super().__init__(
            UserText(
                "The keyring of this computer cannot be reached, and Dayhand stores secrets nowhere else. "
                "Start the keyring, for example GNOME Keyring or KWallet, then try again."
            )
        )


class VaultLockedError(VaultError):
    """The keyring is locked and was not unlocked when asked."""

    def __init__(self) -> None:
        super().__init__(UserText("The keyring is locked. Unlock it, then try again."))


class VaultDismissedError(VaultError):
    """The user closed the keyring's dialog."""

    def __init__(self) -> None:
        super().__init__(UserText("The keyring dialog was closed without an answer. Try again and answer it."))


class VaultTimeoutError(VaultError):
    """The keyring did not answer in time."""

    def __init__(self) -> None:
        super().__init__(
            UserText("The keyring did not answer in time. If it shows a dialog, answer it, then try again.")
        )


class SecretNotSavedError(VaultError):
    """The saved secrets could not be read back."""

    is_unavailable = False

    def __init__(self, connection: str) -> None:
        super().__init__(
            UserText(
                "The keyring did not save the secrets of {connection}. Check the keyring, then try again.",
                connection=connection,
            )
        )


class SecretMissingError(VaultError):
    """The keyring works but has no entry for this connection."""

    kind = FailureClass.AUTH
    is_unavailable = False

    def __init__(self, connection: str) -> None:
        super().__init__(
            UserText("The keyring holds no secrets for {connection}. Reconnect it.", connection=connection)
        )


def logic_failure(sentence: str) -> ToolFailedError:
    """A mistake in the script or the settings: nothing was done, and a retry would not help."""
    return ToolFailedError.because(FailureClass.LOGIC, sentence)
