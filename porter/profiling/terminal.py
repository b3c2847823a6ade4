"""A profile as a table in the terminal."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Console, Group
from rich.table import Table
from rich.text import Text

from porter.base.sizes import format_size
from porter.profiling.model import LineCounts, Profile

HOT = ((0.25, "bold red"), (0.1, "red"), (0.02, "yellow"))


def show(profile: Profile, console: Console, top: int) -> None:
    """Print the `top` hottest lines, and what there is to know about them."""
    if profile.lines:
        console.print(_table(profile, top))
    console.print(Group(*(Text(note) for note in notes(profile, top))), soft_wrap=True)


def notes(profile: Profile, top: int | None = None) -> Iterator[str]:
    """Sentences about the whole profile."""
    total, who = profile.total, f"{profile.n:,} interpreters"
    if profile.counted < profile.n:
        who = f"{profile.counted:,} of {who}"
    if not profile.lines:
        yield f"No line of Python ran in {who}."
        return
    yield (
        f"{who} ({profile.target}): {total.instructions:,} instructions in "
        f"{len(profile.lines):,} lines, {total.allocations:,} allocations of "
        f"{format_size(total.bytes)}, {total.collections:,} collections."
    )
    if profile.time_unit == "samples":
        yield (
            f"Time: {total.time:,} samples; {profile.outside.time:,} more while no line ran "
            "(starting, compiling)."
        )
    if top is not None and top < len(profile.lines):
        yield f"{len(profile.lines) - top:,} more lines; --top shows more."
    diverging = sum(line.diverges for line in profile.lines)
    if diverging:
        yield f"{diverging:,} lines diverge: less than half of a warp's lanes work there together."
    if profile.full:
        yield (
            f"{profile.full:,} interpreters had more functions than room to count in; these count "
            "as the lines that called them. --room gives more."
        )


def _table(profile: Profile, top: int) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("time", "instructions", "lanes", "allocations", "bytes", "gc"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("line", overflow="fold")
    table.add_column("source", overflow="ellipsis", no_wrap=True, ratio=1)
    for line in profile.hottest(top):
        counts = line.counts
        table.add_row(
            _share(line),
            f"{counts.instructions:,}",
            _lanes(profile, line),
            f"{counts.allocations:,}" if counts.allocations else "",
            format_size(counts.bytes) if counts.bytes else "",
            f"{counts.collections:,}" if counts.collections else "",
            Text(f"{line.file}:{line.line}"),
            Text(profile.source_line(line.file, line.line).strip()),
        )
    return table


def _share(line: LineCounts) -> Text:
    if line.share is None:
        return Text("-")
    style = next((style for least, style in HOT if line.share >= least), "")
    return Text(f"{line.share:.1%}", style)


def _lanes(profile: Profile, line: LineCounts) -> Text:
    if profile.n == 1:
        return Text("-")
    text = Text(format_lanes(line))
    if line.diverges:
        text.append(" diverges", "magenta")
    return text


def format_lanes(line: LineCounts) -> str:
    """`8.5/32`."""
    return f"{line.lanes:.3g}/{line.whole:.3g}"
