"""What a script without jobs cannot reach although the person could: it gets its abilities from the host alone.

Linux holds the fence, around this process and all that it starts, and nobody inside can take it down. Local sockets are
closed: behind them are the keyring, the screen, agents for keys, and the app itself. So are the memory, the environment
and the signals of other processes. Files and the network are as open as they are for the person.

Around our own Python the worker raises it. Other programs are started through this file: the Python of an author, whose
packages run code before any of ours, and what builds those packages.
"""

from __future__ import annotations

import ctypes
import errno
import os
import signal
import struct
import sys
from typing import NamedTuple

_DIE_WITH_PARENT = 1
_NO_NEW_PRIVILEGES = 38
_RIGHTS_OF_TWO_WORDS = 0x20080522
_RIGHTS_GIVEN_UP = sum(1 << number for number in (16, 17, 19, 21, 22, 24, 38, 39, 40))
_CREATE_RULES, _ADD_RULE, _KEEP_RULES = 444, 445, 446
_ASK_VERSION, _BELOW_A_FOLDER = 1, 1
_MOVING_FILES = 1 << 13
_ABSTRACT_SOCKETS, _SIGNALS = 1, 2
_SET_FILTER, _FOR_ALL_THREADS = 1, 1

# A step of a filter: what to do, how many steps to leave out if it is so and if it is not, and with which number.
_STEP = struct.Struct("=HBBI")
_LOAD, _IF_EQUAL, _IF_AT_LEAST, _IF_ANY_OF, _ANSWER = 0x20, 0x15, 0x35, 0x45, 0x06
_CALL, _MACHINE, _FIRST, _SECOND = 0, 4, 16, 24
_ANSWERS = (0x00050000 | errno.EACCES, 0x7FFF0000, 0x00050000 | errno.ENOSYS)
_REFUSED, _ALLOWED, _UNKNOWN = -3, -2, -1
"""Where the answers are, counted from the end of the filter."""
_OF_OTHER_PROGRAMS = 0x40000000
"""From here on, calls of a second kind of program on the same machine would pass by."""
_AF_UNIX = 1
_WITHOUT_CONNECTION = 2
"""The bit that only such kinds of sockets have; one of a pair could be turned to any address."""
_ITSELF = 0


class _Calls(NamedTuple):
    """By which numbers Linux knows its calls on a kind of machine."""

    machine: int
    seccomp: int
    socket: int
    socketpair: int
    prlimit64: int
    ptrace: int
    process_vm_readv: int
    process_vm_writev: int
    add_key: int
    request_key: int
    keyctl: int
    shmat: int
    io_uring_setup: int = 425
    pidfd_getfd: int = 438


_CALLS = {
    "x86_64": _Calls(0xC000003E, 317, 41, 53, 302, 101, 310, 311, 248, 249, 250, 30),
    "aarch64": _Calls(0xC00000B7, 277, 198, 199, 261, 117, 270, 271, 217, 218, 219, 196),
}


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("steps", ctypes.c_char_p))


