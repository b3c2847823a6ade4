"""The models of a warp: `simulator.cpp`, compiled at its first use.

`ideal`: lanes meet in C code wherever they can. The lanes deepest in calls are issued first, of
these the ones furthest behind in their function, where a loop's lanes wait for each other in every
round; all that are at one block after equal calls go together. It knows nothing of bytecode.

`barriers`: lanes meet where the compiler has a convergence barrier. Lanes that part in a function
meet at the immediate post-dominator of the block in which they parted, at the latest at the
function's one exit. They do not meet after calls of different functions through a pointer. So
lanes that part in the VM's loop meet again where the execution of this function's bytecode ends.
nvcc makes no barriers for functions that call themselves directly: in `without reentry` lanes do
not meet in them, which is what device code was like without the rule of that name.

A policy is `barriers`, and lanes that entered a function's bytecode together regroup before each
instruction of upstream's switch (stops=1), or of the fast path too (stops=3).
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

from porter.bench.compiled import load_compiled
from porter.bench.warp.blocks import WarpCode
from porter.bench.warp.meeting import Meeting, meeting
from porter.bench.warp.record import WARP, Recording
from porter.errors import BenchFailed

SOURCE = Path(__file__).parent / "simulator.cpp"
_GXX = ("-std=c++17", "-O2")
_VM = "mp_execute_bytecode"
POLICIES = ("everyone", "least_ip", "deepest", "most")  # policies.h
_MOST_WAYS = 1 << 17
SWITCH, EVERYWHERE = 1, 3  # `stops`


@frozen
class Regrouping:
    """Where lanes regroup in the VM, and who goes first: warp.h's struct Model.

    stops: 0, SWITCH, EVERYWHERE. policy: of POLICIES. rounds: after which a lane no longer waits.
    patience: instructions of the warp after which a group gives up those that it waits for; 0:
    never. cost, agreed: instructions of a round in which lanes stand at different instructions, or
    all at one. whole: all lanes of the warp are one group, and nobody
    waits for one that a barrier holds. reentry: functions that call themselves have barriers, as
    the rule `reentry` sees to. calls_meet: as if compilers had barriers after calls.
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
    # Lanes that agree ask for the mask of active lanes, and stay in the fast path.
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
    """What a model says of one warp; instructions are those of the host twin.

    issues: instructions of the warp, a policy's `waiting` included. work: of all lanes. in_block,
    work_in: issues and work of each block. parted: of each block, instructions that idle lanes
    missed since lanes parted there. ended: issues until each lane's end, 0 where there is none.
    starved: lanes that waited for ever.
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
        """Lanes active of an instruction, on average."""
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
    """One warp's recorded lanes, ready for every model."""

    code: WarpCode
    meeting: Meeting = field(repr=False)
    given: tuple[Any, ...] = field(repr=False)
    kept: tuple[Any, ...] = field(repr=False)  # what `given` points into
    lanes: int

    @classmethod
    def of(cls, code: WarpCode, recording: Recording, first: int = 0) -> Walk:
        """Of interpreters `first` to `first` + 31 of `recording`.

        Raises BenchFailed, NoCompiler, BuildFailed.
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
        """What happens in `model`; None: `ideal`."""
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
