"""Read how often each instruction of a launch ran: from a report of NVIDIA's ncu, or from JSON.

    ncu --nvtx --profile-from-start off --kernel-name gpusnek_launch --clock-control none \\
        --section SourceCounters -f -o words python -m porter_dev.bench.lanes BUILD -n 8192 words

makes the report `words.ncu-rep`. NVIDIA's module `ncu_report`, which is part of Nsight Compute,
reads it. `porter bench --hot-code REPORT --json FILE` stores the counts as JSON, which any machine
can read. `hot_code` makes tables of the counts.
"""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from attrs import frozen

from porter.base import arguments
from porter.errors import UsageError
from porter_dev.bench.code_blocks import INSTRUCTION
from porter_dev.bench.lanes import MARK

REPORT = ".ncu-rep"
EXECUTED = "inst_executed"  # warp instructions, by address
HINT = 'The commands that make such a file stand in docs/how-to/benchmark.md, "Find hot code".'
MODULES = (  # folders of ncu_report in Nsight Compute, and in the CUDA toolkit
    "opt/nvidia/nsight-compute/*/extras/python",
    "usr/local/cuda*/nsight-compute*/extras/python",
)


@frozen
class InstructionCount:
    """The counts of one instruction.

    Attributes:
        address: The address in the GPU's memory, in bytes.
        executed: Number of warps that executed the instruction.
        stalls: Samples of warps that waited for the instruction to be fetched.
    """

    address: int
    executed: int
    stalls: int


@frozen
class LaunchCounts:
    """The counts of one profiled launch.

    Attributes:
        name: The program's name.
        counts: The counts of all instructions of all functions that ran, by ascending address.
    """

    name: str
    counts: tuple[InstructionCount, ...]


def read_counts(path: arguments.StrPath) -> list[LaunchCounts]:
    """Read the launches in a report of ncu (`*.ncu-rep`) or in a JSON file.

    A JSON file holds `{"programs": {NAME: {"counts": [[ADDRESS, EXECUTED, STALLS], ...]}}}`, as
    `porter bench --hot-code REPORT --json FILE` writes it, or the list of counts alone.

    Raises:
        UsageError: The file cannot be read, is malformed, or holds no counts, or a report is given
            and there is no `ncu_report`.
    """
    path = arguments.path(path, "path")
    if path.suffix == REPORT:
        return _from_report(path)
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error}", hint=HINT) from error
    except (ValueError, RecursionError) as error:
        what = f"neither a report ({REPORT}) nor JSON: {error}"
        raise UsageError(f"{path}: {what}", hint=HINT) from error
    if isinstance(document, list):
        document = {"programs": {path.stem: {"counts": document}}}
    programs = document.get("programs") if isinstance(document, dict) else None
    if not isinstance(programs, dict) or not programs:
        raise UsageError(f"{path}: there are no programs", hint=HINT)
    return [_checked(path, name, _rows(path, name, entry)) for name, entry in programs.items()]


def _rows(path: Path, name: str, entry: Any) -> list[InstructionCount]:
    rows = entry.get("counts") if isinstance(entry, dict) else None
    if not isinstance(rows, list):
        raise UsageError(f"{path}: {name}: there is no list of counts", hint=HINT)
    for i, row in enumerate(rows):
        # isinstance would accept bool, too.
        if not isinstance(row, list) or [type(value) for value in row] != [int] * 3:
            what = f"entry {i} is not [address, executed, stalls]"
            raise UsageError(f"{path}: {name}: {what}", hint=HINT)
    return [InstructionCount(*row) for row in rows]