def raise_fence() -> None:
    """Before the first thread, and before the first line of the script and of its packages.

    What this Linux cannot do is left out; on another system it is all.
    """
    if not sys.platform.startswith("linux"):
        return
    linux = ctypes.CDLL(None)
    linux.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    _give_up_rights(linux)
    _keep_to_the_family(linux, linux.syscall(_CREATE_RULES, None, ctypes.c_size_t(0), _ASK_VERSION))
    calls = _CALLS.get(os.uname().machine)
    if calls is not None and sys.maxsize > 1 << 32:
        steps = _filter(calls)
        program = _Program(len(steps) // _STEP.size, steps)
        linux.syscall(calls.seccomp, _SET_FILTER, _FOR_ALL_THREADS, ctypes.byref(program))


def _give_up_rights(linux: ctypes.CDLL) -> None:
    """Those of root that go round the rest: modules, devices, other processes, mounts, limits, tracing."""
    asked, had = struct.pack("=Ii", _RIGHTS_OF_TWO_WORDS, 0), ctypes.create_string_buffer(24)
    if linux.capget(asked, had) == 0:
        words = struct.unpack("=6I", had.raw)
        kept = [word & ~(_RIGHTS_GIVEN_UP >> 32 * (place // 3)) for place, word in enumerate(words)]
        linux.capset(asked, struct.pack("=6I", *kept))


def _keep_to_the_family(linux: ctypes.CDLL, version: int) -> None:
    """No look beyond this process and its descendants, as with any rules; since Linux 6.12 no signal either.

    Older ones want a rule about files with it, so there is one that allows everything; the oldest cannot say that.
    """
    if version < 2:
        return
    knows_signals = version >= 6
    wanted = (0, 0, _ABSTRACT_SOCKETS | _SIGNALS) if knows_signals else (_MOVING_FILES,)
    told = struct.pack(f"={len(wanted)}Q", *wanted)
    rules = linux.syscall(_CREATE_RULES, told, ctypes.c_size_t(len(told)), 0)
    if rules < 0:
        return
    if knows_signals or _allow_moving_files(linux, rules):
        linux.syscall(_KEEP_RULES, rules, 0)
    os.close(rules)


def _allow_moving_files(linux: ctypes.CDLL, rules: int) -> bool:
    everywhere = os.open("/", os.O_PATH | os.O_CLOEXEC)
    rule = struct.pack("=Qi", _MOVING_FILES, everywhere)
    is_allowed: bool = linux.syscall(_ADD_RULE, rules, _BELOW_A_FOLDER, rule, 0) == 0
    os.close(everywhere)
    return is_allowed


def _filter(calls: _Calls) -> bytes:
    """Linux goes through it before each call. It ends with its three answers, to which the steps before leap."""
    closed = calls[calls._fields.index("ptrace") :]
    tests = [
        (_LOAD, 0, 0, _MACHINE),
        (_IF_EQUAL, 0, _UNKNOWN, calls.machine),
        (_LOAD, 0, 0, _CALL),
        (_IF_AT_LEAST, _UNKNOWN, 0, _OF_OTHER_PROGRAMS),
        *((_IF_EQUAL, _REFUSED, 0, number) for number in closed),
        (_IF_EQUAL, 0, 2, calls.socket),
        (_LOAD, 0, 0, _FIRST),
        (_IF_EQUAL, _REFUSED, _ALLOWED, _AF_UNIX),
        (_IF_EQUAL, 0, 2, calls.socketpair),
        (_LOAD, 0, 0, _SECOND),
        (_IF_ANY_OF, _REFUSED, _ALLOWED, _WITHOUT_CONNECTION),
        (_IF_EQUAL, 0, _ALLOWED, calls.prlimit64),
        (_LOAD, 0, 0, _FIRST),
        (_IF_EQUAL, _ALLOWED, _REFUSED, _ITSELF),
    ]
    size = len(tests) + len(_ANSWERS)

    def leap(index: int, to: int) -> int:
        return to if to >= 0 else size + to - index - 1

    steps = [
        _STEP.pack(what, leap(index, yes), leap(index, no), number)
        for index, (what, yes, no, number) in enumerate(tests)
    ]
    return b"".join((*steps, *(_STEP.pack(_ANSWER, 0, 0, answer) for answer in _ANSWERS)))


def _die_with_the_host() -> None:
    """What is started here must not outlive whoever wants it, even one that is killed."""
    if sys.platform.startswith("linux"):
        host = os.getppid()
        ctypes.CDLL(None).prctl(_DIE_WITH_PARENT, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != host:  # it died in between
            sys.exit(1)


def main(command: list[str]) -> None:
    """Become another program, inside the fence from its first step: packages run code before `dayhand` is loaded."""
    _die_with_the_host()
    raise_fence()
    try:
        os.execv(command[0], command)  # noqa: S606  a list, never a shell
    except OSError as error:
        sys.exit(f"The Python for this script, {command[0]}, could not be started: {error.strerror}.")


if __name__ == "__main__":
    main(sys.argv[1:])
