"""Reduce a fault to a small program, and store it as a file that describes the fault.

Reduction takes a batch to one program, then removes its statements and their arguments.
"""

from __future__ import annotations

import hashlib
import re
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import attrs
from attrs import define, frozen

from porter.base.files import write_whole
from porter_dev.fuzz.calls import hostile_values
from porter_dev.fuzz.calls.programs import CallProgram, Statement

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


Still = Callable[[CallProgram], bool]
# Replacements to try for a value, the simplest first.
_PLAINER = ("0", "None", "()", "b''", "''")
_DIGEST = re.compile(r"(;|\n )_p\([^()]*\)$")


def reduce(program: CallProgram, still: Still, seconds: float = 60.0, most: int = 400) -> str:
    """Return the source of the smallest program with the finding.

    Args:
        program: Program to reduce.
        still: Whether a program has the finding.
        seconds: Approximate time limit.
        most: Maximum number of calls of `still`.
    """
    search = _Smaller(program, still, time.monotonic() + seconds, most)
    before = None
    while before is not search.best and search.goes_on:
        before = search.best
        search.shorter()
        search.plainer()
    search.without_digests()
    bare = attrs.evolve(search.best, bare=True)
    return (bare if search.holds(bare) else search.best).source


@define
class _Smaller:
    best: CallProgram
    still: Still
    end: float
    left: int

    @property
    def goes_on(self) -> bool:
        return self.left > 0 and time.monotonic() < self.end

    def holds(self, candidate: CallProgram) -> bool:
        """Return whether the candidate still has the finding."""
        if not self.goes_on:
            return False
        self.left -= 1
        return self.still(candidate)

    def shorter(self) -> None:
        """Remove runs of statements, long runs and late ones first."""
        block = max(1, len(self.best.statements) // 2)
        while block:
            at = len(self.best.statements)
            while at > 0:
                at = max(0, at - block)
                statements = self.best.statements
                rest = statements[:at] + statements[at + block :]
                if len(rest) < len(statements) and rest:
                    self._try(rest)
            block //= 2

    def plainer(self) -> None:
        """Replace odd values by simple ones."""
        for i, statement in enumerate(self.best.statements):
            for hole in range(1, len(statement.parts), 2):
                self._plainer(i, hole)

    def _plainer(self, i: int, hole: int) -> None:
        for value in _PLAINER:
            statements = self.best.statements
            parts = statements[i].parts
            if parts[hole] in _PLAINER[: _PLAINER.index(value) + 1]:
                return
            plain = Statement((*parts[:hole], value, *parts[hole + 1 :]))
            if self._try((*statements[:i], plain, *statements[i + 1 :])):
                return

    def without_digests(self) -> None:
        """Remove the code that prints results."""
        made = []
        for statement in self.best.statements:
            last = _DIGEST.sub("", statement.parts[-1])
            made.append(Statement((*statement.parts[:-1], last)))
        self._try(tuple(made))

    def _try(self, statements: tuple[Statement, ...]) -> bool:
        candidate = attrs.evolve(self.best, statements=statements)
        if not self.holds(candidate):
            return False
        self.best = candidate
        return True


_CALL = re.compile(r"([\w.]+)\(|(\*|\+|\[|%)")


def callee(source: str) -> str:
    """Return the callee of the last statement, which names a finding without a report."""
    lines = [line for line in source.splitlines() if not line.startswith("except")]
    text = lines[-1] if lines else ""
    text = re.sub(r"__import__\('(\w+)'\)", r"\1", text)
    called = [found[1] or found[2] for found in _CALL.finditer(text.partition("=")[2] or text)]
    known = [name for name in called if name.lstrip(".") not in hostile_values.HELPERS]
    return known[0].lstrip(".") if known else text[:20].strip()


def smallest(
    programs: Sequence[CallProgram], still: Callable[[Sequence[CallProgram]], bool]
) -> tuple[CallProgram, ...]:
    """Return the fewest of `programs`, in order, for which `still` holds as for all of them."""
    best = tuple(programs)
    block = len(best) // 2
    while block:
        at = 0
        while at < len(best):
            rest = best[:at] + best[at + block :]
            if rest and still(rest):
                best = rest
            else:
                at += block
        block //= 2
    return best
