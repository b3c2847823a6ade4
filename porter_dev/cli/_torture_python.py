"""`porter torture --python`: generated Python programs, interpreted and as native code."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from porter.base import paths
from porter.cli._progress import show_progress
from porter.errors import TortureFailed
from porter.settings import load_config
from porter_dev.torture.python.campaign import saved, torture


def torture_python(
    build: Path | None,
    seed: str,
    count: int,
    modes: Sequence[str],
    *,
    jobs: int | None,
    reduced: bool,
    keep: Path | None,
) -> None:
    """Test programs on the build in `build`, or on a new one. Raises TortureFailed."""
    console, start, ended = Console(highlight=False), time.monotonic(), 0
    with show_progress() as tell:
        if build is None:
            from porter.pipeline import build as make  # imports the whole toolchain

            build = make(load_config({"target": "host"})).folder
        tell.now("programs")

        def shown(more: int) -> None:
            nonlocal ended
            ended += more
            tell.step(ended, count)

        found = torture(build, seed, count, modes, jobs=jobs, reduced=reduced, shown=shown)
    folder = keep or paths.build_dir() / "torture"
    for one in found:
        console.print(
            f"{saved(one, folder)}: {one.difference.detail.splitlines()[0]}", markup=False
        )
    kinds = Counter(one.difference.mode for one in found)
    told = ", ".join(f"{n} {kind}" for kind, n in sorted(kinds.items())) or "all the same"
    seconds = time.monotonic() - start
    console.print(f"{count} programs, {', '.join(modes)}, in {seconds:.0f} s: {told}")
    if found:
        raise TortureFailed(
            f"{len(found)} of {count} programs are not the same as machine code",
            hint="Each file is a program by itself; docs/explanation/compiler.md says more.",
        )
