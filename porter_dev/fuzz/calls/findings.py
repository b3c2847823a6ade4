"""Store findings as files: a reduced program under a header that describes its fault."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from pathlib import Path

from attrs import frozen

from porter.base.files import write_whole

_HEADER = re.compile(r"^# (kind|place|what): (.*)$", re.MULTILINE)


@frozen
class CallFinding:
    """A program and its fault; kind, place and what as in Fault."""

    kind: str
    place: str
    what: str
    source: str
    report: str = ""

    @property
    def key(self) -> tuple[str, str]:
        """The identity of the finding; findings with equal keys are duplicates."""
        return (self.kind, self.place)

    @property
    def name(self) -> str:
        """File name without its suffix."""
        words = re.sub(r"\W+", "-", self.place).strip("-")[:60]
        digest = hashlib.sha256(repr((self.key, self.source)).encode("utf-8", "replace"))
        return f"{self.kind}-{words}-{digest.hexdigest()[:6]}"

    @property
    def text(self) -> str:
        """Text of the file."""
        head = {"kind": self.kind, "place": self.place, "what": " ".join(self.what.split())[:300]}
        return "".join(f"# {name}: {value}\n" for name, value in head.items()) + self.source

    def save(self, folder: Path) -> Path:
        """Write the finding into `folder` and return the path."""
        path = folder / f"{self.name}.py"
        write_whole(path, self.text.encode("utf-8", "surrogatepass"), parents=True)
        return path


def saved(folder: Path) -> Iterator[tuple[Path, CallFinding]]:
    """Yield the findings in `folder`, by name; none if the folder does not exist."""
    for path in sorted(folder.glob("*.py")) if folder.is_dir() else ():
        text = path.read_bytes().decode("utf-8", "surrogatepass")
        head = dict(_HEADER.findall(text))
        yield (
            path,
            CallFinding(head.get("kind", ""), head.get("place", ""), head.get("what", ""), text),
        )
