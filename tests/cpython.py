"""Expected output: run programs in CPython."""

from __future__ import annotations

import contextlib
import io


def cpython(program: str, **names: object) -> bytes:
    """Bytes that `program` prints, run by this process with `names` as its globals."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(program, "<program>", "exec", dont_inherit=True), names)
    return printed.getvalue().encode()
