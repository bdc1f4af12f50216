"""What a command says when it does not do as asked."""


class RefusedError(Exception):
    """A command that was not carried out. The sentence says why and what to do, the code says it to programs."""

    def __init__(self, code: str, sentence: str) -> None:
        super().__init__(sentence)
        self.code = code
        self.sentence = sentence
