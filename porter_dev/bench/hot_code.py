"""Show which functions hold the hot code of a launch, and how large the hot code is.

    ncu ... --section SourceCounters -o words python -m porter_dev.bench.lanes BUILD -n 8192 words
    porter bench --build BUILD --hot-code words.ncu-rep --json words.json

`instruction_counts` reads the counts, `code_placement` matches them to functions of the build's
cubin, and `code_groups` sorts functions into groups. This module adds the counts up and prints
tables.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from attrs import asdict, field, frozen
from rich.box import SIMPLE
from rich.console import Console
from rich.table import Table

from porter.compile.object_files import DeviceCode, ElfProblem, device_code
from porter.errors import CountsMismatch, UsageError
from porter.run.built import Built, device_output
from porter.run.built import device_code as code_file
from porter_dev.bench.code_blocks import INSTRUCTION
from porter_dev.bench.code_groups import GROUPS, OTHER, CodeNames
from porter_dev.bench.code_placement import Placement, Run, place
from porter_dev.bench.instruction_counts import InstructionCount, LaunchCounts

LINE = 128  # bytes of a line of the instruction cache
PERCENTS = (50, 90, 99)
HOT = 90  # the percentage of executed instructions that columns by group call hot
UNMATCHED = "not matched"
MINIMUM = 0.95  # share of executed instructions to match; less means another build's cubin
ROWS = 60  # of the table by function


@frozen
class CodeShare:
    """The share of a launch that a group or a function has.

    Attributes:
        name: The name of the group or function.
        executed: Its share of the executed warp instructions, 0 to 1.
        stalls: Its share of the samples of warps that waited for a fetch, 0 to 1.
        hot: Bytes of its instructions in the smallest set that holds 90 % of the executed ones.
        lines: Bytes of its 128-byte lines in the smallest set of lines that holds 90 %.
        group: The group of a function; "" for groups.
    """

    name: str
    executed: float
    stalls: float
    hot: int
    lines: int
    group: str = ""


@frozen
class HotSize:
    """The size of the code that holds `percent` % of the executed warp instructions.

    Attributes:
        percent: The percentage.
        instructions: Bytes of the smallest set of instructions.
        lines: Bytes of the smallest set of 128-byte lines.
    """

    percent: int
    instructions: int
    lines: int


@frozen
class HotCode:
    """The hot code of one launch.

    Attributes:
        name: The program.
        executed: Executed warp instructions.
        samples: Samples of warps that waited for a fetch.
        matched: The share of executed instructions whose function is known, 0 to 1.
        groups: All groups, and last what is in none or was not matched; shares add up to 1.
        functions: All functions, by descending share; shares add up to 1.
        sizes: The sizes of the hot code.
    """

    name: str
    executed: int
    samples: int
    matched: float
    groups: tuple[CodeShare, ...]
    functions: tuple[CodeShare, ...] = field(repr=False)
    sizes: tuple[HotSize, ...]


@frozen
class BuiltCode:
    """The device code of a build.

    Attributes:
        code: Its functions.
        names: Their units.
    """

    code: DeviceCode = field(repr=False)
    names: CodeNames = field(factory=CodeNames, repr=False)

    @classmethod
    def of(cls, built: Built) -> BuiltCode:
        """Read the cubin of a build, and its PTX for the units of functions.

        Raises:
            NotBuilt: The build has no device code.
            UsageError: Its device code is a fatbin, or no linked cubin.
        """
        path = code_file(built)
        try:
            code = device_code(path)
        except ElfProblem as error:
            raise UsageError(
                f"{path}: no cubin; a build for several architectures has none",
                hint="Profile a build for one architecture: `porter build --arch sm_90`.",
            ) from error
        ptx = [name for name in device_output(built).files if name.endswith(".ptx")]
        return cls(code, CodeNames.of_ptx(built.folder / name for name in sorted(ptx)))


def analyze(launch: LaunchCounts, built: BuiltCode) -> HotCode:
    """Match the counts of a launch to functions, and add them up.

    Args:
        launch: The counts.
        built: The device code that ran.

    Raises:
        CountsMismatch: The functions of less than 95 % of the executed instructions are known.
    """
    placement = place(launch.counts, built.code)
    if placement.matched < MINIMUM:
        raise CountsMismatch(
            f"{launch.name}: {100 * placement.matched:.0f} % of the executed instructions fit the "
            f"build's code, fewer than {100 * MINIMUM:.0f} %",
            hint="Give --build the build that ncu profiled.",
        )
    return _added_up(launch, placement, built.names)


def _added_up(launch: LaunchCounts, placement: Placement, names: CodeNames) -> HotCode:
    hot = {address for address, _ in _hottest(_instructions(launch.counts), HOT)}
    hot_lines = {line for line, _ in _hottest(_lines(launch.counts), HOT)}
    by_group: dict[str, _Sum] = defaultdict(_Sum)
    by_function: dict[tuple[str, str], _Sum] = defaultdict(_Sum)
    for run in placement.runs:
        name, group = _called(run, placement.code, names)
        one = _Sum()
        one.add(run, hot, hot_lines)
        by_group[group].merge(one)
        by_function[name, group].merge(one)
    whole = _Sum()
    for one in by_group.values():
        whole.merge(one)
    order = [*(group.name for group in GROUPS), OTHER, UNMATCHED]
    functions = [one.share(name, whole, group) for (name, group), one in by_function.items()]
    return HotCode(
        name=launch.name,
        executed=whole.executed,
        samples=whole.stalls,
        matched=placement.matched,
        groups=tuple(by_group[name].share(name, whole) for name in order),
        functions=tuple(sorted(functions, key=lambda one: (-one.executed, one.name))),
        sizes=tuple(_size(launch.counts, percent) for percent in PERCENTS),
    )


def _called(run: Run, code: DeviceCode, names: CodeNames) -> tuple[str, str]:
    """Return the title and the group of a run's function."""
    if run.function is not None:
        symbol = code.functions[run.function].name
        return names.title(symbol), names.group(symbol)
    if not run.candidates:
        return f"unknown, {run.end * INSTRUCTION} bytes", UNMATCHED
    first = names.title(code.functions[run.candidates[0]].name)
    return f"{first} or one of {len(run.candidates) - 1} others", UNMATCHED


