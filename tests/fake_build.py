"""Builds of the fake interpreter (tests/fake_port), for tests of runtime and runner."""

from __future__ import annotations

import shutil
from pathlib import Path

from porter.compile import compile_build
from porter.config import BuildConfig

FAKE_PORT = Path(__file__).parent / "fake_port"


def fake_build(
    folder: Path, *, target: str = "host", variant: str = "release", arch: str = "sm_90"
) -> Path:
    """Compile the fake interpreter under `folder`; return the folder of the finished build."""
    shutil.copytree(FAKE_PORT, folder / "cxx", dirs_exist_ok=True)
    config = BuildConfig(release="0.0.0", target=target, arch=arch)
    return compile_build(config, folder, variant=variant, jobs=2).folder
