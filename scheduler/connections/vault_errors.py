"""What can be wrong with the keyring. "Not now" is not "gone": only one of these asks for a reconnect."""

from scheduler.rules.failures import Failure, FailureClass


class VaultError(Exception):
    """The keyring did not do what was asked; `sentence` says what helps."""

    kind = FailureClass.TRANSIENT
    is_away = True
    """Nothing can be had from it now, whatever the connection."""

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence)
        self.sentence = sentence

    @property
    def failure(self) -> Failure:
        """What it means for a run: it waits, and its script is not to blame."""
        return Failure(kind=self.kind, sentence=self.sentence, counts=False)


class NoVaultError(VaultError):
    """No keyring can be reached."""

    def __init__(self) -> None:
        super().__init__(
            "The keyring of this computer cannot be reached, and secrets are kept nowhere else. "
            "Start it, GNOME Keyring or KWallet for example, then try again."
        )


class VaultLockedError(VaultError):
    """It is there and locked, and was not unlocked when asked."""

    def __init__(self) -> None:
        super().__init__("The keyring is locked. Unlock it, then try again.")


class VaultDismissedError(VaultError):
    """The person closed its dialog."""

    def __init__(self) -> None:
        super().__init__("The keyring's dialog was closed without an answer. Try again and answer it.")


class VaultLateError(VaultError):
    """No answer in time."""

    def __init__(self) -> None:
        super().__init__("The keyring did not answer in time. If it shows a dialog, answer it, then try again.")


class NotKeptError(VaultError):
    """What was saved did not come back."""

    is_away = False

    def __init__(self, connection: str) -> None:
        super().__init__(f"The keyring did not keep the secrets of {connection}. Check the keyring, then try again.")


class NotInVaultError(VaultError):
    """The keyring answers, and has nothing for this connection."""

    kind = FailureClass.AUTH
    is_away = False

    def __init__(self, connection: str) -> None:
        super().__init__(f"The keyring holds no secrets for {connection}. Reconnect it.")
