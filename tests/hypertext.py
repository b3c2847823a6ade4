"""Check porter's HTML: a program's text in it must stay text."""

from __future__ import annotations

from html.parser import HTMLParser

TAGS = {"div", "b", "pre", "table", "tr", "td", "th", "progress"}
ATTRIBUTES = {"style", "max", "value"}


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in TAGS and {name for name, _ in attrs} <= ATTRIBUTES, (tag, attrs)
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def check_tags(html: str) -> str:
    """Return the text of `html`; check that its elements are all porter's and closed."""
    reader = _Reader()
    reader.feed(html)
    reader.close()
    assert not reader.open
    return reader.text
