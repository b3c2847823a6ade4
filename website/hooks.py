"""Hooks of mkdocs for porter's site: home page, API pages, links, former addresses.

mkdocs calls on_files(), on_page_markdown() and on_post_build(). Pages are unchanged in the
repository, where their links work too; these hooks rewrite the links for the site.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parents[1]
OURS = Path(__file__).parent
DOCS = ROOT / "docs"
HOME = "index.md"
MOVED = OURS / "moved.toml"

# A page at a former address. The script keeps the anchor, or follows the section to its new page; a
# refresh of HTML would drop the anchor.
REDIRECT = """<!doctype html>
<meta charset="utf-8">
<title>Moved</title>
<link rel="canonical" href="{to}">
<meta name="robots" content="noindex">
<script>
location.replace({sections}[location.hash.slice(1)] || "{to}" + location.hash)
</script>
<meta http-equiv="refresh" content="0; url={to}">
<p>This page has moved: <a href="{to}">{to}</a></p>
"""

LINK = re.compile(r"(!?)\[((?:[^][]|\[[^]]*\])*)\]\((?!\w+:|#)([^)\s#]+)(#[^)\s]*)?\)")
# Comments for tests/docs; the site omits them.
MARK = re.compile(
    r"^<!--\s*(?:not run|needs|file|campaign|invisible-code-block):.*?-->\n", re.S | re.M
)
BARE = re.compile(r"(?<!\]\()(?<![\[`\w/])docs/([\w/-]+\.md)\b")
FENCE = re.compile(r"^(`{3,}).*?^\1\s*$", re.S | re.M)


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add README.md as the home page, and this folder's pages of the API and styles."""
    files.append(File.generated(config, HOME, abs_src_path=str(ROOT / "README.md")))
    for path in sorted([*OURS.glob("api/*.md"), *OURS.glob("*.css"), *OURS.glob("*.svg")]):
        name = path.relative_to(OURS).as_posix()
        files.append(File.generated(config, name, abs_src_path=str(path)))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, **_: Any) -> str:
    """Redirect links that leave docs/ to the site's page for the file, or to the repository."""
    uri = page.file.src_uri
    if uri.startswith("api/"):
        return markdown
    here = ROOT if uri == HOME else (DOCS / uri).parent
    names = dict(titles(config.nav))
    return outside_fences(
        MARK.sub("", markdown),
        lambda text: relinked(text, here, uri, config.repo_url or "", names),
    )


def on_post_build(config: MkDocsConfig, **_: Any) -> None:
    """Write a page at each former address that leads to the present one."""
    moved = tomllib.loads(MOVED.read_text(encoding="utf-8"))
    write_redirects(Path(config.site_dir), moved["pages"], moved["sections"])


def write_redirects(site: Path, pages: Mapping[str, str], sections: Mapping[str, str]) -> None:
    """Write the redirecting pages of a site.

    Args:
        site: The folder of the built site.
        pages: Former page to present page, both relative to docs/, as in moved.toml.
        sections: Former page and anchor (`page.md#anchor`) to the present ones, likewise.

    Raises:
        FileExistsError: A page of the site has a former address.
    """
    for old, new in pages.items():
        up = "../" * len(Path(old).parts)
        below = {
            former.partition("#")[2]: up + address(present)
            for former, present in sections.items()
            if former.partition("#")[0] == old
        }
        folder = site / old.removesuffix(".md")
        folder.mkdir(parents=True, exist_ok=True)
        with (folder / "index.html").open("x", encoding="utf-8") as page:
            page.write(REDIRECT.format(to=up + address(new), sections=json.dumps(below)))


def address(page: str) -> str:
    """Return a page's address in the site, with its anchor: `how-to/repl.md#files`."""
    name, mark, anchor = page.partition("#")
    return name.removesuffix(".md") + "/" + mark + anchor


def titles(navigation: Any) -> Iterator[tuple[str, str]]:
    """Yield page and title of each titled entry of the navigation."""
    for part in navigation or ():
        for title, below in part.items() if isinstance(part, dict) else ():
            if isinstance(below, str):
                yield below, title
            else:
                yield from titles(below)


def outside_fences(markdown: str, change: Any) -> str:
    """Return the text with `change` applied outside of fenced code."""
    parts, at = [], 0
    for fence in FENCE.finditer(markdown):
        parts += [change(markdown[at : fence.start()]), fence[0]]
        at = fence.end()
    return "".join([*parts, change(markdown[at:])])


def relinked(text: str, here: Path, uri: str, repository: str, names: Mapping[str, str]) -> str:
    """Return a page's text with its links rewritten for the site.

    Args:
        text: Markdown without fenced code.
        here: The page's folder in the repository, the base of its links.
        uri: The page's path in the site.
        repository: URL of the repository, or "" for none.
        names: Titles of the site's pages; a link whose text is a file name shows the title.
    """
    up = "../" * uri.count("/")

    def called(file: Path) -> str:
        return names.get(file.relative_to(DOCS).as_posix()) or heading(file)

    def link(found: re.Match[str]) -> str:
        picture, shown, name, anchor = found[1], found[2], found[3], found[4] or ""
        if picture == "" and "](" in shown:  # a link that encloses a picture
            shown = LINK.sub(link, shown)
        file = (here / name).resolve()
        if file == ROOT / "README.md":
            return f"[{shown}]({up}{HOME}{anchor})"
        if file.is_relative_to(DOCS):
            if shown.endswith(".md") and file.is_file():
                shown = called(file)
            return f"{picture}[{shown}]({up}{file.relative_to(DOCS).as_posix()}{anchor})"
        if file.is_relative_to(OURS / "api") and file.is_file():
            return f"[{shown}]({up}{file.relative_to(OURS).as_posix()}{anchor})"
        if not file.is_relative_to(ROOT) or not file.exists():
            return found[0]  # mkdocs reports it as broken
        if repository:
            return f"[{shown}]({repository}/blob/main/{file.relative_to(ROOT).as_posix()}{anchor})"
        return shown

    def bare(found: re.Match[str]) -> str:
        file = DOCS / found[1]
        return f"[{called(file)}]({up}{found[1]})" if file.is_file() else found[0]

    return BARE.sub(bare, LINK.sub(link, text))


def heading(page: Path) -> str:
    """Return a page's first heading, or its file name."""
    found = re.search(r"^# (.+)$", page.read_text(encoding="utf-8"), re.M)
    return found[1] if found else page.name
