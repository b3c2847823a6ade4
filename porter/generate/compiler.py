"""The C preprocessor and its options, for the collection of qstrs and for units."""

from __future__ import annotations

from collections.abc import Sequence

from porter.generate.layout import Layout

CC = "cc"

# Macros by which C code detects an operating system; an interpreter has none.
_HOST_NAMES = (
    "linux", "__linux", "__linux__", "__gnu_linux__",
    "unix", "__unix", "__unix__", "__ELF__",
)  # fmt: skip


def preprocessor_flags(layout: Layout, defines: Sequence[str]) -> list[str]:
    """Return the options of `cc -E`: the port's headers first, then upstream's, no host headers.

    Args:
        layout: The folders of the build.
        defines: -D options from upstream's makefiles.
    """
    flags = ["-std=gnu99", "-nostdinc", "-ffreestanding", "-DPORTER", "-DNDEBUG"]
    flags += [f"-U{name}" for name in _HOST_NAMES]
    flags += defines
    for folder in (layout.port, layout.libc, layout.build, layout.patched, layout.upstream):
        flags += ["-I", str(folder)]
    return [*flags, "-include", "porter_names.h"]
