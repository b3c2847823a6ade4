"""Every block of a document that does not run has a reason."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from porter_dev.campaigns import campaigns

from .blocks import DOCUMENTS, NEEDS, RUN, SHOWN, Block, blocks, shown_name

COMMAND = re.compile(r"^(\$ )?(porter|python3?|nvcc|g\+\+|pip) ", re.MULTILINE)


def wrong(block: Block) -> str | None:
    """Return the faults of a block's language and marks."""
    if block.language not in (*RUN, *SHOWN):
        return f"its language is {block.language!r}: one of {', '.join((*RUN, *SHOWN))}"
    if "not run" in block.marks and not re.search(r"\w{3}", block.marks["not run"]):
        return "no reason why it is not run"
    if "needs" in block.marks and (not block.needs or not block.needs <= set(NEEDS)):
        return f"needs {block.marks['needs']!r}: words of {', '.join(NEEDS)}"
    if (campaign := block.campaign) is not None:
        known = [row.name for row in campaigns()]
        if campaign not in known:
            return f"campaign {campaign!r}: a row of porter_dev/campaigns.toml, {', '.join(known)}"
        if not block.runs or "gpu" in block.needs:
            return "no campaign runs a block that is not run or needs a GPU"
    if block.language == "text" and "not run" not in block.marks and COMMAND.search(block.source):
        return "a command in a block that nothing runs"
    return None


@pytest.mark.parametrize("document", DOCUMENTS, ids=shown_name)
def test_every_block_runs_or_says_why_not(document: Path) -> None:
    assert [f"{block}: {reason}" for block in blocks(document) if (reason := wrong(block))] == []


@pytest.mark.parametrize("document", DOCUMENTS, ids=shown_name)
def test_commands_stand_in_blocks_that_run(document: Path) -> None:
    text = document.read_text()
    assert not re.search(r"^(    |\t)(porter|python3?) ", text, re.MULTILINE)


@pytest.mark.parametrize("document", DOCUMENTS, ids=shown_name)
def test_a_file_that_readers_use_has_a_name_that_they_see(document: Path) -> None:
    every, text = blocks(document), document.read_text()
    names = {block.marks["file"] for block in every if "file" in block.marks}
    used = " ".join(block.source for block in every if block.language == "sh" and not block.hidden)
    assert all(f"`{name}`" in text for name in names if name in used)


def test_few_blocks_are_never_run() -> None:
    every = [block for document in DOCUMENTS for block in blocks(document)]
    shown = [block for block in every if block.language in RUN]
    assert len([block for block in shown if not block.runs]) <= len(shown) // 4


@pytest.mark.parametrize(
    "text",
    [
        "<!-- not run: -->\n```sh\nls\n```\n",
        "<!-- needs: luck -->\n```sh\nls\n```\n",
        "<!-- campaign: no-such-row -->\n```sh\nls\n```\n",
        "<!-- campaign: documents -->\n<!-- needs: gpu -->\n```sh\nls\n```\n",
        "<!-- campaign: documents -->\n<!-- not run: it is long -->\n```sh\nls\n```\n",
        "```\nls\n```\n",
        "```text\nporter run\n```\n",
    ],
)
def test_what_is_marked_wrong_is_found(tmp_path: Path, text: str) -> None:
    (tmp_path / "page.md").write_text(text)
    (block,) = blocks(tmp_path / "page.md")
    assert wrong(block)


@pytest.mark.parametrize(
    "text", ["<!-- needs: gpu -->\n\nText\n\n```sh\nls\n```\n", "<!-- not run: x -->\n"]
)
def test_a_mark_without_its_block_is_found(tmp_path: Path, text: str) -> None:
    (tmp_path / "page.md").write_text(text)
    with pytest.raises(AssertionError):
        blocks(tmp_path / "page.md")


def test_marks_and_outputs_are_read(tmp_path: Path) -> None:
    (tmp_path / "page.md").write_text(
        "<!-- needs: gpu, nvcc -->\n```sh\nls\n```\n\n```text\nout\n```\n"
        "<!--\ninvisible-code-block: sh\necho hidden\n-->\n<!-- file: a.py -->\n```python\n1\n```\n"
        "<!-- campaign: documents -->\n<!-- needs: nvcc -->\n```sh\nls\n```\n"
    )
    listed, hidden, file, long = blocks(tmp_path / "page.md")
    assert (listed.needs, listed.source, listed.output) == ({"gpu", "nvcc"}, "ls\n", "out\n")
    assert (hidden.language, hidden.source) == ("sh", "echo hidden\n")
    assert file.marks == {"file": "a.py"} and file.campaign is None
    assert (long.campaign, long.needs, long.runs) == ("documents", {"nvcc"}, True)
    assert wrong(long) is None
