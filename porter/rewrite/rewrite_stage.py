"""The rewrite stage of the build: preprocessed units in, C++ units and the state files out.

Worker processes keep parsed units in memory between the facts and the rewrite phase.

Phases: collect the facts of changed units, merge the facts of all units, rewrite each unit whose
text or share of the program changed. Results are cached in a record beside each C++ file.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

import attrs
from attrs import frozen

import porter.rewrite
import porter.syntax
from porter.base.deprecated import renamed_arguments
from porter.base.files import read_sealed, write_changed, write_sealed
from porter.base.process import begin_worker, kill_workers, undisturbed
from porter.base.progress import QUIET, ProgressReporter
from porter.errors import UnknownConstruct
from porter.rewrite.call_graph import table_bits
from porter.rewrite.early_exits import Pair, explained
from porter.rewrite.edit import init_function, setup_function, targets_function
from porter.rewrite.facts import UnitFacts
from porter.rewrite.program import WholeProgram, merge
from porter.rewrite.unit import Rewritten, rewrite_unit, unit_facts
from porter.syntax import Unit, parse_unit

if TYPE_CHECKING:
    from cattrs import Converter

_parsed: dict[str, Unit] = {}  # the units of this worker process


def _unit(name: str, path: Path) -> Unit:
    if name not in _parsed:
        _parsed[name] = parse_unit(name, path)
    return _parsed[name]


def _collect(name: str, path: Path) -> UnitFacts:
    return unit_facts(_unit(name, path))


def _rewrite(name: str, path: Path, program: WholeProgram) -> Rewritten:
    return rewrite_unit(_unit(name, path), program)


class UnitPool:
    """Worker processes, each with a fixed share of the units, so that each unit is parsed once.

    Units are assigned largest first to the worker with the least bytes.
    """

    def __init__(self, units: Mapping[str, Path], jobs: int) -> None:
        self.units = units
        self._workers = [
            ProcessPoolExecutor(max_workers=1, initializer=begin_worker)
            for _ in range(max(1, jobs))
        ]
        self._owner: dict[str, ProcessPoolExecutor] = {}
        load = [0] * len(self._workers)
        for name in sorted(units, key=lambda name: (-units[name].stat().st_size, name)):
            least = load.index(min(load))
            load[least] += units[name].stat().st_size
            self._owner[name] = self._workers[least]

    def facts(self, names: Sequence[str]) -> list[Future[UnitFacts]]:
        """Start to collect the facts of some units."""
        with undisturbed():  # the first submit forks the worker
            return [self._owner[name].submit(_collect, name, self.units[name]) for name in names]

    def rewrite(self, names: Sequence[str], program: WholeProgram) -> list[Future[Rewritten]]:
        """Start to rewrite some units."""
        with undisturbed():
            return [
                self._owner[name].submit(_rewrite, name, self.units[name], program)
                for name in names
            ]

    def __enter__(self) -> UnitPool:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is not None:
            # After an error or Ctrl-C, no running unit is awaited. All workers are killed before
            # any is shut down: each inherited the others' pipes, so a write to a dead worker's pipe
            # blocks as long as another worker lives.
            for worker in self._workers:
                kill_workers(worker)
        for worker in self._workers:
            worker.shutdown(cancel_futures=True)


def state_header(program: WholeProgram) -> str:
    """Return `porter_state.h`: a byte array per moved variable, largest alignment first."""
    lines = [
        "// Written by porter: the state of one interpreter. Do not edit.",
        "#ifndef PORTER_STATE_H",
        "#define PORTER_STATE_H",
        "#if PORTER_BOUNDS_CHECKS",
        '#include "porter_ranges.h"',
        "#endif",
        "typedef struct porter_state_t {",
        "#if PORTER_BOUNDS_CHECKS",
        "    porter_ranges_t porter_ranges; // first: checks read it at the state's own address",
        "#endif",
        "    const void *porter_unwind; // the setjmp buffer that an unwind is on its way to",
        "    int porter_unwind_value;   // what that setjmp is to return",
        "    unsigned int porter_sandbox; // not 0: no addresses of programs, no code from outside",
        "    const void *porter_stack_limit; // a frame below it must not call any deeper",
        "    unsigned int porter_polled;   // a GPU's clock at the last poll",
        "    unsigned int porter_released; // and at the last release of waiting lanes",
    ]
    lines += [
        f"    alignas({field.align}) unsigned char {field.name}[{field.size}]; // {field.key}"
        for field in program.state.values()
    ]
    bits = table_bits(program.targets)
    lines += ["} porter_state_t;", f"#define PORTER_TARGET_BITS {bits}", "#endif", ""]
    return "\n".join(lines)


def state_unit(program: WholeProgram) -> str:
    """Return `porter_state.cpp`: the init of an interpreter's state, and the setup at load."""
    lines = ["// Written by porter. Do not edit.", '#include "porter_runtime.h"']
    lines += ["#if PORTER_BOUNDS_CHECKS", '#include "target_table.inc"', "#endif", 'extern "C" {']
    inits = [init_function(name) for name in program.units_with_init]
    setups = [setup_function(name) for name in program.units_with_setup]
    targets = [targets_function(name) for name in sorted(program.targets)]
    for name in (*inits, *setups, *targets):
        lines += [f"PORTER_DEVICE void {name}(void);"]
    lines += ["PORTER_DEVICE void porter_state_init(void) {"]
    lines += [f"    {name}();" for name in inits]
    lines += ["}", "PORTER_DEVICE void porter_setup(void) {"]
    lines += [f"    {name}();" for name in setups]
    lines += ["#if PORTER_BOUNDS_CHECKS"]
    lines += [f"    {name}();" for name in targets]
    lines += ["#endif", "}", "}", ""]
    return "\n".join(lines)


