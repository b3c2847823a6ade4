"""Command line options that have an old name beside the new one (porter/base/deprecated.py)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, TypeVar

import click

from porter.base.deprecated import warn_deprecated

F = TypeVar("F", bound=Callable[..., Any])


class RenamedOption(click.Option):
    """An option that accepts old names. Help texts and messages show only the new ones.

    Args:
        old: The new name of each old name: {"--fences": "--bounds-checks"}.
    """

    def __init__(self, *args: Any, old: Mapping[str, str], **attributes: Any) -> None:
        super().__init__(*args, **attributes)
        self.old = old

    def add_to_parser(self, parser: Any, ctx: click.Context) -> None:
        """Add all names to click's parser, with a warning for old ones."""
        shown = self.opts, self.secondary_opts
        first, second = ([old for old, new in self.old.items() if new in names] for names in shown)
        self.opts, self.secondary_opts = [*shown[0], *first], [*shown[1], *second]
        try:
            super().add_to_parser(parser, ctx)
        finally:
            self.opts, self.secondary_opts = shown
        # click's parser has one entry for the names of a group; each old name gets its own.
        for names in (first, second):
            for old in names:
                entry = parser._long_opt[old]
                parser._long_opt[old] = _Warning(
                    entry, partial(warn_deprecated, old, self.old[old])
                )


class _Warning:
    """An entry of click's parser that calls `warn` if the option is used."""

    def __init__(self, entry: Any, warn: Callable[[], None]) -> None:
        self._entry = entry
        self._warn = warn

    def __getattr__(self, name: str) -> Any:
        return getattr(self._entry, name)

    def process(self, value: Any, state: Any) -> None:
        self._warn()
        self._entry.process(value, state)


def renamed_option(*names: str, old: Mapping[str, str], **attributes: Any) -> Callable[[F], F]:
    """Return `click.option(*names, **attributes)` that accepts old names, too.

    Args:
        names: The new names.
        old: The new name of each old name, with its dashes.
        attributes: Arguments of click.option.
    """
    return click.option(*names, cls=RenamedOption, old=old, **attributes)
