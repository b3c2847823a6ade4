"""Measure the cost of unwinding: pruned and unpruned checks, recursion guards, real setjmp.

Builds host twins of one release that differ only in their checks, below build/unwinding-*/, and the
plain C reference build of the same port. Counts checks, code bytes, and instructions under
callgrind, which other load on the machine does not affect. docs/lab/unwinding.md shows the results.

    python benchmarks/unwinding.py [--release 1.26.1] [--jobs N] [--json FILE]
    python benchmarks/unwinding.py --cuda        # device code too, several minutes
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from pathlib import Path

import attrs
from attrs import frozen

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.counting import PROGRAMS, launch_programs, text_bytes
from porter.base import paths, process
from porter.compile import compile_build
from porter.compile.build_record import parse_frames, parse_kernels
from porter.compile.cuda import CUBIN, cuda_folder
from porter.compile.device_units import log_of
from porter.compile.host import LIBRARY, host_folder
from porter.config import BuildConfig
from porter.generate import Layout, generate
from porter.preprocess import preprocess
from porter.rewrite.rewrite_stage import rewrite
from porter_dev.bench.callgrind import COMMAND, SIZES, read_counts
from porter_dev.reference import build_reference

UNWINDING = "#define PORTER_UNWINDING (__builtin_expect(PORTER_STATE->porter_unwind != 0, 0))"


@frozen
class Variant:
    """A variant of the build: which checks the rewriter inserts, and whether they are active."""

    name: str
    prune: bool = True
    guard: bool = True
    checks: bool = True


VARIANTS = (
    Variant("pruned"),
    Variant("unpruned", prune=False),
    Variant("unguarded", guard=False),
    # The pruned text with a test that is constant false: the cost of a program that cannot raise.
    Variant("unchecked", checks=False),
)
# Programs that run right without checks; Python exceptions need them.
QUIET = tuple(name for name in PROGRAMS if name != "exceptions")


def folder_of(variant: Variant) -> Path:
    """Return the build folder of a variant."""
    return paths.build_dir() / f"unwinding-{variant.name}"


def rewrite_variant(variant: Variant, units: dict[str, Path], jobs: int) -> dict[str, int]:
    """Rewrite the units for a variant and count.

    Returns:
        The number of checks, guards, functions that may raise, and functions. A function of a
        header is counted once, although each unit has its own copy.
    """
    folder = folder_of(variant)
    report = rewrite(units, folder / "cxx", jobs=jobs, prune=variant.prune, guard=variant.guard)
    edits = report.per_rule()
    records = [json.loads(path.read_text()) for path in sorted((folder / "cxx").glob("*.json"))]
    defined = {f["key"] for record in records for f in record["facts"]["functions"]}
    return {
        "checks": edits["unwinding"],
        "guards": edits.get("recursion", 0),
        "may raise": _distinct(defined & report.program.raising),
        "functions": _distinct(defined),
    }


def _distinct(keys: set[str]) -> int:
    return len({key.rpartition(":")[2] for key in keys})


def runtime_of(variant: Variant) -> Path | None:
    """Return None for the unchanged runtime, or a copy whose test for an unwind is false."""
    if variant.checks:
        return None
    copy = folder_of(variant) / "templates"
    shutil.rmtree(copy, ignore_errors=True)
    for part in ("runtime", "port"):
        shutil.copytree(paths.templates_dir() / part, copy / part)
    header = copy / "runtime" / "porter_runtime.h"
    text = header.read_text()
    if UNWINDING not in text:
        raise SystemExit(f"{header} no longer defines PORTER_UNWINDING as this benchmark expects")
    header.write_text(text.replace(UNWINDING, "#define PORTER_UNWINDING (false)"))
    return copy / "runtime"


def build_twin(variant: Variant, config: BuildConfig, jobs: int) -> Path:
    """Build a variant's host twin and return the build's folder."""
    folder = folder_of(variant)
    if not variant.checks:
        folder.mkdir(parents=True, exist_ok=True)
        cxx = folder / "cxx"
        cxx.unlink(missing_ok=True)
        cxx.symlink_to(folder_of(VARIANTS[0]) / "cxx")
    return compile_build(config, folder, jobs=jobs, runtime=runtime_of(variant)).folder


def build_device(variant: Variant, config: BuildConfig, jobs: int) -> dict[str, int]:
    """Build a variant's device code; return bytes of code, registers, frames and spill bytes."""
    config = attrs.evolve(config, target="cuda")
    folder = folder_of(variant)
    compile_build(config, folder, jobs=jobs, runtime=runtime_of(variant))
    out = cuda_folder(folder, config)
    logs = sorted((out / "obj").rglob("*.log"))
    frames = [frame for log in logs for frame in parse_frames(log.read_text())]
    kernels = parse_kernels(log_of(out / CUBIN).read_text())
    stacks = {frame.function: frame.stack for frame in frames}
    return {
        "code bytes": text_bytes(out / CUBIN),
        "registers": max(kernel.registers for kernel in kernels),
        "all frames": sum(stacks.values()),
        "largest frame": max(stacks.values()),
        "frame of the VM": stacks.get("mp_execute_bytecode", 0),
        "spill stores": sum(frame.spill_stores for frame in frames),
    }


