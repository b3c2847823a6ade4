"""examples/hello_kernel.cu on a GPU: interpreters of one launch are there in the next."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from porter import paths, toolchain
from porter.config import BuildConfig
from porter.errors import NoNvcc
from porter.pipeline import build
from porter.sync.lock import newest_release

pytestmark = [pytest.mark.gpu, pytest.mark.slow]
EXAMPLE = Path(__file__).parents[2] / "examples" / "hello_kernel.cu"


def test_hello_kernel(tmp_path: Path) -> None:
    try:
        nvcc = str(toolchain.nvcc().path)
    except NoNvcc as error:
        pytest.skip(str(error))
    release = newest_release()
    if not (paths.upstream_dir() / release / "py").is_dir():
        pytest.skip(f"{release} is not synced")
    built = build(BuildConfig(release=release, target="cuda", arena="global")).folder
    program = tmp_path / "hello"
    line = [nvcc, "-arch=sm_90", "-rdc=true", f"-I{built}/include", str(EXAMPLE)]
    subprocess.run([*line, f"-L{built}/cuda", "-lgpusnek", "-o", str(program)], check=True)
    done = subprocess.run([str(program)], capture_output=True, text=True, check=True, timeout=300)
    assert done.stdout.splitlines() == [
        *["Hello World!"] * 4,
        "Traceback (most recent call last):",
        '  File "<string>", line 3, in <module>',
        "ValueError: not me",
        *[f"thread {i}: status {int(i == 3)}, square {i * i}" for i in range(4)],
        "1 KiB: status -2",
    ]
