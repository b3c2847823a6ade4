"""Run the fuzzer for a given time, and minimise corpora."""

from __future__ import annotations

import re
import shutil
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from attrs import field, frozen

from porter.base import arguments
from porter.base.process import run
from porter.errors import ToolFailed
from porter.toolchain import OPTIONS
from porter_dev.fuzz.building import HARNESS

MODES = ("run", "compile")
LONGEST = 1024  # maximum bytes of an input
SLOWEST = 20  # maximum seconds of an input, under the sanitizers
_RUNS = re.compile(r"^stat::number_of_executed_units:\s*(\d+)", re.MULTILINE)


@frozen
class Campaign:
    """The results of fuzzing in one mode.

    Attributes:
        mode: Name out of MODES.
        runs: Number of inputs executed.
        seconds: Wall-clock time.
        corpus: Number of inputs in the corpus.
        found: Inputs that broke an interpreter.
        log: Output of the fuzzer.
    """

    mode: str
    runs: int
    seconds: float
    corpus: int
    found: tuple[Path, ...] = field(default=())
    log: str = field(default="", repr=False)


def fuzz(
    program: arguments.StrPath,
    mode: str,
    seconds: float,
    work: arguments.StrPath,
    seeds: Sequence[arguments.StrPath],
) -> Campaign:
    """Fuzz for `seconds`, in one process with the lowest priority.

    Inputs that reach new code go to `work`/corpus, inputs that break an interpreter to
    `work`/found.

    Args:
        program: The fuzzer.
        mode: Name out of MODES.
        seconds: Duration.
        work: Folder of corpus and findings; earlier runs' corpus is used.
        seeds: Folders of further inputs to start from.

    Raises:
        ToolFailed: The fuzzer fails without an input that caused it.
    """
    program = arguments.path(program, "program")
    work = arguments.path(work, "work")
    corpus, found = work / "corpus", work / "found"
    for folder in (corpus, found):
        folder.mkdir(parents=True, exist_ok=True)
    known = set(found.iterdir())
    start = time.monotonic()
    runs, logs = 0, []
    while (left := seconds - (time.monotonic() - start)) > 1:
        done = run(
            [
                *_nice(),
                program,
                f"-max_total_time={int(left) + 1}",
                f"-max_len={LONGEST}",
                f"-timeout={SLOWEST}",
                "-rss_limit_mb=4096",
                "-print_final_stats=1",
                "-reload=0",
                f"-dict={HARNESS / 'python.dict'}",
                f"-artifact_prefix={found}/",
                corpus,
                *map(arguments.as_path, seeds),
            ],
            env={**OPTIONS, "PORTER_FUZZ_MODE": mode},
            timeout=left + 120,
            check=False,
        )
        runs += sum(int(number) for number in _RUNS.findall(done.output))
        logs.append(done.output)
        if done.returncode != 0 and len(set(found.iterdir()) - known) >= 20:
            break  # libFuzzer stops at each finding; 20 are enough for one session
        if done.returncode != 0 and not set(found.iterdir()) - known:
            raise ToolFailed(f"the fuzzer failed without an input\n{done.output[-2000:]}")
    new = tuple(sorted(set(found.iterdir()) - known))
    count = sum(1 for _ in corpus.iterdir())
    return Campaign(mode, runs, time.monotonic() - start, count, new, "".join(logs))


def _nice() -> list[str]:
    nice = shutil.which("nice")
    return [nice, "-n", "19"] if nice else []


def minimise(
    program: arguments.StrPath,
    folders: Sequence[arguments.StrPath],
    into: arguments.StrPath,
    most: int,
    longest: int,
) -> int:
    """Replace the contents of `into` by a small corpus with the coverage of `folders`.

    The corpus contains the shortest inputs first.

    Args:
        program: The fuzzer.
        folders: Folders of inputs.
        into: Folder of the corpus; emptied first.
        most: Maximum size of the corpus in bytes.
        longest: Maximum size of an input in bytes.

    Returns:
        The size of the corpus in bytes.
    """
    program = arguments.path(program, "program")
    into = arguments.path(into, "into")
    with tempfile.TemporaryDirectory(prefix="porter-fuzz-") as temporary:
        merged = Path(temporary)
        run(
            [
                program,
                "-merge=1",
                f"-max_len={longest}",
                "-use_counters=0",
                merged,
                *map(arguments.as_path, folders),
            ],
            env=OPTIONS,
            check=True,
        )
        files = sorted(merged.iterdir(), key=lambda path: (path.stat().st_size, path.name))
        shutil.rmtree(into, ignore_errors=True)
        into.mkdir(parents=True)
        total = 0
        for file in files:
            total += file.stat().st_size
            if total > most:
                return total - file.stat().st_size
            shutil.copyfile(file, into / file.name[:16])
        return total
