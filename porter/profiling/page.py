"""Render a profile as an HTML page with sources beside counts."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from importlib import resources

import jinja2
from attrs import frozen

from porter.base.sizes import format_size
from porter.profiling.counts import Counts, LineCounts, ProfileCounts
from porter.profiling.terminal import format_lanes, format_time, notes


@frozen
class Row:
    """A line of a source on the page; `heat` is its rank in time, 0 to 100."""

    number: int
    text: str
    line: LineCounts | None
    heat: int


@frozen
class File:
    """A source on the page; `known`: whether its text is available."""

    name: str
    anchor: str
    known: bool
    share: float | None
    rows: list[Row]


def page(profile: ProfileCounts) -> str:
    """Return a whole HTML document."""
    return _render("page.html.j2", profile)


def fragment(profile: ProfileCounts) -> str:
    """Return the content of the page's body, with its style."""
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
    """Yield the sources, the one with most time first."""
    files: dict[str, dict[int, LineCounts]] = {}
    for line in profile.lines:
        files.setdefault(line.file, {})[line.line] = line
    heats = _heats(profile)
    ordered = sorted(files.items(), key=lambda file: _weight(file[1].values()), reverse=True)
    for number, (name, lines) in enumerate(ordered):
        known = profile.source_lines.get(name)
        texts = dict(enumerate(known or (), 1))
        rows = [
            Row(at, texts.get(at, ""), lines.get(at), heats.get((name, at), 0))
            for at in sorted(texts.keys() | lines.keys())
        ]
        shares = [line.share for line in lines.values() if line.share is not None]
        share = math.fsum(shares) if shares else None
        yield File(name, f"file{number}", known is not None, share, rows)


def _weight(lines: Iterable[LineCounts]) -> tuple[int, int]:
    total = sum((line.counts for line in lines), Counts())
    return total.time, total.instructions


def _heats(profile: ProfileCounts) -> dict[tuple[str, int], int]:
    """Return the square root of each line's share of the hottest line, 0 to 100."""
    weights: list[float] = [line.share or 0.0 for line in profile.lines]
    if not any(weights):
        weights = [line.counts.instructions for line in profile.lines]
    most = max(weights, default=0)
    return {
        (line.file, line.line): round(100 * math.sqrt(weight / most)) if most else 0
        for line, weight in zip(profile.lines, weights, strict=True)
    }
