"""Build the seccomp filter of a fallback process: the system calls that it may make.

Input: a machine architecture. Output: a classic BPF program, as bytes of `struct sock_filter`.
`pool` passes it to the zygote (`runner`). Each process of a program installs it before it reads the
program. The filter is an allow list. It permits computation, input and output on open descriptors,
threads and signal handlers. Every other call fails with an error: opening files, sockets with an
address, new processes, other programs, signals to processes.
"""

from __future__ import annotations

import errno
import struct

Instruction = tuple[int, int, int, int]
_INSTRUCTION = struct.Struct("<HBBI")  # code, jump if true, jump if false, constant
_LOAD, _EQUAL, _ANY_BIT, _AND, _RETURN = 0x20, 0x15, 0x45, 0x54, 0x06  # opcodes of classic BPF
_NUMBER, _ARCHITECTURE, _ARGUMENTS = 0, 4, 16  # offsets in struct seccomp_data
_ALLOW, _ERRNO, _KILL = 0x7FFF0000, 0x00050000, 0x80000000  # SECCOMP_RET_*
AUDIT_ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}

# Numbers on x86-64 and aarch64; None where the architecture lacks the call.
CALLS: dict[str, tuple[int | None, int]] = {
    "read": (0, 63),
    "write": (1, 64),
    "close": (3, 57),
    "fstat": (5, 80),
    "lseek": (8, 62),
    "mmap": (9, 222),
    "mprotect": (10, 226),
    "munmap": (11, 215),
    "brk": (12, 214),
    "rt_sigaction": (13, 134),
    "rt_sigprocmask": (14, 135),
    "rt_sigreturn": (15, 139),
    "pread64": (17, 67),
    "pwrite64": (18, 68),
    "readv": (19, 65),
    "writev": (20, 66),
    "sched_yield": (24, 124),
    "mremap": (25, 216),
    "madvise": (28, 233),
    "dup": (32, 23),
    "nanosleep": (35, 101),
    "getitimer": (36, 102),
    "setitimer": (38, 103),
    "getpid": (39, 172),
    "sendto": (44, 206),
    "recvfrom": (45, 207),
    "shutdown": (48, 210),
    "getsockname": (51, 204),
    "getsockopt": (55, 209),
    "exit": (60, 93),
    "gettimeofday": (96, 169),
    "getrusage": (98, 165),
    "times": (100, 153),
    "getuid": (102, 174),
    "getgid": (104, 176),
    "geteuid": (107, 175),
    "getegid": (108, 177),
    "getppid": (110, 173),
    "sigaltstack": (131, 132),
    "gettid": (186, 178),
    "futex": (202, 98),
    "sched_getaffinity": (204, 123),
    "set_tid_address": (218, 96),
    "restart_syscall": (219, 128),
    "clock_gettime": (228, 113),
    "clock_getres": (229, 114),
    "clock_nanosleep": (230, 115),
    "exit_group": (231, 94),
    "epoll_ctl": (233, 21),
    "pselect6": (270, 72),
    "ppoll": (271, 73),
    "set_robust_list": (273, 99),
    "epoll_pwait": (281, 22),
    "eventfd2": (290, 19),
    "epoll_create1": (291, 20),
    "dup3": (292, 24),
    "pipe2": (293, 59),
    "getrandom": (318, 278),
    "rseq": (334, 293),
    "close_range": (436, 436),
    "futex_waitv": (449, 449),
}
# Calls of x86-64 that aarch64 replaces by others.
ONLY_X86: dict[str, int] = {
    "poll": 7,
    "pipe": 22,
    "select": 23,
    "dup2": 33,
    "pause": 34,
    "alarm": 37,
    "arch_prctl": 158,
    "time": 201,
    "epoll_wait": 232,
}
# Calls whose failure has the error that callers handle, instead of EPERM.
ERRORS: dict[str, tuple[int | None, int, int]] = {
    "clone3": (435, 435, errno.ENOSYS),  # glibc falls back to clone, whose flags a filter can read
    "open": (2, -1, errno.EACCES),
    "openat": (257, 56, errno.EACCES),
    "stat": (4, -1, errno.EACCES),
    "lstat": (6, -1, errno.EACCES),
    "access": (21, -1, errno.EACCES),
    "statx": (332, 291, errno.EACCES),
    "getcwd": (79, 17, errno.ENOENT),
}
CLONE, FCNTL, FSTATAT, IOCTL = (56, 220), (72, 25), (262, 79), (16, 29)
SOCKETPAIR, PRLIMIT = (53, 199), (302, 261)
_CLONE_THREAD = 0x10000
# CLONE_NEW*, and CLONE_UNTRACED, CLONE_PTRACE: a thread has none of these.
_CLONE_REFUSED = 0x7E020000 | 0x80 | 0x00800000 | 0x2000
# F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_DUPFD_CLOEXEC, F_GETPIPE_SZ. F_SETOWN is refused:
# it makes the kernel send signals to other processes.
_FCNTL_COMMANDS = (0, 1, 2, 3, 4, 1030, 1032)
_FIONBIO = 0x5421  # asyncio makes its descriptors non-blocking
_AT_EMPTY_PATH = 0x1000  # glibc's fstat
_AF_UNIX, _SOCK_STREAM, _SOCK_TYPE_MASK = 1, 1, 0xF


