"""The device build: PTX per unit, one linked cubin, and a relocatable library for users."""

from __future__ import annotations

import hashlib
import shlex
from pathlib import Path

from attrs import frozen

from porter.base.telling import QUIET, Teller
from porter.compile.flags import REGISTERS, nvcc_back, nvcc_front
from porter.compile.gcflush import check_flush
from porter.compile.ninja import Edge, NinjaRule, run_ninja
from porter.compile.sources import Sources
from porter.config import BuildConfig
from porter.errors import VerifyFailed
from porter.manifest import SavedRegisters

CUBIN = "gpusnek.cubin"
LIBRARY = "libgpusnek.a"
LINK_LOG = "gpusnek.cubin.log"
PTX_STEP = Path(__file__).with_name("ptx.py")
# Not upstream's: it fills tables at load, without an interpreter.
STATE_UNIT = "porter_state.cpp"
HOOKS = "hooks.cu"  # the one file of the runtime that upstream's and the port's code calls
FENCING = Path(__file__).with_name("fencing")


@frozen
class CudaBuild:
    """What the device build made, the steps that were run, the flags, and the checks' result.

    library: what users' kernels link with; none with fences. probe: the cubin of the layout's probe
    (see layout.py).
    """

    folder: Path
    cubin: Path
    ptx: tuple[Path, ...]
    library: Path | None
    logs: tuple[Path, ...]
    steps: int
    flags: tuple[str, ...]
    flush: SavedRegisters
    probe: Path


def _rules(config: BuildConfig, nvcc: str, sources: Sources, registers: int) -> list[NinjaRule]:
    front = [nvcc, *nvcc_front(config), *(f"-I{path}" for path in sources.include)]
    back = [nvcc, *nvcc_back(config, registers)]
    arch = f"-arch={config.arch}"
    program = shlex.quote(nvcc)
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
            f"{shlex.join(back)} -cubin $in -o $out.tmp.cubin >$out.log 2>&1"
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


@frozen
class _Unit:
    """One unit of the device build: its source and what is made of it."""

    source: Path
    number: str
    ptx: Path
    cubin: Path

    @classmethod
    def of(cls, source: Path, out: Path, sources: Sources) -> _Unit:
        """The unit of `source` in the device build's folder `out`."""
        name = str(sources.object_name(source, ""))
        number = hashlib.sha256(name.encode()).hexdigest()[:8]
        ptx, cubin = (sources.object_name(source, suffix) for suffix in (".ptx", ".cubin"))
        return cls(source, number, out / "ptx" / ptx, out / "obj" / cubin)

    @property
    def object(self) -> Path:
        """The unit as users link it."""
        return self.cubin.with_suffix(".o")

    def to_cubin(self, sources: Sources, *, fenced: bool) -> tuple[Edge, Edge]:
        """By PTX, to machine code."""
        headers = (*sources.headers, PTX_STEP, *(sorted(FENCING.glob("*.py")) if fenced else ()))
        rule = "fenced" if fenced else "ptx"
        return (
            Edge(rule, (self.ptx,), (self.source,), headers, (("id", self.number),)),
            Edge("cubin", (self.cubin,), (self.ptx,), beside=(_log(self.cubin),)),
        )

    def to_object(self) -> Edge:
        """From machine code to the archive's member."""
        folder, name = str(self.cubin.parent), self.cubin.name
        variables = (("folder", folder), ("name", name), ("object", self.object.name))
        return Edge("relocatable", (self.object,), (self.cubin,), (), variables)


def _log(cubin: Path) -> Path:
    return cubin.with_name(cubin.name + ".log")


def cuda_folder(folder: Path, config: BuildConfig, registers: int = REGISTERS) -> Path:
    """Where the device build of `config` is: one folder for all configurations that share it."""
    name = f"cuda-{config.arch}-{config.arena}"
    if config.arena == "local":
        name += f"-stack{config.stack}"
    if config.fences:
        name += "-fenced"
    if config.profile:
        name += "-profiling"
    return folder / (name if registers == REGISTERS else f"{name}-r{registers}")


def build_cuda(
    config: BuildConfig,
    folder: Path,
    sources: Sources,
    probe: Path,
    *,
    nvcc: str,
    nvdisasm: str | None,
    jobs: int | None = None,
    registers: int = REGISTERS,
    tell: Teller = QUIET,
) -> CudaBuild:
    """Bring the device build under `folder` (see `cuda_folder`) and `probe`'s cubin up to date.

    `registers` caps them per thread. Raises BuildFailed, and VerifyFailed when the
    collector's entry does not save what it must (the cubin is then removed).
    """
    out = cuda_folder(folder, config, registers)
    out.mkdir(parents=True, exist_ok=True)
    units = [*sources.units, *sources.cuda_runtime, sources.gc_flush]
    made = [_Unit.of(unit, out, sources) for unit in units]
    probed = _Unit.of(probe, out, sources)
    fenced = {unit for unit in sources.units if unit.name != STATE_UNIT}
    fenced |= {unit for unit in units if unit.name == HOOKS}
    edges = [
        edge
        for unit in (*made, probed)
        for edge in unit.to_cubin(sources, fenced=config.fences and unit.source in fenced)
    ]
    # Users' kernels cannot have fences: their programs do not write what checks compare with.
    library = None if config.fences else out / LIBRARY
    if library is not None:
        edges += [unit.to_object() for unit in made]
        edges.append(Edge("archive", (library,), tuple(unit.object for unit in made)))
    cubins = [unit.cubin for unit in made]
    linked = out / CUBIN
    response = linked.with_name(linked.name + ".rsp")
    text = "\n".join(str(cubin) for cubin in cubins) + "\n"
    if not response.is_file() or response.read_text() != text:
        response.write_text(text)
    edges.append(Edge("link", (linked,), tuple(cubins), (response,), beside=(out / LINK_LOG,)))
    rules = _rules(config, nvcc, sources, registers)
    steps = run_ninja(out, rules, edges, what="device build", jobs=jobs, tell=tell)
    try:
        flush = check_flush(made[-1].cubin, nvdisasm, registers)
    except VerifyFailed:
        linked.unlink(missing_ok=True)
        raise
    return CudaBuild(
        folder=out,
        cubin=linked,
        ptx=tuple(unit.ptx for unit in made),
        library=library,
        logs=(*(_log(cubin) for cubin in cubins), out / LINK_LOG),
        steps=steps,
        flags=(*nvcc_front(config), *nvcc_back(config, registers)),
        flush=flush,
        probe=probed.cubin,
    )
