"""The opcode table: one row for each bytecode instruction, with all facts that the compiler uses.

The decoder (instructions.py), the control-flow graph (graph.py), liveness, profitability, the
printer of `porter compile` and the dispatch to emitters (emitters/) read this table. Tests check
its columns against other tables of the same facts: upstream's VM (`py/vm.c`), the VM's fast path
(`templates/port/vm_fast.h`) and the bytecode verifier (`templates/port/verify_flow.c`).

An opcode is added by one row. A row without an emitter makes the interpreter run the instruction.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum, Flag, auto

from attrs import frozen

from porter.compiler.representations import BOOL, FLOAT, INT, MEMORY, OBJECT
from porter.errors import UpstreamChange

ITERATOR = 4  # stack slots of an iterator, MP_OBJ_ITER_BUF_NSLOTS

# A number of stack slots: fixed, or a function of an instruction's operand and extra byte.
Slots = int | Callable[[int, int], int]


class Operand(Enum):
    """The meaning of an instruction's operand."""

    NONE = auto()
    INTEGER = auto()  # the value itself
    STRING = auto()  # a string, by the number of its name
    CONSTANT = auto()  # an object, by its number in the module
    VARIABLE = auto()  # a local variable
    CELL = auto()  # a local variable that holds a closure cell
    GLOBAL = auto()  # a global
    NAMESPACE = auto()  # a name of the module's or the class body's own dict
    NAME = auto()  # any other name: an attribute, a module, a deleted global
    OPERATOR = auto()  # a unary or binary operator
    COUNT = auto()  # a number of values
    ITEM = auto()  # the type of a container, and its distance from the top of the stack
    ARGUMENTS = auto()  # the numbers of positional and of keyword arguments
    FUNCTION = auto()  # a function of the module
    TARGET = auto()  # a position in the code


class Control(Enum):
    """The instruction after this one."""

    NEXT = auto()  # the following one
    BRANCH = auto()  # the following one, or the target
    JUMP = auto()  # the target
    HANDLER = auto()  # the following one; in an exception the target
    LEAVE_HANDLER = auto()  # the target, after an exception handler
    UNWIND = auto()  # the target, after all enclosing `finally` blocks
    STOP = auto()  # none: the function returns or raises


class Trait(Flag):
    """Properties of an instruction."""

    NONE = 0
    NEVER_RAISES = auto()  # raises no exception
    SAFEPOINT = auto()  # the interpreter polls for interrupts after it
    PURE = auto()  # has no side effects, so that deoptimization may repeat it
    FAST_PATH = auto()  # the VM's fast path runs it (templates/port/vm_fast.h)
    STORES = auto()  # stores to the variable or global that the operand names
    FORWARD = auto()  # the encoded distance of the target is unsigned


@frozen
class Opcode:
    """A row of the table: a bytecode instruction.

    Attributes:
        name: Name, without the suffix of a family.
        operand: Meaning of the operand.
        pops: Stack slots that the instruction takes or reads.
        pushes: Stack slots that it leaves in their place.
        traits: Properties.
        results: Possible representations of the values that native code pushes.
        emitter: Function that translates it, as "module.function" in porter/compiler/emitters; ""
            if the interpreter runs it.
        control: The instruction after this one.
        jump: Change of the stack depth if control flow continues at the target.
    """

    name: str
    operand: Operand
    pops: Slots
    pushes: Slots
    traits: Trait = Trait.NONE
    results: frozenset[str] = frozenset([OBJECT])
    emitter: str = ""
    control: Control = Control.NEXT
    jump: Slots = 0

    def has(self, trait: Trait) -> bool:
        """Return whether the instruction has a property."""
        return trait in self.traits

    @property
    def native(self) -> bool:
        """Return whether native code continues after the instruction."""
        return bool(self.emitter) and self.control is not Control.STOP

    @property
    def ends(self) -> bool:
        """Return whether control flow never continues at the next instruction in the code."""
        return self.control not in (Control.NEXT, Control.BRANCH, Control.HANDLER)


def _passed(number: int, _: int = 0) -> int:
    """Return the number of stack slots of a call's arguments."""
    return (number & 0xFF) + (number >> 7 & 0x1FE)


def _count(number: int, _: int) -> int:
    return number


def _results(*kinds: str) -> frozenset[str]:
    return frozenset(kinds)


# Short names, so that a row is a line.
_OBJECT, _INT, _BOOL, _MEMORY = (_results(kind) for kind in (OBJECT, INT, BOOL, MEMORY))
_ANY = _results(OBJECT, INT, FLOAT, BOOL)
_N = Operand
_NONE, _QUIET, _FAST, _PURE = Trait.NONE, Trait.NEVER_RAISES, Trait.FAST_PATH, Trait.PURE
_POLLS, _STORES, _FORWARD = Trait.SAFEPOINT, Trait.STORES, Trait.FORWARD

