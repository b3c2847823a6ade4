"""Find the accesses that need a check, by forward data-flow analysis of a function's PTX.

The value of each register is derived from its definitions. A check that an earlier check implies
is omitted.

A register with one definition is traced back to another register and an offset, a symbol, the
function's own frame, or a number. An access needs no check if the compiler's own declarations prove
that it is in bounds.

A check proves that some bytes at offsets from a register are legal. The fact holds while the
register keeps its value, also across calls, since legal memory does not change while an interpreter
runs. Facts are propagated along all paths through a function. One check covers all accesses of a
block through the same register.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from porter.compile.bounds_checks.assembly import Access, BasicBlock, Instruction, PtxFunction

FRAME = "frame"  # the root of addresses in a function's own frame
NUMBER = "number"  # the root of constant addresses
WINDOW = "window"  # the root of generic addresses made from constants in the thread's local window
# With arenas in global memory, an interpreter finds its state through a table. Programs cannot
# write the table, so an address loaded from it is trusted (porter_runtime.h).
TABLE = "porter_state_table"
ROWS, ROW, STATE = "rows", "row", "state"  # the roots of the table, of a row, of the state
_COPIES = ("mov.u64", "mov.b64", "cvta.global.u64", "cvta.to.global.u64")
_LOCALS = ("cvta.local.u64", "cvta.to.local.u64")
_CONVERTED = {("cvta.local.u64", NUMBER): WINDOW, ("cvta.to.local.u64", WINDOW): NUMBER}
_INTEGER = re.compile(r"-?\d+")
_SYMBOL = re.compile(r"[\w$]+")
_ROOTS = {"local": NUMBER, "": WINDOW}  # the root of addresses in the state, by address space
_WIDTHS = {"u16": 16, "u32": 32, "u64": 64, "b16": 16, "b32": 32, "b64": 64}
WORD = 8  # bytes
_MOST = 1 << 20  # bounds above this cannot prove an access
_OBJECT = re.compile(
    r"\.(?:global|local)\s+(?:\.attribute\S*\s+)?(?:\.align (\d+) )?\.[a-z](\d+)\s+([\w$]+)"
    r"(?:\[(\d+)\])?"
)
_DEFINITIONS = (".global", ".visible .global", ".weak .global")


class Address(NamedTuple):
    """An address `root + offset`; `root` is a register, a symbol or one of the roots above."""

    root: str
    offset: int


def object_sizes(lines: list[str]) -> dict[str, int]:
    """Return the declared sizes in bytes of the unit's variables, by name."""
    sizes = {}
    for line in lines:
        found = _OBJECT.search(line) if ".align" in line or ".global" in line else None
        if found is not None:
            _, bits, name, count = found.groups()
            sizes[name] = int(bits) // 8 * int(count or 1)
    return sizes


def own_constants(lines: list[str]) -> dict[str, int]:
    """Return the sizes in bytes of the global variables that the unit itself defines, by name."""
    return object_sizes([line for line in lines if line.startswith(_DEFINITIONS)])


