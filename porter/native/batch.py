"""Machine code of many programs in few libraries, for tests of the compiled tier.

A program of its own would cost a run of g++, which reads the prelude each time.
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
from porter.native.host import HostTarget
from porter.native.kernels import KernelTarget
from porter.native.link import link_modules
from porter.native.making import HEAD
from porter.native.module import MOST_ENTRIES, NativeModule, entry_table
from porter.native.target import NativeTarget

# For g++ to be done soon: the prelude's functions are compiled once instead of at each use.
QUICK = ("-O0", "-Dalways_inline=noinline", "-w")
QUICK_KERNELS = ("-Dalways_inline=noinline",)
# A kernel has 64 KiB for the constants that ptxas makes, and a thousand programs have more.
NO_CONSTANTS = ("-Xptxas", "--disable-optimizer-constants")


@frozen
class Translation:
    """The C++ of one program. size: bytes of its code."""

    made: CompiledModule = field(repr=False)
    symbol: str
    size: int

    @property
    def text(self) -> str:
        """What can stand beside other programs: functions of one name are several otherwise."""
        return f"namespace in_{self.symbol} {{\n{self.made.text}\n}}\n"


def translate(
    target: NativeTarget,
    code: bytes,
    number: int,
    *,
    loops: bool = True,
    options: CompilerOptions | None = None,
) -> Translation | None:
    """The C++ of the program with this number; None where nothing of it is machine code.

    loops, options: of compile_module.
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
    """Loaded machine code of each of `translations`, made in `folder` by `jobs` compilers at once.

    flags: beside the build's own. Raises BuildFailed, LaunchFailed.
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
    """A cubin of the build's kernels with machine code of `translations`, and how each runs there.

    None where no program has any. Else as build_batch. Raises NoNvcc, ToolMissing, BuildFailed.
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
    """Files of machine code, and which of `translations` each has."""
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
