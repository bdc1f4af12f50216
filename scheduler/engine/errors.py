"""The error of a refused command."""


class RefusedError(Exception):
    """A command was not carried out. The sentence tells the user why and what to do, the code tells programs."""

    def __init__(self, code: str, sentence: str) -> None:
        super().__init__(sentence)
        self.code = code
        self.sentence = sentence
