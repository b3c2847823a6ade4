"""The device build: PTX per unit, linked machine code, and a relocatable library for users.

For one architecture the machine code is a cubin. For several it is a fatbin: a cubin of each, all
made from one PTX. nvlink links machine code alone, so PTX lies beside it, a file a unit.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from pathlib import Path

from attrs import frozen

from porter.base.architectures import Architectures
from porter.base.telling import QUIET, Teller
from porter.compile.device_tier import device_tier
from porter.compile.device_units import FENCING, PTX_STEP, DeviceUnit, log_of
from porter.compile.flags import REGISTERS, nvcc_back, nvcc_front
from porter.compile.gcflush import check_flush
from porter.compile.ninja import Edge, NinjaRule, run_ninja
from porter.compile.sources import Sources
from porter.config import BuildConfig
from porter.errors import VerifyFailed
from porter.manifest import SavedRegisters

CUBIN = "gpusnek.cubin"
FATBIN = "gpusnek.fatbin"
LIBRARY = "libgpusnek.a"
# Not upstream's: it fills tables at load, without an interpreter.
STATE_UNIT = "porter_state.cpp"
HOOKS = "hooks.cu"  # the one file of the runtime that upstream's and the port's code calls


@frozen
class MadeCode:
    """The linked code of one architecture, the reports of what made it, and the check's result.

    logs: of all units, the link's last. probe: the cubin of the layout's probe (see layout.py).
    """

    cubin: Path
    logs: tuple[Path, ...]
    flush: SavedRegisters
    probe: Path


@frozen
class CudaBuild:
    """What the device build made, the steps that were run, and the flags.

    code: what is loaded, a cubin or a fatbin of all `machine`, by architecture. ptx: of every unit,
    for the architecture `for_ptx`, empty where newer GPUs were not asked for. library: what users'
    kernels link with; none with fences, and none for several architectures. tier: what machine code
    of programs needs (device_tier.py).
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
    """What makes PTX, without its input."""
    return [nvcc, *nvcc_front(config), *(f"-I{path}" for path in sources.include)]


def _rules(
    config: BuildConfig, nvcc: str, fatbinary: str, sources: Sources, registers: int
) -> list[NinjaRule]:
    front = _front(config, nvcc, sources)
    program = shlex.quote(nvcc)
    arch = "-arch=$arch"
    # Each step writes beside and renames; ptxas' report goes to a log that is shown on failure.
    # run_ninja names the Python, so that another one is no other command and makes nothing again.
    python = '"$${PORTER_PYTHON:-python3}"'
    ptx = f"{python} -IS {shlex.quote(str(PTX_STEP))}"
    fence = f"{python} -I {shlex.quote(str(FENCING / 'step.py'))}"
    return [
        NinjaRule(
            "ptx",
            f"{shlex.join(front)} -x cu -ptx $in -o $out.tmp && {ptx} $out.tmp $out $id",
            "nvcc $out",
        ),
        NinjaRule(
            "fenced",
            # The places in upstream's C that failed checks name.
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
        # Each unit once more as a host object: what users link with. Linking them into one
        # relocatable object first (nvlink -r) makes tables of static functions point at others.
        NinjaRule(
            "relocatable",
            # From its folder, for the object holds the input's name.
            f"cd $folder && {program} {arch} -dc $name -o $name.tmp.o && mv -f $name.tmp.o $object",
            "nvcc -dc $out",
        ),
        NinjaRule(
            "archive", "rm -f $out.tmp && ar rcsD $out.tmp $in && mv -f $out.tmp $out", "ar $out"
        ),
    ]


def cuda_folder(folder: Path, config: BuildConfig, registers: int = REGISTERS) -> Path:
    """Where the device build of `config` is: one folder for all configurations that share it."""
    name = f"cuda-{config.arch.replace(',', '+')}-{config.arena}"
    if config.arena == "local":
        name += f"-stack{config.stack}"
    if config.fences:
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
    tell: Teller = QUIET,
) -> CudaBuild:
    """Bring the device build under `folder` (see `cuda_folder`) and `probe`'s cubins up to date.

    `registers` caps them per thread; `fatbinary` is started for several architectures alone. Raises
    BuildFailed, and VerifyFailed when the collector's entry does not save what it must in the code
    of one of them (what would be loaded is then removed).
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
        for edge in unit.to_cubins(sources, fenced=config.fences and unit.source in fenced)
    ]
    # Users' kernels cannot have fences: their programs do not write what checks compare with.
    library = None if config.fences or wanted.several else out / LIBRARY
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
    steps = run_ninja(out, rules, edges, what="device build", jobs=jobs, tell=tell)
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
    """Where each architecture's linked cubin is."""
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
    """The code of one architecture, if it stands the collector's check. Raises VerifyFailed."""
    try:
        flush = check_flush(units[-1].cubins[architecture], nvdisasm, registers)
    except VerifyFailed as error:
        raise VerifyFailed(f"{architecture}: {error.message}", hint=error.hint) from error
    logs = (*(log_of(unit.cubins[architecture]) for unit in units), log_of(cubin))
    return MadeCode(cubin, logs, flush, probe.cubins[architecture])
