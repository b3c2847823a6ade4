"""Make a program of a cell: print the value of its last expression, keep line numbers."""

from __future__ import annotations

import ast
import warnings

from attrs import frozen

SHOWN = ("__repl_print__((", "))")  # the function that MicroPython's prompt calls with a value
PICTURE = "outbuf"


@frozen
class CellProgram:
    """The program of a cell.

    Attributes:
        name: Its file name in tracebacks.
        source: The text that the user sees, with the magic's line.
        program: The code to run, with the same line numbers.
        picture: Whether its last line is `outbuf`, which is then shown as a picture.
    """

    name: str
    source: str
    program: str
    picture: bool


def of_cell(count: int, line: str, body: str) -> CellProgram:
    """Return the program of the cell with number `count`; `line` is its first line, the magic."""
    shown, picture = showing(body)
    seen = f"{line.rstrip()}\n{body}".rstrip("\n")
    return CellProgram(f"<cell {count}>", seen, f"\n{shown}", picture)


def of_line(count: int, code: str) -> CellProgram:
    """Return the program of a line magic in the cell with number `count`."""
    shown, picture = showing(code)
    return CellProgram(f"<line in cell {count}>", code, shown, picture)


def showing(source: str) -> tuple[str, bool]:
    """Make `source` print the value of its last expression, unless a `;` follows it.

    Source that CPython cannot parse is unchanged: MicroPython may accept it, or report the error.

    Returns:
        The source, and whether the last expression is just `outbuf`, which is not printed.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            body = ast.parse(source).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return source, False
    last = body[-1] if body else None
    if not isinstance(last, ast.Expr) or last.end_lineno is None or last.end_col_offset is None:
        return source, False
    lines = source.encode().splitlines(keepends=True)  # ast's columns count bytes
    start = sum(map(len, lines[: last.lineno - 1])) + last.col_offset
    end = sum(map(len, lines[: last.end_lineno - 1])) + last.end_col_offset
    data = b"".join(lines)
    if data[end:].lstrip(b" \t)").startswith(b";"):
        return source, False
    if isinstance(last.value, ast.Name) and last.value.id == PICTURE:
        return source, True
    before, after = (part.encode() for part in SHOWN)
    return (data[:start] + before + data[start:end] + after + data[end:]).decode(), False
