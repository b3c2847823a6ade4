"""The device build: PTX per unit, linked SASS, and a relocatable library for users' kernels.

The compile stage (compile_stage.py) calls it with the rewriter's units and the runtime's sources.
Ninja runs the steps: nvcc makes PTX of each unit, ptxas a cubin of each PTX, nvlink one cubin of
all.

A build for one architecture loads this cubin. A build for several architectures loads a fatbin: one
cubin per architecture, all made from the same PTX. nvlink drops the PTX, so the build keeps the PTX
files, one per unit, for GPUs newer than its architectures.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from pathlib import Path

from attrs import frozen

from porter.base.architectures import Architectures
from porter.base.progress import QUIET, ProgressReporter
from porter.compile.cubin_checks import check_flush
from porter.compile.device_units import BOUNDS_CHECKS, PTX_STEP, DeviceUnit, device_tier, log_of
from porter.compile.flags import REGISTERS, nvcc_back, nvcc_front
from porter.compile.ninja import Edge, NinjaRule, run_ninja
from porter.compile.sources import Sources
from porter.config import BuildConfig
from porter.errors import VerifyFailed
from porter.manifest import SavedRegisters

CUBIN = "gpusnek.cubin"
FATBIN = "gpusnek.fatbin"
LIBRARY = "libgpusnek.a"
# Part of the port, not of upstream: it fills tables at load, outside of any interpreter.
STATE_UNIT = "porter_state.cpp"
HOOKS = "hooks.cu"  # the only file of the runtime whose functions rewritten units call


@frozen
class MadeCode:
    """The linked code of one architecture, with compiler reports and the result of the check.

    Attributes:
        cubin: The linked cubin.
        logs: Reports of ptxas for each unit, then the report of nvlink.
        flush: The result of the check of the collector's entry (cubin_checks.py).
        probe: The cubin of the layout probe (shared_layout.py).
    """

    cubin: Path
    logs: tuple[Path, ...]
    flush: SavedRegisters
    probe: Path


@frozen
class CudaBuild:
    """The outputs of a device build.

    Attributes:
        folder: The folder of the outputs.
        code: The file to load: a cubin, or a fatbin of all architectures in `machine`.
        machine: Linked code by architecture.
        ptx: The PTX file of every unit.
        for_ptx: The PTX's architecture; empty unless the build is for newer GPUs, too.
        library: The archive that users' kernels link; None with bounds checks and for
            several architectures.
        tier: The files that the native code of programs needs (device_units.py).
        steps: The number of ninja steps that ran.
        flags: The options of nvcc and ptxas.
    """

    folder: Path
    code: Path
    machine: Mapping[str, MadeCode]
    ptx: tuple[Path, ...]
    for_ptx: str
    library: Path | None
    tier: tuple[Path, ...]
    steps: int
    flags: tuple[str, ...]


def _front(config: BuildConfig, nvcc: str, sources: Sources) -> list[str]:
    """Return the command that compiles a unit to PTX, without input and output."""
    return [nvcc, *nvcc_front(config), *(f"-I{path}" for path in sources.include)]


def _rules(
    config: BuildConfig, nvcc: str, fatbinary: str, sources: Sources, registers: int
) -> list[NinjaRule]:
    front = _front(config, nvcc, sources)
    program = shlex.quote(nvcc)
    arch = "-arch=$arch"
    # Each step writes a temporary file and renames it. The report of ptxas goes to a log, which is
    # printed on failure. run_ninja sets PORTER_PYTHON: the command line, and so ninja's decision to
    # run a step, does not depend on the path of the Python interpreter.
    python = '"$${PORTER_PYTHON:-python3}"'
    ptx = f"{python} -IS {shlex.quote(str(PTX_STEP))}"
    fence = f"{python} -I {shlex.quote(str(BOUNDS_CHECKS / 'step.py'))}"
    return [
        NinjaRule(
            "ptx",
            f"{shlex.join(front)} -x cu -ptx $in -o $out.tmp && {ptx} $out.tmp $out $id",
            "nvcc $out",
        ),
        NinjaRule(
            "fenced",
            # -lineinfo: a failed bounds check names the line of upstream's C.
            f"{shlex.join(front)} -lineinfo -x cu -ptx $in -o $out.tmp"
            f" && {fence} $out.tmp $out.fenced $id && {ptx} $out.fenced $out $id",
            "nvcc $out",
        ),
        NinjaRule(
            "cubin",
            f"{program} {arch} {shlex.join(nvcc_back(registers))}"
            " -cubin $in -o $out.tmp.cubin >$out.log 2>&1"
            " && mv -f $out.tmp.cubin $out || { cat $out.log; exit 1; }",
            "ptxas $out",
        ),
        NinjaRule(
            "link",
            f"{program} {arch} -dlink -cubin -Xnvlink -v,-suppress-stack-size-warning"
            " -optf $out.rsp -o $out.tmp.cubin >$out.log 2>&1"
            " && mv -f $out.tmp.cubin $out || { cat $out.log; exit 1; }",
            "nvlink $out",
        ),
        NinjaRule(
            "fatbin",
            f"{shlex.quote(fatbinary)} -64 --compress-all --compress-mode=size $images"
            " --create=$out.tmp && mv -f $out.tmp $out",
            "fatbinary $out",
        ),
        # Each unit once more as a host object, for the archive that users link. One relocatable
        # object of all units (nvlink -r) would be wrong: nvlink makes tables of static functions
        # point at other functions.
        NinjaRule(
            "relocatable",
            # Runs in the cubin's folder, since the object contains the input's name.
            f"cd $folder && {program} {arch} -dc $name -o $name.tmp.o && mv -f $name.tmp.o $object",
            "nvcc -dc $out",
        ),
        NinjaRule(
            "archive", "rm -f $out.tmp && ar rcsD $out.tmp $in && mv -f $out.tmp $out", "ar $out"
        ),
    ]


def cuda_folder(folder: Path, config: BuildConfig, registers: int = REGISTERS) -> Path:
    """Return the folder of the device build of `config`; equal code shares one folder."""
    name = f"cuda-{config.arch.replace(',', '+')}-{config.arena}"
    if config.arena == "local":
        name += f"-stack{config.stack}"
    if config.bounds_checks:
        name += "-fenced"
    if config.profile:
        name += "-profiling"
    if not config.reconverge:
        name += "-parting"
    return folder / (name if registers == REGISTERS else f"{name}-r{registers}")


def build_cuda(
    config: BuildConfig,
    folder: Path,
    sources: Sources,
    probe: Path,
    *,
    nvcc: str,
    fatbinary: str = "fatbinary",
    nvdisasm: str | None,
    jobs: int | None = None,
    registers: int = REGISTERS,
    progress: ProgressReporter = QUIET,
) -> CudaBuild:
    """Bring the device build of `config` and the cubins of `probe` up to date.

    Args:
        config: The build.
        folder: The folder of all builds of the release; see `cuda_folder`.
        sources: The units and the runtime.
        probe: The source of the layout probe.
        nvcc: The path of nvcc.
        fatbinary: The path of fatbinary, which only several architectures need.
        nvdisasm: The path of nvdisasm; None uses porter's own decoder.
        jobs: The number of parallel steps; None for one per core.
        registers: The cap on registers per thread.
        progress: Receives progress reports.

    Raises:
        BuildFailed: A compiler or linker failed.
        VerifyFailed: The collector's entry does not save all callee-saved registers on an
            architecture. The file to load has then been removed.
    """
    out = cuda_folder(folder, config, registers)
    out.mkdir(parents=True, exist_ok=True)
    wanted = config.architectures
    sources_of_units = [*sources.units, *sources.cuda_runtime, sources.gc_flush]
    units = [DeviceUnit.of(source, out, sources, wanted) for source in sources_of_units]
    probed = DeviceUnit.of(probe, out, sources, wanted)
    fenced = {unit for unit in sources.units if unit.name != STATE_UNIT}
    fenced |= {unit for unit in sources_of_units if unit.name == HOOKS}
    edges = [
        edge
        for unit in (*units, probed)
        for edge in unit.to_cubins(sources, fenced=config.bounds_checks and unit.source in fenced)
    ]
    # No archive with bounds checks: users' kernels do not set the ranges that checks compare with.
    library = None if config.bounds_checks or wanted.several else out / LIBRARY
    if library is not None:
        (only,) = wanted.machine
        edges += [unit.to_object(only) for unit in units]
        edges.append(Edge("archive", (library,), tuple(unit.object(only) for unit in units)))
    linked = _linked(out, wanted)
    for architecture, cubin in linked.items():
        edges.append(_link(architecture, cubin, [unit.cubins[architecture] for unit in units]))
    code = out / (FATBIN if wanted.several else CUBIN)
    if wanted.several:
        edges.append(_joined(code, linked))
    rules = _rules(config, nvcc, fatbinary, sources, registers)
    tier = device_tier(config, sources, out, _front(config, nvcc, sources))
    rules += tier.rules
    edges += tier.edges
    steps = run_ninja(out, rules, edges, what="device build", jobs=jobs, progress=progress)
    try:
        machine = {
            architecture: _checked(architecture, cubin, units, probed, nvdisasm, registers)
            for architecture, cubin in linked.items()
        }
    except VerifyFailed:
        code.unlink(missing_ok=True)
        raise
    archs = (f"-arch={architecture}" for architecture in wanted.machine)
    return CudaBuild(
        folder=out,
        code=code,
        machine=machine,
        ptx=tuple(unit.ptx for unit in units),
        for_ptx=wanted.ptx,
        library=library,
        tier=tier.files,
        steps=steps,
        flags=(*nvcc_front(config), *archs, *nvcc_back(registers)),
    )


def _linked(out: Path, wanted: Architectures) -> dict[str, Path]:
    """Return the path of the linked cubin, by architecture."""
    if wanted.several:
        return {architecture: out / f"{architecture}.cubin" for architecture in wanted.machine}
    return {wanted.machine[0]: out / CUBIN}


def _link(architecture: str, cubin: Path, units: list[Path]) -> Edge:
    response = cubin.with_name(cubin.name + ".rsp")
    text = "\n".join(map(str, units)) + "\n"
    if not response.is_file() or response.read_text() != text:
        response.write_text(text)
    variables = (("arch", architecture),)
    return Edge("link", (cubin,), tuple(units), (response,), variables, beside=(log_of(cubin),))


def _joined(code: Path, linked: Mapping[str, Path]) -> Edge:
    images = [
        shlex.quote(f"--image3=kind=elf,sm={architecture.removeprefix('sm_')},file={cubin}")
        for architecture, cubin in linked.items()
    ]
    return Edge("fatbin", (code,), tuple(linked.values()), (), (("images", " ".join(images)),))


def _checked(
    architecture: str,
    cubin: Path,
    units: list[DeviceUnit],
    probe: DeviceUnit,
    nvdisasm: str | None,
    registers: int,
) -> MadeCode:
    """Return the code of one architecture after the check of the collector's entry.

    Raises:
        VerifyFailed: The check failed.
    """
    try:
        flush = check_flush(units[-1].cubins[architecture], nvdisasm, registers)
    except VerifyFailed as error:
        raise VerifyFailed(f"{architecture}: {error.message}", hint=error.hint) from error
    logs = (*(log_of(unit.cubins[architecture]) for unit in units), log_of(cubin))
    return MadeCode(cubin, logs, flush, probe.cubins[architecture])
