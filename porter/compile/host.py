"""The host twin: compile the rewritten units and the runtime with g++ to `libgpusnek.so`."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path

from attrs import frozen

from porter.base.progress import QUIET, ProgressReporter
from porter.compile.flags import (
    FENCED,
    STACK_SCANNERS,
    VARIANTS,
    HostVariant,
    host_compile,
    host_link,
)
from porter.compile.native_files import prelude_edge, prelude_rule, prelude_unit, write_instructions
from porter.compile.ninja import Edge, NinjaRule, run_ninja
from porter.compile.sources import Sources

LIBRARY = "libgpusnek.so"
PLACES = "libgpusnek.places"  # addresses of bounds checks, which the library beside it reads
PLACES_STEP = Path(__file__).with_name("check_locations.py")


@frozen
class HostBuild:
    """The outputs of a host build.

    Attributes:
        target: The target's name in `build.json`, such as `host` or `host-asan`.
        library: The shared library.
        beside: Further files that the library needs.
        steps: The number of ninja steps that ran.
        flags: The options of compiler and linker.
        probe: The object of the layout probe (shared_layout.py).
    """

    target: str
    library: Path
    beside: tuple[Path, ...]
    steps: int
    flags: tuple[str, ...]
    probe: Path


def target_of(variant: str) -> str:
    """Return the name of a host twin's variant in `build.json`, such as `host` or `host-asan`."""
    return "host" if variant == "release" else f"host-{variant}"


def host_folder(
    folder: Path, variant: str = "release", bounds_checks: bool = False, profile: bool = False
) -> Path:
    """Return the folder of a host twin, such as `host`, `host-asan` or `host-fenced`."""
    kind = ("-fenced" if bounds_checks else "") + ("-profiling" if profile else "")
    return folder / (target_of(variant) + kind)


def build_host(
    folder: Path,
    sources: Sources,
    probe: Path,
    *,
    release: str,
    compiler: str,
    variant: str = "release",
    bounds_checks: bool = False,
    profile: bool = False,
    jobs: int | None = None,
    defines: Sequence[str] = (),
    cache: Sequence[str] = (),
    progress: ProgressReporter = QUIET,
) -> HostBuild:
    """Bring the host twin and the object of `probe` up to date.

    Args:
        folder: The folder of all builds of the release.
        sources: The units and the runtime.
        probe: The source of the layout probe.
        release: The MicroPython release.
        compiler: The path of g++.
        variant: A key of `flags.VARIANTS`.
        bounds_checks: Whether to check the bounds of memory accesses.
        profile: Whether to count bytecode instructions.
        jobs: The number of parallel steps; None for one per core.
        defines: Further options of the compiler.
        cache: The command of a compiler cache, put before each command that compiles a unit
            (`toolchain.compiler_cache`).
        progress: Receives progress reports.

    Raises:
        BuildFailed: A compiler or linker failed.
        UpstreamChange: The table of instructions cannot be read.
    """
    chosen = VARIANTS[variant]
    out = host_folder(folder, variant, bounds_checks, profile)
    flags = (*host_compile(chosen, bounds_checks, profile), *defines)
    includes = [f"-I{path}" for path in sources.include]
    # Debug information must not depend on the project's folder.
    names = [f"-ffile-prefix-map={folder}=.", f"-ffile-prefix-map={sources.templates}=templates"]
    compile_command = [compiler, *flags, *names, *includes]
    rules = [
        NinjaRule(
            "cxx", f"{shlex.join([*cache, *compile_command])} $more -c $in -o $out", "c++ $out"
        ),
        # Links to a temporary file and renames it: an existing library is complete.
        NinjaRule(
            "link",
            f"{shlex.quote(compiler)} -o $out.tmp @$out.rsp {shlex.join(host_link(chosen))}"
            " && mv -f $out.tmp $out",
            "link $out",
        ),
    ]
    units = [*sources.units, *sources.host_runtime]
    objects = tuple(out / "obj" / sources.object_name(unit, ".o") for unit in units)
    edges = [
        Edge(
            "cxx",
            (made,),
            (unit,),
            sources.headers,
            _more(unit, chosen, unit in sources.units, bounds_checks),
        )
        for unit, made in zip(units, objects, strict=True)
    ]
    probed = out / "obj" / sources.object_name(probe, ".o")
    edges.append(Edge("cxx", (probed,), (probe,), sources.headers))
    library = out / LIBRARY
    response = library.with_name(library.name + ".rsp")
    out.mkdir(parents=True, exist_ok=True)
    text = "\n".join(str(made) for made in objects) + "\n"
    if not response.is_file() or response.read_text() != text:
        response.write_text(text)
    edges.append(Edge("link", (library,), objects, (response,)))
    beside = (out / PLACES,) if bounds_checks else ()
    if bounds_checks:
        # PORTER_PYTHON: see cuda.py.
        python = '"$${PORTER_PYTHON:-python3}" -IS'
        step = f"{python} {shlex.join(map(str, (PLACES_STEP, library, sources.root)))} $out"
        rules.append(NinjaRule("places", step, "places $out"))
        edges.append(Edge("places", beside, (library,), (PLACES_STEP,)))
    if (prelude := prelude_unit(sources, chosen, bounds_checks, profile)) is not None:
        rules.append(prelude_rule(compile_command))
        edges.append(prelude_edge(prelude, out, sources))
        beside = (*beside, *edges[-1].outputs, write_instructions(release, out))
    # The inputs of the link are in a response file, since 130 paths exceed a readable line.
    steps = run_ninja(out, rules, [*edges], what="host twin", jobs=jobs, progress=progress)
    return HostBuild(
        target_of(variant), library, beside, steps, (*flags, *host_link(chosen)), probed
    )


def _more(
    unit: Path, variant: HostVariant, rewritten: bool, bounds_checks: bool
) -> tuple[tuple[str, str], ...]:
    more = variant.scanning if unit.name in STACK_SCANNERS else ()
    more += variant.units if rewritten else ()
    more += FENCED if rewritten and bounds_checks else ()
    return (("more", shlex.join(more)),) if more else ()