STATE_UNIT = "porter_state.cpp"
STATE_HEADER = "porter_state.h"


@frozen
class RewriteReport:
    """The result of a run of the stage.

    Attributes:
        edits: The number of edits per rule, by unit.
        rewritten: The units that this run rewrote.
        program: The facts of the whole program.
        pairs: The report on early exits.
    """

    edits: Mapping[str, Mapping[str, int]]
    rewritten: tuple[str, ...]
    program: WholeProgram
    pairs: tuple[Pair, ...] = ()

    def per_rule(self) -> dict[str, int]:
        """Return the number of edits per rule over all units."""
        totals: dict[str, int] = {}
        for counts in self.edits.values():
            for rule, count in counts.items():
                totals[rule] = totals.get(rule, 0) + count
        return totals


@renamed_arguments(tell="progress")
def rewrite(
    units: Mapping[str, Path],
    out: Path,
    *,
    jobs: int | None = None,
    prune: bool = True,
    guard: bool = True,
    saturate: bool = True,
    progress: ProgressReporter = QUIET,
) -> RewriteReport:
    """Rewrite preprocessed units into C++, one `.cpp` file per unit.

    A unit is skipped if its text, its share of the program and its C++ are unchanged.

    Args:
        units: The `.i` files of the units, by unit name.
        out: The output folder.
        jobs: The number of worker processes; by default one per core.
        prune: See `merge`. Off to measure the cost of checks (benchmarks/unwinding.py).
        guard: See `merge`.
        saturate: See `merge`. Off to keep C's semantics of overflow (porter_dev/torture).
        progress: Receives progress reports.

    Raises:
        UnknownConstruct: A rule refuses a construct, or the edits of two rules cross. The error is
            the first one by file and line; its `others` hold the errors of further units.
        PreprocessFailed: libclang cannot parse a unit.
    """
    out.mkdir(parents=True, exist_ok=True)
    records = {name: _Record(out, name) for name in units}
    texts = {name: _digest(path.read_bytes()) for name, path in units.items()}
    with UnitPool(units, jobs or os.cpu_count() or 1) as pool:
        stale = [name for name in units if not records[name].matches(texts[name])]
        if stale:
            progress.say(f"reading {len(stale)} units")
        for number, future in enumerate(pool.facts(stale), 1):
            facts = future.result()
            records[facts.unit].start(texts[facts.unit], facts)
            progress.step(number, len(stale))
        program = merge(
            [record.facts for record in records.values()],
            prune=prune,
            guard=guard,
            saturate=saturate,
        )
        shares = {name: _share(program.slice(records[name].facts)) for name in units}
        todo = [name for name in units if not records[name].is_done(shares[name])]
        refused: list[UnknownConstruct] = []
        if todo:
            progress.say(f"rewriting {len(todo)} units")
        for number, done in enumerate(pool.rewrite(todo, program), 1):
            progress.step(number, len(todo))
            try:
                result = done.result()
            except UnknownConstruct as error:
                refused.append(error)
                continue
            records[result.unit].finish(shares[result.unit], result)
    if refused:
        refused.sort(key=lambda error: (error.file, error.line, error.column))
        refused[0].others = tuple(refused[1:])
        raise refused[0]
    _write(out / STATE_HEADER, state_header(program))
    _write(out / STATE_UNIT, state_unit(program))
    _remove_strangers(out, units)
    return RewriteReport(
        {name: record.edits for name, record in records.items()},
        tuple(todo),
        program,
        explained(pair for name in sorted(records) for pair in records[name].pairs),
    )


