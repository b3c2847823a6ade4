"""Build the control flow graph of a function: basic blocks, stack depths, entries and loop heads.

An *entry* is a position at which the interpreter can enter native code. passes/profitability.py
selects the profitable ones.
"""

from __future__ import annotations

from collections.abc import Mapping

from attrs import field, frozen

from porter.compiler.mpy import BytecodeFunction, BytecodeInstruction
from porter.compiler.opcodes import (
    BRANCHES,
    CALLS,
    GLOBALS,
    HANDLERS,
    JUMPS,
    NAMESPACE,
    NATIVE,
    STORED_GLOBALS,
    VARIABLES,
    Control,
    Operand,
    effect,
    jump_effect,
    opcode,
)

# Loads at entries, at most: each entry loads all slots, and nvcc takes minutes for many more.
MOST_LOADS = 4_096


@frozen
class CodeBlock:
    """A basic block.

    Attributes:
        at: Position of its first instruction.
        code: Its instructions.
        depth: Depth of the stack before it.
        followers: Positions at which native code continues.
    """

    at: int
    code: tuple[BytecodeInstruction, ...]
    depth: int
    followers: tuple[int, ...]

    @property
    def last(self) -> BytecodeInstruction:
        """The block's last instruction."""
        return self.code[-1]


@frozen
class Graph:
    """The control flow graph of a function.

    Positions are bytes from the function's first instruction.

    Attributes:
        function: The function.
        blocks: Basic blocks by position, in ascending order; only blocks that are reachable with a
            known depth of the stack.
        entries: Positions at which the interpreter can enter native code.
        behind: Entries that only follow a call or a loop, which native code usually completes.
        heads: Positions of loop heads.
        protected: Whether the function has exception handlers.
        variables: Number of local variables that its instructions use.
        again: Positions of blocks that are in loops.
        names: Numbers of the globals that it uses.
        stored: Numbers of the globals that it stores.
        local: Numbers of names that are globals only at module level.
        slots: Index in `names` by number.
    """

    function: BytecodeFunction
    blocks: Mapping[int, CodeBlock]
    entries: frozenset[int]
    behind: frozenset[int]
    heads: frozenset[int]
    protected: bool
    variables: int
    again: frozenset[int] = frozenset()
    names: tuple[int, ...] = ()
    stored: frozenset[int] = frozenset()
    local: frozenset[int] = frozenset()
    slots: Mapping[int, int] = field(factory=dict, repr=False)

    def before(self, at: int) -> list[int]:
        """Return the positions of the predecessors of the block at `at`."""
        return [block.at for block in self.blocks.values() if at in block.followers]


