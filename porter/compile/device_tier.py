"""The parts of a device build that let its kernels run native code of programs.

Kernels with native code (porter/native/kernels.py) link a second copy of the two units that
dispatch to it (`LOOKING`). Other kernels link the plain copy, so they pay nothing. The native
compiler needs two more files: the prelude, with which the C++ of a program begins, and the
release's table of bytecode instructions. The host twin has both as well (tier.py).
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path

import attrs
from attrs import field, frozen

from porter import toolchain
from porter.base.files import write_changed
from porter.compile.device_units import PTX_STEP, DeviceUnit, log_of
from porter.compile.ninja import Edge, NinjaRule
from porter.compile.sources import Sources
from porter.compile.tier import (
    PYTHON,
    prelude_edge,
    prelude_rule,
    prelude_source,
    write_instructions,
)
from porter.compiler.stored import PRELUDE, SYMBOL
from porter.config import BuildConfig

LOOKING = ("py_vm.cpp", "port_native.cpp")  # templates/runtime/native_hooks.h
LIBRARY = "libgpusnek-native.a"
# The units call DISPATCHER. With one program, DISPATCHER calls PROGRAM directly. PROGRAM is a
# placeholder: porter/native/link.py overwrites it in the SASS with a symbol of the same length.
DISPATCHER, PROGRAM = "gpusnek_native_module", f"{SYMBOL}_{0:016}"
ALONE = "dispatcher.cubin"
PARAMETERS = "(void *code_state, unsigned int entry, const void *native)"
_ALONE = f"""\
extern "C" __device__ void {PROGRAM}{PARAMETERS};
extern "C" __device__ void {DISPATCHER}{PARAMETERS} {{
    {PROGRAM}(code_state, entry, native);
}}
"""
_DEFINE = "-DPORTER_NATIVE=1"


@frozen
class DeviceTier:
    """The files of the tier, with the ninja rules and edges that make them."""

    files: tuple[Path, ...] = ()
    rules: tuple[NinjaRule, ...] = ()
    edges: tuple[Edge, ...] = field(default=(), repr=False)


def device_tier(
    config: BuildConfig, sources: Sources, out: Path, front: Sequence[str]
) -> DeviceTier:
    """Return the tier of the device build in `out`; empty where its kernels run no native code.

    Native code needs a build without bounds checks and profiling, for one architecture.

    Args:
        config: The build.
        sources: The units and the runtime.
        out: The folder of the device build.
        front: The command that compiles a unit to PTX, without input and output.

    Raises:
        UpstreamChange: The table of instructions cannot be read.
    """
    unit = prelude_source(sources)
    wanted = config.architectures
    if config.fences or config.profile or wanted.several or unit is None:
        return DeviceTier()
    (only,) = wanted.machine
    beside = out / "native"
    units = [
        DeviceUnit.of(source, beside, sources, wanted)
        for source in sources.units
        if source.name in LOOKING
    ]
    edges = [edge for each in units for edge in each.to_cubins(sources, fenced=False)]
    edges = [attrs.evolve(e, rule="native-ptx") if e.rule == "ptx" else e for e in edges]
    edges += [each.to_object(only) for each in units]
    library = out / LIBRARY
    edges.append(Edge("archive", (library,), tuple(each.object(only) for each in units)))
    edges.append(prelude_edge(unit, out, sources))
    text, ptx, alone = beside / "dispatcher.cu", beside / "dispatcher.ptx", out / ALONE
    beside.mkdir(parents=True, exist_ok=True)
    write_changed(text, _ALONE)
    edges.append(Edge("native-ptx", (ptx,), (text,), (PTX_STEP,), (("id", "0" * 8),)))
    arch = (("arch", only),)
    edges.append(Edge("cubin", (alone,), (ptx,), (), arch, beside=(log_of(alone),)))
    files = (library, out / PRELUDE, alone, write_instructions(config.release, out))
    return DeviceTier(files, _rules(front, wanted.front), tuple(edges))


def _rules(front: Sequence[str], architecture: str) -> tuple[NinjaRule, ...]:
    number = int("".join(filter(str.isdigit, architecture))) * 10
    # nvcc includes its own headers before the prelude, so the prelude must not contain them.
    seen = [flag for flag in front if flag.startswith(("-I", "-D", "-std="))]
    as_nvcc = ["-D__CUDACC__=1", f"-D__CUDA_ARCH__={number}", _DEFINE]
    return (
        NinjaRule(
            "native-ptx",
            f"{shlex.join((*front, _DEFINE))} -x cu -ptx $in -o $out.tmp"
            f" && {PYTHON} {shlex.quote(str(PTX_STEP))} $out.tmp $out $id",
            "nvcc $out",
        ),
        prelude_rule([str(toolchain.gxx().path), "-w", *seen, *as_nvcc]),
    )