class Addresses:
    """The addresses in one function."""

    def __init__(
        self, function: PtxFunction, sizes: dict[str, int], state: tuple[int, int]
    ) -> None:
        """Index the definitions of `function`.

        Args:
            function: The function.
            sizes: Sizes of variables, by name.
            state: Start and end of the interpreter's state as window offsets; empty unless arenas
                are in local memory.
        """
        self._sizes = sizes
        self._state = state
        self._made: dict[str, Instruction | None] = {}
        for instruction in function.instructions():
            for register in instruction.writes:
                again = register in self._made or not instruction.name
                self._made[register] = None if again else instruction
        self._known: dict[str, Address] = {}

    def once(self, register: str) -> bool:
        """Return whether the register has one definition, hence one value at all of its uses."""
        return self._made.get(register) is not None

    def of(self, base: str) -> Address:
        """Return the address in a register, or the address of a symbol."""
        if not base.startswith("%"):
            return Address(base, 0)
        if base not in self._known:
            self._known[base] = Address(base, 0)  # ends a cycle of definitions
            self._known[base] = self._follow(base)
        return self._known[base]

    def _follow(self, register: str) -> Address:
        if register in ("%SP", "%SPL"):
            return Address(FRAME, 0)
        made = self._made.get(register)
        if made is None:
            return Address(register, 0)
        source = made.operands[1] if len(made.operands) > 1 else ""
        if made.name in _COPIES or made.name in _LOCALS:
            if _INTEGER.fullmatch(source):
                return Address(NUMBER, int(source))
            if not source.startswith("%"):
                return Address(source, 0) if _SYMBOL.fullmatch(source) else Address(register, 0)
            if not self._stays(source):
                return Address(register, 0)
            root, offset = self.of(source)
            if made.name in _LOCALS and root not in (FRAME, NUMBER, WINDOW):
                return Address(register, 0)  # unknown: the window does not begin at 0
            return Address(_CONVERTED.get((made.name, root), root), offset)
        if made.access is not None:
            return Address(self._read(made.access) or register, 0)
        if made.name in ("add.s64", "add.u64") and ROWS in (
            self.of(part).root for part in made.operands[1:] if part.startswith("%")
        ):
            return Address(ROW, 0)
        sums = made.name in ("add.s64", "add.u64") and _INTEGER.fullmatch(made.operands[2])
        if sums and self._stays(source):
            root, offset = self.of(source)
            return Address(root, offset + int(made.operands[2]))
        return Address(register, 0)

    def _read(self, access: Access) -> str:
        """Return the root of the value that an access loads: the table or the state, else ""."""
        if access.stores or access.size != 8:
            return ""
        if access.base == TABLE:
            return ROWS
        return STATE if self.of(access.base) == Address(ROW, 0) and not access.offset else ""

    def _stays(self, register: str) -> bool:
        return register in ("%SP", "%SPL") or self.once(register)

    def rounded(self, register: str) -> bool:
        """Return whether the address in a register was rounded down to a multiple of WORD."""
        made = self._made.get(register)
        return made is not None and made.name == "and.b64" and made.operands[2] == str(-WORD)

    def safe(self, access: Access) -> bool:
        """Return whether declarations prove that an access is inside a variable, frame or state."""
        root, offset = self.of(access.base)
        offset += access.offset
        if root in (FRAME, STATE):
            return True  # nvcc computed the offset into the frame or the state
        if root == ROW:
            return not access.stores
        if root in (NUMBER, WINDOW):
            low, high = self._state
            return root == _ROOTS.get(access.space) and low <= offset <= high - access.size
        if not root.startswith("%"):
            return True  # nvcc computed the offset into the variable
        return self._indexed(access, root, offset)

    def _indexed(self, access: Access, root: str, offset: int) -> bool:
        """Return whether `root` is a variable's address plus an index that stays inside."""
        alone = self.most(root)
        if alone is not None and access.space == "local":  # the object's address is in the offset
            low, high = self._state
            return low <= offset and offset + alone + access.size <= high
        made = self._made.get(root)
        if made is None or not made.name.startswith("add."):
            return False
        for base, index in (made.operands[1:3], made.operands[2:0:-1]):
            most = self.most(index)
            inside = self._object(base, access.space)
            if most is not None and inside is not None:
                low, at, high = inside
                if low <= at + offset and at + offset + most + access.size <= high:
                    return True
        return False

    def _object(self, base: str, space: str) -> tuple[int, int, int] | None:
        """Return start, address and end of the object that `base` points into."""
        number = _INTEGER.fullmatch(base)
        address = Address(NUMBER, int(base)) if number else self.of(base)
        if address.root in (NUMBER, WINDOW):
            low, high = self._state
            known = address.root == _ROOTS.get(space) and low <= address.offset < high
            return (low, address.offset, high) if known else None
        size = self._sizes.get(address.root)
        return (0, address.offset, size) if size else None

    def most(self, operand: str, depth: int = 8) -> int | None:
        """Return an upper bound of an unsigned operand; None if there is no small one."""
        if _INTEGER.fullmatch(operand):
            value = int(operand)
            return value if 0 <= value <= _MOST else None
        made = self._made.get(operand)
        if made is None or depth == 0:
            return None
        result = self._result(made, depth - 1)
        return result if result is not None and result <= _MOST else None

    def _result(self, made: Instruction, depth: int) -> int | None:
        kind, *rest = made.name.split(".")
        of = [self.most(operand, depth) for operand in made.operands[1:]]
        known = [value for value in of if value is not None]
        if kind == "and":
            return min(known) if known else None
        if kind == "ld" and rest[-1] in ("u8", "u16"):
            return 255 if rest[-1] == "u8" else 65535
        if kind == "mov" or (kind == "cvt" and all(part.startswith("u") for part in rest)):
            return of[0] if of else None
        if kind == "shr" and len(of) == 2 and of[1] is not None and rest[0] in _WIDTHS:
            value = (1 << _WIDTHS[rest[0]]) - 1 if of[0] is None else of[0]
            return value >> of[1]
        if len(known) != len(of) or len(of) < 2:
            return None
        if kind == "shl":
            return known[0] << known[1]
        if kind == "mul" and rest[0] in ("wide", "lo"):
            return known[0] * known[1]
        return known[0] + known[1] if kind == "add" else None


# Bytes that one check covers at most. The fast path leaves out this margin at the end of the window
# (porter/run/device/bounds_checks.py).
MOST = 128


class AccessCheck(NamedTuple):
    """A check of the bytes [low, high) from `root` on, inserted before line `line`.

    `align` is the size of the largest access among them; the address must be a multiple of it.
    `aligned`: earlier checks, or the address itself, prove that it is one. `words`: the address was
    rounded down to a word, as the VM does to load bytecode.
    """

    line: int
    root: str
    low: int
    high: int
    align: int
    space: str
    stores: bool
    aligned: bool = False
    words: bool = False