_ROWS = (
    # Constants
    Opcode("LOAD_CONST_FALSE", _N.NONE, 0, 1, _QUIET | _FAST, _BOOL, "constants.load_false"),
    Opcode("LOAD_CONST_NONE", _N.NONE, 0, 1, _QUIET | _FAST, _OBJECT, "constants.load_none"),
    Opcode("LOAD_CONST_TRUE", _N.NONE, 0, 1, _QUIET | _FAST, _BOOL, "constants.load_true"),
    Opcode(
        "LOAD_CONST_SMALL_INT",
        _N.INTEGER,
        0,
        1,
        _QUIET | _PURE | _FAST,
        _INT,
        "constants.load_small_int",
    ),
    Opcode("LOAD_CONST_STRING", _N.STRING, 0, 1, _QUIET | _FAST, _OBJECT, "constants.load_string"),
    Opcode(
        "LOAD_CONST_OBJ",
        _N.CONSTANT,
        0,
        1,
        _QUIET | _PURE | _FAST,
        _results(OBJECT, INT, FLOAT),
        "constants.load_object",
    ),
    Opcode("LOAD_NULL", _N.NONE, 0, 1, _QUIET, _OBJECT, "constants.load_null"),
    # Local variables and closure cells
    Opcode("LOAD_FAST", _N.VARIABLE, 0, 1, _PURE | _FAST, _ANY, "variables.load_fast"),
    Opcode("LOAD_DEREF", _N.CELL, 0, 1, _NONE, _ANY, "variables.load_deref"),
    Opcode(
        "STORE_FAST", _N.VARIABLE, 1, 0, _QUIET | _FAST | _STORES, _OBJECT, "variables.store_fast"
    ),
    Opcode("STORE_DEREF", _N.CELL, 1, 0, _QUIET | _STORES, _OBJECT, "variables.store_deref"),
    Opcode("DELETE_FAST", _N.VARIABLE, 0, 0),
    Opcode("DELETE_DEREF", _N.CELL, 0, 0),
    # Globals and attributes
    Opcode("LOAD_NAME", _N.NAMESPACE, 0, 1, _PURE | _FAST, _ANY, "names.load_global"),
    Opcode("LOAD_GLOBAL", _N.GLOBAL, 0, 1, _PURE | _FAST, _ANY, "names.load_global"),
    Opcode("STORE_NAME", _N.NAMESPACE, 1, 0, _FAST | _STORES, _OBJECT, "names.store_global"),
    Opcode("STORE_GLOBAL", _N.GLOBAL, 1, 0, _FAST | _STORES, _OBJECT, "names.store_global"),
    Opcode("DELETE_NAME", _N.NAME, 0, 0),
    Opcode("DELETE_GLOBAL", _N.NAME, 0, 0),
    Opcode("LOAD_ATTR", _N.NAME, 1, 1, _FAST, _ANY, "attributes.load_attribute"),
    Opcode("LOAD_METHOD", _N.NAME, 1, 2, _FAST, _OBJECT, "attributes.load_method"),
    Opcode("LOAD_SUPER_METHOD", _N.NAME, 3, 2, _NONE, _OBJECT, "attributes.load_super_method"),
    Opcode("STORE_ATTR", _N.NAME, 2, 0, _FAST, _OBJECT, "attributes.store_attribute"),
    Opcode("IMPORT_NAME", _N.NAME, 2, 1),
    Opcode("IMPORT_FROM", _N.NAME, 1, 2),
    Opcode("IMPORT_STAR", _N.NONE, 1, 0),
    # The stack's order
    Opcode("DUP_TOP", _N.NONE, 1, 2, _QUIET | _FAST, _ANY, "stack.duplicate"),
    Opcode("DUP_TOP_TWO", _N.NONE, 2, 4, _QUIET | _FAST, _ANY, "stack.duplicate_two"),
    Opcode("POP_TOP", _N.NONE, 1, 0, _QUIET | _FAST, _OBJECT, "stack.pop"),
    Opcode("ROT_TWO", _N.NONE, 2, 2, _QUIET | _FAST, _ANY, "stack.rotate_two"),
    Opcode("ROT_THREE", _N.NONE, 3, 3, _QUIET | _FAST, _ANY, "stack.rotate_three"),
    # Operators
    Opcode("UNARY_OP", _N.OPERATOR, 1, 1, _NONE, _ANY, "operators.unary"),
    Opcode("BINARY_OP", _N.OPERATOR, 2, 1, _PURE | _FAST, _ANY, "operators.binary"),
    # Containers
    Opcode("LOAD_SUBSCR", _N.NONE, 2, 1, _FAST, _ANY, "containers.load_subscript"),
    Opcode("STORE_SUBSCR", _N.NONE, 3, 0, _FAST, _OBJECT, "containers.store_subscript"),
    Opcode("BUILD_TUPLE", _N.COUNT, _count, 1, _NONE, _OBJECT, "containers.build_tuple"),
    Opcode("BUILD_LIST", _N.COUNT, _count, 1, _NONE, _OBJECT, "containers.build_list"),
    Opcode("BUILD_SET", _N.COUNT, _count, 1, _NONE, _OBJECT, "containers.build_set"),
    Opcode("BUILD_SLICE", _N.COUNT, _count, 1, _NONE, _ANY, "containers.build_slice"),
    Opcode("BUILD_MAP", _N.COUNT, 0, 1, _NONE, _OBJECT, "containers.build_map"),
    Opcode("STORE_MAP", _N.NONE, 3, 1, _NONE, _OBJECT, "containers.store_map"),
    Opcode(
        "STORE_COMP",
        _N.ITEM,
        lambda n, _: (n >> 2) + 1,
        lambda n, _: (n >> 2) - (n & 3 == 1),
        _NONE,
        _ANY | {MEMORY},
        "containers.store_comprehension",
    ),
    Opcode("UNPACK_SEQUENCE", _N.COUNT, 1, _count, _NONE, _ANY, "containers.unpack_sequence"),
    Opcode("UNPACK_EX", _N.COUNT, 1, lambda n, _: (n & 0xFF) + (n >> 8 & 0xFF) + 1),
    # Iteration
    Opcode("GET_ITER", _N.NONE, 1, 1, _NONE, _OBJECT, "iteration.get_iterator"),
    Opcode(
        "GET_ITER_STACK", _N.NONE, 1, ITERATOR, _NONE, _MEMORY, "iteration.get_iterator_on_stack"
    ),
    Opcode(
        "FOR_ITER",
        _N.TARGET,
        ITERATOR,
        ITERATOR + 1,
        _FORWARD,
        _ANY | {MEMORY},
        "iteration.for_iterator",
        Control.BRANCH,
        -ITERATOR,
    ),
    # Jumps
    Opcode("JUMP", _N.TARGET, 0, 0, _QUIET | _FAST | _POLLS, _OBJECT, "jumps.jump", Control.JUMP),
    Opcode(
        "POP_JUMP_IF_TRUE",
        _N.TARGET,
        1,
        0,
        _FAST | _POLLS,
        _OBJECT,
        "jumps.pop_jump_if_true",
        Control.BRANCH,
        -1,
    ),
    Opcode(
        "POP_JUMP_IF_FALSE",
        _N.TARGET,
        1,
        0,
        _FAST | _POLLS,
        _OBJECT,
        "jumps.pop_jump_if_false",
        Control.BRANCH,
        -1,
    ),
    Opcode(
        "JUMP_IF_TRUE_OR_POP",
        _N.TARGET,
        1,
        0,
        _POLLS | _FORWARD,
        _OBJECT,
        "jumps.jump_if_true_or_pop",
        Control.BRANCH,
    ),
    Opcode(
        "JUMP_IF_FALSE_OR_POP",
        _N.TARGET,
        1,
        0,
        _POLLS | _FORWARD,
        _OBJECT,
        "jumps.jump_if_false_or_pop",
        Control.BRANCH,
    ),
    # Functions and calls
    Opcode("MAKE_FUNCTION", _N.FUNCTION, 0, 1, _NONE, _OBJECT, "functions.make_function"),
    Opcode(
        "MAKE_FUNCTION_DEFARGS",
        _N.FUNCTION,
        2,
        1,
        _NONE,
        _OBJECT,
        "functions.make_function_with_defaults",
    ),
    Opcode(
        "MAKE_CLOSURE",
        _N.FUNCTION,
        lambda _, cells: cells,
        1,
        _NONE,
        _OBJECT,
        "functions.make_closure",
    ),
    Opcode(
        "MAKE_CLOSURE_DEFARGS",
        _N.FUNCTION,
        lambda _, cells: 2 + cells,
        1,
        _NONE,
        _OBJECT,
        "functions.make_closure_with_defaults",
    ),
    Opcode(
        "CALL_FUNCTION",
        _N.ARGUMENTS,
        lambda n, _: _passed(n) + 1,
        1,
        _NONE,
        _ANY,
        "functions.call_function",
    ),
    Opcode(
        "CALL_METHOD",
        _N.ARGUMENTS,
        lambda n, _: _passed(n) + 2,
        1,
        _NONE,
        _ANY,
        "functions.call_method",
    ),
    Opcode("CALL_FUNCTION_VAR_KW", _N.ARGUMENTS, lambda n, _: _passed(n) + 2, 1),
    Opcode("CALL_METHOD_VAR_KW", _N.ARGUMENTS, lambda n, _: _passed(n) + 3, 1),
    Opcode("RETURN_VALUE", _N.NONE, 1, 0, _NONE, _OBJECT, "functions.return_value", Control.STOP),
    Opcode("YIELD_VALUE", _N.NONE, 1, 1),
    Opcode("YIELD_FROM", _N.NONE, 2, 1),
    Opcode("LOAD_BUILD_CLASS", _N.NONE, 0, 1),
    # Exceptions
    Opcode("RAISE_LAST", _N.NONE, 0, 0, _NONE, _OBJECT, "", Control.STOP),
    Opcode("RAISE_OBJ", _N.NONE, 1, 0, _NONE, _OBJECT, "", Control.STOP),
    Opcode("RAISE_FROM", _N.NONE, 2, 0, _NONE, _OBJECT, "", Control.STOP),
    Opcode("SETUP_WITH", _N.TARGET, 1, 3, _FORWARD, _OBJECT, "", Control.HANDLER, 2),
    Opcode("SETUP_EXCEPT", _N.TARGET, 0, 0, _FORWARD, _OBJECT, "", Control.HANDLER, 1),
    Opcode("SETUP_FINALLY", _N.TARGET, 0, 0, _FORWARD, _OBJECT, "", Control.HANDLER, 1),
    Opcode("WITH_CLEANUP", _N.NONE, 3, 1),
    Opcode("END_FINALLY", _N.NONE, 1, 0),
    Opcode(
        "POP_EXCEPT_JUMP",
        _N.TARGET,
        0,
        0,
        _QUIET | _POLLS | _FORWARD,
        _OBJECT,
        "",
        Control.LEAVE_HANDLER,
    ),
    # The extra byte's highest bit says that the jump leaves a `for` loop and drops its iterator.
    Opcode(
        "UNWIND_JUMP",
        _N.TARGET,
        0,
        0,
        _POLLS,
        _OBJECT,
        "",
        Control.UNWIND,
        lambda _, extra: -ITERATOR if extra & 0x80 else 0,
    ),
    # The port's own
    Opcode("SYNCTHREADS", _N.NONE, 0, 1),
)

