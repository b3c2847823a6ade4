"""Write `build.json`, which records the inputs and outputs of a build.

Registers, stack and spills come from the reports of ptxas and nvlink.

The reports are text. A cubin has no record of spills, and records frames and registers only in an
undocumented section (.nv.info).
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from attrs import asdict, frozen

from porter import toolchain
from porter.base.deprecated import RENAMED_SETTINGS, with_old_keys
from porter.base.files import SEAL, replacing, seal_of, write_changed
from porter.compile.bounds_checks.insertion import OBJECTS
from porter.compile.cuda import CudaBuild, MadeCode
from porter.compile.host import HostBuild
from porter.compile.object_files import ElfProblem, symbol_bytes, symbol_sizes
from porter.compile.sources import Sources
from porter.config import BuildConfig
from porter.errors import BuildFailed, NotBuilt
from porter.manifest import (
    FORMAT,
    INCLUDE,
    MANIFEST,
    BuiltFile,
    DeviceOutput,
    DeviceResources,
    FrozenModule,
    HostOutput,
    KernelResources,
    MachineCode,
    Patches,
    SharedLayout,
    SharedStruct,
    patches_document,
    read_document,
)
from porter.version import __version__

_FUNCTION = re.compile(r"Function properties for '?(\S+?)'?\s*:?$")
_FRAME = re.compile(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads")
_LINKED = re.compile(r"used (\d+) registers, .*?(\d+) stack, (\d+) bytes smem", re.IGNORECASE)


@frozen
class Frame:
    """The stack frame and spills of one device function, in bytes."""

    function: str
    stack: int
    spill_stores: int
    spill_loads: int


def parse_frames(text: str) -> list[Frame]:
    """Return the frames in a `ptxas -v` report."""
    frames: list[Frame] = []
    name = ""
    for line in text.splitlines():
        if match := _FUNCTION.search(line):
            name = match.group(1)
        elif (match := _FRAME.search(line)) and name:
            stack, stores, loads = map(int, match.groups())
            frames.append(Frame(name, stack, stores, loads))
            name = ""
    return frames


def parse_kernels(text: str) -> dict[str, KernelResources]:
    """Return the kernels in an `nvlink -v` report, by name."""
    kernels: dict[str, KernelResources] = {}
    name = ""
    for line in text.splitlines():
        if match := _FUNCTION.search(line):
            name = match.group(1)
        elif (match := _LINKED.search(line)) and name:
            kernels[name] = KernelResources(int(match.group(1)), int(match.group(2)))
            name = ""
    return kernels


def summary(unit_logs: Iterable[Path], link_log: Path, largest: int = 10) -> DeviceResources:
    """Return kernels, sums over all functions, and the `largest` frames."""
    frames = [frame for log in unit_logs for frame in parse_frames(log.read_text())]
    frames.sort(key=lambda frame: (-frame.stack, frame.function))
    return DeviceResources(
        functions=len(frames),
        spill_stores=sum(frame.spill_stores for frame in frames),
        spill_loads=sum(frame.spill_loads for frame in frames),
        largest_frames={frame.function: frame.stack for frame in frames[:largest]},
        kernels=parse_kernels(link_log.read_text()),
    )


def inputs(config: BuildConfig, sources: Sources) -> dict[str, Any]:
    """Return what the build depends on: porter's version, configuration, hashes of all sources."""
    values = config.as_dict()
    del values["target"]
    return {
        "porter": __version__,
        "config": with_old_keys(values, RENAMED_SETTINGS),
        "sources": sources.hashes(),
    }


def read_manifest(folder: Path) -> dict[str, Any] | None:
    """Return the manifest of the build in `folder`; None for an incomplete or older build."""
    try:
        loaded = read_document(folder)
    except NotBuilt:
        return None
    return loaded if loaded.get("format") == FORMAT else None


def write_manifest(
    folder: Path,
    config: BuildConfig,
    given: Mapping[str, Any],
    kept: Mapping[str, Any],
    layout: SharedLayout,
    patches: Patches,
    modules: Sequence[FrozenModule] = (),
    *,
    host: HostBuild | None,
    cuda: CudaBuild | None,
) -> None:
    """Write `build.json` atomically.

    `kept` are targets that an earlier build made from the same inputs. The content depends neither
    on the time nor on the build's folder, so equal builds have equal manifests.
    """
    targets: dict[str, Any] = dict(kept)
    if host is not None:
        targets[host.target] = asdict(_host_output(folder, host, layout))
    if cuda is not None:
        targets["cuda"] = asdict(_device_output(folder, cuda, layout))
    document = {
        "format": FORMAT,
        "release": config.release,
        "inputs": dict(given),
        "patches": patches_document(patches),
        "frozen": [asdict(one) for one in modules],
        "targets": targets,
        "layout": asdict(layout),
        "headers": {
            path.relative_to(folder).as_posix(): asdict(_built_file(path))
            for path in sorted((folder / INCLUDE).glob("*"))
        },
    }
    # As a reader has it: tuples are lists, and keys are text.
    document = json.loads(json.dumps(document))
    document[SEAL] = seal_of(document)
    write_changed(folder / MANIFEST, json.dumps(document, indent=1, sort_keys=True) + "\n")


