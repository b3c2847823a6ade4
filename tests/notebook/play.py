"""Print the output of the last of some cells: `python tests/notebook/play.py CELL... LAST`.

The arguments are files with one cell each. All cells run in one kernel, after `%load_ext porter`.
Only the last may raise.
"""

from __future__ import annotations

import sys
from pathlib import Path

import nbformat

from tests.notebook.executing import execute_notebook, uncoloured


def main(files: list[str]) -> None:
    """Run the command."""
    cells = ["%load_ext porter", *(Path(file).read_text() for file in files)]
    made = [nbformat.v4.new_code_cell(cell) for cell in cells]
    *before, last = execute_notebook(nbformat.v4.new_notebook(cells=made))
    assert not [ran.error for ran in before if ran.error]
    if last.text:
        print(last.text)
    if last.error:
        print(uncoloured(last.error))


if __name__ == "__main__":
    main(sys.argv[1:])
