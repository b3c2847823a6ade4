"""Find out why a test skips itself: run it once more with instrumented guards.

A test that cannot run prints SKIP, nearly always in an ``except`` or ``if`` at its top. The probe
makes each handler record the exception that it caught, and prints the records after SKIP. So the
build itself reports the feature that it lacks. The result is a *need*: ``machine``,
``vfs.VfsFat``, or the text of a condition.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import attrs

from porter.conformance.guards import Guard, Site, find
from porter.conformance.model import ScriptOutcome

MARK = b"porter-why: "
_PRELUDE = b"""\
_porter_seen = []
def _porter_saw(handler, error):
    _porter_seen.append((handler, type(error).__name__, str(error)))
    del _porter_seen[:-8]
def _porter_skip(site, atoms):
    print("SKIP")
    print("porter-why:", repr((site, _porter_seen, atoms)))
"""
_NAME = re.compile(r"(?:can't import name|cannot import name) '?(\w+)|has no attribute '(\w+)'")
_MISSING = re.compile(
    r"no module named '([\w.]+)'|name '(\w+)' isn't defined|name '(\w+)' is not defined", re.I
)


@attrs.frozen
class Probe:
    """An instrumented test that reports why it skips itself, with its guards."""

    source: bytes
    guards: dict[int, Guard]  # handlers, by number
    sites: dict[int, Site]

    def need(self, outcome: ScriptOutcome) -> str | None:
        """Return the feature that the build lacks, or None if the outcome does not reveal it.

        Args:
            outcome: Outcome of running ``source``.
        """
        lines = [line for line in outcome.output.splitlines() if line.startswith(MARK)]
        if not lines:
            return None
        try:
            number, seen, atoms = ast.literal_eval(lines[-1].removeprefix(MARK).decode())
        except (ValueError, SyntaxError):  # truncated, or a line that the probe did not print
            return None
        site = self.sites[number]
        lacking = [name for name, there in atoms if not there]
        if lacking:
            return str(lacking[0])
        if site.condition is not None:
            return site.condition
        caught = [note for note in seen if site.handler in (None, note[0])]
        return self._caught(*caught[-1]) if caught else None

    def _caught(self, handler: int, kind: str, message: str) -> str:
        guard = self.guards[handler]
        if found := _MISSING.search(message):
            return str(found[found.lastindex or 0])
        if found := _NAME.search(message):
            name = found[1] or found[2]
            return guard.names.get(name, f"?.{name}")
        return f"{kind}: {guard.text}"


def probe(source: bytes) -> Probe | None:
    """Instrument the guards of ``source``; return None if this CPython cannot parse it."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return None
    guards, found = find(tree)
    edited = _edit(source, list(_edits(source, guards, found)))
    return Probe(
        _PRELUDE + edited, {g.number: g for g in guards}, {site.number: site for site in found}
    )


_Edit = tuple[int, int, bytes]  # first and last byte offset, and the replacement


def _edits(source: bytes, guards: list[Guard], found: list[Site]) -> Iterator[_Edit]:
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))

    def offset(line: int, column: int) -> int:
        return starts[line - 1] + column

    for guard in guards:
        node = guard.node
        name = (node.name or "_porter_error").encode()
        if node.type is None:
            at = offset(node.lineno, node.col_offset) + len("except")
            yield at, at, b" BaseException as " + name
        elif node.name is None:
            at = offset(node.type.end_lineno or 0, node.type.end_col_offset or 0)
            at = source.index(b":", at)
            yield at, at, b" as " + name
        first = node.body[0]
        at = offset(first.lineno, first.col_offset)
        before = source[starts[first.lineno - 1] : at]
        after = b"\n" + before if not before.strip() else b"; "
        yield at, at, b"_porter_saw(%d, %s)" % (guard.number, name) + after
    for site in found:
        call = site.node
        atoms = ", ".join(f"({name!r}, {text})" for name, text in site.atoms)
        yield (
            offset(call.lineno, call.col_offset),
            offset(call.end_lineno or 0, call.end_col_offset or 0),
            f"_porter_skip({site.number}, [{atoms}])".encode(),
        )


def _edit(source: bytes, edits: list[_Edit]) -> bytes:
    # From the end, so that offsets stay valid. At equal offsets, the record precedes the call.
    for start, end, text in sorted(edits, key=lambda edit: (edit[0], edit[1]), reverse=True):
        source = source[:start] + text + source[end:]
    return source
