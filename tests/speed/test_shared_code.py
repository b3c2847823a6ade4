"""Shared code: programs are compiled once, and their rows do not depend on where."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from local_twin import LocalTwin

from porter.array.device_selection import open_target
from porter.evaluation import launches
from porter.evaluation.execution import evaluate
from porter.run import Device, Launch, Program, run
from porter.run.device.host import HostTwin
from porter.run.device.template_cache import Templates
from porter.run.launch import shared_code
from porter.run.launch.options import Sizes
from porter.run.launch.shared_code import with_shared_code
from porter.run.launch.templates import PAYS_EACH
from porter.sync.store import synced_releases
from porter_dev.bench.catalogue import PROGRAMS
from porter_dev.bench.cpu_references import DRIVER
from porter_dev.candidates import functions

KEPT = ("outputs", "values", "tracebacks", "exceptions")

SPECIAL = [
    "",
    "solve = = 1",
    "def solve(x):\nreturn x",
    "x = '''",
    "def solve(x): return '\ud800'",
    "def solve(x): return 0.1 + x, 1e300, 2**100, b'\\x00\\xff', 1j, ..., (1, (2.5, 'é'))",
    "import gc\ndef solve(x): gc.collect(); return gc.mem_free()",
    "def solve(x):\n    a = []\n    try:\n        while True: a.append(x)\n"
    "    except MemoryError: return len(a)",
    "def solve(x): return eval('x + 1', {'x': x})",
    "def solve(x): exec('raise ValueError(1)')",
    "exec(compile('def solve(x): return [y for y in range(x)]', 'other', 'exec'))",
    "def solve(x):\n    while True: pass",
    "raise SystemExit(3)",
    "1/0",
    "def solve(x):\n    'text'\n    return solve.__doc__, solve.__name__, __name__, __file__",
    "class A:\n    def f(self, x, *, y=3, **k): return self.__class__.__name__, x, y, k\n"
    "def solve(x): return A().f(x, z=1)",
    "def solve(x):\n    return x / 0 if x else missing",
    "def solve(x):\n    " + "-" * 400 + "x\n",
    "def solve(x):\n    return " + "(" * 300 + "x" + ")" * 300,
    "x = [" + "1," * 3000 + "]\ndef solve(y): return len(x)",
    "\n".join(f"v{i} = 'string number {i}'" for i in range(300)) + "\ndef solve(x): return v299",
]


def rows_of(device: Device, sources: Sequence[str], count: int = 3, **options: Any) -> Any:
    """Return what a user sees of the rows."""
    cases = [((case,), case) for case in range(count)]
    found = evaluate(sources, cases, device=device, keep=KEPT, steps=20_000, **options)
    assert found.values is not None and found.exceptions is not None
    return (
        found.status.tolist(),
        found.steps.tolist(),
        found.outputs,
        found.tracebacks,
        list(map(repr, found.values)),
        list(map(repr, found.exceptions)),
    )


def without(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every interpreter compile its program itself."""

    def plain(device: Device, sources: Sequence[bytes], name: str, *_: object) -> Sequence[Program]:
        return Program.many(sources, name)

    monkeypatch.setattr(launches, "with_shared_code", plain)


@pytest.fixture
def sources() -> list[str]:
    """Return generated programs, and programs whose compilation is special."""
    return functions(7, 60) + SPECIAL


def of_memory(source: str) -> bool:
    return "mem_free" in source or "MemoryError" in source


