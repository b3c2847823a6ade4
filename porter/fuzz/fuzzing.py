"""Runs the fuzzer for a while, and makes small corpora of large ones."""

from __future__ import annotations

import re
import shutil
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from attrs import field, frozen

from porter.base import arguments
from porter.base.paths import templates_dir
from porter.base.process import run
from porter.errors import ToolFailed
from porter.toolchain.sanitizer import OPTIONS

MODES = ("run", "compile")
LONGEST = 1024  # bytes of an input
SLOWEST = 20  # seconds that an input may take, under the sanitizers
_RUNS = re.compile(r"^stat::number_of_executed_units:\s*(\d+)", re.MULTILINE)


@frozen
class Campaign:
    """What one mode's fuzzing came to: inputs tried, seconds, inputs that broke an interpreter."""

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
    """Fuzz for `seconds`, starting from `seeds` and from what earlier runs left in `work`.

    `work`/corpus grows; inputs that break an interpreter go to `work`/found. One process, at the
    lowest priority.
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
                f"-dict={templates_dir() / 'fuzz' / 'python.dict'}",
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
            break  # it stops at each: enough for one session
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
    """Put a small corpus of `folders`' inputs into `into`, which is emptied first; its bytes.

    The inputs that together reach most code, short ones first, up to `most` bytes in all and
    `longest` each.
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
