"""Check the memory layout that C and Python share: the headers against each compiler.

`read_layout` reads structs and enums from the headers. `probe_text` writes a C++ source whose only
array holds sizes, offsets and values. g++ compiles it beside the host twin, nvcc beside the device
build; nothing links it. `measure` reads the array from the object and compares it with the headers.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path

from porter.compile.elf import ElfProblem, symbol_bytes
from porter.compile.headers import Enums, Structs, preprocessed, read_headers
from porter.errors import VerifyFailed
from porter.manifest import SharedLayout

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
                hint="See porter/compile/layout.py: C and Python must see one layout.",
            )
    return SharedLayout(structs, enums, state)
