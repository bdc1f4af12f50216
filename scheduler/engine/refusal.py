"""What a command says when it does not do as asked."""


class RefusedError(Exception):
    """A command that was not carried out; nothing changed."""

    def __init__(self, code: str, sentence: str) -> None:
        super().__init__(sentence)
        self.code = code
        self.sentence = sentence
