"""Names of mail folders as IMAP writes them: UTF-7, modified (RFC 3501, 5.1.3)."""

import binascii


def encode_name(name: str) -> bytes:
    """ASCII for the wire. "&" begins base64 of UTF-16, "-" ends it, and "&-" is "&" itself."""
    written, foreign = bytearray(), ""
    for character in name:
        if " " <= character <= "~":
            written += _shift(foreign) + (b"&-" if character == "&" else character.encode())
            foreign = ""
        else:
            foreign += character
    return bytes(written + _shift(foreign))


def decode_name(written: bytes) -> str:
    """The name; as it was written where that is not modified UTF-7, as some servers do."""
    try:
        parts = written.decode().split("&")
        return parts[0] + "".join(_unshift(part) for part in parts[1:])
    except (ValueError, binascii.Error):
        return written.decode("utf-8", "replace")


def _shift(foreign: str) -> bytes:
    if not foreign:
        return b""
    encoded = binascii.b2a_base64(foreign.encode("utf-16-be", "surrogatepass"), newline=False)
    return b"&" + encoded.rstrip(b"=").replace(b"/", b",") + b"-"


def _unshift(part: str) -> str:
    encoded, end, rest = part.partition("-")
    if not end:
        raise ValueError("base64 without its end")
    if not encoded:
        return "&" + rest
    padded = encoded.replace(",", "/") + "=" * (-len(encoded) % 4)
    return binascii.a2b_base64(padded, strict_mode=True).decode("utf-16-be") + rest
