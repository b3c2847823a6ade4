"""What a cell runs: the value of its last expression is shown, lines keep their numbers."""

from __future__ import annotations

import ast
import warnings

from attrs import frozen

SHOWN = ("__repl_print__((", "))")  # what MicroPython's prompt calls with a value
PICTURE = "outbuf"


@frozen
class CellProgram:
    """name: what tracebacks call it. source: what people see, the magic's line included.

    program: what runs, line for line. picture: its last line is `outbuf`, so that is to be seen.
    """

    name: str
    source: str
    program: str
    picture: bool


def of_cell(count: int, line: str, body: str) -> CellProgram:
    """The program of the cell numbered `count`, whose first line is a magic's."""
    shown, picture = showing(body)
    seen = f"{line.rstrip()}\n{body}".rstrip("\n")
    return CellProgram(f"<cell {count}>", seen, f"\n{shown}", picture)


def of_line(count: int, code: str) -> CellProgram:
    """The program of a line magic in the cell numbered `count`."""
    shown, picture = showing(code)
    return CellProgram(f"<line in cell {count}>", code, shown, picture)


def showing(source: str) -> tuple[str, bool]:
    """`source` whose last expression's value is printed, as a prompt does; a `;` after it hides it.

    And whether the expression is `outbuf` alone, which is no text. What CPython does not parse
    stays as it is: MicroPython may, or says what is wrong.
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
    lines = source.encode().splitlines(keepends=True)  # ast counts bytes
    start = sum(map(len, lines[: last.lineno - 1])) + last.col_offset
    end = sum(map(len, lines[: last.end_lineno - 1])) + last.end_col_offset
    data = b"".join(lines)
    if data[end:].lstrip(b" \t)").startswith(b";"):
        return source, False
    if isinstance(last.value, ast.Name) and last.value.id == PICTURE:
        return source, True
    before, after = (part.encode() for part in SHOWN)
    return (data[:start] + before + data[start:end] + after + data[end:]).decode(), False
