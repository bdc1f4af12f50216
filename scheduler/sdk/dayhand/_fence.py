"""What a script without jobs cannot reach although the person could: it gets its abilities from the host alone.

Linux holds the fence, around this process and all that it starts, and nobody inside can take it down. Local sockets are
closed: behind them are the keyring, the screen, agents for keys, and the app itself. So are the memory, the environment
and the signals of other processes. Files and the network are as open as they are for the person.
"""

from __future__ import annotations

import ctypes
import errno
import os
import struct
import sys
from typing import NamedTuple

_NO_NEW_PRIVILEGES = 38
_CREATE_RULES, _KEEP_RULES = 444, 446
_ABSTRACT_SOCKETS, _SIGNALS = 1, 2
_SET_FILTER, _FOR_ALL_THREADS = 1, 1

# A step of a filter: what to do, how many steps to leave out if it is so and if it is not, and with which number.
_STEP = struct.Struct("=HBBI")
_LOAD, _IF_EQUAL, _IF_AT_LEAST, _ANSWER = 0x20, 0x15, 0x35, 0x06
_CALL, _MACHINE, _ARGUMENT = 0, 4, 16
_ALLOWED, _REFUSED, _UNKNOWN = 0x7FFF0000, 0x00050000 | errno.EACCES, 0x00050000 | errno.ENOSYS
_OF_OTHER_PROGRAMS = 0x40000000
"""From here on, calls of a second kind of program on the same machine would pass by."""
_AF_UNIX = 1


class _Calls(NamedTuple):
    """By which numbers Linux knows its calls on a kind of machine."""

    machine: int
    seccomp: int
    socket: int
    closed: tuple[int, ...]
    """ptrace, process_vm_readv and -writev, add_key, request_key, keyctl, io_uring_setup, pidfd_getfd."""


_CALLS = {
    "x86_64": _Calls(0xC000003E, 317, 41, (101, 310, 311, 248, 249, 250, 425, 438)),
    "aarch64": _Calls(0xC00000B7, 277, 198, (117, 270, 271, 217, 218, 219, 425, 438)),
}


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("steps", ctypes.c_char_p))


def raise_fence() -> None:
    """Before the first thread, and before the first line of the script.

    What this Linux cannot do is left out; on another system it is all.
    """
    if not sys.platform.startswith("linux"):
        return
    calls = _CALLS.get(os.uname().machine)
    if calls is None or sys.maxsize < 1 << 32:
        return
    linux = ctypes.CDLL(None)
    linux.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    _keep_to_the_family(linux)
    steps = _filter(calls)
    program = _Program(len(steps) // _STEP.size, steps)
    linux.syscall(calls.seccomp, _SET_FILTER, _FOR_ALL_THREADS, ctypes.byref(program))


def _keep_to_the_family(linux: ctypes.CDLL) -> None:
    """No signal, no look and no abstract socket beyond this process and its descendants."""
    wanted = struct.pack("=QQQ", 0, 0, _ABSTRACT_SOCKETS | _SIGNALS)
    rules = linux.syscall(_CREATE_RULES, wanted, ctypes.c_size_t(len(wanted)), 0)
    if rules >= 0:
        linux.syscall(_KEEP_RULES, rules, 0)
        os.close(rules)


def _filter(calls: _Calls) -> bytes:
    """Linux goes through it before each call. It ends with its three answers, to which the steps before leap."""
    refused, allowed, unknown = 2, 1, 0  # steps before the last one
    tests = [
        (_LOAD, None, None, _MACHINE),
        (_IF_EQUAL, None, unknown, calls.machine),
        (_LOAD, None, None, _CALL),
        (_IF_AT_LEAST, unknown, None, _OF_OTHER_PROGRAMS),
        *((_IF_EQUAL, refused, None, number) for number in calls.closed),
        (_IF_EQUAL, None, allowed, calls.socket),
        (_LOAD, None, None, _ARGUMENT),
        (_IF_EQUAL, refused, allowed, _AF_UNIX),
    ]
    answers = (_REFUSED, _ALLOWED, _UNKNOWN)
    size = len(tests) + len(answers)

    def leap(index: int, answer: int | None) -> int:
        return 0 if answer is None else size - answer - index - 2

    steps = [
        _STEP.pack(what, leap(index, yes), leap(index, no), number)
        for index, (what, yes, no, number) in enumerate(tests)
    ]
    return b"".join((*steps, *(_STEP.pack(_ANSWER, 0, 0, answer) for answer in answers)))
