"""The paths of the files of one build, for all stages."""

from __future__ import annotations

from pathlib import Path

from attrs import field, frozen

from porter.base import arguments, paths


@frozen
class Layout:
    """The folders of one build: `build` is its root, `upstream` the release's sources."""

    build: Path = field(converter=arguments.as_path)
    upstream: Path = field(converter=arguments.as_path)

    @classmethod
    def of(cls, release: str, build: arguments.StrPath) -> Layout:
        """Return the layout of `release` built in the folder `build`."""
        return cls(arguments.path(build, "build").resolve(), paths.upstream_dir() / release)

    @property
    def port(self) -> Path:
        """The port's sources: rendered `templates/port/`."""
        return self.build / "src" / "port"

    @property
    def patched(self) -> Path:
        """Patched files of upstream; each replaces upstream's file of the same relative path."""
        return self.build / "src" / "upstream"

    @property
    def genhdr(self) -> Path:
        """Headers made by upstream's generators, included as `genhdr/NAME.h`."""
        return self.build / "genhdr"

    @property
    def frozen(self) -> Path:
        """The unit with the bytecode of frozen modules: its C, and its preprocessed text."""
        return self.build / "frozen"

    @property
    def pre(self) -> Path:
        """Preprocessed units, `NAME.i`."""
        return self.build / "pre"

    @property
    def units(self) -> Path:
        """The list of units. Written last, so it exists exactly if generation is complete."""
        return self.build / "units.json"

    @property
    def libc(self) -> Path:
        """The freestanding C library's headers and sources."""
        return paths.templates_dir() / "libc"

    def source(self, path: str) -> Path:
        """Return the file to use for upstream's `path`: the patched file if there is one."""
        patched = self.patched / path
        return patched if patched.is_file() else self.upstream / path
