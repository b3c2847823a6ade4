"""Machine code of many programs in few libraries, for tests of the compiled tier.

A program of its own would cost a run of g++, which reads the prelude each time.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import attrs
from attrs import field, frozen

from porter.compiler.cxx import CompiledModule, compile_module
from porter.compiler.mpy import read_module
from porter.native.host import HostTarget
from porter.native.making import HEAD
from porter.native.module import MOST_ENTRIES, NativeModule, entry_table

# For g++ to be done soon: the prelude's functions are compiled once instead of at each use.
QUICK = ("-O0", "-Dalways_inline=noinline", "-w")


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


def translate(target: HostTarget, code: bytes, number: int, **options: Any) -> Translation | None:
    """The C++ of the program with this number; None where nothing of it is machine code.

    options: of compile_module.
    """
    symbol, tables = f"program_{number}", target.tables
    made = compile_module(read_module(code, HEAD, tables), tables, symbol=symbol, **options)
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
    some = [i for i, one in enumerate(translations) if one is not None]
    shares = [share for k in range(jobs) if (share := some[k::jobs])]

    def build(numbered: tuple[int, list[int]]) -> dict[int, NativeModule]:
        number, share = numbered
        source, made = folder / f"batch{number}.cpp", folder / f"batch{number}{target.suffix}"
        chosen = [one for i in share if (one := translations[i]) is not None]
        source.write_text("".join(one.text for one in chosen), encoding="utf-8")
        quick.build(source, made)
        return {i: _loaded(quick, made, one) for i, one in zip(share, chosen, strict=True)}

    with ThreadPoolExecutor(max(1, len(shares))) as pool:
        found = {i: one for part in pool.map(build, enumerate(shares)) for i, one in part.items()}
    return [found.get(i) for i in range(len(translations))]


def _loaded(target: HostTarget, made: Path, one: Translation) -> NativeModule:
    run, keep = target.load(made, one.symbol)
    entries = entry_table(one.made.entries, one.size)
    return NativeModule("", (), (), entries=entries, run=run, keep=keep)