@pytest.mark.parametrize("each", ["case", "program"])
def test_rows_are_those_of_compiling_in_place(
    any_of_all: Device, sources: list[str], each: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The free memory that a program sees differs, because shared code takes no heap.
    sources = [source for source in sources if not of_memory(source)]
    shared = rows_of(any_of_all, sources, each=each)
    without(monkeypatch)
    assert rows_of(any_of_all, sources, each=each) == shared


@pytest.mark.campaign("shared-code")
@pytest.mark.parametrize("release", synced_releases())
def test_twenty_thousand_programs(release: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Generated programs, and the suite of `porter bench` as programs without the function."""
    device = open_target("host", release, None, {})
    assert isinstance(device, HostTwin)
    suite = [path.read_text() for path in sorted(PROGRAMS.glob("*.py")) if path != DRIVER]
    programs = functions(11, 20_000) + suite
    assert len(suite) > 10
    shared = rows_of(device, programs)
    without(monkeypatch)
    for at, (mine, theirs) in enumerate(zip(shared, rows_of(device, programs), strict=True)):
        differ = [i for i, pair in enumerate(zip(mine, theirs, strict=True)) if pair[0] != pair[1]]
        assert not differ, (at, [programs[i] for i in differ[:3]])


def test_copies_and_interpreters_that_load_are_equal(
    twin: LocalTwin, any_of_all: Device, sources: list[str]
) -> None:
    """A template loads shared code too. Free memory is the same to the byte."""
    twin.templates = Templates()
    encoded = [
        f"{source}\nprint(solve(3))\n".encode("utf-8", "surrogatepass") for source in sources
    ]
    which = np.arange(PAYS_EACH * len(sources), dtype=np.uint32) % len(sources)
    launch = Launch(max_steps=20_000, alike=True, total=1, sandbox=True, order=True)

    def rows(device: Device) -> list[Any]:
        programs = with_shared_code(device, encoded, "a", Sizes())
        found = run(device, programs, len(which), launch, program_of=which)
        status, steps = found.status.tolist(), device.host(found.steps).tolist()
        return [(status[i], steps[i], found.stdout[i], found.stderr[i]) for i in range(len(which))]

    copies = rows(twin)
    assert len(sources) - 8 <= len(twin.templates) < len(sources)
    assert rows(any_of_all) == copies


def test_equal_programs_are_compiled_once(
    any_of_all: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    compiled: list[bytes] = []
    real = shared_code._compile

    def counting(device: Device, sources: Sequence[bytes], *rest: Any) -> Any:
        compiled.extend(sources)
        return real(device, sources, *rest)

    monkeypatch.setattr(shared_code, "_compile", counting)
    monkeypatch.setattr(shared_code, "_caches", shared_code._Caches())
    texts = [b"x = 1", b"y = = 2", b"x = 1", b"z = 3"]
    first = with_shared_code(any_of_all, texts, "a", Sizes())
    assert compiled == [b"x = 1", b"y = = 2", b"z = 3"]
    assert [program.code != b"" for program in first] == [True, False, True, True]
    assert first[0] == first[2]
    again = with_shared_code(any_of_all, [b"new = 1", *texts], "a", Sizes())
    assert list(again)[1:] == list(first) and compiled[3:] == [b"new = 1"]
    with_shared_code(any_of_all, texts, "a", Sizes(heap=1 << 16))
    assert len(compiled) == 7  # a heap of another size can be too small


def test_code_that_is_longer_than_expected(
    any_of_all: Device, sources: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    encoded = [source.encode("utf-8", "surrogatepass") for source in sources]
    expected = with_shared_code(any_of_all, encoded, "a", Sizes())
    monkeypatch.setattr(shared_code, "_caches", shared_code._Caches())
    monkeypatch.setattr(shared_code, "ROOM", -10_000)
    assert list(with_shared_code(any_of_all, encoded, "a", Sizes())) == list(expected)


def test_the_cache_is_bounded(any_of_all: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared_code, "_caches", shared_code._Caches())
    monkeypatch.setattr(shared_code, "KEPT_BYTES", 100_000)
    for part in range(20):
        texts = [b"x = %d" % (100 * part + i) for i in range(100)]
        assert all(program.code for program in with_shared_code(any_of_all, texts, "a", Sizes()))
    (cache,) = shared_code._caches.by_key.values()
    assert len(cache.newer) + len(cache.older) < 1000  # of 2000


def test_mixed_programs_of_one_launch(any_of_all: Device) -> None:
    """Shared code, sources and programs that do not compile run side by side."""
    texts = [b"print(%d)" % i for i in range(6)]
    shared = with_shared_code(any_of_all, [*texts, b"x = = 1"], "a", Sizes())
    plain = Program.many([*texts, b"x = = 1"], "a")
    mixed = [shared[i] if i % 2 else plain[i] for i in range(7)]
    which = np.random.default_rng(1).integers(0, 7, 200).astype(np.uint32)
    found = run(any_of_all, mixed, 200, Launch(), program_of=which)
    expected = run(any_of_all, plain, 200, Launch(), program_of=which)
    assert found.status.tolist() == expected.status.tolist()
    assert [found.stdout[i] for i in range(200)] == [expected.stdout[i] for i in range(200)]
    assert [found.stderr[i] for i in range(200)] == [expected.stderr[i] for i in range(200)]


def test_few_caches_are_kept(any_of_all: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared_code, "_caches", shared_code._Caches())
    for k in range(2 * shared_code.MOST_CACHES):
        with_shared_code(any_of_all, [b"x = 1"], f"name {k}", Sizes())
    assert len(shared_code._caches.by_key) == shared_code.MOST_CACHES


def test_threads_of_several_devices_share_a_cache(
    any_of_all: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    if any_of_all.on_gpu:
        pytest.skip("a thread of its own would need a current GPU")
    monkeypatch.setattr(shared_code, "_caches", shared_code._Caches())
    monkeypatch.setattr(shared_code, "KEPT_BYTES", 5_000)  # generations change all the time

    def made(k: int) -> bool:
        texts = [b"x = %d" % (i % 40) for i in range(k, k + 30)]
        programs = with_shared_code(any_of_all, texts, "a", Sizes())
        return all(program.code for program in programs)

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(made, range(60)))
