"""One-time codes of an authenticator app (RFC 6238): six digits, every 30 seconds a new one. Pure."""

import base64
import binascii
import hashlib
import hmac
import re
from datetime import datetime
from urllib.parse import quote, urlencode

DIGITS = 6
_STEP_S = 30
_DRIFT_STEPS = 1
"""How many steps the phone's clock may be early or late."""
_KEY_BYTES = 20
_MIN_KEY_BYTES = 16
_CODE = re.compile(r"\s*([0-9]{3})[ -]?([0-9]{3})\s*", re.ASCII)


def make_key(random: bytes) -> str:
    """A key to enter in the app, from random bytes."""
    return base64.b32encode(random[:_KEY_BYTES]).decode()


def parse_key(text: str) -> bytes | None:
    """The key as bytes; None if it is not one, or too short to be safe."""
    letters = "".join(text.split()).replace("-", "").upper().rstrip("=")
    try:
        key = base64.b32decode(letters + "=" * (-len(letters) % 8))
    except (binascii.Error, ValueError):
        return None
    return key if len(key) >= _MIN_KEY_BYTES else None


def key_address(key: str, account: str) -> str:
    """The address that authenticator apps open or read as a QR code."""
    return f"otpauth://totp/{quote(f'Dayhand:{account}')}?{urlencode({'secret': key, 'issuer': 'Dayhand'})}"


def parse_code(text: str) -> str | None:
    """The digits, if the text is a code and nothing else."""
    found = _CODE.fullmatch(text)
    return None if found is None else f"{found[1]}{found[2]}"


def code_at(key: bytes, step: int) -> str:
    digest = hmac.digest(key, step.to_bytes(8, "big"), hashlib.sha1)
    offset = digest[-1] & 0xF
    number = int.from_bytes(digest[offset : offset + 4], "big") & 0x7FFFFFFF
    return f"{number % 10**DIGITS:0{DIGITS}}"


def step_at(now: datetime) -> int:
    return int(now.timestamp()) // _STEP_S


def find_step(key: bytes, code: str, now: datetime, last_used: int | None) -> int | None:
    """The step that the code belongs to; None if it is wrong, or not later than the last one used."""
    current = step_at(now)
    for step in range(current - _DRIFT_STEPS, current + _DRIFT_STEPS + 1):
        if hmac.compare_digest(code_at(key, step), code):
            return step if last_used is None or step > last_used else None
    return None
