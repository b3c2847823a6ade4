"""Command line options that have an old name beside the new one (porter/base/deprecated.py)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, TypeVar

import click

from porter.base.deprecated import both_names, warn_deprecated
from porter.errors import UsageError

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
        """Add all names to click's parser. Old ones warn; an old and a new one are an error."""
        shown = self.opts, self.secondary_opts
        first, second = ([old for old, new in self.old.items() if new in names] for names in shown)
        self.opts, self.secondary_opts = [*shown[0], *first], [*shown[1], *second]
        try:
            super().add_to_parser(parser, ctx)
        finally:
            self.opts, self.secondary_opts = shown
        # click's parser has one entry for the names of a group; here each name gets its own.
        used: set[str] = set()
        for name in (*shown[0], *shown[1], *first, *second):
            table = parser._long_opt if name.startswith("--") else parser._short_opt
            table[name] = _NamedEntry(table[name], partial(self._use, name, used))

    def _use(self, name: str, used: set[str]) -> None:
        """Note the use of a name on a command line. Raises UsageError after old and new names."""
        used.add(name)
        old = sorted(used & self.old.keys())
        if old and used - self.old.keys():
            raise UsageError(both_names(old[0], self.old[old[0]]))
        if name in self.old:
            warn_deprecated(name, self.old[name])


class _NamedEntry:
    """An entry of click's parser that calls `use` if the option is used under one of its names."""

    def __init__(self, entry: Any, use: Callable[[], None]) -> None:
        self._entry = entry
        self._use = use

    def __getattr__(self, name: str) -> Any:
        return getattr(self._entry, name)

    def process(self, value: Any, state: Any) -> None:
        self._use()
        self._entry.process(value, state)


def renamed_option(*names: str, old: Mapping[str, str], **attributes: Any) -> Callable[[F], F]:
    """Return `click.option(*names, **attributes)` that accepts old names, too.

    Args:
        names: The new names.
        old: The new name of each old name, with its dashes.
        attributes: Arguments of click.option.
    """
    return click.option(*names, cls=RenamedOption, old=old, **attributes)
