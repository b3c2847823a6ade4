"""Measure how often interpreters and the CPython fallback agree, on rows that both can run.

    python -m benchmarks.agreement [--humaneval FILE] [--generated N] [--library N]
        [--candidates N] [--folder FOLDER] [--build FOLDER] [--show N]

Every program runs in an interpreter, as `porter evaluate` runs it, and in CPython, as the fallback
runs it. Both engines agree on a row if its status, and its output or returned value, are equal.
Rows that are UNSUPPORTED in an interpreter, or refused by the fallback, count apart. Disagreements
are counted by the pair of statuses, and --show prints the first programs of each pair.

Programs:
    --humaneval  a file of HumanEval's format: reference solutions with their tests
    --generated  programs of `porter torture python`, which print what they compute
    --library    such programs that use the frozen library
    --candidates functions of porter_dev/candidates.py, each with eight cases
    --folder     Python files, run as whole programs
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import attrs

from porter.base.untrusted import repr_of
from porter.evaluation import Cases, CaseStatus, Judgement, Judging, judge, portions
from porter.evaluation.data_files import read_programs
from porter.evaluation.execution import open_sandbox
from porter.evaluation.judgement import judge_in_cpython
from porter.fallback import Fallback
from porter.run import Device
from porter.run.device.host import HostTwin
from porter_dev import candidates
from porter_dev.torture.python.library_program import generate_library
from porter_dev.torture.python.program import generate
from porter_dev.torture.python.python_campaign import draw

SEED = 1
ROWS = 4096  # of a portion
WHOLE = Cases.of([{"stdin": ""}])
CALLS = Cases.of([((x,), 0) for x in range(8)])


@attrs.define
class Agreement:
    """The rows of one set of programs.

    Attributes:
        agreeing: Rows with equal statuses, outputs and values.
        unsupported: Rows that an interpreter cannot run.
        refused: Rows that the fallback refuses.
        pairs: Disagreeing rows by the engines' statuses.
        examples: A program of each pair, with what both engines returned or printed.
        seconds: Wall time of interpreters, and of CPython.
    """

    agreeing: int = 0
    unsupported: int = 0
    refused: int = 0
    pairs: Counter[tuple[str, str]] = attrs.field(factory=Counter)
    examples: dict[tuple[str, str], list[str]] = attrs.field(factory=dict)
    seconds: list[float] = attrs.field(factory=lambda: [0.0, 0.0])

    def add(self, sources: Sequence[bytes], counts: Sequence[int], both: list[Judgement]) -> None:
        """Add the rows of a portion."""
        own, other = both
        programs = [p for p, count in enumerate(counts) for _ in range(count)]
        for row, program in enumerate(programs):
            one, two = (CaseStatus(int(found.status[row])).name for found in both)
            if own.status[row] == CaseStatus.UNSUPPORTED:
                self.unsupported += 1
                continue
            if other.status[row] == CaseStatus.UNSUPPORTED:
                self.refused += 1
                continue
            left, right = (_result(found, row) for found in both)
            if (one, left) == (two, right):
                self.agreeing += 1
                continue
            self.pairs[one, two] += 1
            shown = f"{left[:300]}\n--- CPython:\n{right[:300]}"
            text = f"{sources[program].decode(errors='replace')[:1500]}\n--- interpreter:\n{shown}"
            self.examples.setdefault((one, two), []).append(text)

    def lines(self) -> Iterator[str]:
        """Yield a line for the totals, and one for each pair of statuses."""
        total = self.agreeing + self.pairs.total()
        share = self.agreeing / total if total else 1.0
        yield (
            f"{total} rows in both, {self.agreeing} agree ({share:.2%}); {self.unsupported} "
            f"unsupported, {self.refused} refused; interpreters {self.seconds[0]:.1f} s, "
            f"CPython {self.seconds[1]:.1f} s"
        )
        for (one, two), count in self.pairs.most_common():
            yield f"  {count:>6} interpreter {one}, CPython {two}"


def _result(found: Judgement, row: int) -> str:
    """Return the value or the output of a row that ended by itself; empty for other rows."""
    if found.status[row] not in (CaseStatus.PASSED, CaseStatus.WRONG, CaseStatus.RAISED):
        return ""
    assert found.values is not None and found.outputs is not None and found.exceptions is not None
    raised = found.exceptions[row]
    kind = "" if raised is None else raised.type
    return f"{kind}{repr_of(found.values[row])} {found.outputs[row]!r}"


def measured(device: Device, programs: Sequence[Any], cases: Cases | None) -> Agreement:
    """Run programs in both engines.

    Args:
        device: The device of the interpreters.
        programs: Sources, or pairs of a source and its cases.
        cases: Cases of all programs; None: programs have their own.
    """
    found = Agreement()
    how = Judging(fallback=Fallback(), keep=("values", "outputs", "exceptions"), max_heap="64M")
    alone = attrs.evolve(how, fallback=None)
    for portion in portions(programs, cases, rows=ROWS, most=ROWS):
        both = []
        for k, (run, options) in enumerate(((judge, alone), (judge_in_cpython, how))):
            begin = time.monotonic()
            both.append(run(device, portion, options))
            found.seconds[k] += time.monotonic() - begin
        found.add(portion.sources, portion.counts.tolist(), both)
    return found


def sets(arguments: argparse.Namespace) -> Iterator[tuple[str, list[Any], Cases | None]]:
    """Yield the name, the programs and the shared cases of each chosen set."""
    if arguments.humaneval:
        named = read_programs(arguments.humaneval)
        yield "HumanEval", [(one.source, one.cases) for one in named], None
    for name, count, make in (
        ("generated programs", arguments.generated, generate),
        ("library programs", arguments.library, generate_library),
    ):
        if count:
            sources = [draw(str(SEED), k, make).source for k in range(count)]
            yield name, sources, WHOLE
    if arguments.candidates:
        made = candidates.programs(SEED, arguments.candidates)
        yield "candidates", [one.split("\n\n\ntry:")[0] for one in made], CALLS
    if arguments.folder:
        files = sorted(arguments.folder.rglob("*.py"))
        yield str(arguments.folder), [file.read_bytes() for file in files], WHOLE


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--humaneval", type=Path)
    for name in ("generated", "library", "candidates"):
        parser.add_argument(f"--{name}", type=int, default=0)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--build")
    parser.add_argument("--show", type=int, default=0)
    arguments = parser.parse_args()
    device, _ = open_sandbox("host", None, arguments.build)
    assert isinstance(device, HostTwin)
    for name, programs, cases in sets(arguments):
        found = measured(device, programs, cases)
        for line in found.lines():
            print(f"{name}: {line}" if not line.startswith(" ") else line, flush=True)
        for pair, examples in found.examples.items():
            for example in examples[: arguments.show]:
                print(f"=== {pair}\n{example}")


if __name__ == "__main__":
    main()
