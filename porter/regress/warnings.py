"""Collect clang's warnings about the units of a release, as the rewriter parses them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from clang.cindex import Index, TranslationUnit

from porter.syntax.node import line_table, locate
from porter.syntax.parser import ARGUMENTS

# The rewriter disables warnings; here they stay enabled.
_ARGUMENTS = [argument for argument in ARGUMENTS if argument != "-Wno-everything"]


def warnings_of(units: Iterable[Path], release: str, jobs: int) -> dict[str, int]:
    """Return clang's default warnings, as `file: text [-Wname]`, with their counts.

    File names lack the release, and there are no line numbers, so that releases are comparable.
    """
    with ThreadPoolExecutor(jobs) as pool:
        lists = pool.map(lambda path: _warnings(path, release), units)
        return dict(sorted(Counter(line for found in lists for line in found).items()))


def _warnings(path: Path, release: str) -> list[str]:
    unit = Index.create().parse(str(path), args=_ARGUMENTS, options=TranslationUnit.PARSE_NONE)
    found = [one for one in unit.diagnostics if one.severity == one.Warning]
    if not found:
        return []
    table = line_table(path.read_bytes().decode("latin-1"))
    lines = []
    for one in found:
        file, _, _ = locate(table, one.location.offset)
        for prefix in (f"upstream/{release}/", f"patched/{release}/"):
            file = file.removeprefix(prefix)
        lines.append(f"{file}: {one.spelling} [{one.option}]")
    return lines
