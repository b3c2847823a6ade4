"""Find out why a test skips itself: run it once more with instrumented guards.

A guard is a place where the test prints SKIP, with the code around it.

A test that cannot run prints SKIP, nearly always in an ``except`` or ``if`` at its top. The probe
makes each handler record the exception that it caught, and prints the records after SKIP. So the
build itself reports the feature that it lacks. The result is a *need*: ``machine``,
``vfs.VfsFat``, or the text of a condition.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import attrs

from porter.conformance.records import ScriptOutcome

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


MARK = b"porter-why: "
_PRELUDE = b"""\
_porter_seen = []
def _porter_saw(handler, error):
    _porter_seen.append((handler, type(error).__name__, str(error)))
    del _porter_seen[:-8]
def _porter_skip(site, atoms):
    print("SKIP")
    print("porter-why:", repr((site, _porter_seen, atoms)))
"""
_NAME = re.compile(r"(?:can't import name|cannot import name) '?(\w+)|has no attribute '(\w+)'")
_MISSING = re.compile(
    r"no module named '([\w.]+)'|name '(\w+)' isn't defined|name '(\w+)' is not defined", re.I
)


@attrs.frozen
class Probe:
    """An instrumented test that reports why it skips itself, with its guards."""

    source: bytes
    guards: dict[int, Guard]  # handlers, by number
    sites: dict[int, Site]

    def need(self, outcome: ScriptOutcome) -> str | None:
        """Return the feature that the build lacks, or None if the outcome does not reveal it.

        Args:
            outcome: Outcome of running ``source``.
        """
        lines = [line for line in outcome.output.splitlines() if line.startswith(MARK)]
        if not lines:
            return None
        try:
            number, seen, atoms = ast.literal_eval(lines[-1].removeprefix(MARK).decode())
        except (ValueError, SyntaxError):  # truncated, or a line that the probe did not print
            return None
        site = self.sites[number]
        lacking = [name for name, there in atoms if not there]
        if lacking:
            return str(lacking[0])
        if site.condition is not None:
            return site.condition
        caught = [note for note in seen if site.handler in (None, note[0])]
        return self._caught(*caught[-1]) if caught else None

    def _caught(self, handler: int, kind: str, message: str) -> str:
        guard = self.guards[handler]
        if found := _MISSING.search(message):
            return str(found[found.lastindex or 0])
        if found := _NAME.search(message):
            name = found[1] or found[2]
            return guard.names.get(name, f"?.{name}")
        return f"{kind}: {guard.text}"


def probe(source: bytes) -> Probe | None:
    """Instrument the guards of ``source``; return None if this CPython cannot parse it."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return None
    guards, found = find(tree)
    edited = _edit(source, list(_edits(source, guards, found)))
    return Probe(
        _PRELUDE + edited, {g.number: g for g in guards}, {site.number: site for site in found}
    )


_Edit = tuple[int, int, bytes]  # first and last byte offset, and the replacement


def _edits(source: bytes, guards: list[Guard], found: list[Site]) -> Iterator[_Edit]:
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))

    def offset(line: int, column: int) -> int:
        return starts[line - 1] + column

    for guard in guards:
        node = guard.node
        name = (node.name or "_porter_error").encode()
        if node.type is None:
            at = offset(node.lineno, node.col_offset) + len("except")
            yield at, at, b" BaseException as " + name
        elif node.name is None:
            at = offset(node.type.end_lineno or 0, node.type.end_col_offset or 0)
            at = source.index(b":", at)
            yield at, at, b" as " + name
        first = node.body[0]
        at = offset(first.lineno, first.col_offset)
        before = source[starts[first.lineno - 1] : at]
        after = b"\n" + before if not before.strip() else b"; "
        yield at, at, b"_porter_saw(%d, %s)" % (guard.number, name) + after
    for site in found:
        call = site.node
        atoms = ", ".join(f"({name!r}, {text})" for name, text in site.atoms)
        yield (
            offset(call.lineno, call.col_offset),
            offset(call.end_lineno or 0, call.end_col_offset or 0),
            f"_porter_skip({site.number}, [{atoms}])".encode(),
        )


def _edit(source: bytes, edits: list[_Edit]) -> bytes:
    # From the end, so that offsets stay valid. At equal offsets, the record precedes the call.
    for start, end, text in sorted(edits, key=lambda edit: (edit[0], edit[1]), reverse=True):
        source = source[:start] + text + source[end:]
    return source
