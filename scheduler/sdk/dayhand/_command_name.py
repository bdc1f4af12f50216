"""The command that a job really runs, without what only prepares it: env, a shell, nice, timeout and the like."""

from __future__ import annotations

import re
import shlex

_MAX_LINE_CHARS = 500
_MAX_DEPTH = 8
"""Of wrappers in wrappers; more is no command that anybody typed."""
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*\+?=")
_SHELLS = frozenset({"sh", "bash", "dash", "ash", "zsh", "ksh"})
_WRAPPERS: dict[str, tuple[tuple[str, ...], int]] = {
    "env": (("-u", "--unset", "-C", "--chdir"), 0),
    "nice": (("-n", "--adjustment"), 0),
    "ionice": (("-c", "-n", "--class", "--classdata"), 0),
    "chrt": ((), 1),
    "taskset": ((), 1),
    "timeout": (("-k", "-s", "--kill-after", "--signal"), 1),
    "flock": (("-w", "-E", "--timeout", "--conflict-exit-code"), 1),
    "sudo": (("-u", "-g", "-h", "--user", "--group"), 0),
    "doas": (("-u",), 0),
    "stdbuf": (("-i", "-o", "-e"), 0),
    "xvfb-run": (("-n", "-s", "--server-num", "--server-args"), 0),
    **dict.fromkeys(("nohup", "setsid", "exec", "time", "command", "chronic", "cronic", "systemd-inhibit"), ((), 0)),
}
"""Programs that run another command: their options that have a value, and how many words precede the command."""
_INTERPRETER = re.compile(r"(python|pypy|perl|ruby|node|php|Rscript|pwsh|powershell)[\d.]*w?")
_BUILTINS = frozenset(
    {
        "cd", "export", "set", "unset", "umask", "ulimit", "source", ".", ":", "true", "test", "[", "[[", "sleep",
        "echo", "printf", "exit", "return", "read", "trap", "wait", "eval", "shift", "local", "declare", "pushd",
        "popd", "if", "then", "else", "elif", "fi", "for", "while", "until", "do", "done", "case", "esac", "function",
        "!", "{", "}",
    }
)  # fmt: skip
"""Words of a shell that do no work of their own."""
_KEYWORDS = frozenset({"if", "then", "elif", "else", "while", "until", "do", "!", "{"})
"""Words of a shell before a command."""
_SEPARATORS = frozenset("&|;\n")
_OPERATORS = _SEPARATORS | frozenset("()")
_REDIRECTIONS = ("<", ">")


def describe_command(words: list[str]) -> str:
    """As its user would type it: without `env`, its variables and the shell, and cut to a length that can be shown."""
    line = _strip_shell(words) or _join(words)
    return line if len(line) <= _MAX_LINE_CHARS else f"{line[: _MAX_LINE_CHARS - 1]}…"


def find_command(words: list[str]) -> list[str]:
    """The words of the first program that does work, or else of the last command, without wrappers and redirections."""
    rest = _skip_wrappers(words)
    text = _shell_text(rest)
    if isinstance(text, list):
        return find_command(text)
    programs = _list_programs(rest, _MAX_DEPTH)
    if programs and programs[0] != rest[:1]:
        return programs[0]
    parts = _split_shell(text, is_posix=True) if text else []
    return parts[-1] if parts else rest[:1]


def name_program(words: list[str]) -> str:
    """The short name of that program, or of the script that it runs; `…` stands for the others of a shell's line."""
    programs = _list_programs(words, _MAX_DEPTH)
    name = _name(programs[0] if programs else words)
    return f"{name} …" if len(programs) > 1 else name


def _name(inner: list[str]) -> str:
    name = _base_name(inner[0])
    if not (_INTERPRETER.fullmatch(name) or name in _SHELLS):
        return name
    for number, word in enumerate(inner[1:], 1):
        if word == "-m" and number + 1 < len(inner):
            return inner[number + 1]
        if word.startswith("-"):
            if word in ("-c", "-e") or (name in _SHELLS and "c" in word):
                break
            continue
        return _base_name(word)
    return name


