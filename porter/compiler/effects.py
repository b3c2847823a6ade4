"""Stack effects of bytecode instructions, and the instructions that native code supports.

graph.py computes stack depths from these, and walker.py checks operands.
"""

from __future__ import annotations

from porter.compiler.mpy import BytecodeInstruction
from porter.errors import UpstreamChange

ITERATOR = 4  # slots of an iterator on the stack, MP_OBJ_ITER_BUF_NSLOTS

# Instructions that native code supports; the interpreter runs all others.
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
        "BUILD_SLICE",
        "UNPACK_SEQUENCE",
        "MAKE_FUNCTION",
        "MAKE_FUNCTION_DEFARGS",
        "MAKE_CLOSURE",
        "MAKE_CLOSURE_DEFARGS",
        "LOAD_SUPER_METHOD",
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
VARIABLES = frozenset(
    ["LOAD_FAST", "STORE_FAST", "DELETE_FAST", "LOAD_DEREF", "STORE_DEREF", "DELETE_DEREF"]
)
CALLS = frozenset(["CALL_FUNCTION", "CALL_METHOD"])


def effect(instruction: BytecodeInstruction) -> int:
    """Return the change in stack depth if the instruction does not jump.

    Raises:
        UpstreamChange: The instruction is unknown.
    """
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
    calls = {
        "CALL_FUNCTION": -passed,
        "CALL_METHOD": -passed - 1,
        "CALL_FUNCTION_VAR_KW": -passed - 1,
        "CALL_METHOD_VAR_KW": -passed - 2,
    }
    if name not in calls:
        raise UpstreamChange(
            f"py/bc0.h: nothing is known of what {name} does to the stack",
            hint="Add it to porter/compiler/effects.py.",
        )
    return calls[name]


def needs(instruction: BytecodeInstruction) -> int:
    """Return the number of stack values that the instruction pops or reads."""
    name, number = instruction.name, instruction.argument
    if name in _NEEDS:
        return _NEEDS[name]
    if name in ("BUILD_TUPLE", "BUILD_LIST", "BUILD_SET", "BUILD_SLICE"):
        return number
    if name == "STORE_COMP":
        return (number >> 2) + 1
    if name == "MAKE_CLOSURE":
        return instruction.extra
    if name == "MAKE_CLOSURE_DEFARGS":
        return 2 + instruction.extra
    if name in CALLS:
        return 1 - effect(instruction)
    return max(0, -effect(instruction))


_NEEDS = {
    "STORE_SUBSCR": 3,
    "ROT_THREE": 3,
    "STORE_MAP": 3,
    "LOAD_SUPER_METHOD": 3,
    "FOR_ITER": ITERATOR,
    **dict.fromkeys(
        [
            "BINARY_OP",
            "LOAD_SUBSCR",
            "STORE_ATTR",
            "ROT_TWO",
            "DUP_TOP_TWO",
            "MAKE_FUNCTION_DEFARGS",
        ],
        2,
    ),
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
            "SYNCTHREADS",  # the port's own
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
