"""Numbers of a finished build: code, state, registers, stack."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from porter.compile.elf import ElfProblem, code_bytes
from porter.compile.host import LIBRARY
from porter.compile.manifest import read_manifest
from porter.errors import NotBuilt


def sizes_of(folder: Path, target: str) -> dict[str, int]:
    """`code` and `state` in bytes; of a device build also `registers`, `stack` and `spills`.

    `registers` is the most that a kernel has, `stack` the largest frame of a function, `spills`
    what all functions store because of too few registers, in bytes; as ptxas and nvlink report
    them. `saved registers` is the number that the check of the collector's entry found in its
    frame: a build whose machine code lacks one is refused. Raises NotBuilt.
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
    (machine,) = target["machine"].values()  # releases are compared for one architecture
    resources = machine["resources"]
    kernels = resources["kernels"].values()
    return {
        "registers": max((kernel["registers"] for kernel in kernels), default=0),
        "stack": max(resources["largest_frames"].values(), default=0),
        "spills": resources["spill_stores"],
        "saved registers": machine["gc_flush"]["saved_registers"],
    }
