"""Strip mining: hoist the counter test and the interrupt poll out of the iterations of a loop.

Each iteration of a loop tests its counter, and the number of branches until the next interrupt
poll. A strip is a number of iterations in which neither can run out. It tests both once, and the
C++ compiler can unroll the plain loop that remains.

Eligible loops are innermost loops that count by a constant, up or down to a bound, and call nothing
that may run other code. An iteration in a strip may take a side exit. The number of branches until
the next poll is then the same as without strips.

A strip stands at the start of the block with the loop's test. The block stays complete behind it:
the block ends the loop, polls, and starts the iterations that no strip covers. A loop that accesses
elements of arrays gets further strips, one for each common typecode. A further strip tests the
typecode once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from graphlib import CycleError, TopologicalSorter
from string import ascii_lowercase

from attrs import evolve, fields, frozen

from porter.compiler.ir.expressions import (
    Arithmetic,
    Compare,
    Expression,
    Integer,
    ViewAccess,
    parts,
)
from porter.compiler.ir.operations import (
    Assign,
    BlockJump,
    Branch,
    CallFrame,
    CountBranch,
    FastPath,
    FunctionIR,
    Invoke,
    IrBlock,
    NextInteger,
    NextItem,
    NextIteration,
    Operation,
    Region,
    SafepointPoll,
    SetView,
    Strip,
    every,
    rewritten,
    size_of,
)
from porter.compiler.options import CompilerOptions
from porter.compiler.representations import FLOAT, INT

MAX_LINES = 120  # C++ lines of a loop with a strip; longer loops gain little
MAX_TYPED_LINES = 40  # C++ lines of a loop with further strips for common typecodes
_TYPECODES = {FLOAT: "fd", INT: "Bi"}  # common typecodes of arrays
_TYPED_STRIPS = 2
# Whether the counter is the lesser operand while the loop runs, and whether equality continues it,
# by comparison and direction.
_DIRECTIONS = {
    ("LESS", 1): (True, False),
    ("LESS_EQUAL", 1): (True, True),
    ("MORE", -1): (False, False),
    ("MORE_EQUAL", -1): (False, True),
}
_MAY_RUN_OTHER_CODE = (Invoke, CallFrame, NextItem, NextInteger)


@frozen
class _Loop:
    """A counting loop.

    Attributes:
        head: The block with the loop's test.
        test: The conditional jump into the loop.
        counter: The counter.
        bound: The operand that the counter is compared with.
        blocks: The loop's blocks without the head, in topological order.
    """

    head: IrBlock
    test: Branch
    counter: Expression
    bound: Expression
    blocks: Sequence[IrBlock]


def run(function: FunctionIR, _: CompilerOptions) -> FunctionIR:
    """Return the function with strips at the tests of eligible loops."""
    regions = tuple(map(_strip_mined, function.regions))
    return evolve(function, regions=regions)


def _strip_mined(region: Region) -> Region:
    blocks = {
        at: evolve(block, strips=tuple(strips(block, region.blocks)))
        for at, block in region.blocks.items()
    }
    return evolve(region, blocks=blocks)


def strips(head: IrBlock, blocks: Mapping[int, IrBlock]) -> Iterator[Strip]:
    """Yield the strips of the loop that a block tests; none if the loop is not eligible.

    Args:
        head: The block.
        blocks: All blocks of its region, by position.
    """
    loop = _loop(head, blocks)
    if loop is None:
        return
    step = _step(loop)
    if not step or any(_assigns(block, loop.bound) for block in (head, *loop.blocks)):
        return
    test = loop.test.condition
    assert isinstance(test, Compare)
    direction = _DIRECTIONS.get((test.op, 1 if step > 0 else -1))
    if direction is None or sum(size_of(block.operations) for block in loop.blocks) > MAX_LINES:
        return
    upwards, inclusive = direction
    near, far = (loop.counter, loop.bound) if upwards else (loop.bound, loop.counter)
    typed = [(ascii_lowercase[k], codes) for k, codes in enumerate(_typecodes(loop.blocks))]
    for suffix, codes in (*typed, ("", {})):
        label = f"{head.at}{suffix}"
        yield Strip(
            label,
            near,
            far,
            inclusive,
            abs(step),
            _branches(loop),
            codes,
            _copied(loop, loop.test.then, label, codes),
            tuple(
                evolve(block, operations=_copied(loop, block.operations, label, codes))
                for block in loop.blocks
            ),
        )


def _loop(head: IrBlock, blocks: Mapping[int, IrBlock]) -> _Loop | None:
    """Return the counting loop that a block tests.

    The result is None for a block that does more than test. It is also None if the loop contains
    another loop, or may run other code.
    """
    test = next((each for each in head.operations if isinstance(each, Branch)), None)
    if test is None or not test.sense:
        return None
    condition = test.condition
    before = head.operations[: head.operations.index(test)]
    if not isinstance(condition, Compare) or not condition.integers:
        return None
    if not all(isinstance(each, SafepointPoll | CountBranch) for each in before):
        return None
    into = [each.to for each in test.then if isinstance(each, BlockJump)]
    inside = _blocks_between(head, into, blocks)
    if not inside:
        return None
    return _Loop(head, test, condition.lhs, condition.rhs, inside)


def _blocks_between(
    head: IrBlock, into: Sequence[int], blocks: Mapping[int, IrBlock]
) -> Sequence[IrBlock]:
    """Return the loop's blocks without the head, in topological order.

    The result is empty if the loop contains another loop or may run other code.
    """
    inside: dict[int, set[int]] = {}
    todo = list(into)
    while todo:
        at = todo.pop()
        if at in inside or at == head.at or at not in blocks:
            continue
        inside[at] = blocks[at].successors
        todo += inside[at]
    # Of the reachable blocks, the loop has those from which a path leads back to the head.
    back = {head.at}
    while more := {at for at, to in inside.items() if to & back} - back:
        back |= more
    ways = {at: to & back - {head.at} for at, to in inside.items() if at in back}
    try:
        order = list(TopologicalSorter(ways).static_order())[::-1]
    except CycleError:
        return []
    loop = [blocks[at] for at in order]
    operations = (each for block in loop for each in every(block.operations))
    return [] if any(isinstance(each, _MAY_RUN_OTHER_CODE) for each in operations) else loop


def _assignments(block: IrBlock, target: Expression) -> list[Expression]:
    """Return the values that a block assigns to a variable."""
    assigns = (each for each in every(block.operations) if isinstance(each, Assign))
    return [each.value for each in assigns if each.target == target]


def _assigns(block: IrBlock, target: Expression) -> bool:
    return bool(_assignments(block, target))


def _step(loop: _Loop) -> int:
    """Return the increment of the counter in each iteration; 0 if it is unknown."""
    storing = [block for block in loop.blocks if _assigns(block, loop.counter)]
    last = [block for block in loop.blocks if loop.head.at in block.successors]
    if len(storing) != 1 or storing != last or _assigns(loop.head, loop.counter):
        return 0
    values = _assignments(storing[0], loop.counter)
    if len(values) != 1:
        return 0
    sums = _assignments(storing[0], values[0])
    value = sums[0] if len(sums) == 1 else values[0]
    if not isinstance(value, Arithmetic) or value.lhs != loop.counter:
        return 0
    if value.op not in ("+", "-") or not isinstance(value.rhs, Integer):
        return 0
    return value.rhs.value if value.op == "+" else -value.rhs.value


def _branches(loop: _Loop) -> int:
    """Return the maximum number of branches in one iteration."""
    most: dict[int, int] = {loop.head.at: 0}
    for block in reversed(loop.blocks):
        own = sum(isinstance(each, CountBranch) for each in every(block.operations))
        after = (most[to] for to in block.successors if to in most)
        most[block.at] = own + max(after, default=0)
    return 1 + most[loop.blocks[0].at]


def _copied(
    loop: _Loop, operations: Sequence[Operation], label: str, codes: Mapping[int, str]
) -> tuple[Operation, ...]:
    """Return operations as they are in a strip: with its jumps and typecodes, without polls."""
    inside = {block.at for block in loop.blocks}

    def rewrite(operation: Operation) -> Operation | None:
        if isinstance(operation, SafepointPoll):
            return None
        if isinstance(operation, BlockJump):
            if operation.to == loop.head.at:
                return NextIteration(label)
            return evolve(operation, strip=label) if operation.to in inside else operation
        if isinstance(operation, FastPath):
            fails = _with_typecodes(operation.fails, codes)
            return evolve(operation, fails=fails, slow=None)
        return operation

    return rewritten(operations, rewrite)


def _with_typecodes(expression: Expression, codes: Mapping[int, str]) -> Expression:
    """Return an expression in which accesses through views use known typecodes."""
    if isinstance(expression, ViewAccess):
        return evolve(expression, typecode=codes.get(expression.view, ""))
    changes = {
        each.name: _with_typecodes(value, codes)
        for each in fields(type(expression))
        if isinstance(value := getattr(expression, each.name), Expression)
    }
    return evolve(expression, **changes)


def _typecodes(loop: Sequence[IrBlock]) -> list[dict[int, str]]:
    """Return typecodes by view number for each further strip; none if they do not pay off."""
    operations = [each for block in loop for each in every(block.operations)]
    used: dict[int, set[str]] = {}
    for each in operations:
        if isinstance(each, FastPath):
            for part in parts(each.fails):
                if isinstance(part, ViewAccess) and part.kind in _TYPECODES:
                    used.setdefault(part.view, set()).add(part.kind)
    of = {view: kinds.pop() for view, kinds in used.items() if len(kinds) == 1}
    # A view that each iteration computes anew may be of another array each time.
    computed = {each.view for each in operations if isinstance(each, SetView)}
    of = {view: kind for view, kind in of.items() if view not in computed}
    if not of or sum(size_of(block.operations) for block in loop) > MAX_TYPED_LINES:
        return []
    return [
        {view: _TYPECODES[kind][number] for view, kind in of.items()}
        for number in range(_TYPED_STRIPS)
    ]
