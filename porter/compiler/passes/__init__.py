"""Passes of the compiled tier: functions from the IR of a function to its IR.

A pass is a module with a function `run(function, options)`, and a row in `PASSES`, in the order in
which they run. `porter compile FILE --show ir --after PASS` prints the result of each.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from porter.compiler.ir.operations import FunctionIR
from porter.compiler.options import CompilerOptions
from porter.compiler.passes import outlining, strip_mining

Pass = Callable[[FunctionIR, CompilerOptions], FunctionIR]

PASSES: Mapping[str, Pass] = {
    "outlining": outlining.run,
    "strip-mining": strip_mining.run,
}


def run_passes(function: FunctionIR, options: CompilerOptions, last: str = "") -> FunctionIR:
    """Return the IR of a function after the passes.

    Args:
        function: The function, as construction.py makes it.
        options: Options of the translation.
        last: Name of the last pass to run; "" for all.
    """
    for name, run in PASSES.items():
        function = run(function, options)
        if name == last:
            break
    return function
