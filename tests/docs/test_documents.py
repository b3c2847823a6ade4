"""Every command, program and transcript of README.md and docs/ does what it says there."""

from __future__ import annotations

import importlib.util
import os
import time
from pathlib import Path

import pytest

from porter import toolchain
from porter.errors import NoNvcc

from .blocks import DOCUMENTS, Block, blocks, shown_name
from .running import Reader, copy

pytestmark = pytest.mark.slow


def lacking(block: Block, gpu: bool) -> str | None:
    """What a block needs and this run does not have."""
    if gpu != ("gpu" in block.needs):
        return None if "file" in block.marks else "a GPU"
    if "nvcc" in block.needs:
        try:
            toolchain.nvcc()
        except NoNvcc as error:
            return str(error)
    if "matplotlib" in block.needs and importlib.util.find_spec("matplotlib") is None:
        return "matplotlib is not installed"
    return None


def documents(gpu: bool) -> list[Path]:
    """Those with a block for such a machine."""
    return [
        path
        for path in DOCUMENTS
        if any(block.runs and ("gpu" in block.needs) == gpu for block in blocks(path))
    ]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    copied = tmp_path / "porter"
    copied.mkdir()
    copy(copied)
    monkeypatch.chdir(copied)
    return copied


def follow(document: Path, folder: Path, gpu: bool) -> None:
    """Run a document's blocks in their order."""
    reader = Reader(folder, folder.parent / "home", gpu)
    left = []
    for block in blocks(document):
        if not block.runs:
            continue
        if reason := lacking(block, gpu):
            left.append(f"{block}: {reason}")
        else:
            begun = time.monotonic()
            reader.run(block)
            print(f"{block}: {time.monotonic() - begun:.1f} s")
    print("\n".join(left))


@pytest.mark.parametrize("document", documents(gpu=False), ids=shown_name)
def test_document(document: Path, folder: Path) -> None:
    follow(document, folder, gpu=False)


@pytest.mark.gpu
@pytest.mark.parametrize("document", documents(gpu=True), ids=shown_name)
def test_document_on_a_gpu(document: Path, folder: Path) -> None:
    if "PORTER_GPU_BUILD" not in os.environ:
        pytest.skip("PORTER_GPU_BUILD names no device build")
    follow(document, folder, gpu=True)
