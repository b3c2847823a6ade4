"""Print the IR of a function as text, for people and for the tests of passes.

Each operation is a line. A side exit shows the position at which the interpreter resumes, and in
braces the state that it restores. C++ variables have the names that they have in the C++
(representations.slot_name).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from attrs import evolve

from porter.compiler.ir import expressions as ex
from porter.compiler.ir import operations as op

_SYMBOLS = {"mp_const_none": "None", "MP_OBJ_NULL": "null", "true": "True", "false": "False"}
_OPPOSITE = {"EQUAL": "NOT_EQUAL", "NOT_EQUAL": "EQUAL"}
_INDENT = "  "


def function_text(function: op.FunctionIR) -> str:
    """Return the text of a function: regions, and in these entries and blocks."""
    lines = [f"function {function.title}"]
    for region in function.regions:
        lines += map(f"{_INDENT}{{}}".format, region_lines(region))
    return "\n".join(lines) + "\n"


def region_lines(region: op.Region) -> Iterator[str]:
    """Yield the lines of a region."""
    name = region.name.removeprefix("_") or "whole"
    yield f"region {name}, entered at {', '.join(map(str, region.entries)) or 'no block'}"
    for block in region.blocks.values():
        yield from map(f"{_INDENT}{{}}".format, block_lines(block))


def block_lines(block: op.IrBlock) -> Iterator[str]:
    """Yield the lines of a block, with its strips."""
    slots = ", ".join(f"{name}: {kind}" for name, kind in block.shape.variables())
    yield f"block {block.at} ({slots})    {block.about}".rstrip()
    for strip in block.strips:
        yield from map(f"{_INDENT}{{}}".format, _strip_lines(strip))
    yield from map(f"{_INDENT}{{}}".format, operation_lines(block.operations))


def _strip_lines(strip: op.Strip) -> Iterator[str]:
    compared = "<=" if strip.inclusive else "<"
    words = [
        f"strip {strip.label} while {_text(strip.near)} {compared} {_text(strip.far)}",
        f"step {strip.step}",
        f"{strip.branches} branch{'es' * (strip.branches != 1)} per iteration",
        *(f"e{view} of typecode {code!r}" for view, code in strip.typecodes.items()),
    ]
    yield ", ".join(words)
    yield from map(f"{_INDENT}{{}}".format, operation_lines(strip.entering))
    for block in strip.blocks:
        yield from map(f"{_INDENT}{{}}".format, block_lines(block))


def operation_lines(operations: Iterable[op.Operation]) -> Iterator[str]:
    """Yield the lines of operations."""
    for each in operations:
        printer: Callable[[Any], Iterator[str]] = _OPERATIONS[type(each)]
        yield from printer(each)


def _nested(operations: Iterable[op.Operation]) -> Iterator[str]:
    return map(f"{_INDENT}{{}}".format, operation_lines(operations))


def _exit(exit_: op.SideExit) -> str:
    speculation = exit_.speculation
    reason = f' "{speculation.what}"' if speculation is not None else ""
    return f"exit {exit_.at}, depth {exit_.depth}{_state(exit_.stores)}{reason}"


def _state(stores: Iterable[op.Store]) -> str:
    listed = "; ".join(f"{_text(one.place)} = {_text(one.value)}" for one in stores)
    return f" {{{listed}}}" if listed else ""


def _assign(it: op.Assign) -> Iterator[str]:
    yield f"{_text(it.target)} = {_text(it.value)}"


def _store_all(it: op.StoreAll) -> Iterator[str]:
    yield f"store{_state(it.stores)}"


def _set_view(it: op.SetView) -> Iterator[str]:
    yield f"e{it.view} = view of {_text(it.holder)}"


def _poll(it: op.SafepointPoll) -> Iterator[str]:
    yield f"poll{_state(it.stores)}, or {_exit(it.exit)}"


def _guard(it: op.SpeculationGuard) -> Iterator[str]:
    yield f"guard {_text(_negated(it.fails))}, or {_exit(it.exit)}"


def _exit_if(it: op.ExitIf) -> Iterator[str]:
    yield f"if {_text(it.condition)} {_exit(it.exit)}"


def _exit_always(it: op.ExitAlways) -> Iterator[str]:
    yield _exit(it.exit)


def _jump(it: op.BlockJump) -> Iterator[str]:
    passed = ", ".join(name for name, _ in it.slots)
    yield f"jump {it.to}{f' of strip {it.strip}' * bool(it.strip)} ({passed})"


def _branch(it: op.Branch) -> Iterator[str]:
    condition = it.condition if it.sense else _negated(it.condition)
    yield f"branch if {_text(condition)}"
    yield from _nested(it.then)


def _if(it: op.If) -> Iterator[str]:
    yield f"if {_text(it.condition)}"
    yield from _nested(it.then)
    if it.otherwise:
        yield "else"
        yield from _nested(it.otherwise)


def _invoke(it: op.Invoke) -> Iterator[str]:
    assigned = "" if it.target is None else f"{_text(it.target)} = "
    yield f"{assigned}call {_text(it.value)} at {it.at}"


def _fast_path(it: op.FastPath) -> Iterator[str]:
    if it.slow is None:
        yield f"fast path {_text(_negated(it.fails))}, or the slow path of the loop"
        return
    yield f"fast path {_text(_negated(it.fails))}, or"
    yield from map(f"{_INDENT}{{}}".format, _slow_path(it.slow))


def _slow_path(slow: op.SlowPath) -> Iterator[str]:
    if slow.stores:
        yield f"store{_state(slow.stores)}"
    yield from operation_lines([slow.call])
    for check in slow.checks:
        for condition, exit_ in check.exits:
            when = "" if condition is None else f" if {_text(condition)}"
            yield f"check {_text(check.same)}, or{when} {_exit(exit_)}"
    yield from operation_lines((*slow.unboxed, *slow.views))


def _next_item(it: op.NextItem) -> Iterator[str]:
    yield f"{_text(it.found)} = next item{_state(it.stores)}: {_text(it.quick.value)}, or"
    yield from map(f"{_INDENT}{{}}".format, _slow_path(it.slow))


def _next_integer(it: op.NextInteger) -> Iterator[str]:
    yield f"{_text(it.value)} = next integer of the iterator at {_text(it.iterator)}, or"
    yield from _nested((it.general, it.guard))


def _call_frame(it: op.CallFrame) -> Iterator[str]:
    passed = f"{it.positional} positional, {it.keywords} by name"
    method = " method" if it.method else ""
    yield f"{_text(it.result)} = call{method} frame[{it.at}] with {passed}, or {_exit(it.exit)}"


def _return(it: op.Return) -> Iterator[str]:
    yield f"return frame[{it.top}]"


_OPERATIONS: Mapping[type[op.Operation], Any] = {
    op.Assign: _assign,
    op.Evaluate: lambda it: iter([_text(it.value)]),
    op.StoreAll: _store_all,
    op.SetView: _set_view,
    op.CountBranch: lambda it: iter(["count a branch"]),
    op.SafepointPoll: _poll,
    op.SpeculationGuard: _guard,
    op.ExitIf: _exit_if,
    op.ExitAlways: _exit_always,
    op.BlockJump: _jump,
    op.NextIteration: lambda it: iter([f"next iteration of strip {it.strip}"]),
    op.Branch: _branch,
    op.If: _if,
    op.Invoke: _invoke,
    op.FastPath: _fast_path,
    op.NextItem: _next_item,
    op.NextInteger: _next_integer,
    op.CallFrame: _call_frame,
    op.Return: _return,
}


# ---- expressions ----


def _negated(condition: ex.Expression) -> ex.Expression:
    if isinstance(condition, ex.Compare) and condition.op in _OPPOSITE:
        return evolve(condition, op=_OPPOSITE[condition.op])
    return condition.operand if isinstance(condition, ex.Not) else ex.Not(condition)


def _text(expression: ex.Expression) -> str:
    printer: Callable[[Any], str] = _EXPRESSIONS[type(expression)]
    return printer(expression)


def _operand(expression: ex.Expression) -> str:
    compound = isinstance(expression, ex.Arithmetic | ex.Compare | ex.Not | ex.HasType)
    return f"({_text(expression)})" if compound else _text(expression)


def _binary(it: ex.Arithmetic) -> str:
    return f"{_operand(it.lhs)} {it.op} {_operand(it.rhs)}"


def _compare(it: ex.Compare) -> str:
    return f"{_operand(it.lhs)} {ex.COMPARISONS[it.op]} {_operand(it.rhs)}"


def _view_access(it: ex.ViewAccess) -> str:
    element = f"e{it.view}[{_text(it.index)}]"
    typecode = f" of typecode {it.typecode!r}" if it.typecode else ""
    if it.stores:
        return f"store {it.kind} {_text(it.element)} to {element}{typecode}"
    return f"load {it.kind} {_text(it.element)} from {element}{typecode}"


_EXPRESSIONS: Mapping[type[ex.Expression], Any] = {
    ex.Variable: lambda it: it.name,
    ex.Temporary: lambda it: f"{it.prefix}{it.number}",
    ex.Item: lambda it: f"{_text(it.array)}[{it.index}]",
    ex.FrameSlot: lambda it: f"frame[{it.index}]",
    ex.GlobalCell: lambda it: f"*p{it.slot}",
    ex.FramePointer: lambda it: f"frame + {it.index}",
    ex.Integer: lambda it: str(it.value),
    ex.Real: lambda it: repr(it.value),
    ex.Literal: lambda it: str(it.value),
    ex.Symbol: lambda it: _SYMBOLS.get(it.name, it.name),
    ex.AddressOf: lambda it: f"&{_operand(it.operand)}",
    ex.Cast: lambda it: f"{it.type.removesuffix('_t')}({_text(it.operand)})",
    ex.Unary: lambda it: f"{it.op}{_operand(it.operand)}",
    ex.Arithmetic: _binary,
    ex.Compare: _compare,
    ex.Not: lambda it: f"not {_operand(it.operand)}",
    ex.Conditional: lambda it: f"{_text(it.yes)} if {_text(it.condition)} else {_text(it.no)}",
    ex.Box: lambda it: f"object({_text(it.operand)})",
    ex.Unbox: lambda it: f"{it.kind}({_text(it.operand)})",
    ex.HasType: lambda it: f"{_operand(it.operand)} is {it.kind}",
    ex.HelperCall: lambda it: f"{it.function}({', '.join(map(_text, it.arguments))})",
    ex.ViewAccess: _view_access,
}
