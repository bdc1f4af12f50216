"""What a script gives to be written: a text, or bytes as base64."""

import base64

from scheduler.connections.connector import Call
from scheduler.connections.mistakes import wrong


def content_of(call: Call) -> bytes:
    """The bytes of the parameters "text" or "base64"; exactly one of them is given."""
    text, encoded = call.parameters.get("text"), call.parameters.get("base64")
    if (text is None) == (encoded is None):
        raise wrong('Give either "text" or "base64".')
    try:
        return str(text).encode() if encoded is None else base64.b64decode(encoded, validate=True)
    except UnicodeEncodeError as error:
        raise wrong('"text" holds characters that cannot be written as UTF-8.') from error
    except ValueError as error:
        raise wrong('"base64" is not base64.') from error
