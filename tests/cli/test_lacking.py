"""`porter run` and `porter repl` report exhausted memory sizes, and suggest larger sizes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

PROGRAM = "print('on')\nx = bytearray(100000 if threadIdx else 0)\nprint('end')"


def test_run(run: Callable[..., Any]) -> None:
    done = run("-n", "4", "--heap", "16K", "-c", PROGRAM)
    assert done.code == 41
    assert done.err.endswith(
        "porter: hint: 3 of 4 ran out of heap, which is 16K: give --heap 224K or more.\n"
    )
    assert run("-n", "4", "--heap", "224K", "-c", PROGRAM).code == 0
    caught = "try:\n    bytearray(1 << 20)\nexcept MemoryError:\n    1 / 0"
    assert "hint" not in run("-n", "4", "-c", caught).err


def test_repl(porter: Callable[..., Any], built: Any) -> None:
    """Its default heap holds asyncio."""
    release = built.sources.name.rpartition("-")[0]
    text = "import asyncio\nasync def f():\n    return 7\n\nasyncio.run(f())\nbytearray(1 << 20)\n"
    done = porter("repl", "--target", "host", "--release", release, "-n", "3", input=text)
    assert (done.code, done.out.count("Traceback"), done.out[:2]) == (41, 1, "7\n")
    assert "porter: 3 of 3 ran out of heap, which is 48K: give --heap 3M or more." in done.err
