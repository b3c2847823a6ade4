"""Build upstream MicroPython's unix port from the synced sources, as a reference."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from porter.base import arguments, process
from porter.base.files import replacing
from porter.errors import BuildFailed, ToolFailed, UnknownRelease, UsageError
from porter_dev.bench.cpu_references import Python

# Upstream's standard variant, without the options that need libraries which a distribution's
# sources may lack. No benchmark uses these. Linked statically, to run on other machines too.
_WITHOUT = (
    "MICROPY_PY_BTREE",
    "MICROPY_PY_FFI",
    "MICROPY_PY_SOCKET",
    "MICROPY_PY_SSL",
    "MICROPY_PY_BLUETOOTH",
    "MICROPY_PY_THREAD",
    "MICROPY_USE_READLINE",
    "MICROPY_SSL_AXTLS",
    "MICROPY_SSL_MBEDTLS",
    "MICROPY_VFS_FAT",
)
_OPTIONS = (
    "VARIANT=standard",
    "FROZEN_MANIFEST=",
    "LDFLAGS_EXTRA=-static",
    *(f"{name}=0" for name in _WITHOUT),
)
# The lock does not cover FAT's library, so the build must work without its headers. Two files
# include one even with FAT disabled. For extmod/modvfs.c, the header's include guard is predefined;
# for the port's clock, a stub header defines the type that it needs.
_NO_FAT = "-DMICROPY_INCLUDED_EXTMOD_VFS_FAT_H"
_FAT_CLOCK = "typedef unsigned DWORD;\n"
_LIBRARY_HEADER = re.compile(r'^#include "(lib/[^"]+)"', re.MULTILINE)
HEAP, ROOMY = (
    "64M",
    "1024M",
)  # heap by default; with the matrix of Figure 8, of which two copies exist for a moment


def unix_port(release: str, executable: arguments.StrPath | None = None) -> Python:
    """Return upstream's unix port of `release`, built if missing; or describe `executable`.

    Raises:
        UnknownRelease: The release's sources have no unix port.
        ToolMissing: A build tool is not installed.
        BuildFailed: The build fails.
        UsageError: `executable` is not MicroPython.
    """
    executable = None if executable is None else arguments.path(executable, "executable")
    about = f"upstream's unix port {release}, standard variant, upstream's optimisation"
    if executable is None:
        executable = build(release)
    else:
        shown = process.run([executable, "-c", "import sys; print(sys.implementation)"], timeout=60)
        if "micropython" not in shown.stdout:
            raise UsageError(f"{executable}: not upstream's unix port")
        about = f"{executable.name}, {shown.stdout.strip()}"
    command, roomy = ((str(executable.resolve()), "-X", f"heapsize={h}") for h in (HEAP, ROOMY))
    return Python("MicroPython", about, command, roomy)


def build(release: str, jobs: int | None = None) -> Path:
    """Build the executable once per release and set of options (about 30 s on one core)."""
    from porter.base import paths  # imported late: running a finished executable needs no sync
    from porter.sync.synchronization import ensure

    source = ensure(release).path / "ports" / "unix"
    if not source.is_dir():
        raise UnknownRelease(
            f"{source.parent.parent} has no unix port", hint=f"Run `porter sync {release}`."
        )
    key = hashlib.sha256(" ".join([*_OPTIONS, _NO_FAT, _FAT_CLOCK]).encode()).hexdigest()[:8]
    result = paths.build_dir() / "bench" / f"micropython-{release}-{key}"
    if result.is_file():
        return result
    result.parent.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(prefix="unix-", dir=result.parent) as folder:
        command: list[str | Path] = [
            "make",
            "-C",
            source,
            f"-j{jobs or os.cpu_count() or 1}",
            f"BUILD={folder}",
        ]
        stubs = Path(folder, "stubs")
        for header in _missing_headers(source):
            (stubs / header).parent.mkdir(parents=True, exist_ok=True)
            (stubs / header).write_text(_FAT_CLOCK)
        command += [f"PYTHON={sys.executable} -B", *_OPTIONS]
        command.append(f"CFLAGS_EXTRA={_NO_FAT} -I{stubs}")
        try:
            process.run(command, timeout=900)
        except ToolFailed as error:
            raise BuildFailed(f"upstream's unix port: {error.output or error}") from error
        with replacing(result) as beside:
            shutil.copy(Path(folder, "micropython"), beside)
    return result


def _missing_headers(port: Path) -> set[str]:
    """Return the library headers that the port's own files include and the sources lack."""
    texts = (path.read_text(encoding="utf-8", errors="replace") for path in port.glob("*.c"))
    named = {header for text in texts for header in _LIBRARY_HEADER.findall(text)}
    return {header for header in named if not (port.parents[1] / header).is_file()}
