"""Build the control flow graph of a function: basic blocks, stack depths, entries and loop heads.

An *entry* is a position at which the interpreter can enter native code. worth.py selects the
profitable ones.
"""

from __future__ import annotations

from collections.abc import Mapping

from attrs import field, frozen

from porter.compiler.effects import (
    CALLS,
    ENDS,
    HANDLERS,
    ITERATOR,
    JUMPS,
    KNOWN,
    VARIABLES,
    effect,
)
from porter.compiler.mpy import BytecodeFunction, BytecodeInstruction

LOCAL_NAMES = frozenset(["LOAD_NAME", "STORE_NAME"])
STORED_NAMES = frozenset(["STORE_NAME", "STORE_GLOBAL"])
NAMES = LOCAL_NAMES | STORED_NAMES | {"LOAD_GLOBAL"}
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
    usable = {at for at in wanted if at in blocks and blocks[at].code[0].name in KNOWN}
    used = [it for block in blocks.values() for it in block.code if it.name in NAMES]
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
        frozenset(it.argument for it in used if it.name in STORED_NAMES),
        frozenset(it.argument for it in used if it.name in LOCAL_NAMES),
        {number: at for at, number in enumerate(names)},
    )


def _leaders(function: BytecodeFunction) -> tuple[set[int], set[int], set[int], set[int]]:
    entries, behind, leaders, heads = {0}, set(), {0}, set()
    for instruction in function.code:
        name = instruction.name
        if name not in KNOWN:
            if name not in ENDS:
                entries.add(instruction.next)
            if name in HANDLERS or name in ("POP_EXCEPT_JUMP", "UNWIND_JUMP"):
                entries.add(instruction.argument)
        if name in CALLS:
            behind.add(instruction.next)
        if name == "FOR_ITER":
            behind.add(instruction.argument)
        if name in JUMPS or name == "JUMP":
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
        if instruction.name in STORED_NAMES:
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
            if here.name not in KNOWN or here.name in JUMPS or here.name == "JUMP":
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
    if last.name not in KNOWN:
        return ()
    if last.name == "JUMP":
        return (last.argument,)
    if last.name in JUMPS:
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
    name = instruction.name
    after = depth + effect(instruction)
    found = [] if name in ENDS or name == "UNWIND_JUMP" else [(instruction.next, after)]
    if name in ("JUMP_IF_TRUE_OR_POP", "JUMP_IF_FALSE_OR_POP"):
        found.append((instruction.argument, depth))
    elif name == "FOR_ITER":
        found.append((instruction.argument, depth - ITERATOR))
    elif name in HANDLERS:
        found.append((instruction.argument, depth + (2 if name == "SETUP_WITH" else 1)))
    elif name in ("JUMP", "POP_JUMP_IF_TRUE", "POP_JUMP_IF_FALSE", "POP_EXCEPT_JUMP"):
        found.append((instruction.argument, after))
    elif name == "UNWIND_JUMP":
        popped = ITERATOR if instruction.extra & 0x80 else 0
        found.append((instruction.argument, depth - popped))
    return found