def graph_of(function: BytecodeFunction, *, loops: bool = False, everywhere: bool = False) -> Graph:
    """Return the control flow graph of a function.

    Args:
        function: The function.
        loops: Whether to drop blocks that are not in loops.
        everywhere: Whether each instruction is an entry. If that exceeds MOST_LOADS, only each k-th
            instruction is one.
    """
    code = {instruction.at: instruction for instruction in function.code}
    entries, behind, leaders, heads = _leaders(function)
    depths = _depths(code)
    variables = max((i.argument + 1 for i in function.code if i.name in VARIABLES), default=0)
    if everywhere:
        loads = sum(variables + depths.get(at, 0) for at in code)
        entries |= set(sorted(code)[:: 1 + loads // MOST_LOADS])
    leaders |= entries | behind | heads
    blocks = _blocks(code, leaders, depths)
    again = _again(blocks) & blocks.keys()
    first = {at for at in _first_stores(function) if _holds(blocks, again, at)}
    if first - leaders:
        entries |= first
        blocks = _blocks(code, leaders | first, depths)
        again = _again(blocks) & blocks.keys()
    if loops:
        blocks = {at: block for at, block in blocks.items() if at in again}
    wanted = entries | behind | heads
    usable = {at for at in wanted if at in blocks and blocks[at].code[0].name in NATIVE}
    used = [it for block in blocks.values() for it in block.code if it.name in GLOBALS]
    names = tuple(sorted({it.argument for it in used}))
    return Graph(
        function,
        blocks,
        frozenset(usable),
        frozenset(usable & behind - entries - heads),
        frozenset(heads & blocks.keys()),
        any(instruction.name in HANDLERS for instruction in function.code),
        variables,
        frozenset(again),
        names,
        frozenset(it.argument for it in used if it.name in STORED_GLOBALS),
        frozenset(it.argument for it in used if it.name in NAMESPACE),
        {number: at for at, number in enumerate(names)},
    )


def _leaders(function: BytecodeFunction) -> tuple[set[int], set[int], set[int], set[int]]:
    entries, behind, leaders, heads = {0}, set(), {0}, set()
    for instruction in function.code:
        name = instruction.name
        row = opcode(name)
        if not row.native:
            # After an UNWIND_JUMP the next instruction is reachable by other paths, if at all.
            if not row.ends or row.control is Control.UNWIND:
                entries.add(instruction.next)
            if row.operand is Operand.TARGET:
                entries.add(instruction.argument)
        if name in CALLS:
            behind.add(instruction.next)
        if name == "FOR_ITER":
            behind.add(instruction.argument)
        if name in JUMPS:
            leaders |= {instruction.argument, instruction.next}
            if instruction.argument <= instruction.at:
                heads.add(instruction.argument)
    return entries, behind, leaders, heads


def _first_stores(function: BytecodeFunction) -> set[int]:
    """Return the positions behind the first store of each global.

    Up to these the interpreter runs loops that use the global, which is unbound.
    """
    found: dict[int, int] = {}
    for instruction in function.code:
        if instruction.name in STORED_GLOBALS:
            found.setdefault(instruction.argument, instruction.next)
    return set(found.values())


def _holds(blocks: Mapping[int, CodeBlock], again: set[int], at: int) -> bool:
    return any(it.next == at for block in again for it in blocks[block].code)


def _blocks(
    code: Mapping[int, BytecodeInstruction], leaders: set[int], depths: Mapping[int, int]
) -> dict[int, CodeBlock]:
    blocks = {}
    for at in sorted(leaders & depths.keys()):
        run = []
        here = code[at]
        while True:
            run.append(here)
            if here.name not in NATIVE or here.name in JUMPS:
                break
            if here.next in leaders or here.next not in code:
                break
            here = code[here.next]
        blocks[at] = CodeBlock(at, tuple(run), depths[at], _followers(run[-1], code))
    return blocks


def _again(blocks: Mapping[int, CodeBlock]) -> set[int]:
    """Return the positions of blocks in loops, including loops that the interpreter must run."""
    import networkx  # slow to load, and most commands compile nothing

    ways: networkx.DiGraph[int] = networkx.DiGraph()
    for block in blocks.values():
        for to, _ in targets(block.last, 0):
            ways.add_edge(block.at, to)
    found: set[int] = set()
    for part in networkx.strongly_connected_components(ways):
        if len(part) > 1 or any(ways.has_edge(at, at) for at in part):
            found |= part
    return found


def _followers(
    last: BytecodeInstruction, code: Mapping[int, BytecodeInstruction]
) -> tuple[int, ...]:
    """Return the positions at which native code continues."""
    if last.name not in NATIVE:
        return ()
    if last.name == "JUMP":
        return (last.argument,)
    if last.name in BRANCHES:
        return (last.next, last.argument)
    return (last.next,) if last.next in code else ()


def _depths(code: Mapping[int, BytecodeInstruction]) -> dict[int, int]:
    """Return the depth of the stack before each reachable instruction.

    The interpreter enters a `finally` block with one or two values; the result assumes one.
    """
    depths = {0: 0}
    todo = [0]
    while todo:
        at = todo.pop()
        instruction, depth = code[at], depths[at]
        for target, deep in targets(instruction, depth):
            if target in code and target not in depths:
                depths[target] = deep
                todo.append(target)
    return depths


def targets(instruction: BytecodeInstruction, depth: int) -> list[tuple[int, int]]:
    """Return the successors of an instruction, each with the depth of the stack there.

    Args:
        instruction: The instruction.
        depth: Depth of the stack before it.
    """
    row = opcode(instruction.name)
    operands = instruction.name, instruction.argument, instruction.extra
    found = [] if row.ends else [(instruction.next, depth + effect(*operands))]
    if row.operand is Operand.TARGET:
        found.append((instruction.argument, depth + jump_effect(*operands)))
    return found
