"""What a release wants from its port, found in its sources: options it refuses, hooks it has."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from attrs import frozen

from porter.base import process
from porter.errors import OptionRefused
from porter.generate.compiler import CC, preprocessor_flags
from porter.generate.layout import Layout
from porter.generate.options import check_options
from porter.generate.port import Wishes, render_port


@frozen
class Wants:
    """`refused`: options of ours that the port does without. `defined`: hooks upstream has."""

    refused: tuple[str, ...] = ()
    defined: tuple[str, ...] = ()


class _Everything:
    """Holds every name: the port steps back wherever it asks."""

    def __contains__(self, name: object) -> bool:
        return True


def find_wants(
    values: Mapping[str, object],
    layout: Layout,
    templates: Path,
    defines: Sequence[str],
    sources: Sequence[Path],
) -> Wants:
    """Ask upstream's `sources`, with a port from `templates` in `layout`, which is left rendered.

    `values` are what the templates may use (`template_values`).

    Options that a template asks for with `wanted` are dropped, one by one, when upstream refuses
    them by `#error`. Hooks that it asks for with `defined` are looked for in what upstream itself
    defines under this configuration. Raises OptionRefused for options that were not asked for.
    """
    refused: list[str] = []
    while True:
        # While asking, the port defines none of the hooks that it asks for.
        wishes = Wishes(refused, _Everything())
        _render(templates, values, layout, wishes)
        try:
            check_options(layout, defines, sources)
            break
        except OptionRefused as error:
            more = [name for name in error.options if name in wishes.asked_options]
            if not more:
                raise
            refused.append(more[0])
    defined = _defined(wishes.asked_hooks, layout, defines, sources)
    _render(templates, values, layout, Wishes(refused, defined))
    return Wants(tuple(refused), tuple(sorted(defined)))


def _render(templates: Path, values: Mapping[str, object], layout: Layout, wishes: Wishes) -> None:
    shutil.rmtree(layout.port, ignore_errors=True)
    render_port(templates, values, layout.port, wishes)


def _defined(
    hooks: Iterable[str], layout: Layout, defines: Sequence[str], sources: Sequence[Path]
) -> set[str]:
    """Those of `hooks` that `sources` define as functions, read as the compiler reads them."""
    wanted = set(hooks)
    if not wanted:
        return set()
    words = re.compile(r"\b(?:" + "|".join(map(re.escape, sorted(wanted))) + r")\b")
    flags = preprocessor_flags(layout, defines)
    from porter.syntax.functions import functions_defined  # libclang, which runners lack

    found: set[str] = set()
    for source in sources:
        if words.search(source.read_text(encoding="utf-8", errors="replace")):
            text = process.run([CC, "-E", *flags, "-DNO_QSTR", source], timeout=300).stdout
            found |= wanted & functions_defined(text)
    return found
