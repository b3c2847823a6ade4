"""Find broken links in a built site: `python website/links.py build/site`.

Checks pages, pictures, styles, scripts and anchors within the site, but no links to other servers.
Needs only Python.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    """The link targets and the anchors of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.targets: list[str] = []
        self.anchors: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Collect the tag's anchors and link targets."""
        for name, value in attrs:
            if name in ("id", "name") and value:
                self.anchors.add(value)
            elif name in ("href", "src") and value is not None:
                self.targets.append(value)


def broken(site: Path) -> Iterator[tuple[str, str]]:
    """Yield page and target of each broken link; raise AssertionError for a site without pages."""
    pages = {path: Page(path.read_text("utf-8")) for path in sorted(site.rglob("*.html"))}
    assert pages, f"{site} holds no pages"
    for path, page in pages.items():
        if path.name == "404.html":  # shown at any address, so its links begin with a slash
            continue
        for target in page.targets:
            if not leads_somewhere(target, path, site, pages):
                yield path.relative_to(site).as_posix(), target


def leads_somewhere(target: str, path: Path, site: Path, pages: dict[Path, Page]) -> bool:
    """Return whether a link of the page `path` leads to an existing target or another server."""
    parts = urlsplit(target)
    if parts.scheme or parts.netloc:
        return True
    file = path
    if parts.path:
        file = (path.parent / unquote(parts.path)).resolve()
        if parts.path.endswith("/") or file.is_dir():
            file /= "index.html"
    if not file.is_relative_to(site.resolve()) or not file.is_file():
        return False
    return file not in pages or not parts.fragment or unquote(parts.fragment) in pages[file].anchors


def main() -> int:
    """Print the broken links; return their number, at most 100."""
    found = list(broken(Path(sys.argv[1]).resolve()))
    for page, target in found:
        print(f"{page}: {target} leads nowhere")
    return min(len(found), 100)


if __name__ == "__main__":
    sys.exit(main())
