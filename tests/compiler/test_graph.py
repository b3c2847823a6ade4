"""Basic blocks, depths of the stack, and entries of native code."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest

from porter.compiler.graph import CodeBlock, Graph, graph_of
from porter.compiler.mpy import BytecodeFunction, BytecodeInstruction, BytecodeModule, Signature
from porter.compiler.opcodes import CALLS, HANDLERS, ITERATOR, NATIVE, effect
from porter.errors import ProgramSyntaxError
from tests.compiler import sources

FunctionOf = Callable[[str], BytecodeFunction]


@pytest.fixture
def graph(function: FunctionOf) -> Callable[[str], Graph]:
    """Return the graph of a function of a, b and c with the given body."""

    def graph(body: str) -> Graph:
        return graph_of(function("def f(a, b, c):\n" + textwrap.indent(body, "    ") + "\n"))

    return graph


Of = Callable[[str], Graph]


def block_of_line(graph: Graph, line: int) -> CodeBlock:
    """Return the first block that begins in a line of the body, counted from 1."""
    return next(b for b in graph.blocks.values() if graph.function.lines[b.at] == line + 1)


def effect_of(instruction: BytecodeInstruction) -> int:
    """Return the change of the stack depth if control flow continues after an instruction."""
    return effect(instruction.name, instruction.argument, instruction.extra)


def deepest(graph: Graph) -> int:
    """Return the maximum depth of the stack."""
    most = 0
    for block in graph.blocks.values():
        depth = block.depth
        for instruction in block.code:
            depth += effect_of(instruction)
            most = max(most, depth)
    return most


@pytest.mark.parametrize(
    ("body", "state"),
    [
        ("return a + b * c", 3 + 3),
        ("for i in a:\n b = i", 3 + 1 + ITERATOR + 1),
        ("for i in a:\n for j in b:\n  c(i, j)", 3 + 2 + 2 * ITERATOR + 3),
        ("while a < b < c: a += 1", 3 + 3),
        ("return [i for i in a]", 3 + 2),  # the comprehension is a separate function
        ("a, b, c = c, b, a", 3 + 3),
        ("return a(b, c, *a, b=c, **b)", 3 + 8),
        ("a[b:c] = {b: c, c: b}", 3 + 4),
        ("return a.b.c(b.c, c)", 3 + 4),
        ("a[b] += c", 3 + 4),
        ("return a if b else c", 3 + 1),
        ("return a and b or c", 3 + 1),
        ("assert a, b", 3 + 2),
    ],
)
def test_the_stack_is_as_deep_as_upstreams_compiler_reserves(
    graph: Of, body: str, state: int
) -> None:
    found = graph(body)
    assert deepest(found) + _variables(found) <= found.function.state
    if body.startswith(("return a(", "a[b:c]", "return [i")):
        return  # how the compiler builds these is its own affair
    assert found.function.state == state
    assert deepest(found) + _variables(found) == state


def _variables(graph: Graph) -> int:
    return max(graph.variables, graph.function.arguments)


def test_no_function_of_upstreams_tests_needs_more_than_is_reserved(
    module: Callable[[str], BytecodeModule], release: Path
) -> None:
    functions, equal = 0, 0
    for file in sorted((release / "tests/basics").glob("[a-g]*.py")):
        try:
            found = module(file.read_text())
        except ProgramSyntaxError:
            continue
        for function in found.functions:
            graph = graph_of(function)
            room = function.state - _variables(graph) - deepest(graph)
            assert room >= 0, (file.name, found.names[function.name])
            functions += 1
            equal += room == 0
    # Handlers reserve stack for unwinding; most functions have none.
    assert functions > 300
    assert equal > 0.7 * functions


@pytest.mark.parametrize("source", [sources.STATEMENTS, sources.WIDE])
def test_every_way_to_a_block_comes_with_its_depth(
    module: Callable[[str], BytecodeModule], source: str
) -> None:
    for function in module(source).functions:
        graph = graph_of(function)
        for block in graph.blocks.values():
            after = block.depth + sum(map(effect_of, block.code))
            for to in block.followers:
                if to not in graph.blocks:
                    continue
                expected = after
                if block.last.name == "FOR_ITER" and to == block.last.argument:
                    expected = after - 1 - ITERATOR
                elif "OR_POP" in block.last.name and to == block.last.argument:
                    expected = after + 1
                assert graph.blocks[to].depth == expected


@pytest.mark.parametrize("source", [sources.STATEMENTS, sources.WIDE])
@pytest.mark.parametrize("loops", [False, True])
def test_blocks_are_whole_and_apart(
    module: Callable[[str], BytecodeModule], source: str, loops: bool
) -> None:
    for function in module(source).functions:
        graph = graph_of(function, loops=loops)
        inside = [i.at for block in graph.blocks.values() for i in block.code]
        assert len(inside) == len(set(inside))
        for at, block in graph.blocks.items():
            assert block.at == block.code[0].at == at
            for one, two in zip(block.code, block.code[1:], strict=False):
                assert one.next == two.at
                assert one.name in NATIVE
        assert graph.entries <= graph.blocks.keys()
        assert graph.heads <= graph.blocks.keys()
        for entry in graph.entries:
            assert graph.blocks[entry].code[0].name in NATIVE


def test_a_for_loop(graph: Of) -> None:
    found = graph("b = 1\nfor i in a:\n    b = i\nelse:\n    c = b\nreturn c")
    (head,) = found.heads
    assert found.blocks[head].last.name == "FOR_ITER"
    assert found.blocks[head].depth == ITERATOR
    body, after = found.blocks[head].followers
    assert found.blocks[body].depth == ITERATOR + 1  # its iterator and the item
    assert found.blocks[after].depth == 0
    assert block_of_line(found, 5).depth == 0
    assert head in found.entries
    assert 0 in found.entries
    assert not found.protected


def test_loops_in_loops(graph: Of) -> None:
    found = graph(
        "while a:\n for i in b:\n  for j in i:\n   a(j)\n   if j: break\n a = c\nreturn b"
    )
    assert sorted(found.blocks[head].depth for head in found.heads) == [0, ITERATOR, 2 * ITERATOR]
    assert block_of_line(found, 5).depth == 2 * ITERATOR
    assert block_of_line(found, 6).depth == 0


@pytest.mark.parametrize(
    ("body", "line", "depth"),
    [
        ("try:\n    a()\nexcept OSError:\n    b()\nreturn c", 2, 0),
        # The exception, and the handler that pops it.
        ("try:\n    a()\nexcept OSError:\n    b()\nreturn c", 4, 1),
        ("try:\n    a()\nfinally:\n    b()\nreturn c", 2, 0),
        ("try:\n    a()\nfinally:\n    b()\nreturn c", 4, 1),
        ("with a:\n    b()\nreturn c", 2, 3),  # __exit__, its self, and the result of __enter__
        ("for i in a:\n    try:\n        b()\n    except OSError:\n        c()", 3, ITERATOR),
        ("for i in a:\n    with b:\n        c()", 3, ITERATOR + 3),
    ],
)
def test_handlers_know_their_depth(graph: Of, body: str, line: int, depth: int) -> None:
    found = graph(body)
    assert found.protected
    assert block_of_line(found, line).depth == depth
    after = [i for i in found.function.code if i.name in HANDLERS]
    assert all(i.next in found.blocks for i in after)


def test_what_the_interpreter_runs_is_entered_behind(graph: Of) -> None:
    found = graph("import b\nc = a\ndel c\nreturn b")
    code = found.function.code
    (gone,) = (i for i in code if i.name == "DELETE_FAST")
    assert gone.next in found.entries
    assert gone.at not in found.entries
    (at,) = (b.at for b in found.blocks.values() if gone in b.code)
    assert found.blocks[at].last == gone
    assert found.blocks[at].followers == ()


def test_calls_are_entered_behind(graph: Of) -> None:
    found = graph("return a(1) + b.c(2)")
    calls = [i for i in found.function.code if i.name in CALLS]
    assert len(calls) == 2
    assert {i.next for i in calls} <= found.entries


def test_generators_are_entered_behind_each_yield(graph: Of) -> None:
    found = graph("for i in a:\n    b = yield i\n    yield b")
    yields = [i for i in found.function.code if i.name == "YIELD_VALUE"]
    assert found.function.generator
    assert {i.next for i in yields} <= found.entries


def test_of_a_module_only_loops(module: Callable[[str], BytecodeModule]) -> None:
    main = module("a = 1\nfor i in range(9):\n    a += i\nprint(a)\n").functions[0]
    whole, loops = graph_of(main), graph_of(main, loops=True)
    assert loops.blocks.keys() < whole.blocks.keys()
    assert {main.lines[at] for at in loops.blocks} == {2, 3}
    assert not graph_of(module("a = 1\nprint(a)\n").functions[0], loops=True).entries


def test_code_that_nothing_reaches_is_in_no_block(graph: Of) -> None:
    found = graph("return a\nb(c)")
    assert {found.function.lines[at] for at in found.blocks} == {2}


def code(*rows: tuple[str, int]) -> BytecodeFunction:
    """Return a function of instructions of two bytes each."""
    run = tuple(
        BytecodeInstruction(2 * n, 2, name, argument) for n, (name, argument) in enumerate(rows)
    )
    lines = {instruction.at: 1 for instruction in run}
    return BytecodeFunction(0, 0, Signature(4), 0, 0, run, lines)


def test_hand_written_bytecode() -> None:
    found = graph_of(
        code(
            ("LOAD_FAST", 0),
            ("POP_JUMP_IF_FALSE", 8),
            ("LOAD_FAST", 1),
            ("RETURN_VALUE", 0),
            ("LOAD_CONST_NONE", 0),
            ("RETURN_VALUE", 0),
        )
    )
    assert {at: (b.depth, b.followers) for at, b in found.blocks.items()} == {
        0: (0, (4, 8)),
        4: (0, ()),
        8: (0, ()),
    }
    assert found.variables == 2


def test_dead_code_with_an_impossible_depth_does_no_harm() -> None:
    # After UNWIND_JUMP and RAISE the compiler leaves unreachable code.
    found = graph_of(code(("LOAD_CONST_NONE", 0), ("RETURN_VALUE", 0), ("POP_TOP", 0)))
    assert found.blocks.keys() == {0}


@pytest.mark.parametrize("where", [3, 400, -2])
def test_a_jump_to_no_instruction_leads_nowhere(where: int) -> None:
    found = graph_of(code(("LOAD_CONST_TRUE", 0), ("POP_JUMP_IF_TRUE", where), ("JUMP", where)))
    assert all(at % 2 == 0 and 0 <= at < 6 for at in found.blocks)
