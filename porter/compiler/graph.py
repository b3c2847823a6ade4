"""Basic blocks of a function, how deep the stack is in each, and where compiled code is entered."""

from __future__ import annotations

from collections.abc import Mapping

import networkx
from attrs import frozen

from porter.compiler.mpy import Function, Instruction

ITERATOR = 4  # slots of an iterator on the stack, MP_OBJ_ITER_BUF_NSLOTS

# Which instructions compiled code runs; the interpreter runs all others.
KNOWN = frozenset(
    [
        "LOAD_CONST_FALSE",
        "LOAD_CONST_NONE",
        "LOAD_CONST_TRUE",
        "LOAD_CONST_SMALL_INT",
        "LOAD_CONST_STRING",
        "LOAD_CONST_OBJ",
        "LOAD_NULL",
        "LOAD_FAST",
        "LOAD_DEREF",
        "LOAD_NAME",
        "LOAD_GLOBAL",
        "LOAD_ATTR",
        "LOAD_METHOD",
        "LOAD_SUBSCR",
        "STORE_FAST",
        "STORE_DEREF",
        "STORE_NAME",
        "STORE_GLOBAL",
        "STORE_ATTR",
        "STORE_SUBSCR",
        "DUP_TOP",
        "DUP_TOP_TWO",
        "POP_TOP",
        "ROT_TWO",
        "ROT_THREE",
        "JUMP",
        "POP_JUMP_IF_TRUE",
        "POP_JUMP_IF_FALSE",
        "JUMP_IF_TRUE_OR_POP",
        "JUMP_IF_FALSE_OR_POP",
        "FOR_ITER",
        "GET_ITER",
        "GET_ITER_STACK",
        "BUILD_TUPLE",
        "BUILD_LIST",
        "BUILD_MAP",
        "STORE_MAP",
        "BUILD_SET",
        "STORE_COMP",
        "UNPACK_SEQUENCE",
        "CALL_FUNCTION",
        "CALL_METHOD",
        "UNARY_OP",
        "BINARY_OP",
    ]
)
JUMPS = frozenset(
    [
        "POP_JUMP_IF_TRUE",
        "POP_JUMP_IF_FALSE",
        "JUMP_IF_TRUE_OR_POP",
        "JUMP_IF_FALSE_OR_POP",
        "FOR_ITER",
    ]
)
ENDS = frozenset(
    ["RETURN_VALUE", "RAISE_LAST", "RAISE_OBJ", "RAISE_FROM", "JUMP", "POP_EXCEPT_JUMP"]
)
HANDLERS = frozenset(["SETUP_WITH", "SETUP_EXCEPT", "SETUP_FINALLY"])
_VARIABLES = frozenset(
    ["LOAD_FAST", "STORE_FAST", "DELETE_FAST", "LOAD_DEREF", "STORE_DEREF", "DELETE_DEREF"]
)
CALLS = frozenset(["CALL_FUNCTION", "CALL_METHOD"])


@frozen
class Block:
    """Instructions that run one after the other. depth: of the stack before the first."""

    at: int
    code: tuple[Instruction, ...]
    depth: int
    followers: tuple[int, ...]

    @property
    def last(self) -> Instruction:
        """The instruction at its end."""
        return self.code[-1]


@frozen
class Graph:
    """A function's blocks by position, in their order. Only what can be reached with a depth that
    is known is here. entries: where the interpreter may hand over. heads: of loops."""

    function: Function
    blocks: Mapping[int, Block]
    entries: frozenset[int]
    heads: frozenset[int]
    protected: bool  # whether it has handlers of exceptions
    variables: int  # of the function that its instructions name

    def before(self, at: int) -> list[int]:
        """The blocks that lead to the one at `at`."""
        return [block.at for block in self.blocks.values() if at in block.followers]


def effect(instruction: Instruction) -> int:
    """How many values it leaves more on the stack, where it does not jump."""
    name, number = instruction.name, instruction.argument
    if name in _EFFECTS:
        return _EFFECTS[name]
    if name in ("BUILD_TUPLE", "BUILD_LIST", "BUILD_SET"):
        return 1 - number
    if name == "STORE_COMP":
        return -2 if number & 3 == 1 else -1
    if name == "UNPACK_SEQUENCE":
        return number - 1
    if name == "UNPACK_EX":
        return (number & 0xFF) + (number >> 8 & 0xFF)
    if name == "BUILD_SLICE":
        return 1 - number
    if name == "MAKE_CLOSURE":
        return 1 - instruction.extra
    if name == "MAKE_CLOSURE_DEFARGS":
        return -1 - instruction.extra
    passed = (number & 0xFF) + (number >> 7 & 0x1FE)
    return {
        "CALL_FUNCTION": -passed,
        "CALL_METHOD": -passed - 1,
        "CALL_FUNCTION_VAR_KW": -passed - 1,
        "CALL_METHOD_VAR_KW": -passed - 2,
    }[name]


def needs(instruction: Instruction) -> int:
    """How many values it takes from the stack, or looks at there."""
    name, number = instruction.name, instruction.argument
    if name in _NEEDS:
        return _NEEDS[name]
    if name in ("BUILD_TUPLE", "BUILD_LIST", "BUILD_SET"):
        return number
    if name == "STORE_COMP":
        return (number >> 2) + 1
    if name in CALLS:
        return 1 - effect(instruction)
    return max(0, -effect(instruction))


