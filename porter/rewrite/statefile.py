"""Generate the files of the whole program: the state struct, its init and its setup."""

from __future__ import annotations

from porter.rewrite.appended import init_function, setup_function, targets_function
from porter.rewrite.program import WholeProgram
from porter.rewrite.targets import table_bits


def state_header(program: WholeProgram) -> str:
    """Return `porter_state.h`: a byte array per moved variable, largest alignment first."""
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
        "    unsigned int porter_sandbox; // not 0: no addresses of programs, no code from outside",
        "    const void *porter_stack_limit; // a frame below it must not call any deeper",
        "    unsigned int porter_looked; // a GPU's clock at the last poll that looked",
        "    unsigned int porter_let_go; // and at the last that let waiting lanes go on",
    ]
    lines += [
        f"    alignas({field.align}) unsigned char {field.name}[{field.size}]; // {field.key}"
        for field in program.state.values()
    ]
    bits = table_bits(program.targets)
    lines += ["} porter_state_t;", f"#define PORTER_TARGET_BITS {bits}", "#endif", ""]
    return "\n".join(lines)


def state_unit(program: WholeProgram) -> str:
    """Return `porter_state.cpp`: the init of an interpreter's state, and the setup at load."""
    lines = ["// Written by porter. Do not edit.", '#include "porter_runtime.h"']
    lines += ["#if PORTER_FENCES", '#include "target_table.inc"', "#endif", 'extern "C" {']
    inits = [init_function(name) for name in program.units_with_init]
    setups = [setup_function(name) for name in program.units_with_setup]
    targets = [targets_function(name) for name in sorted(program.targets)]
    for name in (*inits, *setups, *targets):
        lines += [f"PORTER_DEVICE void {name}(void);"]
    lines += ["PORTER_DEVICE void porter_state_init(void) {"]
    lines += [f"    {name}();" for name in inits]
    lines += ["}", "PORTER_DEVICE void porter_setup(void) {"]
    lines += [f"    {name}();" for name in setups]
    lines += ["#if PORTER_FENCES"]
    lines += [f"    {name}();" for name in targets]
    lines += ["#endif", "}", "}", ""]
    return "\n".join(lines)
