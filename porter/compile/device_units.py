"""The units of a device build: from C++ by PTX to machine code, a ninja edge a step."""

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
    """One unit of the device build: its source and what is made of it.

    cubins: by architecture; all of them are made from one PTX.
    """

    source: Path
    number: str
    ptx: Path
    cubins: Mapping[str, Path]

    @classmethod
    def of(
        cls, source: Path, out: Path, sources: Sources, architectures: Architectures
    ) -> DeviceUnit:
        """The unit of `source` in the device build's folder `out`."""
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
        """The unit as users link it."""
        return self.cubins[architecture].with_suffix(".o")

    def to_cubins(self, sources: Sources, *, fenced: bool) -> Iterator[Edge]:
        """By PTX, to machine code of every architecture."""
        headers = (*sources.headers, PTX_STEP, *(sorted(FENCING.glob("*.py")) if fenced else ()))
        rule = "fenced" if fenced else "ptx"
        yield Edge(rule, (self.ptx,), (self.source,), headers, (("id", self.number),))
        for architecture, cubin in self.cubins.items():
            arch = (("arch", architecture),)
            yield Edge("cubin", (cubin,), (self.ptx,), (), arch, beside=(log_of(cubin),))

    def to_object(self, architecture: str) -> Edge:
        """From machine code to the archive's member."""
        cubin, made = self.cubins[architecture], self.object(architecture)
        variables = (("folder", str(cubin.parent)), ("name", cubin.name), ("object", made.name))
        return Edge("relocatable", (made,), (cubin,), (), (*variables, ("arch", architecture)))


def log_of(made: Path) -> Path:
    """The report of the program that made `made`."""
    return made.with_name(made.name + ".log")
