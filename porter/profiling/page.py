"""A profile as a page: sources beside counts."""

from __future__ import annotations

import math
from collections.abc import Iterator
from importlib import resources
from typing import Any

import jinja2
from attrs import frozen

from porter.base.sizes import format_size
from porter.profiling.model import LineCounts, ProfileCounts
from porter.profiling.terminal import format_lanes, format_time, notes


@frozen
class Row:
    """A line of a source on the page. heat: 0 to 100."""

    number: int
    text: str
    line: LineCounts | None
    heat: int


@frozen
class File:
    """A source on the page. known: whether its text is."""

    name: str
    anchor: str
    known: bool
    share: float | None
    rows: list[Row]


def page(profile: ProfileCounts) -> str:
    """A whole HTML document."""
    return _render("page.html.j2", profile)


def fragment(profile: ProfileCounts) -> str:
    """What stands in the page's body, with its style."""
    return _render("fragment.html.j2", profile)


def _render(name: str, profile: ProfileCounts) -> str:
    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(_template),
        undefined=jinja2.StrictUndefined,
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"bytes": format_size, "lanes": format_lanes, "percent": _percent}
    environment.globals["time"] = lambda count: format_time(profile, count)
    sources = list(_files(profile))
    anchors = {file.name: file.anchor for file in sources}
    return environment.get_template(name).render(
        profile=profile, files=sources, anchors=anchors, notes=list(notes(profile))
    )


def _template(name: str) -> str:
    return resources.files("porter.profiling").joinpath(name).read_text("utf-8")


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{share:.1%}"


def _files(profile: ProfileCounts) -> Iterator[File]:
    """The sources, the one that took longest first."""
    names = dict.fromkeys(line.file for line in profile.lines)
    times = {name: _weight(profile, name) for name in names}
    ordered = sorted(names, key=lambda name: times[name], reverse=True)
    for number, name in enumerate(ordered):
        lines = {line.line: line for line in profile.lines if line.file == name}
        known = profile.sources.get(name)
        texts = dict(enumerate(known.splitlines(), 1)) if known is not None else {}
        rows = [
            Row(at, texts.get(at, ""), lines.get(at), _heat(profile, lines.get(at)))
            for at in sorted(texts.keys() | lines.keys())
        ]
        shares = [line.share for line in lines.values() if line.share is not None]
        share = math.fsum(shares) if shares else None
        yield File(name, f"file{number}", known is not None, share, rows)


def _weight(profile: ProfileCounts, name: str) -> tuple[int, int]:
    counts: Any = [line.counts for line in profile.lines if line.file == name]
    return sum(each.time for each in counts), sum(each.instructions for each in counts)


def _heat(profile: ProfileCounts, line: LineCounts | None) -> int:
    """How hot a line is, of the hottest; the root, for most lines are far below that one."""
    if line is None:
        return 0
    most = max(other.share or 0.0 for other in profile.lines)
    if most > 0:
        return round(100 * math.sqrt((line.share or 0.0) / most))
    most = max(other.counts.instructions for other in profile.lines)
    return round(100 * math.sqrt(line.counts.instructions / most)) if most else 0