def _strip_shell(words: list[str]) -> str:
    rest = _skip_environment(words)
    text = _shell_text(rest)
    if text is None:
        return _join(rest or words)
    return " ".join(text.split()) if isinstance(text, str) else _strip_shell(text)


def _join(words: list[str]) -> str:
    """As typed in a shell; a leading ~ stands for the home folder in a command of a job, too."""
    return " ".join(word[:1] + shlex.quote(word[1:]) if word[:2] == "~/" else shlex.quote(word) for word in words)


def _list_programs(words: list[str], depth: int) -> list[list[str]]:
    """The words of each program; empty if there is nothing but wrappers and words of the shell."""
    rest = _skip_wrappers(words)
    text = _shell_text(rest)
    if text is None or depth == 0:
        return [] if not rest or rest[0] in _BUILTINS else [rest]
    if not isinstance(text, str):
        return _list_programs(text, depth - 1)
    parts = _split_shell(text, is_posix=_base_name(rest[0]) in _SHELLS)
    return [program for part in parts for program in _list_programs(part, depth - 1)] or [rest[:1]]


def _skip_environment(words: list[str]) -> list[str]:
    if not words or _base_name(words[0]) != "env":
        return words
    options, _ = _WRAPPERS["env"]
    return _skip_options(words[1:], options, 0)


def _skip_wrappers(words: list[str]) -> list[str]:
    for _ in range(_MAX_DEPTH):
        while words and (words[0] in _KEYWORDS or _ASSIGNMENT.match(words[0])):
            words = words[1:]
        if not words or _base_name(words[0]) not in _WRAPPERS:
            break
        options, skipped = _WRAPPERS[_base_name(words[0])]
        rest = _skip_options(words[1:], options, skipped)
        if not rest:  # the wrapper itself is all there is
            break
        words = rest
    return words


def _skip_options(words: list[str], with_value: tuple[str, ...], skipped: int) -> list[str]:
    number = 0
    while number < len(words) and (words[number].startswith("-") or _ASSIGNMENT.match(words[number])):
        if words[number] == "--":
            number += 1
            break
        number += 2 if words[number] in with_value else 1
    return words[number + skipped :]


def _shell_text(words: list[str]) -> str | list[str] | None:
    """The text that a shell is given, or the command that this text runs; None if it is no shell with a text."""
    name = _base_name(words[0]) if words else ""
    if name in ("cmd.exe", "cmd"):
        place = next((number for number, word in enumerate(words) if word.lower() in ("/c", "/k")), None)
        return None if place is None else " ".join(words[place + 1 :])
    if name not in _SHELLS:
        return None
    place = next((at for at, word in enumerate(words) if word.startswith("-") and word.endswith("c")), None)
    if place is None or place + 1 >= len(words):
        return None
    text, arguments = words[place + 1], words[place + 2 :]
    if '"$@"' in text and len(arguments) > 1:
        return arguments[1:]
    return arguments[0] if text.endswith('-c "$0"') and arguments else text


def _split_shell(text: str, *, is_posix: bool) -> list[list[str]]:
    """The words of each simple command, without redirections."""
    lexer = shlex.shlex(text, posix=is_posix, punctuation_chars=";&|()<>\n")
    lexer.whitespace_split = True
    lexer.commenters = ""
    try:
        words = [word if is_posix else word.strip('"') for word in lexer]
    except ValueError:  # quotes that do not match
        words = text.split()
    parts: list[list[str]] = [[]]
    skips, depth = False, 0
    for word in words:
        is_operator = set(word) <= _OPERATORS
        if depth or (word[0] == "(" and parts[-1] and parts[-1][-1].endswith("$")):  # inside $(…)
            if is_operator:
                parts[-1][-1] += "" if depth else "(…)"
                depth = max(0, depth + word.count("(") - word.count(")"))
                if not depth and set(word) & _SEPARATORS:
                    parts.append([])
        elif skips:
            skips = False
        elif word.startswith(_REDIRECTIONS):
            skips = True
            if parts[-1] and parts[-1][-1].isdigit():
                parts[-1].pop()
        elif is_operator:
            parts.append([])
        else:
            parts[-1].append(word)
    return [part for part in parts if part]


def _base_name(word: str) -> str:
    return re.split(r"[/\\]", word.rstrip("/\\"))[-1] or word
