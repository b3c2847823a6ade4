"""README.md and docs/ are well-formed: tables are complete, and links resolve."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token

from .blocks import DOCUMENTS, ROOT, shown_name

MARKDOWN = MarkdownIt("commonmark").enable("table")
NOT_WORDS = re.compile(r"[^\w\- ]")


def inline(text: str) -> Iterator[Token]:
    """Yield the texts, links and pictures of a document."""
    for token in MARKDOWN.parse(text):
        yield from token.children or ()


def broken_tables(text: str) -> list[str]:
    """Return rows outside of tables: lines of text that begin with a bar."""
    return [
        line
        for token in MARKDOWN.parse(text)
        if token.type == "inline"
        for line in token.content.splitlines()
        if line.lstrip().startswith("|")
    ]


def headings(text: str) -> set[str]:
    """Return the anchors of a page's headings, as GitHub makes them."""
    tokens = MARKDOWN.parse(text)
    titles = [tokens[i + 1].content for i, t in enumerate(tokens) if t.type == "heading_open"]
    return {NOT_WORDS.sub("", title.lower()).replace(" ", "-") for title in titles}


def broken_links(page: Path, text: str) -> list[str]:
    """Return links and pictures within the repository whose target does not exist."""
    targets = [t.attrs.get("href") or t.attrs.get("src") for t in inline(text)]
    wrong = []
    for target in map(str, filter(None, targets)):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        file = (page.parent / name).resolve() if name else page
        there = file.exists() and file.is_relative_to(ROOT)
        if not there or (anchor and anchor not in headings(file.read_text())):
            wrong.append(target)
    return wrong


def missing_files(text: str) -> list[str]:
    """Return paths between backquotes, below porter's folders, that do not exist."""
    folders = "porter|templates|tests|examples|patches|docs|benchmarks|.github"
    named = [t.content for t in inline(text) if t.type == "code_inline"]
    paths = [n for n in named if re.fullmatch(rf"(?:{folders})/[\w./*-]+", n)]
    real = [path for path in paths if not re.search("[A-Z]{4}", path)]  # NAME is a placeholder
    return [path for path in real if not any(ROOT.glob(path.rstrip("/")))]


@pytest.mark.parametrize("page", DOCUMENTS, ids=shown_name)
def test_tables_are_whole(page: Path) -> None:
    assert broken_tables(page.read_text()) == []


@pytest.mark.parametrize("page", DOCUMENTS, ids=shown_name)
def test_links_lead_somewhere(page: Path) -> None:
    text = page.read_text()
    assert broken_links(page, text) == []
    assert missing_files(text) == []


def test_what_is_broken_is_found() -> None:
    assert broken_tables("| a | b |\n|---|---|\n| 1 | 2 |\n\n| 3 | 4 |\n") == ["| 3 | 4 |"]
    page = ROOT / "README.md"
    links = (
        "[a](no.md) [b](#first-steps) [c](#no) [d](docs/reference/repl.md#answers) [e](https://a.b)"
    )
    assert broken_links(page, links) == ["no.md", "#no"]
    assert missing_files("`porter/no.py` and `porter/base/paths.py`") == ["porter/no.py"]