def count_twin(build: Path, names: tuple[str, ...], out: Path) -> dict[str, int]:
    """Count the instructions of each program on a host twin."""
    out.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, __file__, "--launch", str(build), *names]
    process.run([*COMMAND, f"--callgrind-out-file={out}/out", *command], timeout=1200)
    return dict(zip(names, read_counts(out, len(names)), strict=True))


def count_reference(executable: Path, out: Path) -> dict[str, int]:
    """Count the instructions of each program on the plain C build."""
    counts = {}
    for name, (source, expected) in PROGRAMS.items():
        folder = out / name
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "program.py").write_text(source)
        sizes = [word for key, size in SIZES.items() for word in (f"--{key}", str(size))]
        command = [str(executable), *sizes, str(folder / "program.py")]
        done = process.run([*COMMAND, f"--callgrind-out-file={folder}/out", *command])
        if done.stdout != expected:
            raise SystemExit(f"{name} on the reference build printed {done.stdout!r}")
        counts[name] = read_counts(folder, 1)[0]
    return counts


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def measure(config: BuildConfig, jobs: int, cuda: bool) -> dict[str, dict[str, int]]:
    """Return all rows of the result, by variant."""
    sources = Layout.of(config.release, paths.build_dir() / "unwinding-sources")
    texts = preprocess(sources, generate(config, sources), jobs)
    units = {done.unit.name: done.path for done in texts}
    rows: dict[str, dict[str, int]] = {}
    for variant in VARIANTS:
        _say(f"{variant.name}: rewriting, compiling")
        row = rewrite_variant(variant, units, jobs) if variant.checks else {}
        build = build_twin(variant, config, jobs)
        row["code bytes"] = text_bytes(host_folder(folder_of(variant)) / LIBRARY)
        _say(f"{variant.name}: counting instructions")
        names = tuple(PROGRAMS) if variant.checks else QUIET
        row |= count_twin(build, names, folder_of(variant) / "callgrind")
        rows[variant.name] = row
    _say("plain C: compiling, counting instructions")
    folder = paths.build_dir() / "unwinding-reference"
    executable = build_reference(config, folder, flags=("-O2", "-fwrapv", "-fPIC"), jobs=jobs)
    rows["plain C"] = {"code bytes": text_bytes(executable)}
    rows["plain C"] |= count_reference(executable, folder / "callgrind")
    for variant in VARIANTS:
        if cuda:
            _say(f"{variant.name}: device code")
            device = build_device(variant, config, jobs)
            rows[variant.name] |= {f"device: {key}": value for key, value in device.items()}
    return rows


def table(rows: dict[str, dict[str, int]]) -> str:
    """Return a Markdown table with a column per build and the differences to the first one."""
    keys = list(dict.fromkeys(key for row in rows.values() for key in row))
    first = rows[VARIANTS[0].name]
    lines = [f"| | {' | '.join(rows)} |", "|---" * (len(rows) + 1) + "|"]
    for key in keys:
        cells = (_cell(row.get(key), first[key]) for row in rows.values())
        lines.append(f"| {key} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _cell(value: int | None, compared: int) -> str:
    if value is None:
        return ""
    share = f" ({100 * (value / compared - 1):+.1f} %)" if value != compared else ""
    return f"{value:,}{share}"


def main() -> None:
    """Build, measure and print."""
    if sys.argv[1:2] == ["--launch"]:
        launch_programs(Path(sys.argv[2]), sys.argv[3:])
        return
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--release", default="1.26.1")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--cuda", action="store_true", help="build device code too")
    parser.add_argument("--json", type=Path, help="write the figures here as well")
    options = parser.parse_args()
    rows = measure(BuildConfig(release=options.release), options.jobs, options.cuda)
    if options.json:
        options.json.write_text(json.dumps(rows, indent=2) + "\n")
    print(table(rows))


if __name__ == "__main__":
    main()
