"""The opcode table agrees with upstream's VM, with the VM's fast path, and with the emitters."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator

import attrs
import jinja2
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
from porter.compiler.tables import Tables, read_tables
from porter.compiler.unit import FunctionUnit
from porter.errors import UpstreamChange
from porter.generate.port import opcode_sets
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
    macros = name_sets()
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


def name_sets() -> dict[str, str]:
    """Return the C of the opcode sets in the generated header."""
    template = (templates_dir() / "port/vm_opcodes.h.j2").read_text()
    environment = jinja2.Environment(undefined=jinja2.StrictUndefined, trim_blocks=True)
    text = environment.from_string(template).render(opcode_sets=opcode_sets())
    return dict(re.findall(r"^#define (VM_\w+) (.+)$", text, re.M))


def test_the_generated_sets_are_the_variables_of_the_fast_path() -> None:
    sets = {name: set(re.findall(r"MP_BC_(\w+)", text)) for name, text in name_sets().items()}
    assert sets == {
        "VM_LOCAL": {"LOAD_NAME", "STORE_NAME"},
        "VM_LOAD": {"LOAD_NAME", "LOAD_GLOBAL"},
        "VM_VARIABLE": {"LOAD_NAME", "LOAD_GLOBAL", "STORE_NAME", "STORE_GLOBAL"},
    }


def test_a_set_follows_the_table(monkeypatch: pytest.MonkeyPatch) -> None:
    row = attrs.evolve(OPCODES["DELETE_GLOBAL"], operand=Operand.GLOBAL, traits=Trait.FAST_PATH)
    monkeypatch.setitem(OPCODES, "DELETE_GLOBAL", row)
    assert "DELETE_GLOBAL" in opcode_sets()["VM_VARIABLE"]
    assert "DELETE_GLOBAL" not in opcode_sets()["VM_LOCAL"]


def functions_of_the_fast_path() -> dict[str, str]:
    """Return the body of each function in vm_families.h, without comments."""
    text = (templates_dir() / "port/vm_families.h").read_text()
    text = re.sub(r"//.*", "", text)
    return dict(re.findall(r"^VM_INLINE \w+ (\w+)\(.*?\) \{\n(.*?)^\}", text, re.M | re.S))


def test_jumps_of_the_fast_path_are_safepoints() -> None:
    """Each function that branches leaves the last step of a window to upstream's code, which polls.

    The instructions that it names are jumps of the table, or begin a superinstruction.
    """
    bodies = functions_of_the_fast_path()
    assert len(bodies) > 15
    branching = {name for name, body in bodies.items() if "vm_branch(" in body}
    assert branching == {"vm_jump_on", "vm_jump", "vm_dup_two"}
    assert branching == {name for name, body in bodies.items() if "vm_must_look(" in body}
    fast_safepoints = named(Trait.FAST_PATH) & named(Trait.SAFEPOINT)
    jumps = {opcode for name in branching for opcode in re.findall(r"MP_BC_(\w+)", bodies[name])}
    assert jumps - {"ROT_TWO", "BINARY_OP_MULTI"} == fast_safepoints


# Functions that vm_fast() calls, with the instruction that each one executes.
_RUNS = {
    "vm_small_int": "LOAD_CONST_SMALL_INT", "vm_long_small_int": "LOAD_CONST_SMALL_INT",
    "vm_constant": "LOAD_CONST_OBJ", "vm_load_fast": "LOAD_FAST", "vm_store_fast": "STORE_FAST",
    "vm_operator": "BINARY_OP", "vm_load_attribute": "LOAD_ATTR", "vm_dup": "DUP_TOP",
    "vm_store_attribute": "STORE_ATTR", "vm_load_method": "LOAD_METHOD",
    "vm_rotate_two": "ROT_TWO", "vm_rotate_three": "ROT_THREE",
    "vm_load_element": "LOAD_SUBSCR", "vm_store_element": "STORE_SUBSCR",
}  # fmt: skip


@pytest.mark.parametrize("function", _RUNS)
def test_the_fast_path_changes_the_stack_as_the_row_says(function: str) -> None:
    """The last return of a function, which is not of a superinstruction, has the row's effect."""
    end = functions_of_the_fast_path()[function].rstrip().rsplit("return", 1)[1]
    pushed = len(re.findall(r"\bvm_push\(", end))
    popped = sum(map(int, re.findall(r"\bvm_pop\(vm, (\d)\)", end)))
    joined = len(re.findall(r"\bvm_join\(", end))  # pops two values and pushes one
    assert pushed - popped - joined == effect(_RUNS[function], 0)


# ---- the C that decodes and verifies bytecode keeps to the rows ----


def cases_of(file: str, start: str, end: str) -> set[str]:
    """Return the instructions in the `case` labels of a function, without suffixes of families."""
    text = (templates_dir() / file).read_text()
    text = text[text.index(start) :]
    names = re.findall(r"case MP_BC_(\w+):", text[: text.index(end)])
    return {name.removesuffix("_N") for name in names}


def rows(holds: Callable[[Opcode], bool]) -> set[str]:
    return {name for name, row in OPCODES.items() if holds(row)}


def test_the_ends_of_paths_are_the_ports() -> None:
    ends = cases_of("port/bytecode.c", "bool gpusnek_bytecode_continues", "return false")
    assert ends == rows(lambda row: row.ends)


def test_operands_are_verified_by_their_meaning() -> None:
    def case(call: str) -> set[str]:
        text = (templates_dir() / "port/verify_code.c").read_text()
        text = text[text.index("static void verify_operand(") :].split("switch (op)")[1]
        before = text[: text.index(call)].rsplit("break;", 1)[-1]
        return {name.removesuffix("_N") for name in re.findall(r"case MP_BC_(\w+):", before)}

    variables = rows(lambda row: row.operand in (Operand.VARIABLE, Operand.CELL))
    assert case("use_local") | case("store_local") == variables
    assert case("of->objects") == rows(lambda row: row.operand is Operand.CONSTANT)
    assert case("of->child_count") == rows(lambda row: row.operand is Operand.FUNCTION)


@pytest.mark.parametrize("file", ["port/bytecode.c", "port/verify_code.c"])
@pytest.mark.parametrize("release", synced_releases())
def test_jumps_with_a_signed_distance_are_the_ports(release: str, file: str) -> None:
    text = (templates_dir() / file).read_text()
    found = re.search(r"is_signed = \S+ >= MP_BC_(\w+) && \S+ <= MP_BC_(\w+);", text)
    assert found is not None
    numbers = {
        name: number
        for number, name in read_tables(release_dir(release), templates_dir()).opcodes.items()
    }
    targets = rows(lambda row: row.operand is Operand.TARGET)
    signed = {n for n in targets if numbers[found[1]] <= numbers[n] <= numbers[found[2]]}
    assert signed == {name for name in targets if not OPCODES[name].has(Trait.FORWARD)}


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
