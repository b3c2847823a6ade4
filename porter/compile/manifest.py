"""`build.json`: everything that went into a build and what came out."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from porter import toolchain
from porter.base.files import replacing, write_changed
from porter.compile.cuda import CudaBuild
from porter.compile.host import HostBuild
from porter.compile.resources import summary
from porter.compile.sources import Sources
from porter.config import BuildConfig
from porter.errors import BuildFailed
from porter.version import __version__

MANIFEST = "build.json"
FORMAT = 1

# The fields of gpusnek_info_t (launch.h), in order.
INFO_FIELDS = (
    "record_size",
    "state_size",
    "arena_size",
    "image_size",
    "local_top",
    "stack_size",
    "grain",
    "base_offset",
)
_INFO = re.compile(r"\.b8 gpusnek_info\[64\]\s*=\s*\{([^}]*)\}")


def inputs(config: BuildConfig, sources: Sources) -> dict[str, Any]:
    """What a build is made from: configuration, and the hash of every source and template."""
    values = config.as_dict()
    del values["target"]
    return {"porter": __version__, "config": values, "sources": sources.hashes()}


def read_manifest(folder: Path) -> dict[str, Any] | None:
    """The manifest of the build in `folder`; None when there is none that is whole."""
    try:
        loaded = json.loads((folder / MANIFEST).read_text())
    except (OSError, ValueError):
        return None
    if not isinstance(loaded, dict) or loaded.get("format") != FORMAT:
        return None
    return loaded


def write_manifest(
    folder: Path,
    config: BuildConfig,
    given: Mapping[str, Any],
    kept: Mapping[str, Any],
    *,
    host: HostBuild | None,
    cuda: CudaBuild | None,
) -> None:
    """Write `build.json` beside and rename it.

    `kept` are targets that an earlier build made from the same inputs. Nothing in the file
    depends on the time or on where the build is, so equal builds have equal manifests.
    """
    targets: dict[str, Any] = dict(kept)
    if host is not None:
        name = host.library.parent.name
        files = {f"{name}/{host.library.name}": host.library}
        targets[name] = {
            "compiler": toolchain.gxx().version,
            "flags": list(host.flags),
            "files": place(folder, files),
        }
    if cuda is not None:
        files = {f"cuda/{path.name}": path for path in (cuda.cubin, cuda.library)}
        files |= {f"cuda/ptx/{path.name}": path for path in cuda.ptx}
        targets["cuda"] = {
            "nvcc": toolchain.nvcc().version,
            "flags": list(cuda.flags),
            "files": place(folder, files),
            "info": device_info(cuda.folder),
            "gc_flush": cuda.flush.as_dict(),
            "resources": summary(cuda.logs[:-1], cuda.logs[-1]),
        }
    document = {
        "format": FORMAT,
        "release": config.release,
        "inputs": dict(given),
        "targets": targets,
    }
    write_changed(folder / MANIFEST, json.dumps(document, indent=1, sort_keys=True) + "\n")


def place(folder: Path, files: Mapping[str, Path]) -> dict[str, dict[str, object]]:
    """Put `files` (name below `folder` to where it was made) in place; their sizes and hashes.

    Links where the file system can, so that builds that share an output share its bytes. A later
    link step renames a new file over the made one and leaves what is placed here alone.
    """
    for name, made in files.items():
        placed = folder / name
        if placed.is_file() and placed.samefile(made):
            continue
        placed.parent.mkdir(parents=True, exist_ok=True)
        with replacing(placed) as beside:
            try:
                os.link(made, beside)
            except OSError:  # another file system, or one without links
                shutil.copyfile(made, beside)
    return {
        name: {
            "size": made.stat().st_size,
            "sha256": hashlib.sha256(made.read_bytes()).hexdigest(),
        }
        for name, made in files.items()
    }


def device_info(folder: Path) -> dict[str, int]:
    """The sizes (gpusnek_info_t) of the device build in `folder`, read out of its PTX."""
    ptx = folder / "ptx" / "runtime" / "kernels.cu.ptx"
    match = _INFO.search(ptx.read_text())
    values = [int(word) for word in match[1].split(",")] if match else []
    # Written as bytes, little end first; PTX leaves zeros at the end out.
    raw = bytes(values).ljust(8 * len(INFO_FIELDS), b"\0")
    if match is None or len(raw) != 8 * len(INFO_FIELDS):
        raise BuildFailed(f"{ptx}: gpusnek_info is not there as expected")
    words = struct.unpack(f"<{len(INFO_FIELDS)}Q", raw)
    return dict(zip(INFO_FIELDS, words, strict=True))