# Facts, the bytes known to be legal: (root, space, stores) -> intervals (low, high, align).
_Facts = dict[tuple[str, str, bool], frozenset[tuple[int, int, int]]]


def checks(function: PtxFunction, addresses: Addresses) -> list[AccessCheck]:
    """Return the checks that a function needs, in the order of the text."""
    found: list[AccessCheck] = []
    before = _known(function, addresses)
    for number, block in enumerate(function.blocks):
        known = before[number]
        if known is not None:
            _walk(block, addresses, dict(known), found)
        else:  # unreachable, but nvcc kept the block
            _walk(block, addresses, {}, found)
    return found


def _known(function: PtxFunction, addresses: Addresses) -> list[_Facts | None]:
    """Return the facts before each block that hold on all paths; None for unreachable blocks."""
    before: list[_Facts | None] = [None] * len(function.blocks)
    before[0] = {}
    waiting = [0]
    while waiting:
        number = waiting.pop()
        facts = dict(before[number] or {})
        _walk(function.blocks[number], addresses, facts, [])
        for after in function.blocks[number].following:
            old = before[after]
            new = facts if old is None else _both(old, facts)
            if old is None or new != old:
                before[after] = dict(new)
                waiting.append(after)
    return before


def _both(one: _Facts, other: _Facts) -> _Facts:
    kept = {key: one[key] & other[key] for key in one.keys() & other.keys()}
    return {key: intervals for key, intervals in kept.items() if intervals}


class _Wanted(NamedTuple):
    """An access relative to the register that it goes through."""

    root: str
    low: int
    size: int
    space: str
    stores: bool


def _wanted(instruction: Instruction, addresses: Addresses) -> _Wanted | None:
    access = instruction.access
    if access is None or addresses.safe(access):
        return None
    root, offset = addresses.of(access.base)
    if root.startswith("%"):
        return _Wanted(root, offset + access.offset, access.size, access.space, access.stores)
    return _Wanted(access.base, access.offset, access.size, access.space, access.stores)


def _walk(block: BasicBlock, addresses: Addresses, facts: _Facts, found: list[AccessCheck]) -> None:
    """Add the checks of a block to `found`, and the facts that they prove to `facts`."""
    for at, instruction in enumerate(block.instructions):
        wanted = _wanted(instruction, addresses)
        if wanted is not None and not _covered(wanted, facts):
            check = _widened(block, at, wanted, addresses)
            words = addresses.rounded(check.root) and check.high - check.low == WORD
            words = words and check.low % WORD == 0 and not check.stores
            aligned = words or _aligned(check, facts)
            found.append(check._replace(aligned=aligned, words=words))
            key = (check.root, check.space, check.stores)
            facts[key] = facts.get(key, frozenset()) | {(check.low, check.high, check.align)}
        for register in instruction.writes:
            if not addresses.once(register):
                for key in [key for key in facts if key[0] == register]:
                    del facts[key]


def _covered(wanted: _Wanted, facts: _Facts) -> bool:
    for stores in (True,) if wanted.stores else (True, False):  # writable memory is readable
        for low, high, align in facts.get((wanted.root, wanted.space, stores), ()):
            inside = low <= wanted.low and wanted.low + wanted.size <= high
            if inside and wanted.size <= align and (wanted.low - low) % wanted.size == 0:
                return True
    return False


def _aligned(check: AccessCheck, facts: _Facts) -> bool:
    """Return whether a fact about another part of the same object proves the alignment."""
    return any(
        check.align <= align and (check.low - low) % check.align == 0
        for stores in (True, False)
        for low, _, align in facts.get((check.root, check.space, stores), ())
    )


def _widened(block: BasicBlock, at: int, first: _Wanted, addresses: Addresses) -> AccessCheck:
    """Return the check of an access, widened to later accesses of its block by the same register.

    If one of them stores, the check is a store's check, which implies loads. The store would be
    checked anyway; a refused store now ends the interpreter a few instructions earlier.
    """
    line, stores = block.instructions[at].line, first.stores
    low, high, align, lead = first.low, first.low + first.size, first.size, first.low
    for other in _through(block, at, first, addresses):
        new_align = max(align, other.size)
        new_lead = other.low if other.size > align else lead
        new_low = min(low, other.low)
        new_low -= (new_low - new_lead) % new_align
        new_high = max(high, other.low + other.size)
        small = other.size if other.size < new_align else align
        if new_high - new_low <= MOST and (other.low - new_lead) % small == 0:
            low, high, align, lead = new_low, new_high, new_align, new_lead
            stores = stores or other.stores
    return AccessCheck(line, first.root, low, high, align, first.space, stores)


def _through(block: BasicBlock, at: int, first: _Wanted, addresses: Addresses) -> Iterator[_Wanted]:
    """Yield the accesses of a block from `first` on through its register, until it is written."""
    for instruction in block.instructions[at:]:
        other = _wanted(instruction, addresses)
        if other is not None and (other.root, other.space) == (first.root, first.space):
            yield other
        if first.root in instruction.writes and not addresses.once(first.root):
            return
