"""Compile many programs into few libraries or cubins, for tests of the compiled tier.

One library per program would cost a run of g++ each, which reads the prelude every time.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import attrs
from attrs import field, frozen

from porter.compiler.cxx import CompiledModule, compile_module
from porter.compiler.mpy import read_module
from porter.compiler.options import CompilerOptions
from porter.native.compilation import HEAD
from porter.native.host import HostTarget
from porter.native.kernels import KernelTarget
from porter.native.link import link_modules
from porter.native.module import MOST_ENTRIES, NativeModule, entry_table
from porter.native.target import NativeTarget

# Without inlining g++ compiles the prelude's functions once instead of at each use.
QUICK = ("-O0", "-Dalways_inline=noinline", "-w")
QUICK_KERNELS = ("-Dalways_inline=noinline",)
# A kernel has 64 KiB for constants that ptxas creates, and a thousand programs exceed these.
NO_CONSTANTS = ("-Xptxas", "--disable-optimizer-constants")


@frozen
class Translation:
    """The C++ of one program.

    Attributes:
        made: The C++ with its entries and guards.
        symbol: Name of the function that runs it.
        size: Bytes of the program's bytecode.
    """

    made: CompiledModule = field(repr=False)
    symbol: str
    size: int

    @property
    def text(self) -> str:
        """The C++ in a namespace of its own, since programs have functions of equal names."""
        return f"namespace in_{self.symbol} {{\n{self.made.text}\n}}\n"


def translate(
    target: NativeTarget,
    code: bytes,
    number: int,
    *,
    loops: bool = True,
    options: CompilerOptions | None = None,
) -> Translation | None:
    """Translate one program of a batch.

    Args:
        target: The target of the native code.
        code: The bytecode.
        number: Number of the program, for unique names.
        loops: As of `compile_module`.
        options: As of `compile_module`.

    Returns:
        The C++, or None if no function is to be compiled or there are too many entries.
    """
    symbol, tables = f"program_{number}", target.tables
    options = (options or CompilerOptions()).on(target.enter)
    module = read_module(code, HEAD, tables)
    made = compile_module(module, tables, symbol=symbol, loops=loops, options=options)
    if not 0 < len(made.entries) <= MOST_ENTRIES:
        return None
    return Translation(made, symbol, len(code))


def build_batch(
    target: HostTarget,
    translations: Sequence[Translation | None],
    folder: Path,
    jobs: int = 1,
    flags: Sequence[str] = QUICK,
) -> list[NativeModule | None]:
    """Compile programs for the host twin, and load their native code.

    Args:
        target: The host twin's target.
        translations: The programs; None for one without native code.
        folder: Folder for the files.
        jobs: Number of libraries, which are compiled in parallel.
        flags: Flags of g++ in addition to the build's.

    Returns:
        The module of each program, or None.

    Raises:
        BuildFailed: The C++ does not compile.
        LaunchFailed: A library does not load.
    """
    quick = attrs.evolve(target, flags=(*target.flags, *flags))
    found = {}
    for made, some in _built(quick, translations, folder, jobs):
        for i, one in some.items():
            run, keep = quick.load(made, one.symbol)
            found[i] = _module(one, run, keep)
    return [found.get(i) for i in range(len(translations))]


def link_batch(
    target: KernelTarget,
    translations: Sequence[Translation | None],
    folder: Path,
    jobs: int = 1,
    flags: Sequence[str] = QUICK_KERNELS,
) -> tuple[bytes | None, list[NativeModule | None]]:
    """Compile programs for a GPU, and link their native code with the build's kernels.

    Args:
        target: The device build's target.
        translations: The programs; None for one without native code.
        folder: Folder for the files.
        jobs: Number of cubins, which are compiled in parallel.
        flags: Flags of nvcc in addition to the build's.

    Returns:
        The linked cubin, or None if no program has native code; and each program's module, or None.

    Raises:
        NoNvcc: There is no usable nvcc.
        ToolMissing: nvlink or ar is missing.
        BuildFailed: A tool fails.
    """
    front, back = (*target.front, *flags), (*target.back, *NO_CONSTANTS)
    quick = attrs.evolve(target, front=front, back=back)
    cubins, symbols = [], []
    found = {}
    for made, some in _built(quick, translations, folder, jobs):
        cubins.append(made.read_bytes())
        for i, one in some.items():
            symbols.append(one.symbol)
            found[i] = _module(one, len(symbols), None)
    modules = [found.get(i) for i in range(len(translations))]
    return (link_modules(target, cubins, symbols) if symbols else None), modules


def _built(
    target: HostTarget | KernelTarget,
    translations: Sequence[Translation | None],
    folder: Path,
    jobs: int,
) -> list[tuple[Path, dict[int, Translation]]]:
    """Compile the translations; return each file with its translations, by index."""
    some = {i: one for i, one in enumerate(translations) if one is not None}
    shares = [share for k in range(jobs) if (share := dict(list(some.items())[k::jobs]))]

    def build(numbered: tuple[int, dict[int, Translation]]) -> tuple[Path, dict[int, Translation]]:
        number, share = numbered
        source, made = folder / f"batch{number}.cpp", folder / f"batch{number}{target.suffix}"
        source.write_text("".join(one.text for one in share.values()), encoding="utf-8")
        target.build(source, made)
        return made, share

    with ThreadPoolExecutor(max(1, len(shares))) as pool:
        return list(pool.map(build, enumerate(shares)))


def _module(one: Translation, run: int, keep: object) -> NativeModule:
    entries = entry_table(one.made.entries, one.size)
    return NativeModule("", (), (), entries=entries, run=run, keep=keep)