_NEEDS = {
    "STORE_SUBSCR": 3,
    "ROT_THREE": 3,
    "STORE_MAP": 3,
    "FOR_ITER": ITERATOR,
    **dict.fromkeys(["BINARY_OP", "LOAD_SUBSCR", "STORE_ATTR", "ROT_TWO", "DUP_TOP_TWO"], 2),
    **dict.fromkeys(
        [
            "LOAD_ATTR",
            "LOAD_METHOD",
            "UNARY_OP",
            "DUP_TOP",
            "GET_ITER",
            "GET_ITER_STACK",
            "UNPACK_SEQUENCE",
            "JUMP_IF_TRUE_OR_POP",
            "JUMP_IF_FALSE_OR_POP",
        ],
        1,
    ),
}
_EFFECTS = {
    **dict.fromkeys(
        [
            "LOAD_CONST_FALSE",
            "LOAD_CONST_NONE",
            "LOAD_CONST_TRUE",
            "LOAD_CONST_SMALL_INT",
            "LOAD_CONST_STRING",
            "LOAD_CONST_OBJ",
            "LOAD_NULL",
            "LOAD_FAST",
            "LOAD_DEREF",
            "LOAD_NAME",
            "LOAD_GLOBAL",
            "LOAD_METHOD",
            "LOAD_BUILD_CLASS",
            "DUP_TOP",
            "BUILD_MAP",
            "MAKE_FUNCTION",
            "IMPORT_FROM",
            "FOR_ITER",
        ],
        1,
    ),
    **dict.fromkeys(
        [
            "LOAD_SUBSCR",
            "STORE_FAST",
            "STORE_DEREF",
            "STORE_NAME",
            "STORE_GLOBAL",
            "POP_TOP",
            "POP_JUMP_IF_TRUE",
            "POP_JUMP_IF_FALSE",
            "JUMP_IF_TRUE_OR_POP",
            "JUMP_IF_FALSE_OR_POP",
            "END_FINALLY",
            "BINARY_OP",
            "MAKE_FUNCTION_DEFARGS",
            "IMPORT_NAME",
            "IMPORT_STAR",
            "LOAD_SUPER_METHOD",
            "YIELD_FROM",
            "RETURN_VALUE",
            "RAISE_OBJ",
        ],
        -1,
    ),
    **dict.fromkeys(
        [
            "LOAD_ATTR",
            "DELETE_FAST",
            "DELETE_DEREF",
            "DELETE_NAME",
            "DELETE_GLOBAL",
            "ROT_TWO",
            "ROT_THREE",
            "JUMP",
            "GET_ITER",
            "UNARY_OP",
            "YIELD_VALUE",
            "RAISE_LAST",
            "SETUP_EXCEPT",
            "SETUP_FINALLY",
            "POP_EXCEPT_JUMP",
            "UNWIND_JUMP",
        ],
        0,
    ),
    "DUP_TOP_TWO": 2,
    "STORE_ATTR": -2,
    "STORE_MAP": -2,
    "RAISE_FROM": -2,
    "STORE_SUBSCR": -3,
    "GET_ITER_STACK": ITERATOR - 1,
    "SETUP_WITH": 2,
    "WITH_CLEANUP": -2,
}


def graph_of(function: Function, *, loops: bool = False) -> Graph:
    """Blocks and entries of a function. loops: only the blocks that may run again and again."""
    code = {instruction.at: instruction for instruction in function.code}
    entries, leaders = {0}, {0}
    heads = set()
    for instruction in function.code:
        name = instruction.name
        if name not in KNOWN:
            entries.add(instruction.next)
            if name in HANDLERS or name in ("POP_EXCEPT_JUMP", "UNWIND_JUMP"):
                entries.add(instruction.argument)
        if name in CALLS:
            entries.add(instruction.next)
        if name == "FOR_ITER":
            entries.add(instruction.argument)
        if name in JUMPS or name == "JUMP":
            leaders |= {instruction.argument, instruction.next}
            if instruction.argument <= instruction.at:
                heads.add(instruction.argument)
    leaders |= entries | heads
    depths = _depths(function, code)
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
        blocks[at] = Block(at, tuple(run), depths[at], _followers(run[-1], code))
    if loops:
        blocks = {at: block for at, block in blocks.items() if at in _again(function, blocks)}
    usable = {at for at in entries | heads if at in blocks and blocks[at].code[0].name in KNOWN}
    return Graph(
        function,
        blocks,
        frozenset(usable),
        frozenset(heads & blocks.keys()),
        any(instruction.name in HANDLERS for instruction in function.code),
        max((i.argument + 1 for i in function.code if i.name in _VARIABLES), default=0),
    )


def _again(function: Function, blocks: Mapping[int, Block]) -> set[int]:
    """The blocks from which the way leads back to them, through instructions of the interpreter's
    too."""
    ways: networkx.DiGraph[int] = networkx.DiGraph()
    for block in blocks.values():
        for to, _ in _targets(block.last, 0):
            ways.add_edge(block.at, to)
    found: set[int] = set()
    for part in networkx.strongly_connected_components(ways):
        if len(part) > 1 or any(ways.has_edge(at, at) for at in part):
            found |= part
    return found & blocks.keys()


def _followers(last: Instruction, code: Mapping[int, Instruction]) -> tuple[int, ...]:
    """Where compiled code goes on by itself."""
    if last.name not in KNOWN:
        return ()
    if last.name == "JUMP":
        return (last.argument,)
    if last.name in JUMPS:
        return (last.next, last.argument)
    return (last.next,) if last.next in code else ()


def _depths(function: Function, code: Mapping[int, Instruction]) -> dict[int, int]:
    """The stack's depth before each instruction. In a `finally` block, which the interpreter enters
    with one value or two, it is that of one."""
    depths = {0: 0}
    todo = [0]
    while todo:
        at = todo.pop()
        instruction, depth = code[at], depths[at]
        for target, deep in _targets(instruction, depth):
            if target in code and target not in depths:
                depths[target] = deep
                todo.append(target)
    return depths


def _targets(instruction: Instruction, depth: int) -> list[tuple[int, int]]:
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
