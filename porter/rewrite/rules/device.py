"""Rules for device code: marks and linkage of declarations, and the shape of calls and loops.

Rule `reentry`: `nvcc` inserts no convergence barriers into a function that calls itself. Lanes of a
warp that diverge in it stay diverged until it returns. Measured with nvcc 13.0: `mp_quicksort` has
0 barriers for 23 branches, and 15 if it does not call itself. Mutually recursive functions get
barriers.

Rule `rolled`: warps whose interpreters diverge execute different code and stall on instruction
fetch. The warps of one multiprocessor share 32 KiB of instruction cache (measured:
docs/lab/performance.md, "Instruction fetch"). `nvcc` unrolls loops with few iterations, which makes
the code of an interpreter 6 percent longer.
"""

from __future__ import annotations

from collections.abc import Iterator

from porter.rewrite.edit import Edit, insert, wrap
from porter.rewrite.queries import body, callee, initialiser, is_constant, symbol_key
from porter.rewrite.rule import Example, Rule, on, on_body
from porter.syntax.node import CursorKind as K
from porter.syntax.node import Node


class Reentry(Rule):
    """Replaces a function's direct call of itself by a call through a trampoline."""

    name = "reentry"
    example = Example(
        "int f(int n) { return n ? f(n - 1) : 0; }",
        "int f(int n) { return n ? PORTER_REENTER(f)(n - 1) : 0; }",
    )

    @on_body
    def function(self, function: Node, block: Node) -> Iterator[Edit]:
        """Wrap the callee's name in each self-recursive call."""
        if function.type.is_function_variadic():
            return  # variable arguments cannot be forwarded
        own = symbol_key(self.unit.name, function.cursor)
        for node in block.walk():
            called = callee(node) if node.kind == K.CALL_EXPR else None
            if called is not None and symbol_key(self.unit.name, called.referenced) == own:
                yield wrap(node.children[0].span, "PORTER_REENTER(", ")", self.name)


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


MARK = "PORTER_DEVICE "
# Characters of source. Functions of this length or more are not inlined unless declared inline.
# With nvcc's own choice littlefs becomes 17 MB of PTX and compiles for minutes.
LONG = 300


class DeviceMarks(Rule):
    """Puts the device attribute on functions and constants, and C linkage around the unit."""

    name = "device"
    example = Example(
        "const int k = 1; int f(void);",
        'extern "C" {\nextern PORTER_DEVICE const int k = 1; PORTER_DEVICE int f(void);\n}\n',
    )

    def before_walk(self) -> Iterator[Edit]:
        """Wrap the whole unit in an extern "C" block."""
        yield insert(0, 'extern "C" {\n', self.name)
        yield insert(len(self.unit.text), "\n}\n", self.name)

    @on(K.FUNCTION_DECL)
    def function(self, node: Node) -> Iterator[Edit]:
        """Mark a function at file scope; `externs` marks declarations inside functions."""
        if node.parent is None:
            yield insert(node.start, self._function_mark(node), self.name)

    @on(K.VAR_DECL)
    def variable(self, node: Node) -> Iterator[Edit]:
        """Mark an object at file scope that is not in the state."""
        if node.parent is None and self._key(node) not in self.program.state:
            yield self._variable(node)

    def _key(self, node: Node) -> str:
        return symbol_key(self.unit.name, node.cursor)

    def _function_mark(self, node: Node) -> str:
        block = body(node)
        if block is None or block.end - block.start < LONG:
            return MARK
        head = self.unit.code_between(node.start, block.start)
        return MARK if "inline" in head else MARK + "PORTER_NOINLINE "

    def _variable(self, node: Node) -> Edit:
        """Mark an object; a `const` one becomes extern, since C++ gives it internal linkage."""
        storage = node.cursor.storage_class.name
        if storage == "NONE" and is_constant(node) and initialiser(node) is not None:
            return insert(node.start, f"extern {MARK}", self.name)
        return insert(node.start, MARK, self.name)
