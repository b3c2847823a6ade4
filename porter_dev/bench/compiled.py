"""Compile C++ sources of the benchmark tools into shared libraries, when they are first used."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from porter.base import process
from porter.errors import BuildFailed, NoCompiler, ToolFailed, ToolMissing


def load_compiled(source: Path, flags: Sequence[str]) -> ctypes.CDLL:
    """Compile `source` with g++ and load it into this process.

    Raises:
        NoCompiler: g++ is not installed.
        BuildFailed: g++ rejects the source.
    """
    with TemporaryDirectory(prefix="porter-bench-") as folder:
        library = Path(folder, source.stem + ".so")
        try:
            process.run(["g++", *flags, "-shared", "-fPIC", "-o", library, source], timeout=120)
        except ToolMissing as error:
            raise NoCompiler("g++ is not installed", hint=error.hint) from error
        except ToolFailed as error:
            raise BuildFailed(f"{source}: {error.output or error}") from error
        return ctypes.CDLL(str(library))
