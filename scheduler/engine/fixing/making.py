"""The fixer that the person chose, made for one repair."""

from scheduler.connections.connector import ToolFailedError
from scheduler.engine.fixing.chat import ChatFixer
from scheduler.engine.fixing.choice import KEY, KEY_FIELD, FixerChoice, FixerKind
from scheduler.engine.fixing.command import CommandFixer
from scheduler.engine.fixing.fixer import Fixer, NotAskedError
from scheduler.engine.refusal import RefusedError
from scheduler.engine.runs.tools import Secrets


def make_fixer(choice: FixerChoice, secrets: Secrets) -> Fixer:
    """RefusedError if nobody was chosen."""
    if not choice.is_on:
        raise RefusedError("fixer", "Nobody was chosen to repair scripts. Choose in Settings, or: dayhand fixer --help")
    if choice.kind is FixerKind.COMMAND:
        return CommandFixer(choice.words)

    def read_key() -> str | None:
        if not choice.has_key:
            return None
        try:
            return str(secrets.recall(KEY)[KEY_FIELD])
        except ToolFailedError as error:
            raise NotAskedError(f"The key of the model server cannot be had. {error.failure.sentence}") from error
        except KeyError as error:
            raise NotAskedError("The keyring holds no key of the model server. Enter it again in Settings.") from error

    return ChatFixer(base_url=choice.url, model=choice.model, key=read_key, tokens=choice.tokens)
