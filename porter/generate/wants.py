"""Find in a release's sources which of the port's options it refuses and which hooks it defines."""

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
    """The options of the port that the release refuses, and the hooks that it defines itself."""

    refused: tuple[str, ...] = ()
    defined: tuple[str, ...] = ()


class _Everything:
    """A container of every name: the port then defines none of the hooks that it asks about."""

    def __contains__(self, name: object) -> bool:
        return True


def find_wants(
    values: Mapping[str, object],
    layout: Layout,
    templates: Path,
    defines: Sequence[str],
    sources: Sequence[Path],
) -> Wants:
    """Determine the wants of a release and render the port accordingly.

    An option in a template's `wanted` is dropped when it causes an `#error` of upstream; options
    are dropped one by one. A hook in a template's `defined` is searched for in upstream's
    preprocessed sources.

    Args:
        values: The variables of the templates (`template_values`).
        layout: The folders of the build; the rendered port stays there.
        templates: The folder of the port's templates.
        defines: -D options from upstream's makefiles.
        sources: Upstream's files.

    Raises:
        OptionRefused: Upstream refuses an option that no template asks about.
    """
    refused: list[str] = []
    while True:
        # The port defines no hook during this search.
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
    """Return the functions among `hooks` that the preprocessed `sources` define."""
    wanted = set(hooks)
    if not wanted:
        return set()
    words = re.compile(r"\b(?:" + "|".join(map(re.escape, sorted(wanted))) + r")\b")
    flags = preprocessor_flags(layout, defines)
    from porter.syntax.parser import functions_defined  # libclang, missing on runners

    found: set[str] = set()
    for source in sources:
        if words.search(source.read_text(encoding="utf-8", errors="replace")):
            text = process.run([CC, "-E", *flags, "-DNO_QSTR", source], timeout=300).stdout
            found |= wanted & functions_defined(text)
    return found
