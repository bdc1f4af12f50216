"""What is wrong with a schedule, said so that its author can put it right."""


class BadScheduleError(ValueError):
    """A schedule text that cannot be accepted; `field` names the part to change."""

    def __init__(self, field: str, sentence: str) -> None:
        super().__init__(sentence)
        self.field = field
        self.sentence = sentence
