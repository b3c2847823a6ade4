"""The ways in which generated programs run, each compared with the interpreter's."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attrs import field, frozen

from porter.compiler.options import CompilerOptions


@frozen
class TierMode:
    """A way to run: how machine code is made, and what the launch does on purpose.

    loops: of a module's own code loops alone are compiled. hints: what the compiler is told that an
    interpreter saw: nothing, what one saw, or anything. launch: options of Launch. exact: whether
    output, traceback and steps must be the interpreter's. failing: the first allocation that fails.
    flags: of g++; None: those that make it quick.
    """

    name: str
    options: CompilerOptions = field(factory=CompilerOptions)
    loops: bool = False
    hints: str = ""
    launch: Mapping[str, Any] = field(factory=dict)
    exact: bool = True
    failing: int = 0
    flags: tuple[str, ...] | None = None


MODES = {
    mode.name: mode
    for mode in (
        TierMode("usual", loops=True),
        TierMode("all"),
        TierMode("seen", hints="seen"),
        TierMode("misled", hints="any"),
        TierMode("guards", CompilerOptions(force="guards")),
        TierMode("third", CompilerOptions(force=3)),
        TierMode("kernels", CompilerOptions(enter="apart"), loops=True, hints="seen"),
        TierMode("apart", CompilerOptions(enter="apart")),
        TierMode("apart7", CompilerOptions(enter="apart", force=7), hints="any"),
        TierMode("everywhere", CompilerOptions(enter="everywhere")),
        TierMode("everywhere5", CompilerOptions(enter="everywhere", force=5), hints="any"),
        TierMode("optimised", loops=True, hints="seen", flags=("-w",)),
        TierMode("gc", launch={"gc_stress": True}),
        TierMode("memory", exact=False, failing=400),
    )
}
