"""The preprocessor's command line, for qstr collection and for units."""

from __future__ import annotations

from collections.abc import Sequence

from porter.generate.layout import Layout

CC = "cc"

# Names by which code asks for an operating system: there is none below an interpreter.
_HOST_NAMES = (
    "linux", "__linux", "__linux__", "__gnu_linux__",
    "unix", "__unix", "__unix__", "__ELF__",
)  # fmt: skip


def preprocessor_flags(layout: Layout, defines: Sequence[str]) -> list[str]:
    """Options after `cc -E`: nothing of the host's headers, ours first, then upstream's.

    `defines` are -D options from upstream's makefiles.
    """
    flags = ["-std=gnu99", "-nostdinc", "-ffreestanding", "-DPORTER", "-DNDEBUG"]
    flags += [f"-U{name}" for name in _HOST_NAMES]
    flags += defines
    for folder in (layout.port, layout.libc, layout.build, layout.patched, layout.upstream):
        flags += ["-I", str(folder)]
    return [*flags, "-include", "porter_names.h"]
