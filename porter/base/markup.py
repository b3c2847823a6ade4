"""HTML for notebooks. Text of programs and users is always escaped, and cut if it is long.

Styles are inline and use JupyterLab's colour variables, which follow its light and dark themes,
with fallback colours for other viewers. A viewer that drops styles still shows all text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from markupsafe import Markup, escape

from porter.base.untrusted import printable_text

MONO = "font-family:var(--jp-code-font-family,monospace);font-size:var(--jp-code-font-size,13px)"
BANNER = "var(--jp-info-color0,#00838f)"
DIM = "var(--jp-content-font-color2,#757575)"
RED = "var(--jp-error-color1,#d32f2f)"
LINE = "var(--jp-border-color2,#bdbdbd)"
ASIDE = f"color:{DIM};font-size:var(--jp-ui-font-size1,13px)"
MOST_TEXT = 1 << 16  # maximum characters of one text
# Characters without a glyph, or that affect the text around them: control characters,
# bidirectional marks, lone surrogates.
_UNSEEN = re.compile(
    "[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufeff]"
)


def visible(text: bytes | str) -> str:
    """Return readable `text`: invalid UTF-8 and control characters are escaped, as in `\\x1b`.

    Newlines and tabs are kept; a carriage return before a newline is dropped.
    """
    if isinstance(text, bytes):
        text = printable_text(text)
    return _UNSEEN.sub(_written, text.replace("\r\n", "\n"))


def _written(match: re.Match[str]) -> str:
    return ascii(match[0])[1:-1]


def shortened(text: bytes | str, most: int = MOST_TEXT) -> str:
    """Return `visible` text of at most `most` characters or bytes, and a count of the rest."""
    if len(text) <= most:
        return visible(text)
    unit = "bytes" if isinstance(text, bytes) else "characters"
    return f"{visible(text[:most])}\n... and {len(text) - most:,} more {unit}\n"


def block(text: bytes | str, *, most: int = MOST_TEXT, colour: str | None = None) -> Markup:
    """Return `text` as a preformatted block; `colour` is a constant of this module."""
    style = "margin:0;white-space:pre-wrap;overflow-wrap:anywhere"
    if colour:
        style += f";color:{colour}"
    return Markup('<pre style="{}">{}</pre>').format(style, shortened(text, most))


def banner(text: str) -> Markup:
    """Return a heading that names the group of interpreters below: `349526x`."""
    style = f"color:{BANNER};{MONO};border-bottom:1px solid {LINE};margin:.4em 0 .1em"
    return Markup('<div style="{}"><b>{}</b></div>').format(style, visible(text))


def note(text: str) -> Markup:
    """Return a line for a message of porter."""
    return Markup('<div style="{}">{}</div>').format(ASIDE, visible(text))


def table(rows: Iterable[Sequence[object]], head: Sequence[str] = ()) -> Markup:
    """Return a table; cells that are Markup are inserted, others converted to str and escaped."""
    cell = "text-align:left;vertical-align:top;padding:.15em .8em .15em 0"
    lines = [_row("th", head, cell)] if head else []
    lines += [_row("td", row, cell) for row in rows]
    return Markup('<table style="margin:.2em 0">{}</table>').format(Markup("").join(lines))


def _row(tag: str, cells: Sequence[object], style: str) -> Markup:
    parts = [
        Markup('<{0} style="{1}">{2}</{0}>').format(Markup(tag), style, _cell(cell))
        for cell in cells
    ]
    return Markup("<tr>{}</tr>").format(Markup("").join(parts))


def _cell(cell: object) -> Markup:
    return cell if isinstance(cell, Markup) else escape(shortened(str(cell)))


def panel(title: str, *parts: Markup) -> Markup:
    """Return parts stacked under a bold title, with a line at the left."""
    style = f"border-left:3px solid {LINE};padding-left:.8em"
    return Markup('<div style="{}"><b>{}</b>{}</div>').format(
        style, visible(title), Markup("").join(parts)
    )


def progress(text: str, done: int | None, total: int) -> Markup:
    """Return a progress bar, `done` of `total`; an indeterminate one if `done` is None."""
    value = Markup("") if done is None else Markup(' value="{}"').format(done)
    style = "width:16em;vertical-align:middle;accent-color:var(--jp-brand-color1,#1976d2)"
    bar = Markup('<progress max="{}"{} style="{}"></progress>').format(total, value, style)
    return Markup('<div style="{}">{} {}</div>').format(ASIDE, bar, visible(text))