def filter_of(machine: str) -> bytes | None:
    """Return the filter of an architecture, as `platform.machine` names it; None: unknown."""
    if machine not in AUDIT_ARCHITECTURES:
        return None
    which = 0 if machine == "x86_64" else 1
    code = [
        (_LOAD, 0, 0, _ARCHITECTURE),
        (_EQUAL, 1, 0, AUDIT_ARCHITECTURES[machine]),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, _NUMBER),
    ]
    numbers = [pair[which] for pair in CALLS.values()]
    if which == 0:
        numbers += ONLY_X86.values()
    for number in numbers:
        if number is not None:
            code += _answer(number, _ALLOW)
    for pair in ERRORS.values():
        if (own := pair[which]) is not None and own >= 0:
            code += _answer(own, _ERRNO | pair[2])
    code += _case(
        CLONE[which],
        [
            _argument(0),
            (_ANY_BIT, 2, 0, _CLONE_REFUSED),
            (_ANY_BIT, 0, 1, _CLONE_THREAD),
            (_RETURN, 0, 0, _ALLOW),
        ],
    )
    commands: list[Instruction] = [_argument(1)]
    for command in _FCNTL_COMMANDS:
        commands += [(_EQUAL, 0, 1, command), (_RETURN, 0, 0, _ALLOW)]
    code += _case(FCNTL[which], commands)
    code += _case(
        IOCTL[which],
        [
            _argument(1),
            (_EQUAL, 0, 1, _FIONBIO),
            (_RETURN, 0, 0, _ALLOW),
            (_RETURN, 0, 0, _ERRNO | errno.ENOTTY),  # isatty
        ],
    )
    code += _case(
        FSTATAT[which],
        [_argument(3), (_ANY_BIT, 0, 1, _AT_EMPTY_PATH), (_RETURN, 0, 0, _ALLOW)],
    )
    code += _case(
        SOCKETPAIR[which],
        [
            _argument(0),
            (_EQUAL, 0, 4, _AF_UNIX),
            _argument(1),
            (_AND, 0, 0, _SOCK_TYPE_MASK),
            (_EQUAL, 0, 1, _SOCK_STREAM),
            (_RETURN, 0, 0, _ALLOW),
        ],
    )
    # Reading limits: the third argument, a pointer to new limits, is null in both halves.
    code += _case(
        PRLIMIT[which],
        [
            _argument(2),
            (_EQUAL, 0, 3, 0),
            (_LOAD, 0, 0, _ARGUMENTS + 8 * 2 + 4),
            (_EQUAL, 0, 1, 0),
            (_RETURN, 0, 0, _ALLOW),
        ],
    )
    code.append((_RETURN, 0, 0, _ERRNO | errno.EPERM))
    return b"".join(_INSTRUCTION.pack(*one) for one in code)


def _argument(index: int) -> Instruction:
    """Return the instruction that loads the low 32 bits of an argument (little endian)."""
    return _LOAD, 0, 0, _ARGUMENTS + 8 * index


def _answer(number: int, action: int) -> list[Instruction]:
    """Return code that ends with `action` for the call `number`."""
    return [(_EQUAL, 0, 1, number), (_RETURN, 0, 0, action)]


def _case(number: int, body: list[Instruction]) -> list[Instruction]:
    """Return code that runs `body` for the call `number`. A body that falls through refuses it."""
    refused = (_RETURN, 0, 0, _ERRNO | errno.EPERM)
    return [(_EQUAL, 0, len(body) + 1, number), *body, refused]
