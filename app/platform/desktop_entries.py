"""Desktop entries: the files in which a Linux desktop describes its programs."""

import re
import shutil
from collections.abc import Mapping
from pathlib import Path, PurePath

GROUP = "[Desktop Entry]"
_TERMINALS = (
    *("x-terminal-emulator", "xdg-terminal-exec", "ptyxis", "kgx", "gnome-terminal", "konsole", "xfce4-terminal"),
    *("mate-terminal", "lxterminal", "qterminal", "tilix", "terminator", "alacritty", "kitty", "foot", "xterm"),
)


def read_entry(path: Path) -> dict[str, str] | None:
    """Its keys and values, as written; None if it cannot be read."""
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    values: dict[str, str] = {}
    group = ""
    for line in text.splitlines():
        if line.startswith("["):
            group = line.strip()
        elif group == GROUP and not line.startswith("#"):
            name, _, value = line.partition("=")
            values.setdefault(name.strip(), value.strip())
    return values


def find_program(line: str) -> str:
    """The program in an Exec line, unquoted by the same rules."""
    text = line.replace("\\\\", "\\")
    quoted = re.match(r'"((?:[^"\\]|\\.)*)"', text)
    word = text.partition(" ")[0] if quoted is None else re.sub(r"\\(.)", r"\1", quoted[1])
    return word.replace("%%", "%")


def find_entry(name: str, environment: Mapping[str, str]) -> dict[str, str] | None:
    """The entry with this id, such as org.gnome.gedit.desktop; the user's own take precedence."""
    own = environment.get("XDG_DATA_HOME") or str(Path(environment.get("HOME") or Path.home()) / ".local/share")
    shared = environment.get("XDG_DATA_DIRS") or "/usr/local/share:/usr/share"
    for folder in (own, *shared.split(":")):
        for inner in (name, name.replace("-", "/", 1)):  # a folder is part of the id
            entry = read_entry(Path(folder) / "applications" / inner) if folder else None
            if entry is not None:
                return entry
    return None


def is_editor(entry: Mapping[str, str], environment: Mapping[str, str]) -> bool:
    """Whether it can be started and would show a script to edit: it is no browser, and does not run the script."""
    path = environment.get("PATH")
    program = find_program(entry.get("Exec", ""))
    needed = [one for one in (program, entry.get("TryExec", "")) if one]
    if not program or entry.get("Hidden") == "true" or any(shutil.which(one, path=path) is None for one in needed):
        return False
    if "WebBrowser" in entry.get("Categories", "").split(";") or PurePath(program).name.startswith("python"):
        return False
    terminals = [one for one in (environment.get("TERMINAL", "").partition(" ")[0], *_TERMINALS) if one]
    return entry.get("Terminal") != "true" or any(shutil.which(one, path=path) for one in terminals)
