"""Measure a release: sizes of its finished build, and clang's warnings about its units.

Sizes are code, state, registers and stack. The rewriter's parser gives the warnings.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from clang.cindex import Index, TranslationUnit

from porter.compile.build_record import read_manifest
from porter.compile.host import LIBRARY
from porter.compile.object_files import ElfProblem, code_bytes
from porter.errors import NotBuilt
from porter.syntax.node import line_table, locate
from porter.syntax.parser import ARGUMENTS


def sizes_of(folder: Path, target: str) -> dict[str, int]:
    """Return the sizes of a build.

    Returns:
        `code` and `state` in bytes. A device build has more entries, as ptxas and nvlink report
        them: `registers`, the maximum of all kernels; `stack`, the largest frame of a function;
        `spills`, the bytes that all functions spill. `saved registers` is the number of registers
        that the check of the collector's entry found in its frame; a build that misses one is
        rejected.

    Raises:
        NotBuilt: The folder holds no finished build for `target`.
    """
    manifest = read_manifest(folder)
    if manifest is None or target not in manifest["targets"]:
        raise NotBuilt(f"{folder}: there is no finished build for {target}")
    output = manifest["targets"][target]
    name = f"host/{LIBRARY}" if target == "host" else output["code"]
    try:
        sizes = {"code": code_bytes(folder / name)}
    except ElfProblem as error:
        raise NotBuilt(str(error)) from error
    if target == "cuda":
        sizes |= _device(output)
    sizes["state"] = int(output["info"]["state_size"])
    return sizes


def _device(target: dict[str, Any]) -> dict[str, int]:
    (machine,) = target["machine"].values()  # regression builds are for one architecture
    resources = machine["resources"]
    kernels = resources["kernels"].values()
    return {
        "registers": max((kernel["registers"] for kernel in kernels), default=0),
        "stack": max(resources["largest_frames"].values(), default=0),
        "spills": resources["spill_stores"],
        "saved registers": machine["gc_flush"]["saved_registers"],
    }


# The rewriter disables warnings; here they stay enabled.
_ARGUMENTS = [argument for argument in ARGUMENTS if argument != "-Wno-everything"]


def warnings_of(units: Iterable[Path], release: str, jobs: int) -> dict[str, int]:
    """Return clang's default warnings, as `file: text [-Wname]`, with their counts.

    File names lack the release, and there are no line numbers, so that releases are comparable.
    """
    with ThreadPoolExecutor(jobs) as pool:
        lists = pool.map(lambda path: _warnings(path, release), units)
        return dict(sorted(Counter(line for found in lists for line in found).items()))


def _warnings(path: Path, release: str) -> list[str]:
    unit = Index.create().parse(str(path), args=_ARGUMENTS, options=TranslationUnit.PARSE_NONE)
    found = [one for one in unit.diagnostics if one.severity == one.Warning]
    if not found:
        return []
    table = line_table(path.read_bytes().decode("latin-1"))
    lines = []
    for one in found:
        file, _, _ = locate(table, one.location.offset)
        for prefix in (f"upstream/{release}/", f"patched/{release}/"):
            file = file.removeprefix(prefix)
        lines.append(f"{file}: {one.spelling} [{one.option}]")
    return lines