def _checked(path: Path, name: str, rows: Sequence[InstructionCount]) -> LaunchCounts:
    """Return the counts in order. Raises UsageError if these cannot come from a launch."""
    rows = sorted(rows, key=lambda row: row.address)
    what = "" if any(row.executed > 0 for row in rows) else "no instruction was executed"
    for i, row in enumerate(rows):
        if row.address < 0 or row.address % INSTRUCTION:
            what = f"{row.address:#x} is no address of an instruction"
        elif row.executed < 0 or row.stalls < 0:
            what = f"the instruction at {row.address:#x} has a negative count"
        elif i and row.address == rows[i - 1].address:
            what = f"the instruction at {row.address:#x} occurs twice"
        if what:
            break
    if what:
        raise UsageError(f"{path}: {name}: {what}", hint=HINT)
    return LaunchCounts(name, tuple(rows))


def _from_report(path: Path) -> list[LaunchCounts]:
    if not path.is_file():
        raise UsageError(f"{path}: there is no such file", hint=HINT)
    module = report_module()
    try:
        report = module.load_report(str(path))
    except Exception as error:  # ncu_report documents no types
        raise UsageError(f"{path}: ncu_report cannot read it: {error}", hint=HINT) from error
    actions = list(_actions(report)) if report is not None else []
    found: dict[str, LaunchCounts] = {}
    for action in actions:
        name = _program(action) or path.stem
        if name in found:
            name = f"{name} ({sum(old.split(' (')[0] == name for old in found) + 1})"
        executed = _by_address(action, EXECUTED)
        if not executed:
            what = f"{name}: the report has no counts by instruction"
            raise UsageError(f"{path}: {what}", hint="Use `ncu --section SourceCounters`.")
        stalls = _by_address(action, _stall_metric(action))
        rows = [InstructionCount(at, n, stalls.get(at, 0)) for at, n in executed.items()]
        found[name] = _checked(path, name, rows)
    if not found:
        raise UsageError(f"{path}: the report holds no launch", hint=HINT)
    return list(found.values())


def report_module(root: arguments.StrPath = "/") -> Any:
    """Import NVIDIA's `ncu_report`.

    Args:
        root: The folder below which Nsight Compute and the CUDA toolkit are installed.

    Raises:
        UsageError: There is no such module, or it does not load.
    """
    root = arguments.path(root, "root")
    folders = [str(folder) for pattern in MODULES for folder in sorted(root.glob(pattern))]
    added = [folder for folder in reversed(folders) if folder not in sys.path]
    sys.path.extend(added)
    try:
        return importlib.import_module("ncu_report")
    except ImportError as error:
        raise UsageError(
            f"reports of ncu need NVIDIA's Python module ncu_report: {error}",
            hint="Nsight Compute brings it. On a machine with Nsight Compute, "
            "`porter bench --hot-code REPORT --json FILE` stores the counts as JSON for others.",
        ) from error
    finally:
        sys.path[:] = [folder for folder in sys.path if folder not in added]


def _actions(report: Any) -> Iterator[Any]:
    """Yield the profiled launches of a report."""
    for i in range(report.num_ranges()):
        one = report.range_by_idx(i)
        for k in range(one.num_actions()):
            yield one.action_by_idx(k)


def _program(action: Any) -> str | None:
    """Return the name that `lanes.seen` gave to a launch by an NVTX range, if there is one."""
    state = action.nvtx_state()
    for number in state.domains() if state is not None else ():
        for name in state.domain_by_id(number).push_pop_ranges() or ():
            if str(name).startswith(MARK):
                return str(name).removeprefix(MARK)
    return None


def _stall_metric(action: Any) -> str:
    """Return the metric with the samples of warps that wait for an instruction's fetch, or ""."""
    names = (str(name) for name in action.metric_names())
    fetch = (name for name in names if "pcsamp" in name and "no_inst" in name)
    return next((name for name in fetch if "not_issued" not in name), "")


def _by_address(action: Any, name: str) -> dict[int, int]:
    metric = action.metric_by_name(name) if name else None
    if metric is None or not metric.num_instances():
        return {}
    addresses = metric.correlation_ids()
    instances = range(metric.num_instances())
    return {addresses.as_uint64(i): metric.as_uint64(i) for i in instances}
