"""Link native code of programs with all units of a device build, by nvlink.

Two units of the build exist in two versions: with and without the lookup of native code. The former
are in an archive of their own, and replace the latter here (porter/compile/device_units.py).

The host twin calls native code through a pointer. Kernels call the function
`gpusnek_native_module`, the dispatcher. The dispatcher calls the only program, or one of several by
a `switch` over their numbers.
"""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from porter import toolchain
from porter.compile.device_units import ALONE, DISPATCHER, PARAMETERS, PROGRAM
from porter.compile.device_units import LIBRARY as LOOKING
from porter.errors import BuildFailed, ToolFailed, UsageError
from porter.native.cache import entry_of
from porter.native.kernels import LIBRARY, KernelTarget, start, symbol_of

OPTIONS = ("-m64", "-suppress-stack-size-warning")


def link_kernels(target: KernelTarget) -> bytes:
    """Link the build's kernels with all of `target.cubins`, and return the cubin.

    Raises:
        UsageError: `target.cubins` is empty.
        LaunchFailed: A cubin is no native code of a program.
        NoNvcc: As `link_modules`.
        ToolMissing: As `link_modules`.
        BuildFailed: As `link_modules`.
    """
    if not target.cubins:
        raise UsageError("there is no native code to link")
    return link_modules(target, target.cubins, [symbol_of(cubin) for cubin in target.cubins])


def link_modules(target: KernelTarget, cubins: Sequence[bytes], symbols: Sequence[str]) -> bytes:
    """Link the build's kernels with `cubins`, and return the cubin, which the cache keeps.

    Args:
        target: The target of the build.
        cubins: Cubins of programs. One cubin may have several modules.
        symbols: Names of the functions that run the modules. The number of a module is its position
            in this sequence, from 1.

    Raises:
        NoNvcc: There is no usable nvcc.
        ToolMissing: nvlink or ar is missing.
        BuildFailed: A tool fails.
    """
    digests = [hashlib.sha256(cubin).hexdigest() for cubin in cubins]
    parts = (*target.identity, "linked", *digests, *symbols)
    key = hashlib.sha256("\n".join(parts).encode()).hexdigest()

    def write(text: Path, machine: Path) -> Mapping[str, Any]:
        _link(target, cubins, symbols, text, machine)
        return {}

    with entry_of(key, target.suffix, write) as entry:
        return entry.machine.read_bytes()


def _link(
    target: KernelTarget,
    cubins: Sequence[bytes],
    symbols: Sequence[str],
    text: Path,
    machine: Path,
) -> None:
    with tempfile.TemporaryDirectory(prefix="gpusnek-") as folder:
        parts = [Path(folder, f"module{number}.cubin") for number in range(len(cubins))]
        for path, cubin in zip(parts, cubins, strict=True):
            path.write_bytes(cubin)
        parts.append(Path(folder, "dispatcher.cubin"))
        _dispatcher(target, symbols, text, parts[-1])
        try:
            for archive in (LIBRARY, LOOKING):  # units of the second replace units of the first
                start("ar", "x", target.file(archive), cwd=Path(folder))
            objects = sorted(Path(folder).glob("*.o"))
            linker = toolchain.cuda_tool("nvlink").path
            arch = f"--arch={target.architecture}"
            start(linker, *OPTIONS, arch, *parts, *objects, "-o", machine)
        except ToolFailed as error:
            raise BuildFailed(f"kernels with native code: {error.message}") from error


def _dispatcher(target: KernelTarget, symbols: Sequence[str], text: Path, made: Path) -> None:
    """Write the dispatcher's cubin to `made`, and its C++ to `text`."""
    if len(symbols) > 1 or len(symbols[0]) != len(PROGRAM):
        text.write_text(_choosing(target, symbols), encoding="utf-8")
        target.compile(text.read_text(encoding="utf-8"), "0" * 8, text, made)
        return
    # The build has a dispatcher for one program: nvcc would take longer than all other steps.
    alone = target.file(ALONE).read_bytes().replace(PROGRAM.encode(), symbols[0].encode())
    text.write_text(f"// as the build has it, for {symbols[0]}\n", encoding="utf-8")
    made.write_bytes(alone)


def _choosing(target: KernelTarget, symbols: Sequence[str]) -> str:
    """Return the C++ of a dispatcher, which calls the module whose number is in `native->run`."""
    _, at = target.built.structs["gpusnek_native_t"].fields["run"][:2]  # type: ignore[index]
    lines = [f'extern "C" __device__ void {symbol}{PARAMETERS};' for symbol in symbols]
    lines.append(f'extern "C" __device__ void {DISPATCHER}{PARAMETERS} {{')
    lines.append(f"    switch (*(const unsigned long *)((const char *)native + {at})) {{")
    for number, symbol in enumerate(symbols, 1):
        lines.append(f"    case {number}: {symbol}(code_state, entry, native); return;")
    return "\n".join((*lines, "    }", "}", ""))
