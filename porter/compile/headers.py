"""Read the structs and enums that C and Python share from the C headers, with pycparser.

Only types with the same layout under every compiler are accepted: fixed-width integers and arrays
of them.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from porter.base.process import run
from porter.errors import BuildFailed
from porter.generate.compiler import CC
from porter.manifest import SharedField, SharedStruct

Structs = dict[str, SharedStruct]
Enums = dict[str, dict[str, int]]

SIZES = {f"{sign}int{bits}_t": bits // 8 for sign in ("", "u") for bits in (8, 16, 32, 64)}
_OPERATORS: Mapping[str, Callable[[int, int], int]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.floordiv,
    "<<": operator.lshift,
    "|": operator.or_,
}


def preprocessed(headers: Iterable[Path], libc: Path) -> str:
    """Return the text of `headers` after the C preprocessor.

    Args:
        headers: The headers to include.
        libc: A folder with replacements of the standard headers.

    Raises:
        ToolMissing: There is no C compiler.
        ToolFailed: The preprocessor failed.
    """
    text = "".join(f'#include "{header}"\n' for header in headers)
    command = [CC, "-E", "-x", "c", "-std=c11", "-nostdinc", f"-I{libc}", "-"]
    return run(command, input=text, timeout=60.0).stdout


def read_headers(text: str, wanted: Iterable[str]) -> tuple[Structs, Enums]:
    """Parse preprocessed C.

    Args:
        text: Preprocessed C.
        wanted: Typedef names of the structs to return.

    Returns:
        The structs `wanted`, and all enums that have a tag.

    Raises:
        BuildFailed: pycparser rejects the text, a struct is missing, or a field is not a
            fixed-width integer; the message names struct and field.
    """
    from pycparser import CParser, c_ast, c_parser  # missing on machines that only run builds

    try:
        nodes = CParser().parse(text, "shared headers").ext
    except c_parser.ParseError as error:
        raise BuildFailed(f"the headers that C and Python share are not plain C: {error}") from (
            error
        )
    known: dict[str, int] = {}
    enums: Enums = {}
    typedefs: dict[str, Any] = {}
    for node in nodes:
        if isinstance(node, c_ast.Typedef):
            typedefs[node.name] = node
        if isinstance(node, c_ast.Decl) and isinstance(node.type, c_ast.Enum):
            values = _enumerators(node.type, known)
            known |= values
            enums[node.type.name] = values
    return {name: _struct(name, typedefs.get(name), known) for name in wanted}, enums


def _struct(name: str, typedef: Any, known: Mapping[str, int]) -> SharedStruct:
    declared = getattr(getattr(getattr(typedef, "type", None), "type", None), "decls", None)
    if not declared:
        raise BuildFailed(f"{name}: the headers have no such struct")
    fields: list[SharedField] = []
    end = widest = 0
    for declaration in declared:
        place = f"{name}.{declaration.name}"
        kind, count = _type(declaration.type, known, place)
        width = SIZES.get(kind)
        if width is None or declaration.bitsize is not None:
            raise BuildFailed(f"{place}: {kind} is no integer of fixed width")
        offset = -(-end // width) * width
        size = width if count is None else width * count
        fields.append(SharedField(declaration.name, kind, offset, size, count))
        end, widest = offset + size, max(widest, width)
    return SharedStruct(-(-end // widest) * widest, tuple(fields))


def _type(node: Any, known: Mapping[str, int], place: str) -> tuple[str, int | None]:
    """Return a field's type name, also of a pointer or struct, and its number of elements."""
    from pycparser import c_ast

    if isinstance(node, c_ast.ArrayDecl):
        kind, inner = _type(node.type, known, place)
        if inner is not None:
            raise BuildFailed(f"{place}: an array of arrays")
        return kind, _value(node.dim, known, place)
    if isinstance(node, c_ast.TypeDecl) and isinstance(node.type, c_ast.IdentifierType):
        return " ".join(node.type.names), None
    return f"a {type(node).__name__}", None


def _enumerators(node: Any, known: Mapping[str, int]) -> dict[str, int]:
    values: dict[str, int] = {}
    following = 0
    for item in node.values.enumerators:
        if item.value is not None:
            following = _value(item.value, {**known, **values}, item.name)
        values[item.name] = following
        following += 1
    return values


def _value(node: Any, known: Mapping[str, int], place: str) -> int:
    """Evaluate a constant integer expression. Raises BuildFailed for any other expression."""
    from pycparser import c_ast

    if isinstance(node, c_ast.Constant) and "int" in node.type:
        digits = node.value.rstrip("uUlL")
        return int(digits, 8 if digits[0] == "0" and digits.isdigit() else 0)
    if isinstance(node, c_ast.ID) and node.name in known:
        return known[node.name]
    if isinstance(node, c_ast.UnaryOp) and node.op == "-":
        return -_value(node.expr, known, place)
    if isinstance(node, c_ast.BinaryOp) and node.op in _OPERATORS:
        operation = _OPERATORS[node.op]
        return operation(_value(node.left, known, place), _value(node.right, known, place))
    raise BuildFailed(f"{place}: its value is no constant that porter reads")
