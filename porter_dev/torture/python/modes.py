"""Execution modes of generated programs; each is compared with the interpreter."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attrs import field, frozen

from porter.compiler.options import CompilerOptions


@frozen
class TierMode:
    """A way to run a program: options of the native compiler and of the launch.

    Attributes:
        name: Name of the mode.
        options: Options of the compiler.
        loops: Whether only the loops of module code are compiled.
        hints: Type feedback for the compiler: "" none, "seen" that of a profiling run, "any"
            random values.
        launch: Options of Launch.
        exact: Whether output, traceback and steps must equal the interpreter's.
        failing: Number of the first allocation that fails; 0: none.
        flags: Flags of g++; None for those of the fastest compilation.
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