class _Sum:
    """The counts of a group or function while they are added up."""

    def __init__(self) -> None:
        self.executed = self.stalls = self.hot = self.lines = 0

    def add(self, run: Run, hot: set[int], hot_lines: set[int]) -> None:
        self.executed += run.executed
        self.stalls += sum(count.stalls for count in run.counts)
        self.hot += INSTRUCTION * sum(count.address in hot for count in run.counts)
        self.lines += LINE * len({count.address // LINE for count in run.counts} & hot_lines)

    def merge(self, other: _Sum) -> None:
        self.executed += other.executed
        self.stalls += other.stalls
        self.hot += other.hot
        self.lines += other.lines

    def share(self, name: str, whole: _Sum, group: str = "") -> CodeShare:
        executed = self.executed / whole.executed if whole.executed else 0.0
        stalls = self.stalls / whole.stalls if whole.stalls else 0.0
        return CodeShare(name, executed, stalls, self.hot, self.lines, group)


def _instructions(counts: Sequence[InstructionCount]) -> dict[int, int]:
    return {count.address: count.executed for count in counts}


def _lines(counts: Sequence[InstructionCount]) -> Counter[int]:
    found: Counter[int] = Counter()
    for count in counts:
        found[count.address // LINE] += count.executed
    return found


def _hottest(executed: Mapping[int, int], percent: int) -> Iterator[tuple[int, int]]:
    """Yield the fewest items that hold `percent` % of all executions, the largest first."""
    needed = sum(executed.values()) * percent
    held = 0
    for item, n in sorted(executed.items(), key=lambda pair: (-pair[1], pair[0])):
        if held * 100 >= needed:
            return
        held += n
        yield item, n


def _size(counts: Sequence[InstructionCount], percent: int) -> HotSize:
    instructions = sum(1 for _ in _hottest(_instructions(counts), percent))
    lines = sum(1 for _ in _hottest(_lines(counts), percent))
    return HotSize(percent, INSTRUCTION * instructions, LINE * lines)


def to_json(analyzed: Sequence[tuple[LaunchCounts, HotCode]], build: str) -> dict[str, Any]:
    """Return counts and tables as JSON; `read_counts` reads the counts of it.

    Args:
        analyzed: The launches, with their hot code.
        build: The name of the build that ran.
    """
    programs = {}
    for launch, hot in analyzed:
        counts = [[count.address, count.executed, count.stalls] for count in launch.counts]
        programs[launch.name] = {**asdict(hot), "counts": counts}
    return {"build": build, "programs": programs}


def show(hot: HotCode, console: Console, *, functions: bool = False) -> None:
    """Print the tables of one launch. functions: whether to print the table by function, too."""
    executed = f"{hot.executed:,} executed warp instructions"
    title = f"{hot.name}: {executed}, {hot.samples:,} fetch-stall samples"
    console.print(title, style="bold", highlight=False)
    _print("group", [one for one in hot.groups if one.executed or one.name == OTHER], console)
    if functions:
        _print("function", hot.functions[:ROWS], console)
    table = Table(box=SIMPLE)
    for head in ("executed", "KB of instructions", "KB of lines"):
        table.add_column(head, justify="right")
    for size in hot.sizes:
        table.add_row(f"{size.percent} %", _kb(size.instructions), _kb(size.lines))
    console.print(table)
    for sentence in (
        f"Functions of {100 * hot.matched:.2f} % of the executed instructions were matched.",
        f"Hot code is the least code that holds {HOT} % of the executed instructions.",
        f"KB are 1,024 bytes. Lines have {LINE} bytes.\n",
    ):
        console.print(sentence, highlight=False)


def _print(kind: str, portions: Sequence[CodeShare], console: Console) -> None:
    table = Table(box=SIMPLE)
    table.add_column(kind, no_wrap=True)
    for head in ("executed %", "fetch stalls %", "hot KB", "KB of lines"):
        table.add_column(head, justify="right")
    for one in portions:
        shares = (f"{100 * one.executed:.1f}", f"{100 * one.stalls:.1f}")
        table.add_row(one.name, *shares, _kb(one.hot), _kb(one.lines))
    console.print(table)


def _kb(size: int) -> str:
    return f"{size / 1024:.1f}"
