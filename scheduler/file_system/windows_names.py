"""Which names Windows refuses or takes for something else. Pure, so it is tested on every system."""

from scheduler.user_text import UserText

_INVALID = '<>:"/\\|?*'
_DEVICES = {"CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"} | {
    f"{device}{number}" for device in ("COM", "LPT") for number in "0123456789¹²³"
}


def find_name_mistake(name: str) -> UserText | None:
    """Why this cannot be the name of a file, as the end of a sentence; None if it can.

    A backslash would lead into another folder, a colon to a hidden stream or another drive, and a device name to a
    device, whatever follows its first dot.
    """
    invalid = sorted({sign for sign in name if sign in _INVALID})
    if invalid:
        return UserText("contains {signs}, which Windows does not allow in names", signs=" ".join(invalid))
    if any(ord(sign) < ord(" ") for sign in name):
        return UserText("contains a control character, which Windows does not allow in names")
    if name.endswith((" ", ".")):
        return UserText("ends in a dot or a space, which Windows does not allow in names")
    if name.partition(".")[0].rstrip(" ").upper() in _DEVICES:
        return UserText("is the name of a device on Windows")
    return None
