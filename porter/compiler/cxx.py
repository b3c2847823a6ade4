"""Translate a module to C++: one C++ function per Python function, and a dispatcher by entry.

This is the translator's interface: porter/native passes a `BytecodeModule` (mpy.py), and compiles
the C++ of the `CompiledModule` returned. The C++ is valid only behind a build's prelude
(templates/port/native_prelude.c).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from attrs import evolve, frozen

from porter.compiler.frames import calls_text
from porter.compiler.graph import graph_of
from porter.compiler.mpy import BytecodeFunction, BytecodeModule
from porter.compiler.options import CompilerOptions, GuardPlace
from porter.compiler.stored import SYMBOL
from porter.compiler.tables import Tables
from porter.compiler.unit import FunctionUnit

_HEAD = """\
#define TIER_EXPORT __attribute__((visibility("default")))
#ifdef __CUDACC__
#define TIER_UNLIKELY(x) __builtin_expect(!!(x), 0)
// nvcc puts a function into whatever calls it, and does so again in what came of that.
#define TIER_FUNCTION __attribute__((noinline))
#else
#define TIER_FUNCTION
#define TIER_UNLIKELY(x) __builtin_expect_with_probability(!!(x), 0, 0.99999)
#endif
#define TIER_APART __attribute__((noinline))
#define INT64_C(x) x##L
#define MP_OBJ_NULL tier_null()
#define MP_OBJ_STOP_ITERATION tier_null()
#define MP_OBJ_SENTINEL tier_sentinel()
#define MP_OBJ_NEW_QSTR(name) tier_text(name)
#define mp_const_none tier_none()
#define TIER_VIEW(e, o) { \\
    uint64_t size; e = tier_view(o, &size); e##n = size >> 8; e##c = (uint32_t)(size & 255); }
#undef NULL
#define NULL 0
// How many turns a counter makes that has `distance` to go in steps of `step`: at most `most`.
static inline PORTER_DEVICE int32_t tier_turns(int32_t most, int64_t distance, int64_t step) {
    if (distance <= 0) { return 0; }
    const int64_t turns = (distance + step - 1) / step;
    return turns < most ? (int32_t)turns : most;
}
"""
_ENTRANCE = """\
extern "C" TIER_EXPORT PORTER_DEVICE void {symbol}(void *code_state, unsigned int entry,
    const gpusnek_native_t *native) {{
    mp_code_state_t *const cs = (mp_code_state_t *)code_state;
    const void *const landing = tier_landing();
    const uint32_t begun = tier_begun();
    void *next = NULL;
{cases}
    tier_end(begun);
    // What ends the program lands elsewhere: then nothing goes on.
    if (next != NULL && next != cs && (!PORTER_UNWINDING || porter_landing_at(landing))) {{
        tier_go_on((mp_code_state_t *)next);
    }}
}}
"""
_DEFINITION = re.compile(r"\s*(?:async\s+)?def\s+(\w+)")


@frozen
class CompiledModule:
    """The C++ of a module.

    Attributes:
        text: The C++.
        entries: Pairs of a position in the code, in bytes, and the entry's number, from 1.
        guards: All guards, by number.
    """

    text: str
    entries: tuple[tuple[int, int], ...]
    guards: tuple[GuardPlace, ...] = ()


def compile_module(
    module: BytecodeModule,
    tables: Tables,
    lines: Sequence[str] = (),
    *,
    symbol: str = SYMBOL,
    loops: bool = True,
    options: CompilerOptions | None = None,
) -> CompiledModule:
    """Translate a module to C++.

    Args:
        module: The module.
        tables: Instructions of the release.
        lines: Lines of the Python source, which become comments.
        symbol: Name of the dispatcher, a gpusnek_native_run_t (templates/port/interp.h).
        loops: Whether to translate only what native code makes faster: profitable functions, and
            of the code at module level the loops.
        options: Type feedback and choices; None for the defaults.
    """
    # The classes of the IR take 40 ms to create, and most commands compile nothing.
    from porter.compiler.construction import function_ir
    from porter.compiler.ir.cxx import GuardTable, print_function
    from porter.compiler.passes import run_passes

    options = options or CompilerOptions()
    texts = [_HEAD + _forcing(options)]
    cases: list[str] = []
    entries: list[tuple[int, int]] = []
    guards = GuardTable()
    units = units_of(module, tables, lines, loops=loops, options=options)
    starts: dict[int, str] = {}
    declared: list[str] = []
    next_entry = 1
    forced = options.force is not None
    for number, unit in units.items():
        function = run_passes(function_ir(unit, lines), options)
        printed = print_function(function, number, next_entry, guards, forced=forced)
        numbered = printed.numbered
        texts.append(printed.text)
        declared += printed.declarations
        start = unit.graph.function.start
        entries += [(start + at, numbered[at]) for at in sorted(unit.graph.entries)]
        if 0 in numbered and not unit.graph.function.generator:
            starts[number] = f"{printed.start}(frame, {numbered[0]}, native)"
        next_entry += len(numbered)
        cases.append(
            f"    {'else ' * bool(cases)}if (entry < {next_entry}) "
            f"{{ next = f{number}(cs, entry, native); }}"
        )
    texts.insert(1, calls_text(module, declared, starts))
    texts.append(_ENTRANCE.format(symbol=symbol, cases="\n".join(cases)))
    return CompiledModule("\n".join(texts), tuple(entries), tuple(guards.guards))


def units_of(
    module: BytecodeModule,
    tables: Tables,
    lines: Sequence[str] = (),
    *,
    loops: bool = True,
    options: CompilerOptions | None = None,
) -> dict[int, FunctionUnit]:
    """Return the functions to translate, by number in the module; arguments as `compile_module`."""
    # The package imports the IR (see `compile_module`).
    from porter.compiler.passes.profitability import is_profitable, profitable_entries

    options = options or CompilerOptions()
    found = {}
    for number, function in enumerate(module.functions):
        # Code at module level runs once, so only its loops are profitable.
        once = loops and number == 0
        everywhere = options.enter == "everywhere"
        graph = graph_of(function, loops=once, everywhere=everywhere)
        if loops and not everywhere:
            graph = evolve(graph, entries=profitable_entries(graph, options))
        if graph.entries and (not loops or is_profitable(graph, module, options)):
            title = title_of(module, function, number, lines)
            found[number] = FunctionUnit(graph, module, tables, options, title)
    return found


def _forcing(options: CompilerOptions) -> str:
    if options.force is None:
        return ""
    if options.force == "guards":
        return "#define TIER_FORCED true\n"
    return (
        "static PORTER_DEVICE unsigned int tier_passed;\n"
        f"#define TIER_FORCED (++tier_passed % {options.force}u == 0)\n"
    )


def title_of(
    module: BytecodeModule, function: BytecodeFunction, number: int, lines: Sequence[str]
) -> str:
    """Return a function's name for reports; `lines` are those of the Python source."""
    name = module.names[function.name]
    if name or number == 0:
        return name or "<module>"
    # Only the release knows the name. The source has it, at or before the function's first line.
    for line in reversed(lines[: function.lines.get(0, 0)]):
        found = _DEFINITION.match(line)
        if found:
            return found.group(1)
    return "a function"
