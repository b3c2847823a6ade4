"""Types of options and arguments: texts and paths that are not empty.

`pathlib.Path("")` is the current folder. An empty text is mostly a variable of a shell that is not
set, so it names nothing.
"""

from __future__ import annotations

from typing import Any

import click


class PathType(click.Path):
    """click.Path that refuses an empty text."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the path. Raises click.BadParameter."""
        if value == "":
            self.fail("an empty text is not a path", param, ctx)
        return super().convert(value, param, ctx)


class NameType(click.types.StringParamType):
    """A text that is not empty."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the text. Raises click.BadParameter."""
        if value == "":
            self.fail("it is an empty text", param, ctx)
        return str(super().convert(value, param, ctx))


NAME = NameType()
