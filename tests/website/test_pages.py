"""The site contains all pages, their links resolve, and they show the content of the files."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import yaml
from markdown_it import MarkdownIt

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
sys.path.insert(0, str(ROOT / "website"))

import links  # noqa: E402

from tests.docs.test_markdown import headings  # noqa: E402

REPOSITORY = "https://example.org/porter"
NAMES = {"how-to/repl.md": "The prompt"}
needs_mkdocs = pytest.mark.skipif(
    not all(map(find_spec, ("mkdocs", "material", "mkdocstrings_handlers"))),
    reason="mkdocs-material or mkdocstrings is missing: install .[site]",
)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the site. mkdocs.yml is strict: a warning ends the build."""
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)]
    settings = {"NO_MKDOCS_2_WARNING": "1", "PORTER_REPOSITORY_URL": REPOSITORY}
    environment = {**os.environ, **settings, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return folder


def listed(navigation: Any) -> Iterator[str]:
    """Yield the pages of a navigation."""
    if isinstance(navigation, str):
        yield navigation
    else:
        for part in navigation.values() if isinstance(navigation, dict) else navigation:
            yield from listed(part)


def test_every_page_is_in_the_navigation() -> None:
    text = re.sub(r": !.*", ": tag", (ROOT / "mkdocs.yml").read_text())
    named = Counter(listed(yaml.safe_load(text)["nav"]))
    pages = {path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md")}
    pages |= {"index.md", *(f"api/{path.name}" for path in ROOT.glob("website/api/*.md"))}
    missing = sorted(pages - named.keys())
    assert not missing, f"give these a line in the nav of mkdocs.yml: {missing}"
    assert set(named) == pages and set(named.values()) == {1}


def moved() -> dict[str, dict[str, str]]:
    """Return the former addresses of pages and sections, and the present ones."""
    return tomllib.loads((ROOT / "website" / "moved.toml").read_text(encoding="utf-8"))


def test_former_addresses_lead_to_pages() -> None:
    pages = {path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md")}
    assert len(moved()["pages"]) > 20
    assert set(moved()["pages"].values()) <= pages
    assert not pages & moved()["pages"].keys()


def test_former_sections_lead_to_sections() -> None:
    assert len(moved()["sections"]) > 50
    for old, new in moved()["sections"].items():
        page, _, anchor = new.partition("#")
        assert old.partition("#")[0] in moved()["pages"], old
        assert not anchor or anchor in headings((DOCS / page).read_text()), new


@cache
def pages_of(site: Path) -> dict[Path, links.Page]:
    """Return the pages of a site by file, with their anchors."""
    return {path: links.Page(path.read_text()) for path in site.rglob("*.html")}


def elements(html: str) -> Counter[str]:
    """Count the items of lists, rows of tables and blocks of code."""
    return Counter(re.findall(r"<(li|tr|h[1-6]|pre)\b", html))


def address_of(page: Path) -> str:
    """Return a page's address in the site. README.md is the index of its folder."""
    name = page.relative_to(DOCS)
    return f"{name.parent if name.name == 'README.md' else name.with_suffix('')}/"


@pytest.mark.campaign("website")
@needs_mkdocs
def test_pages_show_what_the_repository_shows(site: Path) -> None:
    markdown = MarkdownIt("commonmark").enable("table")
    pages = {address_of(path): path for path in DOCS.rglob("*.md")}
    assert len(pages) > 20
    for address, path in {"": ROOT / "README.md", **pages}.items():
        html = (site / address / "index.html").read_text()
        article = html[html.index("<article") : html.index("</article>")]
        assert elements(article) == elements(markdown.render(path.read_text())), path.name
        assert not re.search("<!-- (not run|needs|file|campaign):|invisible-code-block", html)


@pytest.mark.campaign("website")
@needs_mkdocs
def test_former_addresses_redirect(site: Path) -> None:
    for old, new in moved()["pages"].items():
        page = site / old.removesuffix(".md")
        html = (page / "index.html").read_text()
        (target,) = re.findall(r'url=([^"]*)"', html)
        assert (page / target).resolve() == site / new.removesuffix(".md")
        (script,) = re.findall(r"replace\(({.*})\[", html)
        sections = json.loads(script)
        assert {f"{old}#{anchor}" for anchor in sections} <= moved()["sections"].keys()
        for to in sections.values():
            assert links.leads_somewhere(to, page / "index.html", site, pages_of(site))


@pytest.mark.campaign("website")
@needs_mkdocs
def test_links_lead_somewhere(site: Path) -> None:
    assert list(links.broken(site)) == []


@pytest.mark.campaign("website")
@needs_mkdocs
def test_the_home_page_is_the_readme(site: Path) -> None:
    html = (site / "index.html").read_text()
    assert 'href="reference/python-api/"' in html and 'src="beetle.png"' in html
    assert "docs/" not in re.sub(r"<code>.*?</code>", "", html.replace("https://", ""))


def public_names() -> list[str]:
    """Return the full names that the API reference must describe."""
    import porter.array
    import porter.errors
    import porter.evaluation
    import porter.run

    names = [f"porter.array.{name}" for name in porter.array.__all__ if name != "Handle"]
    names += [f"porter.run.{name}" for name in porter.run.__all__]
    names += [f"porter.evaluation.{name}" for name in porter.evaluation.__all__]
    names += [f"porter.errors.{name}" for name in porter.errors.__all__ if name[0].isupper()]
    return [name for name in names if not name.rpartition(".")[2].isupper()]


def test_the_sources_of_the_reference_name_the_public_names() -> None:
    named = set()
    for path in (ROOT / "website" / "api").glob("*.md"):
        named.update(re.findall(r"^::: (\S+)", path.read_text(), re.MULTILINE))
    missing = [
        name
        for name in public_names()
        if name not in named and name.rpartition(".")[0] not in named
    ]
    assert not missing, f"add lines `::: NAME` to website/api/ for {missing}"


@pytest.mark.campaign("website")
@needs_mkdocs
def test_the_reference_shows_the_public_names(site: Path) -> None:
    shown = "".join(path.read_text() for path in (site / "api").rglob("*.html"))
    missing = [name for name in public_names() if f'id="{name}"' not in shown]
    assert not missing, f"website/api/ does not list them: {missing}"
    assert "<strong>target</strong>: " in shown  # of InterpreterArray, out of its docstring
    assert "Interpreters per block (they share a barrier)" in shown  # a comment above a field


@pytest.mark.campaign("website")
@needs_mkdocs
def test_search_finds_guides_and_reference(site: Path) -> None:
    index = (site / "search" / "search_index.json").read_text()
    assert '"location":"reference/limits/#deadlines"' in index and "porter.run.Launch" in index


@pytest.mark.campaign("website")
@pytest.mark.parametrize(
    ("link", "is_broken"),
    [
        ("other/", False), ("other/#there", False), ("#here", False), ("style.css?v=1", False),
        ("https://example.org/none", False), ("mailto:a@b.c", False),
        ("none/", True), ("other/#none", True), ("#none", True), ("picture.png", True),
        ("../outside", True), ("other/../none.html", True),
    ],
)  # fmt: skip
def test_a_broken_link_is_found(tmp_path: Path, link: str, is_broken: bool) -> None:
    site = tmp_path / "site"
    (site / "other").mkdir(parents=True)
    (tmp_path / "outside").write_text("")
    (site / "style.css").write_text("")
    (site / "other" / "index.html").write_text('<h1 id="there">Other</h1>')
    (site / "index.html").write_text(f'<h1 id="here">Home</h1><a href="{link}">link</a>')
    assert list(links.broken(site)) == ([("index.html", link)] if is_broken else [])


def test_a_folder_without_pages_is_no_site(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="no pages"):
        list(links.broken(tmp_path))


@pytest.fixture
def hooks() -> ModuleType:
    pytest.importorskip("mkdocs", reason="mkdocs is missing: install .[site]")
    import hooks

    return hooks


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("[a](docs/how-to/repl.md#answers)", "[a](../how-to/repl.md#answers)"),
        ("![a](docs/run.svg)", "![a](../run.svg)"),
        ("[examples](examples/sweep.py)", f"[examples]({REPOSITORY}/blob/main/examples/sweep.py)"),
        ("[a](website/api/arrays.md)", "[a](../api/arrays.md)"),
        ("[a](docs/none.md)", "[a](../none.md)"),
        ("[a](none.md) [b](#here) [c](https://a.b)", "[a](none.md) [b](#here) [c](https://a.b)"),
        ("[docs/how-to/repl.md](docs/how-to/repl.md)", "[The prompt](../how-to/repl.md)"),
        ("(docs/how-to/repl.md)", "([The prompt](../how-to/repl.md))"),
        ("(docs/lab/gpu.md)", "([Lab book: what was run on a GPU](../lab/gpu.md))"),
        ("`docs/how-to/repl.md`", "`docs/how-to/repl.md`"),
    ],
)
def test_links_of_a_page(hooks: ModuleType, text: str, wanted: str) -> None:
    assert hooks.relinked(text, ROOT, "lab/page.md", REPOSITORY, NAMES) == wanted


def test_a_redirect_overwrites_no_page(hooks: ModuleType, tmp_path: Path) -> None:
    (tmp_path / "here").mkdir()
    (tmp_path / "here" / "index.html").write_text("a page")
    with pytest.raises(FileExistsError):
        hooks.write_redirects(tmp_path, {"here.md": "how-to/here.md"}, {})
    assert (tmp_path / "here" / "index.html").read_text() == "a page"


def test_links_out_of_the_site_without_a_repository(hooks: ModuleType) -> None:
    assert hooks.relinked("[a file](examples/sweep.py)", ROOT, "index.md", "", {}) == "a file"


def test_comments_for_tests_and_code(hooks: ModuleType) -> None:
    code = "```sh\ncat (docs/how-to/repl.md)\n```\n"
    marks = "<!-- campaign: documents -->\n<!-- needs: gpu -->\n"
    text = marks + code + "<!--\ninvisible-code-block: sh\nls\n-->\nText\n"
    assert hooks.outside_fences(hooks.MARK.sub("", text), str.upper) == code + "TEXT\n"
