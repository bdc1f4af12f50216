"""The sandbox of scripts without jobs: what they cannot reach although the user can.

Linux enforces it on this process and everything it starts; it cannot be left. Local sockets are blocked: behind them
are the keyring, the display, SSH and GPG agents, and the app itself. So are the memory, environment and signals of
other processes, their priority, and what the kernel offers as files in /proc and /sys for changing them. Other files
and the network stay as open as they are for the user.

A worker on our own Python enters it itself. Other programs are started through this file: the Python chosen by an
author, whose packages run code before ours, and uv, which builds those packages.
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
_CAPABILITY_VERSION_3 = 0x20080522
_DROPPED_CAPABILITIES = sum(1 << number for number in (16, 17, 19, 21, 22, 24, 38, 39, 40))
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_QUERY_VERSION, _PATH_BENEATH = 1, 1
_WRITE_FILES, _MOVE_FILES, _TRUNCATE_FILES = 1 << 1, 1 << 13, 1 << 14
_ABSTRACT_SOCKETS, _SIGNALS = 1, 2
_SET_FILTER, _FOR_ALL_THREADS = 1, 1

# One BPF instruction of a seccomp filter: operation, jump if true, jump if false, operand.
_STEP = struct.Struct("=HBBI")
_LOAD, _IF_EQUAL, _IF_AT_LEAST, _IF_ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_CALL_NUMBER, _ARCHITECTURE, _FIRST_ARGUMENT, _SECOND_ARGUMENT, _THIRD_ARGUMENT = 0, 4, 16, 24, 32
_RETURN_VALUES = (0x00050000 | errno.EACCES, 0x7FFF0000, 0x00050000 | errno.ENOSYS)
_REFUSED, _ALLOWED, _UNKNOWN = -3, -2, -1
"""Positions of the return values, counted from the end of the filter."""
_X32_CALLS = 0x40000000
"""From here on are the system calls of the x32 ABI, which would bypass the filter."""
_AF_UNIX = 1
_CONNECTIONLESS = 2
"""The bit set only in connectionless socket types; one of a pair could send to any address."""
_SELF = 0
_LIMIT_OF_THE_MARK = 5
"""By which the processes of a worker are found; lowering it would hide one."""
_PRIORITY_OF_PROCESS, _IO_PRIORITY_OF_PROCESS = 0, 1
_KERNEL_FOLDERS = ("proc", "sys")


class _Calls(NamedTuple):
    """The system call numbers of an architecture."""

    machine: int
    seccomp: int
    socket: int
    socketpair: int
    prlimit64: int
    setrlimit: int
    setpriority: int
    ioprio_set: int
    sched_setparam: int
    sched_setscheduler: int
    sched_setaffinity: int
    sched_setattr: int
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
    "x86_64": _Calls(0xC000003E, 317, 41, 53, 302, 160, 141, 251, 142, 144, 203, 314, 101, 310, 311, 248, 249, 250, 30),
    "aarch64": _Calls(
        0xC00000B7, 277, 198, 199, 261, 164, 140, 30, 118, 119, 122, 274, 117, 270, 271, 217, 218, 219, 196
    ),
}


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("steps", ctypes.c_char_p))


def enter_sandbox() -> None:
    """Enter the sandbox, before the first thread and before any code of the script or its packages.

    What this Linux does not support is left out; on other systems that is everything.
    """
    if not sys.platform.startswith("linux"):
        return
    linux = ctypes.CDLL(None)
    linux.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    _drop_capabilities(linux)
    _restrict_to_descendants(linux, landlock_version(linux))
    calls = find_calls()
    if calls is not None:
        steps = _filter(calls)
        program = _Program(len(steps) // _STEP.size, steps)
        linux.syscall(calls.seccomp, _SET_FILTER, _FOR_ALL_THREADS, ctypes.byref(program))


def landlock_version(linux: ctypes.CDLL) -> int:
    """What this Linux can restrict, see `_restrict_to_descendants`; negative if nothing."""
    return int(linux.syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), _QUERY_VERSION))


def find_calls() -> _Calls | None:
    """The system calls of this computer; None if they are not known here."""
    return _CALLS.get(os.uname().machine) if sys.maxsize > 1 << 32 else None


def _drop_capabilities(linux: ctypes.CDLL) -> None:
    """Drop the capabilities of root that would bypass the rest: modules, devices, mounts, limits, tracing."""
    header, current = struct.pack("=Ii", _CAPABILITY_VERSION_3, 0), ctypes.create_string_buffer(24)
    if linux.capget(header, current) == 0:
        words = struct.unpack("=6I", current.raw)
        kept = [word & ~(_DROPPED_CAPABILITIES >> 32 * (index // 3)) for index, word in enumerate(words)]
        linux.capset(header, struct.pack("=6I", *kept))


def _restrict_to_descendants(linux: ctypes.CDLL, version: int) -> None:
    """Block access to all processes but this one and its descendants (Landlock); since Linux 6.12 also signals.

    Nothing in /proc and /sys can be written, for example to have another process killed when memory is short.
    The oldest versions cannot express that files may be moved.
    """
    if version < 2:
        return
    writing = _WRITE_FILES | (_TRUNCATE_FILES if version >= 3 else 0)
    handled = (_MOVE_FILES | writing, 0, _ABSTRACT_SOCKETS | _SIGNALS)[: 3 if version >= 6 else 1]
    attributes = struct.pack(f"={len(handled)}Q", *handled)
    rules = linux.syscall(_CREATE_RULESET, attributes, ctypes.c_size_t(len(attributes)), 0)
    if rules < 0:
        return
    others = [f"/{name}" for name in os.listdir("/") if name not in _KERNEL_FOLDERS]
    for path in (*others, "/proc/self"):
        _allow(linux, rules, path, writing)
    if _allow(linux, rules, "/", _MOVE_FILES):
        linux.syscall(_RESTRICT_SELF, rules, 0)
    os.close(rules)


def _allow(linux: ctypes.CDLL, rules: int, path: str, what: int) -> bool:
    try:
        file = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return False
    rule = struct.pack("=Qi", what, file)
    is_allowed: bool = linux.syscall(_ADD_RULE, rules, _PATH_BENEATH, rule, 0) == 0
    os.close(file)
    return is_allowed


def _filter(calls: _Calls) -> bytes:
    """A seccomp filter, evaluated before each system call. It ends with its return values, the jump targets."""
    closed = calls[calls._fields.index("ptrace") :]
    of_any_process = calls[calls._fields.index("sched_setparam") : calls._fields.index("ptrace")]
    of_a_kind = ((calls.setpriority, _PRIORITY_OF_PROCESS), (calls.ioprio_set, _IO_PRIORITY_OF_PROCESS))
    tests = [
        (_LOAD, 0, 0, _ARCHITECTURE),
        (_IF_EQUAL, 0, _UNKNOWN, calls.machine),
        (_LOAD, 0, 0, _CALL_NUMBER),
        (_IF_AT_LEAST, _UNKNOWN, 0, _X32_CALLS),
        *((_IF_EQUAL, _REFUSED, 0, number) for number in closed),
        *(
            step
            for number in of_any_process
            for step in (
                (_IF_EQUAL, 0, 2, number),
                (_LOAD, 0, 0, _FIRST_ARGUMENT),
                (_IF_EQUAL, _ALLOWED, _REFUSED, _SELF),
            )
        ),
        *(
            step
            for number, kind in of_a_kind
            for step in (
                (_IF_EQUAL, 0, 4, number),
                (_LOAD, 0, 0, _FIRST_ARGUMENT),
                (_IF_EQUAL, 0, _REFUSED, kind),
                (_LOAD, 0, 0, _SECOND_ARGUMENT),
                (_IF_EQUAL, _ALLOWED, _REFUSED, _SELF),
            )
        ),
        (_IF_EQUAL, 0, 2, calls.socket),
        (_LOAD, 0, 0, _FIRST_ARGUMENT),
        (_IF_EQUAL, _REFUSED, _ALLOWED, _AF_UNIX),
        (_IF_EQUAL, 0, 2, calls.socketpair),
        (_LOAD, 0, 0, _SECOND_ARGUMENT),
        (_IF_ANY_BIT, _REFUSED, _ALLOWED, _CONNECTIONLESS),
        (_IF_EQUAL, 0, 2, calls.setrlimit),
        (_LOAD, 0, 0, _FIRST_ARGUMENT),
        (_IF_EQUAL, _REFUSED, _ALLOWED, _LIMIT_OF_THE_MARK),
        (_IF_EQUAL, 0, _ALLOWED, calls.prlimit64),
        (_LOAD, 0, 0, _FIRST_ARGUMENT),
        (_IF_EQUAL, 0, _REFUSED, _SELF),
        (_LOAD, 0, 0, _SECOND_ARGUMENT),
        (_IF_EQUAL, 0, _ALLOWED, _LIMIT_OF_THE_MARK),
        (_LOAD, 0, 0, _THIRD_ARGUMENT),
        (_IF_EQUAL, 0, _REFUSED, 0),
        (_LOAD, 0, 0, _THIRD_ARGUMENT + 4),
        (_IF_EQUAL, _ALLOWED, _REFUSED, 0),
    ]
    size = len(tests) + len(_RETURN_VALUES)

    def jump(index: int, to: int) -> int:
        return to if to >= 0 else size + to - index - 1

    steps = [
        _STEP.pack(what, jump(index, yes), jump(index, no), number)
        for index, (what, yes, no, number) in enumerate(tests)
    ]
    return b"".join((*steps, *(_STEP.pack(_RETURN, 0, 0, value) for value in _RETURN_VALUES)))


def _die_with_host() -> None:
    """Die with the process that started this one, even if that is killed."""
    if sys.platform.startswith("linux"):
        host = os.getppid()
        ctypes.CDLL(None).prctl(_DIE_WITH_PARENT, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != host:  # it died before prctl
            sys.exit(1)


def main(command: list[str]) -> None:
    """Enter the sandbox and become another program: packages run code before `dayhand` is imported."""
    _die_with_host()
    enter_sandbox()
    try:
        os.execv(command[0], command)  # noqa: S606  a list, never a shell
    except OSError as error:
        sys.exit(f"The Python for this script, {command[0]}, could not be started: {error.strerror}.")


if __name__ == "__main__":
    main(sys.argv[1:])
