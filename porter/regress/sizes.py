"""Read the sizes of a finished build: code, state, registers, stack."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from porter.compile.build_record import read_manifest
from porter.compile.host import LIBRARY
from porter.compile.object_files import ElfProblem, code_bytes
from porter.errors import NotBuilt


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
