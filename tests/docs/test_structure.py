"""The documentation has four parts and the lab books, and every page belongs to one of them."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import attrs
import pytest
import yaml

from porter.config import BuildConfig
from porter.evaluation import Judging

from .blocks import DOCUMENTS, ROOT, shown_name
from .test_markdown import MARKDOWN, inline

DOCS = ROOT / "docs"
# The folder of each part, and its tab in the navigation of the site.
PARTS = {
    "tutorials": "Tutorials",
    "how-to": "How-to guides",
    "reference": "Reference",
    "explanation": "Explanation",
    "lab": "Lab books",
}
PAGES = DOCUMENTS[1:]
GUIDES = [page for page in PAGES if page.relative_to(DOCS).parts[0] != "lab"]
WIDTH = 100
# Pages that README links beside the parts.
README_PAGES = 3
DATE = re.compile(r"\b20\d\d-\d\d-\d\d\b")
# A date in these pages is no measurement: a former state, a clock, a link's text.
DATED = {"changelog.md", "evaluate.md"}
SOURCES = {
    *(".py", ".toml", ".yml", ".sh", ".ipynb"),
    *(".c", ".h", ".cpp", ".cu", ".cuh", ".inc", ".j2"),
}
NAMED_PAGE = re.compile(r"(?<![\w/.-])docs/[\w/-]+\.md\b")
# A table's row, a code block's fence, the definition of a link: lines that cannot be wrapped.
UNWRAPPED = re.compile(r"\s*(\||\[[^\]]+\]: )")


def test_every_page_is_in_a_part() -> None:
    folders = {page.relative_to(DOCS).parts[0] for page in PAGES}
    assert folders == PARTS.keys()


def navigation() -> dict[str, list[Any]]:
    """Return the tabs of the site with their entries."""
    text = re.sub(r": !.*", ": tag", (ROOT / "mkdocs.yml").read_text())
    return {title: below for tab in yaml.safe_load(text)["nav"] for title, below in tab.items()}


@pytest.mark.parametrize("folder", PARTS)
def test_the_navigation_has_each_page_below_its_part(folder: str) -> None:
    entries = navigation()[PARTS[folder]]
    named = [next(iter(one.values())) if isinstance(one, dict) else one for one in entries]
    pages = {page.relative_to(DOCS).as_posix() for page in (DOCS / folder).rglob("*.md")}
    assert {name for name in named if not name.startswith("api/")} == pages


@pytest.mark.parametrize("folder", PARTS)
def test_the_index_of_a_part_links_its_pages(folder: str) -> None:
    index = DOCS / folder / "README.md"
    targets = {
        str(token.attrs.get("href")).partition("#")[0] for token in inline(index.read_text())
    }
    pages = {page.relative_to(index.parent).as_posix() for page in index.parent.rglob("*.md")}
    assert pages - {"README.md"} <= targets


def test_the_readme_links_each_part_once() -> None:
    targets = [str(token.attrs.get("href")) for token in inline(DOCUMENTS[0].read_text())]
    pages = [target for target in targets if re.match(r"docs/.*\.md", target)]
    parts = [f"docs/{folder}/README.md" for folder in PARTS]
    assert [page for page in pages if page in parts] == parts
    assert len(pages) <= len(parts) + README_PAGES


@pytest.mark.parametrize("page", PAGES, ids=shown_name)
def test_a_page_begins_with_its_title(page: Path) -> None:
    assert re.match(r"# \S", page.read_text())


def wide_lines(text: str) -> Iterator[str]:
    """Yield the lines of prose that are too long: no tables, code, links or comments."""
    code = {
        line
        for token in MARKDOWN.parse(text)
        if token.map and token.type in ("fence", "code_block", "html_block")
        for line in range(*token.map)
    }
    for number, line in enumerate(text.splitlines()):
        words = line.lstrip("*-0123456789. ").split()
        if number in code or UNWRAPPED.match(line) or len(words) < 2 or line.startswith("!["):
            continue
        if len(line) > WIDTH:
            yield line


@pytest.mark.parametrize("page", DOCUMENTS, ids=shown_name)
def test_prose_is_narrow(page: Path) -> None:
    assert list(wide_lines(page.read_text())) == []


def test_wide_prose_is_found() -> None:
    wide = "word " * 30
    text = f"{wide}\n\n| {wide} |\n|---|\n\n```text\n{wide}\n```\n\n[a]: {wide}\n"
    assert list(wide_lines(text)) == [wide]


@pytest.mark.parametrize("page", GUIDES, ids=shown_name)
def test_measurements_are_in_the_lab_books(page: Path) -> None:
    if page.name not in DATED:
        assert DATE.findall(page.read_text()) == []


def sources() -> list[Path]:
    """Return the files that may name a page: code, templates, tests, settings, workflows."""
    listed = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    done = subprocess.run(listed, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip("this checkout has no git")
    names = (name for name in done.stdout.split("\0") if Path(name).suffix in SOURCES)
    return [ROOT / name for name in names if not name.startswith(("upstream/", "tests/website/"))]


def missing_pages(text: str) -> list[str]:
    """Return the pages of docs/ that a text names and that do not exist."""
    return [name for name in NAMED_PAGE.findall(text) if not (ROOT / name).is_file()]


def test_pages_that_sources_name_exist() -> None:
    missing = {
        str(path.relative_to(ROOT)): names
        for path in sources()
        if path.is_file() and (names := missing_pages(path.read_text(encoding="utf-8")))
    }
    assert not missing, f"website/moved.toml has the present names: {missing}"


def test_a_missing_page_is_found() -> None:
    gone = "docs/" + "repl.md"
    assert missing_pages(f"See docs/how-to/repl.md and {gone}.") == [gone]


def test_the_defaults_of_an_evaluation_are_where_the_page_says() -> None:
    text = (DOCS / "reference" / "evaluate.md").read_text()
    row = r"^\| `(\w+)` \| `--[\w-]+` \| .* \| `([\w.]+)`(?: in `([\w/.]+)`)? \|$"
    rows = re.findall(row, text, re.MULTILINE)
    assert len(rows) == 15
    homes = {"porter.evaluation.Judging": Judging, "BuildConfig": BuildConfig}
    for argument, name, file in rows:
        home, _, attribute = name.rpartition(".")
        if home in homes:
            assert argument == attribute in attrs.fields_dict(homes[home])
        assert not file or "class BuildConfig" in (ROOT / file).read_text()
