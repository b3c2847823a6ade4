"""The units of a device build: ninja edges from C++ to PTX to SASS, one edge per step."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from pathlib import Path

from attrs import frozen

from porter.base.architectures import Architectures
from porter.compile.ninja import Edge
from porter.compile.sources import Sources

PTX_STEP = Path(__file__).with_name("ptx.py")
FENCING = Path(__file__).with_name("fencing")


@frozen
class DeviceUnit:
    """A unit of the device build: its source and the paths of its outputs.

    Attributes:
        source: The C++ file.
        number: Eight hexadecimal digits derived from the unit's name.
        ptx: The PTX file.
        cubins: The cubin by architecture, all made from `ptx`.
    """

    source: Path
    number: str
    ptx: Path
    cubins: Mapping[str, Path]

    @classmethod
    def of(
        cls, source: Path, out: Path, sources: Sources, architectures: Architectures
    ) -> DeviceUnit:
        """Return the unit of `source` in the device build's folder `out`."""
        name = str(sources.object_name(source, ""))
        number = hashlib.sha256(name.encode()).hexdigest()[:8]
        ptx, cubin = (sources.object_name(source, suffix) for suffix in (".ptx", ".cubin"))
        several = len(architectures.machine) > 1
        folders = {a: f"obj-{a}" if several else "obj" for a in architectures.machine}
        return cls(
            source,
            number,
            out / "ptx" / ptx,
            {a: out / folder / cubin for a, folder in folders.items()},
        )

    def object(self, architecture: str) -> Path:
        """Return the path of the host object that holds the cubin, for the users' archive."""
        return self.cubins[architecture].with_suffix(".o")

    def to_cubins(self, sources: Sources, *, fenced: bool) -> Iterator[Edge]:
        """Yield the edges from source to PTX to the cubin of every architecture."""
        headers = (*sources.headers, PTX_STEP, *(sorted(FENCING.glob("*.py")) if fenced else ()))
        rule = "fenced" if fenced else "ptx"
        yield Edge(rule, (self.ptx,), (self.source,), headers, (("id", self.number),))
        for architecture, cubin in self.cubins.items():
            arch = (("arch", architecture),)
            yield Edge("cubin", (cubin,), (self.ptx,), (), arch, beside=(log_of(cubin),))

    def to_object(self, architecture: str) -> Edge:
        """Return the edge from the cubin to the archive's member."""
        cubin, made = self.cubins[architecture], self.object(architecture)
        variables = (("folder", str(cubin.parent)), ("name", cubin.name), ("object", made.name))
        return Edge("relocatable", (made,), (cubin,), (), (*variables, ("arch", architecture)))


def log_of(made: Path) -> Path:
    """Return the path of the log of the step that makes `made`."""
    return made.with_name(made.name + ".log")
