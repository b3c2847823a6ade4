"""`build.json`: everything that went into a build and what came out."""

from __future__ import annotations

import hashlib
import json
import re
import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from porter import __version__, toolchain
from porter.compile.cuda import CudaBuild
from porter.compile.host import HostBuild
from porter.compile.resources import summary
from porter.compile.sources import Sources
from porter.config import BuildConfig
from porter.errors import BuildFailed

MANIFEST = "build.json"
FORMAT = 1

# The fields of gpusnek_info_t (launch.h), in order.
INFO_FIELDS = (
    "record_size",
    "state_size",
    "arena_size",
    "local_bytes",
    "heap_size",
    "pystack_size",
    "stack_size",
    "canary_size",
)
_INFO = re.compile(r"\.b8 gpusnek_info\[64\]\s*=\s*\{([^}]*)\}")


def inputs(config: BuildConfig, sources: Sources) -> dict[str, Any]:
    """What a build is made from: configuration and the hash of every source."""
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
        targets[name] = {
            "compiler": toolchain.gxx().version,
            "flags": list(host.flags),
            "files": _files(folder, host.library),
        }
    if cuda is not None:
        targets["cuda"] = {
            "nvcc": toolchain.nvcc().version,
            "flags": list(cuda.flags),
            "files": _files(folder, cuda.cubin, cuda.library),
            "info": device_info(folder),
            "gc_flush": cuda.flush.as_dict(),
            "resources": summary(cuda.logs[:-1], cuda.logs[-1]),
        }
    document = {
        "format": FORMAT,
        "release": config.release,
        "inputs": dict(given),
        "targets": targets,
    }
    text = json.dumps(document, indent=1, sort_keys=True) + "\n"
    manifest = folder / MANIFEST
    if manifest.is_file() and manifest.read_text() == text:
        return
    partial = folder / (MANIFEST + ".tmp")
    partial.write_text(text)
    partial.replace(manifest)


def _files(folder: Path, *paths: Path) -> dict[str, dict[str, object]]:
    return {
        str(path.relative_to(folder)): {
            "size": path.stat().st_size,
            "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
        }
        for path in paths
    }


def device_info(folder: Path) -> dict[str, int]:
    """The device build's sizes (gpusnek_info_t), read out of the kernels' PTX."""
    ptx = folder / "cuda" / "ptx" / "runtime" / "kernels.cu.ptx"
    match = _INFO.search(ptx.read_text())
    values = [int(word) for word in match[1].split(",")] if match else []
    # Written as bytes, little end first; PTX leaves zeros at the end out.
    raw = bytes(values).ljust(8 * len(INFO_FIELDS), b"\0")
    if match is None or len(raw) != 8 * len(INFO_FIELDS):
        raise BuildFailed(f"{ptx}: gpusnek_info is not there as expected")
    words = struct.unpack(f"<{len(INFO_FIELDS)}Q", raw)
    return dict(zip(INFO_FIELDS, words, strict=True))
