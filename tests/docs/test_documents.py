"""Every command, program and transcript of README.md and docs/ works as shown.

The default tier runs the blocks of a document without the mark `campaign` (blocks.py). A campaign
runs these and its own. The tests on a GPU run the blocks that need one.
"""

from __future__ import annotations

import importlib.util
import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from porter import toolchain
from porter.errors import NoNvcc

from .blocks import DOCUMENTS, ROOT, Block, blocks, parts, shown_name
from .running import Reader, copy


def lacking(block: Block, gpu: bool) -> str | None:
    """Return the requirements of a block that this run does not meet."""
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
    """Return the documents that have a block for such a machine, outside the campaigns."""
    return [path for path in DOCUMENTS if any(_chosen(block, gpu, None) for block in blocks(path))]


def documents_in_parts() -> list[Any]:
    """Return a parameter for each part of a document with a block of the default tier.

    Its values are the document and the number of the part, from 0.
    """
    return [
        pytest.param(path, number, id=shown_name(path) + (f"-{number + 1}" if number else ""))
        for path in DOCUMENTS
        for number, part in enumerate(parts(blocks(path)))
        if any(_chosen(block, False, None) for block in part)
    ]


def documents_of_campaigns() -> list[Any]:
    """Return a parameter for each document and campaign: the path and the name, with the marker."""
    return [
        pytest.param(path, name, marks=pytest.mark.campaign(name), id=f"{shown_name(path)}-{name}")
        for path in DOCUMENTS
        for name in sorted({block.campaign for block in blocks(path) if block.campaign})
    ]


def _chosen(block: Block, gpu: bool, campaign: str | None) -> bool:
    """Return whether a test of a campaign, or of the default tier for None, runs a block."""
    if not block.runs or block.campaign not in (None, campaign):
        return False
    return ("gpu" in block.needs) == gpu


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    copied = tmp_path / "porter"
    copied.mkdir()
    copy(copied)
    monkeypatch.chdir(copied)
    return copied


def follow(
    chosen: Sequence[Block], folder: Path, gpu: bool = False, campaign: str | None = None
) -> None:
    """Run blocks of a document in their order.

    Args:
        chosen: The blocks of the document, or of one of its parts.
        folder: The copy of the checkout in which commands are given.
        gpu: Whether blocks run that need a GPU, instead of those that need none.
        campaign: The campaign whose blocks run as well.
    """
    reader = Reader(folder, folder.parent / "home", gpu)
    left = []
    for block in chosen:
        if not block.runs:
            continue
        if block.campaign not in (None, campaign):
            left.append(f"{block}: the campaign {block.campaign} runs it")
        elif reason := lacking(block, gpu):
            left.append(f"{block}: {reason}")
        else:
            begun = time.monotonic()
            reader.run(block)
            print(f"{block}: {time.monotonic() - begun:.1f} s")
    print("\n".join(left))


@pytest.mark.parametrize(("document", "part"), documents_in_parts())
def test_document(document: Path, part: int, folder: Path) -> None:
    follow(parts(blocks(document))[part], folder)


@pytest.mark.parametrize(("document", "campaign"), documents_of_campaigns())
def test_document_in_a_campaign(document: Path, campaign: str, folder: Path) -> None:
    follow(blocks(document), folder, campaign=campaign)


@pytest.mark.parametrize(
    ("campaign", "ran"), [(None, "default\n"), ("documents", "long\ndefault\n")]
)
def test_a_campaign_runs_its_own_blocks_too(campaign: str | None, ran: str, tmp_path: Path) -> None:
    page = ROOT / "page.md"
    shown = [
        Block(page, 1, "sh", "echo long >> ran\n", {"campaign": "documents"}),
        Block(page, 2, "sh", "echo default >> ran\n"),
        Block(page, 3, "sh", "echo other >> ran\n", {"campaign": "another"}),
    ]
    (tmp_path / "copy").mkdir()
    follow(shown, tmp_path / "copy", campaign=campaign)
    assert (tmp_path / "copy" / "ran").read_text() == ran


def test_every_block_is_in_one_part() -> None:
    for path in DOCUMENTS:
        found = blocks(path)
        divided = parts(found)
        assert [block for part in divided for block in part] == found
        assert [part[0].apart for part in divided[1:]] == [True] * (len(divided) - 1)
    assert len(parts(blocks(ROOT / "README.md"))) > 1


@pytest.mark.gpu
@pytest.mark.parametrize("document", documents(gpu=True), ids=shown_name)
def test_document_on_a_gpu(document: Path, folder: Path) -> None:
    if "PORTER_GPU_BUILD" not in os.environ:
        pytest.skip("PORTER_GPU_BUILD names no device build")
    follow(blocks(document), folder, gpu=True)
