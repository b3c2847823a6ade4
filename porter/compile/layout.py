"""The layout that C and Python share: read from the headers, compared with what compilers say.

`read_layout` reads structs and enums. `probe_text` is a C++ source in which a compiler writes
down sizes, offsets and values into one array; g++ compiles it beside the host twin, nvcc beside
the device build, and nothing links it. `measure` reads that array out of the object and compares.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path

from porter.compile.elf import ElfProblem, symbol_bytes
from porter.compile.headers import Enums, Structs, preprocessed, read_headers
from porter.errors import VerifyFailed
from porter.manifest import SharedLayout

# What the runner reads and writes (launch.h, interp.h); other structs are the port's own.
SHARED_STRUCTS = (
    "gpusnek_binding_t",
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
    """Structs and enums of the headers `launch` and `interp`, with the C headers of `libc`.

    Raises BuildFailed, with struct and field, for what has no one layout; ToolMissing, ToolFailed.
    """
    return read_headers(preprocessed((launch, interp), libc), SHARED_STRUCTS)


def _questions(structs: Structs, enums: Enums) -> Iterator[tuple[str, str, int]]:
    """What a compiler is asked: what it is about, the C++ expression, and what is expected."""
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
    """A C++ source, for g++ and for nvcc, whose array holds the answers of the compiler."""
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
    """Write `probe_text` to `path`, if it does not say that already."""
    text = probe_text(structs, enums)
    if path.is_file() and path.read_text() == text:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(path.name + ".tmp")
    beside.write_text(text)
    beside.replace(path)


def measure(made: Path, structs: Structs, enums: Enums, compiler: str) -> SharedLayout:
    """The layout, as `compiler` has it in the object `made` of the probe.

    Raises VerifyFailed where the compiler says another size, offset or value than the headers,
    with struct and field.
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
