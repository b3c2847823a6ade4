"""The filter of system calls, executed by an interpreter of BPF."""

from __future__ import annotations

import errno
import re
import struct
from pathlib import Path

import pytest

from porter.fallback.seccomp import (
    AUDIT_ARCHITECTURES,
    CALLS,
    CLONE,
    ERRORS,
    FCNTL,
    FSTATAT,
    IOCTL,
    ONLY_X86,
    PRLIMIT,
    SOCKETPAIR,
    filter_of,
)

ALLOW, KILL, DENIED = 0x7FFF0000, 0x80000000, 0x00050000 | errno.EPERM
MACHINES = {"x86_64": 0, "aarch64": 1}
HEADERS = {
    "x86_64": Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h"),
    "aarch64": Path("/usr/include/asm-generic/unistd.h"),
}


def executed(code: bytes, number: int, *arguments: int, architecture: int) -> int:
    """Return the action of a filter for a call."""
    data = struct.pack("<iIQ6Q", number, architecture, 0, *(*arguments, *[0] * 6)[:6])
    place, accumulator = 0, 0
    while True:
        opcode, true, false, constant = struct.unpack_from("<HBBI", code, 8 * place)
        place += 1
        match opcode:
            case 0x20:
                accumulator = struct.unpack_from("<I", data, constant)[0]
            case 0x54:
                accumulator &= constant
            case 0x15:
                place += true if accumulator == constant else false
            case 0x45:
                place += true if accumulator & constant else false
            case 0x06:
                return int(constant)
            case _:
                pytest.fail(f"opcode {opcode:#x}")


@pytest.mark.parametrize("machine", MACHINES)
def test_calls(machine: str) -> None:
    code, which = filter_of(machine), MACHINES[machine]
    assert code is not None
    own = AUDIT_ARCHITECTURES[machine]

    def action(number: int | None, *arguments: int) -> int:
        assert number is not None
        return executed(code, number, *arguments, architecture=own)

    allowed = {pair[which] for pair in CALLS.values()} - {None}
    allowed |= set(ONLY_X86.values()) if which == 0 else set()
    for number in range(600):
        if number in allowed:
            assert action(number) == ALLOW
        elif number in {pair[which] for pair in ERRORS.values()} | {IOCTL[which]}:
            assert action(number) & 0xFFFF0000 == 0x00050000
        elif number not in (PRLIMIT[which], FCNTL[which]):
            assert action(number) == DENIED
    assert action(0x40000000 | 1) == DENIED  # x32
    threads = 0x3D0F00
    assert action(CLONE[which], threads) == ALLOW
    for flags in (17, 0x1200011, threads | 0x40000000, threads | 0x10000000, threads | 0x20000):
        assert action(CLONE[which], flags) == DENIED
    assert action(FCNTL[which], 1, 3) == ALLOW
    assert action(FCNTL[which], 1, 8) == DENIED == action(FCNTL[which], 1, 15)
    assert action(FSTATAT[which], 1, 0, 0, 0x1000) == ALLOW
    assert action(FSTATAT[which], 1, 0, 0, 0) == DENIED
    assert action(SOCKETPAIR[which], 1, 1 | 0x80000) == ALLOW
    for family, kind in ((1, 2), (1, 5), (2, 1), (16, 3)):
        assert action(SOCKETPAIR[which], family, kind) == DENIED
    assert action(PRLIMIT[which], 0, 1, 0) == ALLOW
    assert action(PRLIMIT[which], 0, 1, 1) == DENIED == action(PRLIMIT[which], 0, 1, 1 << 32)
    assert action(IOCTL[which], 1, 0x5421) == ALLOW
    assert executed(code, 1, architecture=own + 1) == KILL


def test_other_machines_have_no_filter() -> None:
    assert filter_of("riscv64") is None


@pytest.mark.parametrize("machine", MACHINES)
def test_numbers(machine: str) -> None:
    if not HEADERS[machine].exists():
        pytest.skip("no headers of Linux")
    found = re.findall(r"#define __NR(?:3264)?_(\w+)\s+(\d+)", HEADERS[machine].read_text())
    numbers = {name: int(number) for name, number in found}
    which = MACHINES[machine]
    tables = {name: pair[which] for name, pair in CALLS.items()}
    tables |= {name: pair[which] for name, pair in ERRORS.items() if pair[which] != -1}
    tables |= ONLY_X86 if which == 0 else {}
    tables |= {
        "clone": CLONE[which], "fcntl": FCNTL[which], "socketpair": SOCKETPAIR[which],
        "prlimit64": PRLIMIT[which], "ioctl": IOCTL[which],
        ("newfstatat" if which == 0 else "fstatat"): FSTATAT[which],
    }  # fmt: skip
    assert {name: numbers.get(name, number) for name, number in tables.items()} == tables
