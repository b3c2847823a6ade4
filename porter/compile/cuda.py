"""The device build: PTX per unit, one linked cubin, and a relocatable library for users."""

from __future__ import annotations

import hashlib
import shlex
from pathlib import Path

from attrs import frozen

from porter.base.telling import QUIET, Teller
from porter.compile.flags import REGISTERS, nvcc_back, nvcc_front
from porter.compile.gcflush import FlushReport, check_flush
from porter.compile.ninja import Edge, Rule, run_ninja
from porter.compile.sources import Sources
from porter.config import BuildConfig
from porter.errors import VerifyFailed

CUBIN = "gpusnek.cubin"
LIBRARY = "libgpusnek.a"
LINK_LOG = "gpusnek.cubin.log"


@frozen
class CudaBuild:
    """What the device build made, the steps that were run, the flags, and the checks' result."""

    folder: Path
    cubin: Path
    ptx: tuple[Path, ...]
    library: Path
    logs: tuple[Path, ...]
    steps: int
    flags: tuple[str, ...]
    flush: FlushReport


def _rules(config: BuildConfig, nvcc: str, sources: Sources, registers: int) -> list[Rule]:
    front = [nvcc, *nvcc_front(config), *(f"-I{path}" for path in sources.include)]
    back = [nvcc, *nvcc_back(config, registers)]
    arch = f"-arch={config.arch}"
    program = shlex.quote(nvcc)
    # Each step writes beside and renames; ptxas' report goes to a log that is shown on failure.
    # nvcc puts a number that depends on the folder into names of internal linkage; ours depends
    # on the unit alone, so that the same input gives the same code anywhere. It also gives an
    # external object its type's size, which nvlink compares; one that ends in a flexible array
    # is larger where it is defined, so the size is left open.
    return [
        Rule(
            "ptx",
            f"{shlex.join(front)} -x cu -ptx $in -o $out.tmp"
            " && sed -i -E -e s/_INTERNAL_[0-9a-f]{8}_/_INTERNAL_${id}_/g"
            r" -e 's/(__nv_static_[0-9]+__)[0-9a-f]{8}_/\1${id}_/g'"
            r" -e 's/^(\.extern \.global .*\.b8 [A-Za-z0-9_]+)\[[0-9]+\];/\1[];/' $out.tmp"
            " && mv -f $out.tmp $out",
            "nvcc $out",
        ),
        Rule(
            "cubin",
            f"{shlex.join(back)} -cubin $in -o $out.tmp.cubin >$out.log 2>&1"
            " && mv -f $out.tmp.cubin $out || { cat $out.log; exit 1; }",
            "ptxas $out",
        ),
        Rule(
            "link",
            f"{program} {arch} -dlink -cubin -Xnvlink -v,-suppress-stack-size-warning"
            " -optf $out.rsp -o $out.tmp.cubin >$out.log 2>&1"
            " && mv -f $out.tmp.cubin $out || { cat $out.log; exit 1; }",
            "nvlink $out",
        ),
        # Each unit once more as a host object: what users link with. Linking them into one
        # relocatable object first (nvlink -r) makes tables of static functions point at others.
        Rule(
            "relocatable",
            # From its folder, for the object holds the input's name.
            f"cd $folder && {program} {arch} -dc $name -o $name.tmp.o && mv -f $name.tmp.o $object",
            "nvcc -dc $out",
        ),
        Rule("archive", "rm -f $out.tmp && ar rcsD $out.tmp $in && mv -f $out.tmp $out", "ar $out"),
    ]


def _log(cubin: Path) -> Path:
    return cubin.with_name(cubin.name + ".log")


def cuda_folder(folder: Path, config: BuildConfig, registers: int = REGISTERS) -> Path:
    """Where the device build of `config` is: one folder for all configurations that share it."""
    name = f"cuda-{config.arch}-{config.arena}"
    if config.arena == "local":
        name += f"-stack{config.stack}"
    return folder / (name if registers == REGISTERS else f"{name}-r{registers}")


def build_cuda(
    config: BuildConfig,
    folder: Path,
    sources: Sources,
    *,
    nvcc: str,
    nvdisasm: str | None,
    jobs: int | None = None,
    registers: int = REGISTERS,
    tell: Teller = QUIET,
) -> CudaBuild:
    """Bring the device build under `folder` (see `cuda_folder`) up to date.

    `registers` caps them per thread. Raises BuildFailed, and VerifyFailed when the
    collector's entry does not save what it must (the cubin is then removed).
    """
    out = cuda_folder(folder, config, registers)
    out.mkdir(parents=True, exist_ok=True)
    units = [*sources.units, *sources.cuda_runtime, sources.gc_flush]
    edges: list[Edge] = []
    cubins: list[Path] = []
    texts: list[Path] = []
    members: list[Path] = []
    for unit in units:
        ptx = out / "ptx" / sources.object_name(unit, ".ptx")
        cubin = out / "obj" / sources.object_name(unit, ".cubin")
        name = str(sources.object_name(unit, ""))
        number = hashlib.sha256(name.encode()).hexdigest()[:8]
        edges.append(Edge("ptx", (ptx,), (unit,), sources.headers, (("id", number),)))
        edges.append(Edge("cubin", (cubin,), (ptx,), beside=(_log(cubin),)))
        cubins.append(cubin)
        texts.append(ptx)
        member = cubin.with_suffix(".o")
        variables = (("folder", str(cubin.parent)), ("name", cubin.name), ("object", member.name))
        edges.append(Edge("relocatable", (member,), (cubin,), (), variables))
        members.append(member)
    linked = out / CUBIN
    response = linked.with_name(linked.name + ".rsp")
    text = "\n".join(str(cubin) for cubin in cubins) + "\n"
    if not response.is_file() or response.read_text() != text:
        response.write_text(text)
    library = out / LIBRARY
    edges.append(Edge("link", (linked,), tuple(cubins), (response,), beside=(out / LINK_LOG,)))
    edges.append(Edge("archive", (library,), tuple(members)))
    rules = _rules(config, nvcc, sources, registers)
    steps = run_ninja(out, rules, edges, what="device build", jobs=jobs, tell=tell)
    flush_cubin = out / "obj" / sources.object_name(sources.gc_flush, ".cubin")
    try:
        flush = check_flush(flush_cubin, nvdisasm, registers)
    except VerifyFailed:
        linked.unlink(missing_ok=True)
        raise
    logs = tuple(_log(cubin) for cubin in cubins)
    flags = (*nvcc_front(config), *nvcc_back(config, registers))
    return CudaBuild(
        out, linked, tuple(texts), library, (*logs, out / LINK_LOG), steps, flags, flush
    )
