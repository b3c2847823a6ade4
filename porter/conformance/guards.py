"""Find the guards of a test: the places where it prints SKIP, and the code around them."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import attrs

_LONGEST = 100  # characters of a guard's text in a need
_SKIPS = ("SKIP", "SKIP-TOO-LARGE")


@attrs.frozen
class Guard:
    """An ``except`` clause."""

    number: int
    node: ast.ExceptHandler
    names: dict[str, str]  # names in its try block with their full names: "VfsFat": "vfs.VfsFat"
    text: str  # the statements of its try block, on one line


@attrs.frozen
class Site:
    """A place that prints SKIP, and the innermost guard around it."""

    number: int
    node: ast.Call
    handler: int | None = None  # number of the guard, if it is an except clause
    condition: str | None = None  # text of the condition, if the guard is an if or an else
    atoms: tuple[tuple[str, str], ...] = ()  # hasattr() calls in it: attribute and text


def find(tree: ast.Module) -> tuple[list[Guard], list[Site]]:
    """Return all except clauses of ``tree``, and all places that print SKIP."""
    modules = _modules(tree)
    parents = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
    guards: dict[ast.ExceptHandler, Guard] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Try):
            for handler in node.handlers:
                names = dict(_names(node.body, modules))
                guards[handler] = Guard(len(guards), handler, names, _text(*node.body))
    calls = [node for node in ast.walk(tree) if _is_skip(node)]
    sites = [_site(number, call, parents, guards, modules) for number, call in enumerate(calls)]
    return list(guards.values()), sites


def _is_skip(node: ast.AST) -> bool:
    match node:
        case ast.Call(func=ast.Name(id="print"), args=[ast.Constant(value=value)]):
            return value in _SKIPS
    return False


def _site(
    number: int,
    call: ast.AST,
    parents: dict[ast.AST, ast.AST],
    guards: dict[ast.ExceptHandler, Guard],
    modules: dict[str, str],
) -> Site:
    assert isinstance(call, ast.Call)
    node: ast.AST = call
    while node in parents:
        child, node = node, parents[node]
        match node:
            case ast.ExceptHandler():
                return Site(number, call, handler=guards[node].number)
            case ast.If(test=test):
                text = _text(test)
                if child in node.orelse:
                    return Site(number, call, condition=f"not ({text})")
                return Site(number, call, condition=text, atoms=tuple(_atoms(test, modules)))
            case ast.Try() if child in node.orelse:
                return Site(number, call, condition=f"works: {_text(*node.body)}")
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                break  # the exception that its caller caught last is more informative
    return Site(number, call)


def _modules(tree: ast.Module) -> dict[str, str]:
    """Map each imported name to its full name: ``{"os": "os", "StringIO": "io.StringIO"}``."""
    found = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                found[alias.asname or alias.name] = alias.name
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                found[alias.asname or alias.name] = f"{node.module}.{alias.name}"
    return found


def _dotted(node: ast.expr, modules: dict[str, str]) -> str:
    if isinstance(node, ast.Attribute):
        return f"{_dotted(node.value, modules)}.{node.attr}"
    if isinstance(node, ast.Name):
        return modules.get(node.id, node.id)
    return f"({_text(node)})"


def _names(body: list[ast.stmt], modules: dict[str, str]) -> Iterator[tuple[str, str]]:
    for node in (inner for statement in body for inner in ast.walk(statement)):
        if isinstance(node, ast.Attribute):
            yield node.attr, _dotted(node, modules)
        elif isinstance(node, ast.ImportFrom):
            yield from ((alias.name, f"{node.module}.{alias.name}") for alias in node.names)


def _atoms(test: ast.expr, modules: dict[str, str]) -> Iterator[tuple[str, str]]:
    for node in ast.walk(test):
        match node:
            case ast.Call(func=ast.Name(id="hasattr"), args=[owner, ast.Constant(value=str(name))]):
                yield f"{_dotted(owner, modules)}.{name}", _text(node)


def _text(*nodes: ast.AST) -> str:
    text = "; ".join(" ".join(ast.unparse(node).split()) for node in nodes)
    return text if len(text) <= _LONGEST else text[:_LONGEST] + "..."
