"""The content that a script gives to a tool: text, or bytes as base64."""

import base64

from scheduler.connections.connector import Call
from scheduler.connections.errors import logic_failure
from scheduler.user_text import UserText


def read_content(call: Call) -> bytes:
    """The bytes in the parameter "text" or "base64"; exactly one must be given."""
    text, encoded = call.parameters.get("text"), call.parameters.get("base64")
    if (text is None) == (encoded is None):
        raise logic_failure(UserText('Give either "text" or "base64", not both.'))
    try:
        return str(text).encode() if encoded is None else base64.b64decode(encoded, validate=True)
    except UnicodeEncodeError as error:
        raise logic_failure(UserText('"text" contains characters that cannot be encoded as UTF-8.')) from error
    except ValueError as error:
        raise logic_failure(UserText('"base64" is not valid base64.')) from error
