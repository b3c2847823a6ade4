"""Build the coverage-guided fuzzer, run it for a given time, and minimise corpora.

g++ compiles the rewritten units with coverage and AddressSanitizer. clang itself cannot compile
them, since it rejects initialised flexible array members in C++. Its libFuzzer is an ordinary
archive that g++ can link.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from attrs import field, frozen

from porter import toolchain
from porter.base import arguments
from porter.base.process import run
from porter.compile.flags import STACK_SCANNERS, VARIANTS, host_compile
from porter.compile.ninja import Edge, NinjaRule, run_ninja
from porter.compile.sources import find_sources
from porter.errors import PorterError, ToolFailed, ToolMissing
from porter.toolchain import OPTIONS

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


MODES = ("run", "compile")
LONGEST = 1024  # maximum bytes of an input
SLOWEST = 20  # maximum seconds of an input, under the sanitizers
_RUNS = re.compile(r"^stat::number_of_executed_units:\s*(\d+)", re.MULTILINE)


@frozen
class CoverageCampaign:
    """The results of fuzzing in one mode.

    Attributes:
        mode: Name out of MODES.
        runs: Number of inputs executed.
        seconds: Wall-clock time.
        corpus: Number of inputs in the corpus.
        found: Inputs that broke an interpreter.
        log: Output of the fuzzer.
    """

    mode: str
    runs: int
    seconds: float
    corpus: int
    found: tuple[Path, ...] = field(default=())
    log: str = field(default="", repr=False)


def fuzz(
    program: arguments.StrPath,
    mode: str,
    seconds: float,
    work: arguments.StrPath,
    seeds: Sequence[arguments.StrPath],
) -> CoverageCampaign:
    """Fuzz for `seconds`, in one process with the lowest priority.

    Inputs that reach new code go to `work`/corpus, inputs that break an interpreter to
    `work`/found.

    Args:
        program: The fuzzer.
        mode: Name out of MODES.
        seconds: Duration.
        work: Folder of corpus and findings; earlier runs' corpus is used.
        seeds: Folders of further inputs to start from.

    Raises:
        ToolFailed: The fuzzer fails without an input that caused it.
    """
    program = arguments.path(program, "program")
    work = arguments.path(work, "work")
    corpus, found = work / "corpus", work / "found"
    for folder in (corpus, found):
        folder.mkdir(parents=True, exist_ok=True)
    known = set(found.iterdir())
    start = time.monotonic()
    runs, logs = 0, []
    while (left := seconds - (time.monotonic() - start)) > 1:
        done = run(
            [
                *_nice(),
                program,
                f"-max_total_time={int(left) + 1}",
                f"-max_len={LONGEST}",
                f"-timeout={SLOWEST}",
                "-rss_limit_mb=4096",
                "-print_final_stats=1",
                "-reload=0",
                f"-dict={HARNESS / 'python.dict'}",
                f"-artifact_prefix={found}/",
                corpus,
                *map(arguments.as_path, seeds),
            ],
            env={**OPTIONS, "PORTER_FUZZ_MODE": mode},
            timeout=left + 120,
            check=False,
        )
        runs += sum(int(number) for number in _RUNS.findall(done.output))
        logs.append(done.output)
        if done.returncode != 0 and len(set(found.iterdir()) - known) >= 20:
            break  # libFuzzer stops at each finding; 20 are enough for one session
        if done.returncode != 0 and not set(found.iterdir()) - known:
            raise ToolFailed(f"the fuzzer failed without an input\n{done.output[-2000:]}")
    new = tuple(sorted(set(found.iterdir()) - known))
    count = sum(1 for _ in corpus.iterdir())
    return CoverageCampaign(mode, runs, time.monotonic() - start, count, new, "".join(logs))


def _nice() -> list[str]:
    nice = shutil.which("nice")
    return [nice, "-n", "19"] if nice else []


def minimise(
    program: arguments.StrPath,
    folders: Sequence[arguments.StrPath],
    into: arguments.StrPath,
    most: int,
    longest: int,
) -> int:
    """Replace the contents of `into` by a small corpus with the coverage of `folders`.

    The corpus contains the shortest inputs first.

    Args:
        program: The fuzzer.
        folders: Folders of inputs.
        into: Folder of the corpus; emptied first.
        most: Maximum size of the corpus in bytes.
        longest: Maximum size of an input in bytes.

    Returns:
        The size of the corpus in bytes.
    """
    program = arguments.path(program, "program")
    into = arguments.path(into, "into")
    with tempfile.TemporaryDirectory(prefix="porter-fuzz-") as temporary:
        merged = Path(temporary)
        run(
            [
                program,
                "-merge=1",
                f"-max_len={longest}",
                "-use_counters=0",
                merged,
                *map(arguments.as_path, folders),
            ],
            env=OPTIONS,
            check=True,
        )
        files = sorted(merged.iterdir(), key=lambda path: (path.stat().st_size, path.name))
        shutil.rmtree(into, ignore_errors=True)
        into.mkdir(parents=True)
        total = 0
        for file in files:
            total += file.stat().st_size
            if total > most:
                return total - file.stat().st_size
            shutil.copyfile(file, into / file.name[:16])
        return total
