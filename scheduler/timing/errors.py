"""The error for an invalid schedule, worded for its author."""


class BadScheduleError(ValueError):
    """An invalid schedule; `field` names the part to change."""

    def __init__(self, field: str, sentence: str) -> None:
        super().__init__(sentence)
        self.field = field
        self.sentence = sentence
