"""Render a profile as a table in the terminal."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Console
from rich.text import Text

from porter.base.sizes import format_size
from porter.profiling.counts import LineCounts, ProfileCounts

COLUMNS = ("time", "instructions", "lanes", "allocations", "bytes", "gc", "line", "source")
LEAST_SOURCE = 30  # characters of a source line that every terminal shows, however narrow
HOT = ((0.25, "bold red"), (0.1, "red"), (0.02, "yellow"))


def show(profile: ProfileCounts, console: Console, top: int) -> None:
    """Print the `top` hottest lines, and notes on the whole profile."""
    for row in _table(profile, top, console.width) if profile.lines else ():
        console.print(row, soft_wrap=True)
    for note in notes(profile, top):
        console.print(Text(note), soft_wrap=True)


def notes(profile: ProfileCounts, top: int | None = None) -> Iterator[str]:
    """Yield sentences about the whole profile."""
    total, who = profile.total, f"{profile.n:,} interpreters"
    if profile.counted < profile.n:
        who = f"{profile.counted:,} of {who}"
    if not profile.lines:
        yield f"No line of Python {'was counted' if profile.full else 'ran'} in {who}."
        yield from _lacking(profile)
        return
    yield (
        f"{who} ({profile.target}): {total.instructions:,} instructions in "
        f"{len(profile.lines):,} lines, {total.allocations:,} allocations of "
        f"{format_size(total.bytes)}, {total.collections:,} collections."
    )
    yield (
        f"Time: {format_time(profile, total.time)}, and "
        f"{format_time(profile, profile.outside.time)} while no line ran (starting, compiling)"
        + (f"; {profile.samples:,} samples." if profile.time_unit == "ns" else ".")
    )
    if not profile.timed:
        yield (
            "These are too few to rank lines by: instructions do. A longer run, or more "
            "interpreters, give more."
        )
    if top is not None and top < len(profile.lines):
        yield f"{len(profile.lines) - top:,} more lines; --top shows more."
    diverging = sum(line.diverges for line in profile.lines)
    if diverging:
        yield f"{diverging:,} lines diverge: less than half of a warp's lanes work there together."
    yield from _lacking(profile)


def _lacking(profile: ProfileCounts) -> Iterator[str]:
    if profile.full:
        yield (
            f"{profile.full:,} interpreters had a full counter buffer: further functions count as "
            "the lines that called them. --counter-buffer enlarges it."
        )


def _table(profile: ProfileCounts, top: int, width: int) -> Iterator[Text]:
    """Yield the rows of the table; only source lines are truncated to fit `width`.

    rich's own Table would also truncate numbers and file names.
    """
    head = [Text(name, "bold") for name in COLUMNS]
    rows = [head, *(_row(profile, line) for line in profile.hottest(top))]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    left = max(LEAST_SOURCE, width - sum(widths[:-1]) - 2 * len(widths[:-1]))
    for *cells, source in rows:
        for name, cell, most in zip(COLUMNS, cells, widths, strict=False):
            cell.align("left" if name == "line" else "right", most)
        source.truncate(left, overflow="ellipsis")
        yield Text("  ").join([*cells, source])


def _row(profile: ProfileCounts, line: LineCounts) -> list[Text]:
    counts = line.counts
    return [
        _share(line),
        Text(f"{counts.instructions:,}"),
        _lanes(profile, line),
        Text(f"{counts.allocations:,}" if counts.allocations else ""),
        Text(format_size(counts.bytes) if counts.bytes else ""),
        Text(f"{counts.collections:,}" if counts.collections else ""),
        Text(f"{line.file}:{line.line}"),
        Text(profile.source_line(line.file, line.line).strip()),
    ]


def _share(line: LineCounts) -> Text:
    if line.share is None:
        return Text("-")
    style = next((style for least, style in HOT if line.share >= least), "")
    return Text(f"{line.share:.1%}", style)


def _lanes(profile: ProfileCounts, line: LineCounts) -> Text:
    if profile.n == 1:
        return Text("-")
    text = Text(format_lanes(line))
    if line.diverges:
        text.append(" diverges", "magenta")
    return text


def format_time(profile: ProfileCounts, time: int) -> str:
    """Format a time: `1.2 ms`, or `1,200 ticks`."""
    return f"{time / 1e6:,.1f} ms" if profile.time_unit == "ns" else f"{time:,} ticks"


def format_lanes(line: LineCounts) -> str:
    """Format active and possible lanes: `8.5/32`."""
    return f"{line.lanes:.3g}/{line.whole:.3g}"
