"""Draws `docs/run.svg`, the picture in the README: `python docs/picture.py`.

The text is what `porter run` prints when it is started here, so the picture is never invented.
"""

from __future__ import annotations

import re
import subprocess
from html import escape
from pathlib import Path

PROGRAM = Path(__file__).parents[1] / "examples" / "collatz.py"
N = 100_000
LINE, CHARACTER, MARGIN = 19, 8.43, 18
BANNER = re.compile(r"-{5} .* -{5}$")


def session() -> list[tuple[str, str]]:
    """(kind, line) of a terminal session: the command, its program, and what it printed."""
    command = ["porter", "run", "-n", str(N), str(PROGRAM)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    lines = [("prompt", "$ cat examples/collatz.py")]
    lines += [("plain", line) for line in PROGRAM.read_text().splitlines()]
    lines += [("prompt", f"$ porter run -n {N} examples/collatz.py")]
    for line in done.stdout.splitlines():
        lines.append(("banner" if BANNER.match(line) else "plain", line))
    return lines


def svg(lines: list[tuple[str, str]]) -> str:
    """The picture of `lines`."""
    colours = {"prompt": "#9aa5b1", "banner": "#40e0d0", "plain": "#e4e7eb"}
    width = 2 * MARGIN + CHARACTER * max(len(text) for _, text in lines)
    height = 2 * MARGIN + LINE * len(lines)
    rows = [
        f'<text x="{MARGIN}" y="{MARGIN + LINE * (i + 0.75):.0f}" fill="{colours[kind]}" '
        f'xml:space="preserve">{escape(text)}</text>'
        for i, (kind, text) in enumerate(lines)
    ]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height}" '
        f'font-family="monospace" font-size="14">\n'
        f'<rect width="100%" height="100%" rx="8" fill="#1f2933"/>\n'
        + "\n".join(rows)
        + "\n</svg>\n"
    )


if __name__ == "__main__":
    Path(__file__).with_name("run.svg").write_text(svg(session()), encoding="utf-8")
