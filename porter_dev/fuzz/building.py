"""Build the fuzzer: rewritten units by g++ with coverage and AddressSanitizer, plus libFuzzer.

clang itself cannot compile the units, since it rejects initialised flexible array members in C++.
Its libFuzzer is an ordinary archive that g++ can link.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
from pathlib import Path

from porter import toolchain
from porter.base import arguments
from porter.base.process import run
from porter.compile.flags import STACK_SCANNERS, VARIANTS, host_compile
from porter.compile.ninja import Edge, NinjaRule, run_ninja
from porter.compile.sources import find_sources
from porter.errors import PorterError, ToolMissing

_HINT = (
    "Debian, Ubuntu: `apt-get install clang libclang-rt-14-dev` (or your clang's version); or set "
    "PORTER_LIBFUZZER to libclang_rt.fuzzer-x86_64.a."
)
HARNESS = Path(__file__).with_name("harness")  # C++, the dictionary and the seeds
_COVERAGE = "-fsanitize-coverage=trace-pc,trace-cmp"
# libFuzzer defines an empty function of this name.
_WRAP = "-Wl,--wrap=__sanitizer_cov_trace_pc"


def libfuzzer() -> Path:
    """Return clang's libFuzzer archive: $PORTER_LIBFUZZER, else that of a clang on PATH.

    Raises:
        ToolMissing: There is no such archive.
    """
    named = os.environ.get("PORTER_LIBFUZZER")
    if named:
        if not Path(named).is_file():
            raise ToolMissing(f"PORTER_LIBFUZZER: no file {named}", hint=_HINT)
        return Path(named)
    for clang in _clangs():
        try:
            folder = Path(run([clang, "-print-resource-dir"], timeout=60.0).stdout.strip())
        except PorterError:
            continue
        found = sorted(folder.glob("lib/**/libclang_rt.fuzzer*.a"))
        plain = [p for p in found if re.fullmatch(r"libclang_rt\.fuzzer(-x86_64)?\.a", p.name)]
        if plain:
            return plain[0]
    raise ToolMissing("no libFuzzer on this machine", hint=_HINT)


def _clangs() -> list[str]:
    found = [shutil.which("clang")]
    for folder in os.environ.get("PATH", "").split(os.pathsep):
        found += sorted(str(path) for path in Path(folder).glob("clang-[0-9]*"))
    return [path for path in found if path is not None]


def build_fuzzer(sources_folder: arguments.StrPath, jobs: int | None = None) -> Path:
    """Build the fuzzer of the sources in `sources_folder` and return its path.

    Raises:
        NoCompiler: g++ is not installed.
        ToolMissing: libFuzzer or ninja is missing.
        BuildFailed: Compiling or linking fails.
        NotBuilt: The folder holds no rewritten sources.
    """
    sources_folder = arguments.path(sources_folder, "sources_folder")
    archive = libfuzzer()
    compiler = str(toolchain.gxx().path)
    sources = find_sources(sources_folder)
    out = sources_folder / "fuzz"
    asan = VARIANTS["asan"]
    base = [compiler, *host_compile(asan), *(f"-I{path}" for path in sources.include)]
    rules = [
        NinjaRule("cxx", f"{shlex.join(base)} $more -c $in -o $out", "c++ $out"),
        NinjaRule(
            "link",
            f"{shlex.join([compiler, *asan.link, '-pthread', _WRAP])} -o $out.tmp @$out.rsp"
            " && mv -f $out.tmp $out",
            "link $out",
        ),
    ]
    edges: list[Edge] = []
    harness = sorted(HARNESS.glob("*.cpp"))
    for unit in (*sources.units, *sources.host_runtime, *harness):
        # Coverage of the runtime and the harness carries no information about an input.
        flags = [_COVERAGE] if unit in sources.units else []
        flags += asan.scanning if unit.name in STACK_SCANNERS else ()
        made = out / "obj" / sources.object_name(unit, ".o")
        edges.append(Edge("cxx", (made,), (unit,), sources.headers, (("more", shlex.join(flags)),)))
    objects = tuple(edge.outputs[0] for edge in edges)
    program = out / "fuzzer"
    out.mkdir(parents=True, exist_ok=True)
    response = out / "fuzzer.rsp"
    text = "\n".join(str(path) for path in (*objects, archive)) + "\n"
    if not response.is_file() or response.read_text() != text:
        response.write_text(text)
    edges.append(Edge("link", (program,), objects, (response, archive)))
    run_ninja(out, rules, edges, what="fuzzer", jobs=jobs)
    return program
