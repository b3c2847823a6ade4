"""Basic blocks of a function, how deep the stack is in each, and where compiled code is entered."""

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
# Each entry loads variables and stack, and nvcc takes minutes for functions with many more loads.
MOST_LOADS = 4_096


@frozen
class CodeBlock:
    """Instructions that run one after the other. depth: of the stack before the first."""

    at: int
    code: tuple[BytecodeInstruction, ...]
    depth: int
    followers: tuple[int, ...]

    @property
    def last(self) -> BytecodeInstruction:
        """The instruction at its end."""
        return self.code[-1]


@frozen
class Graph:
    """A function's blocks by position, in their order. Only what can be reached with a depth that
    is known is here. entries: where the interpreter may hand over; behind: those where nothing but
    a call or a loop ends, which machine code does itself as a rule. heads: of loops. again: blocks
    that may run again. names: numbers of the globals that it uses; stored: those that it stores
    too; local: those that are globals only at module level."""

    function: BytecodeFunction
    blocks: Mapping[int, CodeBlock]
    entries: frozenset[int]
    behind: frozenset[int]
    heads: frozenset[int]
    protected: bool  # whether it has handlers of exceptions
    variables: int  # of the function that its instructions name
    again: frozenset[int] = frozenset()
    names: tuple[int, ...] = ()
    stored: frozenset[int] = frozenset()
    local: frozenset[int] = frozenset()
    slots: Mapping[int, int] = field(factory=dict, repr=False)  # index in names by number

    def before(self, at: int) -> list[int]:
        """The blocks that lead to the one at `at`."""
        return [block.at for block in self.blocks.values() if at in block.followers]


def graph_of(function: BytecodeFunction, *, loops: bool = False, everywhere: bool = False) -> Graph:
    """Blocks and entries of a function. loops: only the blocks that may run again and again.
    everywhere: each instruction is an entry, or each k-th one where there is much to load."""
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
    """Behind the first store of each global: until then the interpreter runs loops that use it."""
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
    """The blocks from which the way leads back to them, through instructions of the interpreter's
    too."""
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
    """Where compiled code goes on by itself."""
    if last.name not in KNOWN:
        return ()
    if last.name == "JUMP":
        return (last.argument,)
    if last.name in JUMPS:
        return (last.next, last.argument)
    return (last.next,) if last.next in code else ()


def _depths(code: Mapping[int, BytecodeInstruction]) -> dict[int, int]:
    """The stack's depth before each instruction. In a `finally` block, which the interpreter enters
    with one value or two, it is that of one."""
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
    """Where an instruction leads, and how deep the stack is there, if it is `depth` here."""
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