def _host_output(folder: Path, host: HostBuild, layout: SharedLayout) -> HostOutput:
    return HostOutput(
        compiler=toolchain.gxx().version,
        flags=host.flags,
        files=place(
            folder, {f"{host.target}/{made.name}": made for made in (host.library, *host.beside)}
        ),
        info=read_info(host.library, layout.structs["gpusnek_info_t"]),
    )


def _device_output(folder: Path, cuda: CudaBuild, layout: SharedLayout) -> DeviceOutput:
    made = (cuda.code, cuda.library, *cuda.tier)
    files = {f"cuda/{path.name}": path for path in made if path is not None}
    files |= {f"cuda/ptx/{path.name}": path for path in cuda.ptx}
    return DeviceOutput(
        nvcc=toolchain.nvcc().version,
        flags=cuda.flags,
        files=place(folder, files),
        info=_common_info(cuda, layout.structs["gpusnek_info_t"]),
        code=f"cuda/{cuda.code.name}",
        machine=_machine_codes(cuda),
        ptx=cuda.for_ptx,
    )


def _common_info(cuda: CudaBuild, layout: SharedStruct) -> dict[str, int]:
    """Return the fields of `gpusnek_info_t`, which must not differ between architectures.

    Raises:
        BuildFailed: They differ.
    """
    found = {name: read_info(made.cubin, layout) for name, made in cuda.machine.items()}
    (first, info), *others = found.items()
    for name, other in others:
        if other != info:
            raise BuildFailed(f"gpusnek_info is {other} for {name}, and {info} for {first}")
    return info


def _machine_codes(cuda: CudaBuild) -> dict[str, MachineCode]:
    """Return the code of each architecture.

    Raises:
        BuildFailed: Their tables of constants differ. The tables are part of the PTX from which
            all architectures are made, and a GPU newer than all of them gets the PTX.
    """
    found = {architecture: _machine_code(made) for architecture, made in cuda.machine.items()}
    (first, code), *others = found.items()
    for name, other in others:
        if other.constants != code.constants:
            raise BuildFailed(f"the constants that bounds checks read differ: {first} and {name}")
    return found


def _machine_code(made: MadeCode) -> MachineCode:
    return MachineCode(
        gc_flush=made.flush,
        resources=summary(made.logs[:-1], made.logs[-1]),
        constants=_constants(made.cubin),
    )


def _constants(cubin: Path) -> dict[str, int]:
    try:
        return symbol_sizes(cubin, OBJECTS)
    except ElfProblem as error:
        raise BuildFailed(str(error)) from error


def place(folder: Path, files: Mapping[str, Path]) -> dict[str, BuiltFile]:
    """Put `files` below `folder` and return their sizes and hashes.

    Hard links are used where possible, so that builds with the same output share its bytes. A
    later link step renames a new file over the original and leaves the linked file unchanged.

    Args:
        folder: The folder of the finished build.
        files: The path of each output, by its name below `folder`.
    """
    for name, made in files.items():
        placed = folder / name
        if placed.is_file() and placed.samefile(made):
            continue
        placed.parent.mkdir(parents=True, exist_ok=True)
        with replacing(placed) as beside:
            try:
                os.link(made, beside)
            except OSError:  # another file system, or a file system without hard links
                shutil.copyfile(made, beside)
    return {name: _built_file(made) for name, made in files.items()}


def _built_file(path: Path) -> BuiltFile:
    content = path.read_bytes()
    return BuiltFile(len(content), hashlib.sha256(content).hexdigest())


def read_info(made: Path, layout: SharedStruct) -> dict[str, int]:
    """Return the fields of `gpusnek_info_t` in a library or a cubin.

    Raises:
        BuildFailed: The symbol is missing or has another size than `layout`.
    """
    try:
        raw = symbol_bytes(made, "gpusnek_info")
    except ElfProblem as error:
        raise BuildFailed(str(error)) from error
    if len(raw) != layout.size:
        raise BuildFailed(f"{made}: gpusnek_info has {len(raw)} bytes, not {layout.size}")
    return {
        field.name: int.from_bytes(raw[field.offset : field.offset + field.size], "little")
        for field in layout.fields
    }
