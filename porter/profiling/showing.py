"""A profile, and what it can be shown as."""

from __future__ import annotations

import os

from attrs import frozen

from porter.base import arguments
from porter.base.files import write_whole
from porter.profiling import page, speedscope
from porter.profiling.model import ProfileCounts


@frozen(eq=False)
class Profile(ProfileCounts):
    """What interpreters did, by line. In a notebook it shows as the page."""

    def html(self) -> str:
        """A page of its own: sources beside counts. Needs nothing else."""
        return page.page(self)

    def speedscope(self) -> str:
        """JSON for https://www.speedscope.app."""
        return speedscope.document(self)

    def save_html(self, path: str | os.PathLike[str]) -> None:
        """Write `html()` to `path`. Raises OSError, WrongType."""
        write_whole(arguments.path(path, "path"), self.html())

    def save_speedscope(self, path: str | os.PathLike[str]) -> None:
        """Write `speedscope()` to `path`. Raises OSError, WrongType."""
        write_whole(arguments.path(path, "path"), self.speedscope())

    def _repr_html_(self) -> str:
        return page.fragment(self)
