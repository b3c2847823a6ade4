"""Read the blocks of the documents with Sybil, and the comments that select how each is run.

A comment directly precedes its block, where readers of the page do not see it:

    <!-- not run: REASON -->        no machine can run it
    <!-- needs: nvcc -->            words of NEEDS; the block is skipped if one is missing
    <!-- file: NAME -->             the block is that file; blocks below it use it
    <!-- campaign: NAME -->         it takes long: only the campaign NAME runs it
    <!-- apart: REASON -->          the default tier runs it and the blocks below in another test
    <!-- invisible-code-block: sh   a block that readers do not see
    COMMANDS -->

A `text` block directly after an `sh` block is the expected stdout of these commands.

The default test tier runs the blocks without the mark `campaign`. A block gets the mark when its
commands take more than about 10 s on two cores, or when it uses the results of such a block. The
mark `apart` divides a document whose other blocks together take more than 1 % of the tier's time:
each part begins in a fresh copy, so it uses no results of the part above it. NAME is a row of
porter_dev/campaigns.toml; the campaign `documents` is the one for long blocks. The campaign runs a
document from its first block to its last, so a marked block can use the results of all blocks above
it. The default tier checks that the commands of every `sh` block parse, marked or not
(test_commands.py).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from attrs import evolve, field, frozen

pytest.importorskip("sybil", reason="a machine for GPU tests alone may lack it")

from sybil import Document, Region
from sybil.parsers.markdown.lexers import DirectiveInHTMLCommentLexer, RawFencedCodeBlockLexer

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]

NEEDS = ("gpu", "nvcc", "matplotlib")
RUN = ("sh", "python", "pycon", "toml")
SHOWN = ("c", "c++", "cuda", "text")  # compiled elsewhere, or no program
MARKS = ("not run", "needs", "file", "campaign", "apart")


def shown_name(document: Path) -> str:
    """Return a document's path below the checkout; a guide and a lab book may share a file name."""
    return str(document.relative_to(ROOT))


@frozen
class Block:
    """A fenced or hidden block. `marks`: comments before it; `output`: text shown after it."""

    document: Path
    line: int
    language: str
    source: str
    marks: dict[str, str] = field(factory=dict)
    output: str | None = None
    hidden: bool = False

    def __str__(self) -> str:
        return f"{self.document.relative_to(ROOT)}:{self.line}"

    @property
    def needs(self) -> set[str]:
        """Return the requirements of the block on the machine."""
        return set(self.marks.get("needs", "").replace(",", " ").split())

    @property
    def campaign(self) -> str | None:
        """Return the campaign that runs the block, or None for a block of the default tier."""
        return self.marks.get("campaign")

    @property
    def apart(self) -> bool:
        """Return whether the default tier runs this and all later blocks in another test."""
        return "apart" in self.marks

    @property
    def runs(self) -> bool:
        """Return whether some machine runs the block."""
        return "not run" not in self.marks and ("file" in self.marks or self.language in RUN)


def _fences(document: Document) -> Iterator[Region]:

    lexer = RawFencedCodeBlockLexer(re.compile(r"(?P<language>[^\n]*)\n"))
    for region in lexer(document):
        region.parsed = (region.lexemes["language"].strip(), str(region.lexemes["source"]), "")
        yield region


def _comments(document: Document) -> Iterator[Region]:
    for name in MARKS:
        for region in DirectiveInHTMLCommentLexer(name, "[^\n]*?")(document):
            region.parsed = (name, region.lexemes["arguments"].strip(), "mark")
            yield region
    for region in DirectiveInHTMLCommentLexer("invisible-code-block", ".+")(document):
        source = str(region.lexemes["source"])
        region.parsed = (region.lexemes["arguments"].strip(), source, "hidden")
        yield region


def parts(found: Sequence[Block]) -> list[list[Block]]:
    """Divide the blocks of a document before each block with the mark `apart`."""
    divided: list[list[Block]] = [[]]
    for block in found:
        if block.apart:
            divided.append([])
        divided[-1].append(block)
    return divided


def blocks(path: Path) -> list[Block]:
    """Return all blocks of a document in order; raise AssertionError for a stray comment."""
    document = Document.parse(str(path), _fences, _comments)
    found: list[Block] = []
    marks: dict[str, str] = {}
    end = 0  # of the region before
    for example in document.examples():
        name, text, kind = example.parsed
        between = document.text[end : example.start].strip().removeprefix("-->").strip()
        end = example.end
        assert not (marks and between), f"{path.name}:{example.line}: a comment without its block"
        if kind == "mark":
            marks[name] = text
            continue
        before = found[-1] if found else None
        if name == "text" and not marks and not between and before and before.runs:
            found[-1] = evolve(before, output=text)
        else:
            found.append(Block(path, example.line, name, text, marks, hidden=kind == "hidden"))
        marks = {}
    assert not marks, f"{path.name}: a comment at the end"
    return found
