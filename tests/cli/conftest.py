"""Fixtures that run `porter` like users."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from attrs import frozen

if TYPE_CHECKING:
    from porter.pipeline import Build


@frozen
class Done:
    """A command's exit code and outputs."""

    code: int
    out: str
    err: str


Porter = Callable[..., Done]

# Other workers of pytest use the same build, so a command may have to wait for it.
WAITS = re.compile(r"^porter: waiting for process \d+ .*\n", re.MULTILINE)


def command(*args: str | Path) -> list[str]:
    """Return the command line of `porter ARGS`."""
    return [sys.executable, "-m", "porter", *map(str, args)]


def environment(**changes: str) -> dict[str, str]:
    """This process's environment without settings of porter's builds."""
    names = ("PORTER_HOME", "PORTER_CXX", "PORTER_NVCC", "PORTER_VENV")
    kept = {k: v for k, v in os.environ.items() if not k.startswith("PORTER_") or k in names}
    return kept | changes


@pytest.fixture(scope="session")
def porter(tmp_path_factory: pytest.TempPathFactory) -> Porter:
    """Return a function that runs `porter ARGS` in a folder without configuration files."""
    folder = tmp_path_factory.mktemp("elsewhere")

    def run(*args: str | Path, input: str = "", timeout: float = 900, **env: str) -> Done:
        root = str(Path(__file__).parents[2])
        done = subprocess.run(
            command(*args),
            cwd=folder,
            env=environment(PYTHONPATH=root, **env),
            input=input,
            capture_output=True,
            text=True,
            timeout=timeout,
        )
        return Done(done.returncode, done.stdout, WAITS.sub("", done.stderr))

    return run


@pytest.fixture(scope="session")
def run(porter: Porter, built: Build) -> Porter:
    """Return a function that runs `porter run ARGS` on the host twin of `built`."""
    release = built.sources.name.rpartition("-")[0]

    def run(*args: str | Path, **options: object) -> Done:
        return porter("run", "--target", "host", "--release", release, *args, **options)

    return run


Raw = Callable[..., "subprocess.CompletedProcess[bytes]"]


@pytest.fixture
def on_build(built: Build, tmp_path: Path) -> Raw:
    """Return a function that runs `porter COMMAND --build FOLDER ARGS` on the host twin."""

    def on_build(
        name: str, *args: str | bytes | Path, input: bytes = b"", **env: str
    ) -> subprocess.CompletedProcess[bytes]:
        start = command(name, "--target", "host", "--build", built.folder)
        return subprocess.run(
            [*start, *(arg if isinstance(arg, bytes) else str(arg) for arg in args)],
            cwd=tmp_path,
            env=environment(PYTHONPATH=str(Path(__file__).parents[2]), **env),
            input=input,
            capture_output=True,
            timeout=300,
        )

    return on_build
