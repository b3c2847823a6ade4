"""Simulate a warp from recorded traces, in several models; simulator.cpp does the work.

`ideal`: Lanes reconverge in C code wherever they can. The simulator issues the lanes with the
deepest call stack first and, among these, the lanes with the lowest rank in their function. A
loop's lanes wait for each other in every iteration. All lanes at one block after equal calls are
issued together. The model knows nothing of bytecode.

`barriers`: Lanes reconverge at the compiler's convergence barriers. Lanes that diverge in a
function reconverge at the immediate post-dominator of the block in which they diverged, at the
latest at the function's single exit. They do not reconverge after calls of different functions
through a pointer. So lanes that diverge in the VM's loop reconverge where the execution of this
function's bytecode ends. nvcc places no barriers in functions that call themselves directly. The
model `without reentry` has that property: it stands for device code without the rule `reentry`.

A policy model is `barriers` with one addition: lanes that entered a function's bytecode together
regroup before each instruction of upstream's switch (stops=1), or also of the fast path (stops=3).
"""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import attrs
import numpy as np
from attrs import field, frozen

from porter.errors import BenchFailed
from porter_dev.bench.c_references import load_compiled
from porter_dev.bench.warp.control_flow import WarpCode
from porter_dev.bench.warp.reconvergence import Meeting, meeting
from porter_dev.bench.warp.record import WARP, Recording

SOURCE = Path(__file__).parent / "simulator.cpp"
_GXX = ("-std=c++17", "-O2")
_VM = "mp_execute_bytecode"
POLICIES = ("everyone", "least_ip", "deepest", "most")  # policies.h
_MOST_WAYS = 1 << 17
SWITCH, EVERYWHERE = 1, 3  # `stops`


@frozen
class Regrouping:
    """The parameters of a model: where lanes regroup in the VM, and which are issued first.

    The fields are those of `struct Model` in warp.h, in the same order.

    Attributes:
        stops: Where lanes regroup: 0 nowhere, SWITCH, or EVERYWHERE.
        policy: Name out of POLICIES.
        rounds: Rounds after which a waiting lane is issued whatever the policy selects.
        patience: Instructions of the warp after which a group splits off the members that it waits
            for; 0: never.
        cost: Instructions of a round in which lanes are at different bytecode instructions.
        agreed: Instructions of a round in which all lanes are at the same instruction.
        whole: Whether all lanes of the warp form one group, in which no lane waits for a lane that
            a barrier holds.
        reentry: Whether functions that call themselves have barriers, as with the rule `reentry`.
        calls_meet: Whether lanes reconverge after calls of different functions; compilers place no
            barriers there.
    """

    stops: int = 0
    policy: str = "everyone"
    rounds: int = 1 << 30
    patience: int = 0
    cost: int = 0
    agreed: int = 0
    whole: bool = False
    reentry: bool = True
    calls_meet: bool = False


BARRIERS = Regrouping()


def _switch(policy: str, rounds: int, **more: Any) -> Regrouping:
    return Regrouping(SWITCH, policy, rounds, cost=12, agreed=6, **more)


def _everywhere(policy: str, rounds: int, **more: Any) -> Regrouping:
    # Lanes at the same instruction read the mask of active lanes and stay in the fast path.
    return Regrouping(EVERYWHERE, policy, rounds, cost=12, agreed=2, **more)


MODELS: Mapping[str, Regrouping | None] = {
    "ideal": None,
    "barriers": BARRIERS,
    "without reentry": Regrouping(reentry=False),
    "ballot": Regrouping(SWITCH, cost=6, agreed=6),
    "least ip, 20": _switch("least_ip", 20),
    "least ip, 200": _switch("least_ip", 200),
    "most, 20": _switch("most", 20),
    "most, 200": _switch("most", 200),
    "least ip, 20, everywhere": _everywhere("least_ip", 20),
    "least ip, 200, everywhere": _everywhere("least_ip", 200),
    "most, 20, everywhere": _everywhere("most", 20),
    "least ip, 20, patience": _switch("least_ip", 20, patience=200_000),
    "warp: deepest": _switch("deepest", 200, whole=True),
}


@frozen
class Simulated:
    """The result of a model for one warp; instructions are those of the host twin.

    Attributes:
        lanes: Number of lanes.
        issues: Instructions that the warp issued, those of `waiting` included.
        work: Instructions of all lanes.
        waiting: Instructions that the policy cost.
        in_block: Issued instructions of each block.
        work_in: Lanes' instructions of each block.
        parted: By block, instructions that idle lanes missed because they diverged in the block.
        ended: Issued instructions until each lane's end; 0 if it did not end.
        starved: Number of lanes that waited for ever.
    """

    lanes: int
    issues: int
    work: int
    waiting: int
    in_block: np.ndarray = field(repr=False)
    work_in: np.ndarray = field(repr=False)
    parted: np.ndarray = field(repr=False)
    ended: np.ndarray = field(repr=False)
    starved: int

    @property
    def active(self) -> float:
        """Mean number of active lanes per instruction."""
        return self.work / self.issues


