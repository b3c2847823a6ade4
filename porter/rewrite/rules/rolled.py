"""Rule `rolled`: disable loop unrolling, to reduce instruction cache misses on a GPU.

Warps whose interpreters diverge execute different code and stall on instruction fetch. The warps of
one multiprocessor share 32 KiB of instruction cache (measured: docs/lab/performance.md,
"Instruction fetch"). `nvcc` unrolls loops with few iterations, which makes the code of an
interpreter 6 percent longer.
"""

from __future__ import annotations

from collections.abc import Iterator

from porter.rewrite.edit import Edit, insert
from porter.rewrite.rule import Example, Rule, on
from porter.syntax.node import CursorKind as K
from porter.syntax.node import Node


class Rolled(Rule):
    """Puts a pragma in front of each loop that disables unrolling."""

    name = "rolled"
    example = Example(
        "void f(int n) { while (n--) { } }", "void f(int n) { PORTER_ROLLED while (n--) { } }"
    )

    @on(K.FOR_STMT, K.WHILE_STMT, K.DO_STMT)
    def loop(self, node: Node) -> Iterator[Edit]:
        """Insert the runtime's macro before a loop."""
        yield insert(node.start, "PORTER_ROLLED ", self.name)
