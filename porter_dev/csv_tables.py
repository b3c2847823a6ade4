"""Small CSV tables with header lines, for measurements that documents quote.

A `Table` enters or leaves as text: lines `# name: value`, a line of column names, rows of cells.
`gpu_tables` makes such tables from recordings.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from attrs import evolve, frozen

DIGITS = 7  # significant digits of a cell; CUDA events are float32
KEY = ("recording", "date", "commit")  # columns that identify a row of a table that runs share


@frozen
class Table:
    """A CSV table: header lines `# name: text`, a row of column names, rows of cells."""

    about: Mapping[str, str]
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]

    def text(self) -> str:
        """Return the file's text. Columns without any value are left out."""
        used = [k for k in range(len(self.columns)) if any(row[k] for row in self.rows)]
        out = io.StringIO()
        for name, value in self.about.items():
            out.write(f"# {name}: {value}\n")
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow([self.columns[k] for k in used])
        writer.writerows([row[k] for k in used] for row in self.rows)
        return out.getvalue()


def read(path: Path) -> Table:
    """Read a table that `Table.text` wrote."""
    lines = path.read_text(encoding="utf-8").splitlines()
    about = dict(line[2:].split(": ", 1) for line in lines if line.startswith("# "))
    columns, *rows = csv.reader(line for line in lines if not line.startswith("# "))
    return Table(about, columns, rows)


def cell(value: Any, scale: float = 1) -> str:
    """Return a cell: numbers with `DIGITS` significant digits, lists joined, None as nothing."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value * scale:.{DIGITS}g}"
    if isinstance(value, (list, tuple)):
        return "; ".join(map(str, value))
    return str(value)


def milliseconds(figure: Any, part: str = "median") -> str:
    """Return a time in ms from seconds, or from one part of a median with its spread."""
    seconds = figure.get(part) if isinstance(figure, Mapping) else figure
    return cell(None if seconds is None else float(seconds), 1e3)


def merge(table: Table, row: Table) -> Table:
    """Add the row of a one-row table. The new row replaces the row with the same `KEY` cells."""
    columns = [*row.columns, *(name for name in table.columns if name not in row.columns)]
    places = [columns.index(name) for name in KEY]
    every = [*_aligned(table, columns), *_aligned(row, columns)]
    by_key = {tuple(cells[k] for k in places): cells for cells in every}
    return evolve(table, columns=columns, rows=[*by_key.values()])


def _aligned(table: Table, columns: Sequence[str]) -> Iterable[Sequence[str]]:
    """Return a table's rows with the cells in the order of other columns."""
    for row in table.rows:
        known = dict(zip(table.columns, row, strict=True))
        yield tuple(known.get(name, "") for name in columns)