_BY_BLOCK = ("weight", "entry", "function", "alone")  # of WarpCode
_MEETING = ("rank", "loop", "begin", "meets", "head", "outer", "last")


class _Program(ctypes.Structure):
    _fields_ = (
        ("numbers", ctypes.c_void_p),
        ("span", ctypes.c_uint32),
        ("vm", ctypes.c_int32),
        *((name, ctypes.c_void_p) for name in (*_BY_BLOCK, *_MEETING)),
    )


class _Model(ctypes.Structure):
    _fields_ = tuple((field.name, ctypes.c_uint32) for field in attrs.fields(Regrouping))


class _Counts(ctypes.Structure):
    _fields_ = (
        ("issues", ctypes.c_uint64),
        ("work", ctypes.c_uint64),
        ("waiting", ctypes.c_uint64),
        ("block_issues", ctypes.c_void_p),
        ("block_work", ctypes.c_void_p),
        ("parted", ctypes.c_void_p),
    )


@frozen
class Walk:
    """The recorded lanes of one warp, prepared for all models."""

    code: WarpCode
    meeting: Meeting = field(repr=False)
    given: tuple[Any, ...] = field(repr=False)
    kept: tuple[Any, ...] = field(repr=False)  # owns the memory that `given` points into
    lanes: int

    @classmethod
    def of(cls, code: WarpCode, recording: Recording, first: int = 0) -> Walk:
        """Prepare interpreters `first` to `first` + 31 of `recording`.

        Raises:
            BenchFailed: An interpreter executed no bytecode.
            NoCompiler: g++ is not installed.
            BuildFailed: simulator.cpp does not compile.
        """
        n = min(WARP, len(recording.rows) - first)
        lanes = range(first, first + n)
        rows = (ctypes.c_void_p * n)(*(recording.rows[i].ctypes.data for i in lanes))
        lengths = (ctypes.c_uint64 * n)(*(int(recording.lengths[i]) for i in lanes))
        cut = (ctypes.c_int * n)(*(int(recording.cut[i]) for i in lanes))
        program, *kept = _program(code, None)
        pairs = np.zeros((_MOST_WAYS, 2), np.int32)
        dispatching = np.zeros(len(code.place), np.uint8)
        found = _library().warp_ways(
            ctypes.byref(program),
            n,
            rows,
            lengths,
            cut,
            ctypes.c_void_p(pairs.ctypes.data),
            ctypes.c_uint64(_MOST_WAYS),
            ctypes.c_void_p(dispatching.ctypes.data),
        )
        if found < 0:
            raise BenchFailed("an interpreter executed no bytecode")
        made = meeting(code, pairs[:found], frozenset(np.flatnonzero(dispatching).tolist()))
        program, *kept = _program(code, made)
        return cls(code, made, (program, n, rows, lengths, cut), (recording, *kept), n)

    def simulate(self, model: Regrouping | None) -> Simulated:
        """Simulate the warp in `model`; None stands for `ideal`."""
        program, *rest = self.given
        issues, work, parted = (np.zeros(len(self.code.place), np.uint64) for _ in range(3))
        pointers = (array.ctypes.data for array in (issues, work, parted))
        counts = _Counts(0, 0, 0, *pointers)
        ended = np.zeros(self.lanes, np.uint64)
        if model is None:
            starved = _library().warp_ideal(ctypes.byref(program), *rest, ctypes.byref(counts))
        else:
            fields = {**attrs.asdict(model), "policy": POLICIES.index(model.policy)}
            chosen = _Model(**fields)
            starved = _library().warp_barriers(
                ctypes.byref(program),
                ctypes.byref(chosen),
                *rest,
                ctypes.byref(counts),
                ctypes.c_void_p(ended.ctypes.data),
            )
        return Simulated(
            self.lanes,
            counts.issues,
            counts.work,
            counts.waiting,
            issues,
            work,
            parted,
            ended,
            starved,
        )


def _program(code: WarpCode, made: Meeting | None) -> tuple[Any, ...]:
    numbers = code.numbers()
    by_block = [getattr(code, name) for name in _BY_BLOCK]
    by_loop = [getattr(made, name) for name in _MEETING] if made is not None else []
    kept = [numbers, *by_block, *by_loop]
    pointers = [array.ctypes.data for array in kept[1:]]
    vm = code.names.index(_VM)
    return _Program(numbers.ctypes.data, len(numbers), vm, *pointers), kept


@cache
def _library() -> ctypes.CDLL:
    loaded = load_compiled(SOURCE, _GXX)
    loaded.warp_ways.restype = ctypes.c_int64
    return loaded