OPCODES = {row.name: row for row in _ROWS}


def _named(holds: Callable[[Opcode], bool]) -> frozenset[str]:
    return frozenset(row.name for row in _ROWS if holds(row))


NATIVE = _named(lambda row: row.native)
BRANCHES = _named(lambda row: row.control is Control.BRANCH)
JUMPS = _named(lambda row: row.control in (Control.BRANCH, Control.JUMP))
HANDLERS = _named(lambda row: row.control is Control.HANDLER)
VARIABLES = _named(lambda row: row.operand in (Operand.VARIABLE, Operand.CELL))
# Names of a module's or class body's own dict, and all names whose value native code may hold.
NAMESPACE = _named(lambda row: row.operand is Operand.NAMESPACE)
GLOBALS = NAMESPACE | _named(lambda row: row.operand is Operand.GLOBAL)
STORED_GLOBALS = _named(lambda row: row.name in GLOBALS and row.has(Trait.STORES))
CALLS = _named(lambda row: row.operand is Operand.ARGUMENTS and row.native)


def opcode(name: str) -> Opcode:
    """Return the row of an instruction.

    Raises:
        UpstreamChange: The table lacks the instruction.
    """
    found = OPCODES.get(name)
    if found is None:
        raise UpstreamChange(
            f"py/bc0.h: the opcode table has no row for {name}",
            hint="Add a row to porter/compiler/opcodes.py.",
        )
    return found


def _slots(slots: Slots, argument: int, extra: int) -> int:
    return slots if isinstance(slots, int) else slots(argument, extra)


def pops(name: str, argument: int, extra: int = 0) -> int:
    """Return the number of stack slots that an instruction takes or reads."""
    return _slots(opcode(name).pops, argument, extra)


def effect(name: str, argument: int, extra: int = 0) -> int:
    """Return the change of the stack depth if control flow continues after the instruction.

    Raises:
        UpstreamChange: The table lacks the instruction.
    """
    row = opcode(name)
    return _slots(row.pushes, argument, extra) - _slots(row.pops, argument, extra)


def jump_effect(name: str, argument: int, extra: int = 0) -> int:
    """Return the change of the stack depth if control flow continues at the target."""
    return _slots(opcode(name).jump, argument, extra)
