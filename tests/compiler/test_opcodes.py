"""The opcode table agrees with upstream's VM, with the VM's fast path, and with the emitters."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator

import pytest

from porter.base.paths import templates_dir
from porter.compiler import emitters
from porter.compiler.builder import BlockBuilder
from porter.compiler.construction import function_ir
from porter.compiler.cxx import units_of
from porter.compiler.emitters import EMITTERS
from porter.compiler.ir.operations import CallFrame, ExitIf, Invoke, Operation, SafepointPoll, every
from porter.compiler.mpy import BytecodeInstruction, BytecodeModule
from porter.compiler.opcodes import OPCODES, Control, Opcode, Operand, Trait, effect, opcode
from porter.compiler.options import SEEN_INT, CompilerOptions
from porter.compiler.tables import Tables
from porter.compiler.unit import FunctionUnit
from porter.errors import UpstreamChange
from porter.sync.store import release_dir, synced_releases
from tests.compiler import sources

# Rows of which `sources.STATEMENTS` has only instructions that the interpreter runs.
OTHER_ROWS = """
def f(a, n):
    def g(b, c=n):
        return a + b + c
    s = {}
    for i in range(n):
        s[i] = a[i:n], a[::i]
        a[i], a[n] = a[n], {i: n}
        a.x = a.y or a.z and g(i)
        x, y = a
        while not x:
            x = slice(i, n) if n else True
        y = False
    return [i for i in a], {i for i in a}, {i: g for i in iter(a)}
"""
_ENTRY = re.compile(r"^ +ENTRY\(MP_BC_(\w+)\):", re.M)
_LINE = re.compile(r"VM_(?:FAMILY|JUMPS)\((.+?), (vm_\w+\(|true|false)", re.S)
# The VM saves no instruction pointer for these, since their exceptions come from allocations or
# from the truth test of an object; or an exception is thrown into them.
_RAISE_WITHOUT_MARK = {
    "MAKE_FUNCTION", "MAKE_FUNCTION_DEFARGS", "MAKE_CLOSURE", "MAKE_CLOSURE_DEFARGS",
    "POP_JUMP_IF_TRUE", "POP_JUMP_IF_FALSE", "JUMP_IF_TRUE_OR_POP", "JUMP_IF_FALSE_OR_POP",
    "YIELD_VALUE",
}  # fmt: skip


def named(trait: Trait) -> set[str]:
    return {name for name, row in OPCODES.items() if row.has(trait)}


def upstream(release: str) -> dict[str, str]:
    """Return the C of each instruction in the VM's switch, by name without suffix."""
    text = (release_dir(release) / "py/vm.c").read_text()
    text = text[: text.index("ENTRY_DEFAULT:")]
    found: dict[str, str] = defaultdict(str)
    waiting = []
    pieces = _ENTRY.split(text)[1:]
    for name, body in zip(pieces[::2], pieces[1::2], strict=True):
        waiting.append(re.sub(r"_(N|MULTI)$", "", name))
        if body.strip(" \n"):  # otherwise the next entry's code is shared
            for each in waiting:
                found[each] += body
            waiting.clear()
    return found


@pytest.mark.parametrize("release", synced_releases())
def test_safepoints_are_upstreams(release: str) -> None:
    code = upstream(release)
    assert len(code) > 60
    polls = {name for name, body in code.items() if "DISPATCH_WITH_PEND_EXC_CHECK" in body}
    assert polls == named(Trait.SAFEPOINT)


@pytest.mark.parametrize("release", synced_releases())
def test_instructions_that_raise_are_upstreams(release: str) -> None:
    marks = re.compile(r"MARK_EXC_IP_\w+\(\)|goto load_check|RAISE\(|goto unwind")
    code = upstream(release)
    marked = {name for name, body in code.items() if marks.search(body)}
    raising = code.keys() - named(Trait.NEVER_RAISES)
    assert raising == (marked | _RAISE_WITHOUT_MARK) - {"POP_EXCEPT_JUMP"}