class _Record:
    """The cached facts and results of one unit, stored in a JSON file beside its C++."""

    def __init__(self, out: Path, name: str) -> None:
        self.cpp = out / f"{name}.cpp"
        self.path = out / f"{name}.json"
        self._data: dict[str, object] = {}
        self.facts = UnitFacts(name)
        found = read_sealed(self.path)
        if found is not None and found.get("rules") == rules_version():  # else another schema
            self.facts = _converter().structure(found["facts"], UnitFacts)
            self._data = found

    @property
    def edits(self) -> Mapping[str, int]:
        return self._data.get("edits", {})  # type: ignore[return-value]

    @property
    def pairs(self) -> tuple[Pair, ...]:
        return _converter().structure(self._data.get("pairs", []), tuple[Pair, ...])

    def matches(self, text: str) -> bool:
        return self._data.get("text") == text

    def start(self, text: str, facts: UnitFacts) -> None:
        self.facts = facts
        self._data = {"text": text, "rules": rules_version(), "facts": attrs.asdict(facts)}

    def is_done(self, share: str) -> bool:
        return self._data.get("share") == share and self._data.get("cpp") == self._written()

    def _written(self) -> str | None:
        try:
            return _digest(self.cpp.read_bytes())
        except OSError:
            return None

    def finish(self, share: str, result: Rewritten) -> None:
        self.cpp.parent.mkdir(parents=True, exist_ok=True)
        _write(self.cpp, result.text)
        pairs = [attrs.asdict(pair) for pair in result.pairs]
        self._data |= {"share": share, "edits": dict(result.edits), "pairs": pairs}
        self._data["cpp"] = self._written()
        write_sealed(self.path, self._data)


@cache
def _converter() -> Converter:
    from cattrs import Converter  # slow to load, and most commands rewrite nothing

    return Converter(forbid_extra_keys=True)


@cache
def rules_version() -> str:
    """Return a hash of the rewriting code; a record with another hash is stale."""
    digest = hashlib.sha256()
    for package in (porter.rewrite, porter.syntax):
        for path in sorted(Path(package.__path__[0]).rglob("*.py")):
            digest.update(path.read_bytes())
    return digest.hexdigest()


def _share(program: WholeProgram) -> str:
    data = {
        "raising": sorted(program.raising),
        "guarded": sorted(program.guarded),
        "polls": {
            key: [(number, attrs.astuple(poll)) for number, poll in sorted(polls.items())]
            for key, polls in sorted(program.polls.items())
        },
        "state": {key: attrs.astuple(value) for key, value in sorted(program.state.items())},
        "late": {key: sorted(value) for key, value in sorted(program.late.items())},
        "sized": {key: sorted(value) for key, value in sorted(program.sized.items())},
        "refused": [sorted(program.refused.places.items()), sorted(program.refused.loaders)],
        "targets": sorted(program.targets.items()),
        "effects": attrs.asdict(program.effects),
    }
    return _digest(json.dumps(data, sort_keys=True).encode())


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _write(path: Path, text: str) -> None:
    """Write a file if its content changes; an unchanged file keeps its mtime."""
    write_changed(path, text.encode("latin-1"))


def _remove_strangers(out: Path, units: Mapping[str, Path]) -> None:
    """Remove the files of units that no longer exist."""
    known = {out / f"{name}.cpp" for name in units} | {out / STATE_UNIT}
    for path in out.rglob("*.cpp"):
        if path not in known:
            path.unlink()
            path.with_suffix(".json").unlink(missing_ok=True)
