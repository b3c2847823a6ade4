"""Writes what the whole program shares: the state struct and its setting up."""

from __future__ import annotations

from porter.rewrite.appended import init_function, setup_function
from porter.rewrite.program import WholeProgram


def state_header(program: WholeProgram) -> str:
    """`porter_state.h`: one field of bytes per moved variable, most aligned first."""
    lines = [
        "// Written by porter: the state of one interpreter. Do not edit.",
        "#ifndef PORTER_STATE_H",
        "#define PORTER_STATE_H",
        "#if PORTER_FENCES",
        '#include "porter_ranges.h"',
        "#endif",
        "typedef struct porter_state_t {",
        "#if PORTER_FENCES",
        "    porter_ranges_t porter_ranges; // first: checks read it at the state's own address",
        "#endif",
        "    const void *porter_unwind; // the setjmp buffer that an unwind is on its way to",
        "    int porter_unwind_value;   // what that setjmp is to return",
        "    const void *porter_stack_limit; // a frame below it must not call any deeper",
    ]
    lines += [
        f"    alignas({field.align}) unsigned char {field.name}[{field.size}]; // {field.key}"
        for field in program.state.values()
    ]
    lines += ["} porter_state_t;", "#endif", ""]
    return "\n".join(lines)


def state_unit(program: WholeProgram) -> str:
    """`porter_state.cpp`: initial values of one interpreter's state, and the setup at load."""
    lines = ["// Written by porter. Do not edit.", '#include "porter_runtime.h"', 'extern "C" {']
    for entry, functions in (
        ("porter_state_init", [init_function(name) for name in program.units_with_init]),
        ("porter_setup", [setup_function(name) for name in program.units_with_setup]),
    ):
        lines += [f"PORTER_DEVICE void {name}(void);" for name in functions]
        lines += [f"PORTER_DEVICE void {entry}(void) {{"]
        lines += [f"    {name}();" for name in functions]
        lines += ["}"]
    lines += ["}", ""]
    return "\n".join(lines)
