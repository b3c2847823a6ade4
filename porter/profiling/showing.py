"""The profile that `porter.profile` returns, with its output formats."""

from __future__ import annotations

import os

from attrs import frozen

from porter.base import arguments
from porter.base.files import write_whole
from porter.profiling import page, speedscope
from porter.profiling.model import ProfileCounts


@frozen(eq=False)
class Profile(ProfileCounts):
    """The counts of interpreters by line. A notebook displays it as an HTML page."""

    def html(self) -> str:
        """Return a self-contained HTML page with the sources beside the counts."""
        return page.page(self)

    def speedscope(self) -> str:
        """Return JSON for https://www.speedscope.app."""
        return speedscope.document(self)

    def save_html(self, path: str | os.PathLike[str]) -> None:
        """Write `html()` to `path`. Raises OSError, WrongType."""
        write_whole(arguments.path(path, "path"), self.html())

    def save_speedscope(self, path: str | os.PathLike[str]) -> None:
        """Write `speedscope()` to `path`. Raises OSError, WrongType."""
        write_whole(arguments.path(path, "path"), self.speedscope())

    def _repr_html_(self) -> str:
        return page.fragment(self)
