"""A build without device code, which tests of the class for GPUs open."""

from __future__ import annotations

import hashlib
from pathlib import Path

import attrs

from porter.manifest import BuiltFile, DeviceOutput
from porter.run.built import Built


def cuda_build(built: Built, folder: Path) -> Built:
    """Return the host build `built` plus a target "cuda": the local twin's, with an empty cubin."""
    host = built.whole.targets["host"]
    name = "cuda/gpusnek.cubin"
    (folder / "cuda").mkdir(parents=True)
    (folder / name).touch()
    files = {name: BuiltFile(0, hashlib.sha256().hexdigest())}
    info = {**host.info, "local_top": 64}
    cuda = DeviceOutput(nvcc="", flags=(), files=files, info=info, code=name, machine={})
    targets = {**built.whole.targets, "cuda": cuda}
    whole = attrs.evolve(built.whole, targets=targets)
    return attrs.evolve(built, folder=folder, whole=whole)
