"""What is wrong with a connection, a tool or what was given to it, said so that it can be put right."""


class ConnectionRuleError(ValueError):
    """Something that cannot be accepted; `sentence` says what and what would be."""

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence)
        self.sentence = sentence


class UnknownConnectorError(ConnectionRuleError):
    """There is no such kind of connection."""


class UnknownToolError(ConnectionRuleError):
    """The kind exists; its tools have other names."""


class BadConnectionNameError(ConnectionRuleError):
    """Not of the form kind:name."""


class BadParametersError(ConnectionRuleError):
    """A call that its tool does not take."""


class BadSettingsError(ConnectionRuleError):
    """A field of a connection is missing, unknown or not what it should be."""
