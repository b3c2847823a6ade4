"""Keeps loops as they are written, for a GPU: what is unrolled is more code.

Warps whose interpreters differ execute different places of the program, and wait for instructions:
those of one multiprocessor share 32 KiB for code, and what is not there comes slowly (measured,
docs/lab/performance.md, "Instruction fetch"). `nvcc` unrolls loops that turn a few times, which
makes the code of an interpreter 6 percent longer.
"""

from __future__ import annotations

from collections.abc import Iterator

from porter.rewrite.edit import Edit, insert
from porter.rewrite.rule import Example, Rule, on
from porter.syntax.node import CursorKind as K
from porter.syntax.node import Node


class Rolled(Rule):
    """Asks in front of each loop that it is not unrolled."""

    name = "rolled"
    example = Example(
        "void f(int n) { while (n--) { } }", "void f(int n) { PORTER_ROLLED while (n--) { } }"
    )

    @on(K.FOR_STMT, K.WHILE_STMT, K.DO_STMT)
    def loop(self, node: Node) -> Iterator[Edit]:
        """Puts the word of the runtime in front of the loop."""
        yield insert(node.start, "PORTER_ROLLED ", self.name)
