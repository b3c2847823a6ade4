"""The memory layout that C and Python share: read the C headers, and check each compiler.

pycparser reads structs and enums. A probe compiled by each compiler gives offsets and sizes.

Only types with the same layout under every compiler are accepted: fixed-width integers and arrays
of them.

`read_layout` reads structs and enums from the headers. `probe_text` writes a C++ source whose only
array holds sizes, offsets and values. g++ compiles it beside the host twin, nvcc beside the device
build; nothing links it. `measure` reads the array from the object and compares it with the headers.
"""

from __future__ import annotations

import operator
import struct
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from porter.base.process import run
from porter.compile.object_files import ElfProblem, symbol_bytes
from porter.errors import BuildFailed, VerifyFailed
from porter.generate.preprocessor import CC
from porter.manifest import SharedField, SharedLayout, SharedStruct

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


# The structs that the runner reads or writes (launch.h, interp.h). Only the port uses the others.
SHARED_STRUCTS = (
    "gpusnek_binding_t",
    "gpusnek_exception_t",
    "gpusnek_frame_t",
    "gpusnek_info_t",
    "gpusnek_judging_t",
    "gpusnek_launch_t",
    "gpusnek_native_t",
    "gpusnek_natives_t",
    "gpusnek_profile_code_t",
    "gpusnek_profile_frame_t",
    "gpusnek_profile_node_t",
    "gpusnek_profile_row_t",
    "gpusnek_profile_t",
    "gpusnek_ring_t",
    "gpusnek_slot_t",
)
PROBE = "layout"
_ARRAY = "porter_layout"
_STATE = "sizeof(porter_state_t)"


def read_layout(launch: Path, interp: Path, libc: Path) -> tuple[Structs, Enums]:
    """Read the structs and enums of the two shared headers.

    Args:
        launch: The path of launch.h.
        interp: The path of interp.h.
        libc: A folder with replacements of the standard headers.

    Raises:
        BuildFailed: A field has no compiler-independent layout; the message names it.
        ToolMissing: There is no C compiler.
        ToolFailed: The preprocessor failed.
    """
    return read_headers(preprocessed((launch, interp), libc), SHARED_STRUCTS)


def _questions(structs: Structs, enums: Enums) -> Iterator[tuple[str, str, int]]:
    """Yield for each checked number: a description, the C++ expression, the expected value."""
    for name, shared in structs.items():
        for field in shared.fields:
            place = f"{name}.{field.name}"
            yield f"{place}: its offset", f"offsetof({name}, {field.name})", field.offset
            yield f"{place}: its size", f"sizeof((({name} *)0)->{field.name})", field.size
        yield f"{name}: its size", f"sizeof({name})", shared.size
    for values in enums.values():
        for name, value in values.items():
            yield f"{name}: its value", f"(uint64_t)(int64_t){name}", value


def probe_text(structs: Structs, enums: Enums) -> str:
    """Return a C++ source, for g++ and nvcc, whose array holds the compiler's layout."""
    asked = [_STATE, *(expression for _, expression, _ in _questions(structs, enums))]
    return "\n".join(
        (
            "// Written by porter: what the compiler says of the layout that C and Python share.",
            "#include <stddef.h>",
            "#include <stdint.h>",
            '#include "porter_runtime.h"',
            '#define GPUSNEK_API extern "C" PORTER_DEVICE',
            '#include "interp.h"',
            '#include "launch.h"',
            f'extern "C" PORTER_DEVICE const uint64_t {_ARRAY}[{len(asked)}];',
            f"PORTER_DEVICE const uint64_t {_ARRAY}[{len(asked)}] = {{",
            *(f"    {expression}," for expression in asked),
            "};",
            "",
        )
    )


def write_probe(path: Path, structs: Structs, enums: Enums) -> None:
    """Write `probe_text` to `path`, unless the file has that content already."""
    text = probe_text(structs, enums)
    if path.is_file() and path.read_text() == text:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(path.name + ".tmp")
    beside.write_text(text)
    beside.replace(path)


def measure(made: Path, structs: Structs, enums: Enums, compiler: str) -> SharedLayout:
    """Read the layout from a compiled probe and compare it with the headers.

    Args:
        made: The object or cubin of the probe.
        structs: Structs from `read_layout`.
        enums: Enums from `read_layout`.
        compiler: The compiler's name, for messages.

    Raises:
        VerifyFailed: A size, an offset or a value differs from the headers; the message names
            struct and field.
    """
    try:
        raw = symbol_bytes(made, _ARRAY)
    except ElfProblem as error:
        raise VerifyFailed(str(error)) from error
    questions = list(_questions(structs, enums))
    if len(raw) != 8 * (1 + len(questions)):
        raise VerifyFailed(
            f"{made}: {len(raw)} bytes of {_ARRAY}, {8 * (1 + len(questions))} wanted"
        )
    state, *answers = struct.unpack(f"<{1 + len(questions)}Q", raw)
    for (place, _, wanted), answer in zip(questions, answers, strict=True):
        if answer != wanted % 2**64:
            raise VerifyFailed(
                f"{place} is {wanted} as porter reads the header, {answer} says {compiler}",
                hint="See porter/compile/shared_layout.py: C and Python must see one layout.",
            )
    return SharedLayout(structs, enums, state)