def fast_path() -> set[str]:
    """Return the names of instructions that the VM's fast path runs."""
    text = (templates_dir() / "port/vm_fast.h").read_text()
    text = text[text.index("for (;;) {") :]
    names = (templates_dir() / "port/vm_names.h").read_text()
    macros = dict(re.findall(r"^#define (VM_\w+) (.+)$", names, re.M))
    found = set()
    for condition, run in _LINE.findall(text):
        while macro := next((name for name in macros if re.search(rf"\b{name}\b", condition)), ""):
            condition = re.sub(rf"\b{macro}\b", macros[macro], condition)
        if run != "false":
            opcodes = re.findall(r"MP_BC_(\w+)", condition + family_of(run))
            found |= {re.sub(r"_(N|MULTI)$", "", name) for name in opcodes}
    return found


def family_of(run: str) -> str:
    """Return the family of a line that is for all other opcodes of a group, by its function."""
    return {
        "vm_comparison(": "MP_BC_BINARY_OP_MULTI",
        "vm_operator(": "MP_BC_BINARY_OP_MULTI",
        "vm_small_int(": "MP_BC_LOAD_CONST_SMALL_INT_MULTI",
    }.get(run, "")


def test_the_fast_path_is_the_vms() -> None:
    assert fast_path() == named(Trait.FAST_PATH)


def test_a_row_has_one_name_and_an_emitter_that_exists() -> None:
    assert all(name == row.name for name, row in OPCODES.items())
    assert EMITTERS.keys() == {name for name, row in OPCODES.items() if row.emitter}
    for row in OPCODES.values():
        assert (row.operand is Operand.TARGET) == (row.control not in (Control.NEXT, Control.STOP))


def test_an_emitter_that_does_not_exist_is_an_error_at_once() -> None:
    with pytest.raises(AttributeError, match="load_moon"):
        emitters._emitter("constants.load_moon")


def test_an_unknown_instruction_is_named() -> None:
    with pytest.raises(UpstreamChange, match="no row for LOAD_MOON") as raised:
        opcode("LOAD_MOON")
    assert "porter/compiler/opcodes.py" in str(raised.value.hint)


# ---- the emitters keep to the rows ----

Module = Callable[[str], BytecodeModule]


PROGRAMS_OF_ALL_ROWS = [sources.STATEMENTS, OTHER_ROWS]


def units(module: Module, tables: Tables) -> Iterator[FunctionUnit]:
    for hints in (b"", bytes([SEEN_INT]) * 9_000):
        for text in PROGRAMS_OF_ALL_ROWS:
            options = CompilerOptions(hints=hints)
            yield from units_of(module(text), tables, loops=False, options=options).values()


def test_emitters_keep_to_the_rows(
    module: Module, tables: Tables, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each emitter changes the stack, calls and polls as its row says."""
    emitted: set[str] = set()

    def checked(name: str, row: Opcode) -> Callable[[BlockBuilder, BytecodeInstruction], None]:
        emit = EMITTERS[name]

        def run(b: BlockBuilder, it: BytecodeInstruction) -> None:
            depth, first = len(b.state.stack), len(b.operations)
            emit(b, it)
            operations = list(every(b.operations[first:]))
            if row.control is Control.STOP or b.ended:
                return
            if b.done is None or b.done.at != it.next:
                after = depth + effect(name, it.argument, it.extra)
                assert len(b.state.stack) == after or row.control is Control.JUMP
                pushed = b.state.stack[depth - row_pops(row, it) :]
                assert {value.kind for value in pushed} <= row.results
            if b.context.analyzes:
                return
            assert row.has(Trait.SAFEPOINT) == any(
                isinstance(each, SafepointPoll) for each in operations
            )
            if row.has(Trait.NEVER_RAISES):
                assert not any(raises(each) for each in operations)
            emitted.add(name)

        return run

    for name, row in OPCODES.items():
        if row.emitter:
            monkeypatch.setitem(EMITTERS, name, checked(name, row))
    for unit in units(module, tables):
        (region,) = function_ir(unit).regions
        assert set(region.entries) <= region.blocks.keys()
        assert not region.exits
    native = {name for name, row in OPCODES.items() if row.native}
    assert native == emitted


def row_pops(row: Opcode, it: BytecodeInstruction) -> int:
    return row.pops if isinstance(row.pops, int) else row.pops(it.argument, it.extra)


def raises(operation: Operation) -> bool:
    return isinstance(operation, Invoke | CallFrame | ExitIf)
