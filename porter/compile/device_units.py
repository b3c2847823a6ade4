"""Ninja edges of a device build: from C++ to PTX to SASS, one edge per unit and step.

Further edges make the files that let kernels of a finished build run native code of programs.

Kernels with native code (porter/native/kernels.py) link a second copy of the two units that
dispatch to it (`LOOKING`). Other kernels link the plain copy, so they pay nothing. The native
compiler needs two more files: the prelude, with which the C++ of a program begins, and the
release's table of bytecode instructions. The host twin has both as well (native_files.py).
"""

from __future__ import annotations

import hashlib
import shlex
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import attrs
from attrs import field, frozen

from porter import toolchain
from porter.base.architectures import Architectures
from porter.base.files import write_changed
from porter.compile.native_files import (
    PYTHON,
    prelude_edge,
    prelude_rule,
    prelude_source,
    write_instructions,
)
from porter.compile.ninja import Edge, NinjaRule
from porter.compile.sources import Sources
from porter.compiler.stored import PRELUDE, SYMBOL
from porter.config import BuildConfig

PTX_STEP = Path(__file__).with_name("ptx.py")
BOUNDS_CHECKS = Path(__file__).with_name("bounds_checks")


@frozen
class DeviceUnit:
    """A unit of the device build: its source and the paths of its outputs.

    Attributes:
        source: The C++ file.
        number: Eight hexadecimal digits derived from the unit's name.
        ptx: The PTX file.
        cubins: The cubin of each architecture, assembled from `ptx`.
    """

    source: Path
    number: str
    ptx: Path
    cubins: Mapping[str, Path]

    @classmethod
    def of(
        cls, source: Path, out: Path, sources: Sources, architectures: Architectures
    ) -> DeviceUnit:
        """Return the unit of `source` in the device build's folder `out`."""
        name = str(sources.object_name(source, ""))
        number = hashlib.sha256(name.encode()).hexdigest()[:8]
        ptx, cubin = (sources.object_name(source, suffix) for suffix in (".ptx", ".cubin"))
        several = len(architectures.machine) > 1
        folders = {a: f"obj-{a}" if several else "obj" for a in architectures.machine}
        return cls(
            source,
            number,
            out / "ptx" / ptx,
            {a: out / folder / cubin for a, folder in folders.items()},
        )

    def object(self, architecture: str) -> Path:
        """Return the path of the host object that holds the cubin, for the users' archive."""
        return self.cubins[architecture].with_suffix(".o")

    def to_cubins(self, sources: Sources, *, fenced: bool) -> Iterator[Edge]:
        """Yield the edges from source to PTX to the cubin of every architecture."""
        headers = (
            *sources.headers,
            PTX_STEP,
            *(sorted(BOUNDS_CHECKS.glob("*.py")) if fenced else ()),
        )
        rule = "fenced" if fenced else "ptx"
        yield Edge(rule, (self.ptx,), (self.source,), headers, (("id", self.number),))
        for architecture, cubin in self.cubins.items():
            arch = (("arch", architecture),)
            yield Edge("cubin", (cubin,), (self.ptx,), (), arch, beside=(log_of(cubin),))

    def to_object(self, architecture: str) -> Edge:
        """Return the edge from the cubin to the archive's member."""
        cubin, made = self.cubins[architecture], self.object(architecture)
        variables = (("folder", str(cubin.parent)), ("name", cubin.name), ("object", made.name))
        return Edge("relocatable", (made,), (cubin,), (), (*variables, ("arch", architecture)))


def log_of(made: Path) -> Path:
    """Return the path of the log of the step that makes `made`."""
    return made.with_name(made.name + ".log")


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
    if config.bounds_checks or config.profile or wanted.several or unit is None:
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
