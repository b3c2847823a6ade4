"""The launch path makes no request to CuPy that would compile a kernel.

Interpreters run on the local twin, driven by the class for GPUs. Requests to CuPy beyond memory,
copies and views fail in a strict fake (tests/strict_cupy.py). On a GPU, CuPy's own cache shows the
same.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from arrays_build import cuda_build
from local_twin import LocalTwin, store_of
from strict_cupy import Array, arrays_library, strict_cupy

from porter import InterpreterArray, evaluate
from porter.errors import InterpreterError
from porter.fs import Image
from porter.repl.session import Session
from porter.run import Device, Launch, Result, footprint, open_device, run
from porter.run.built import Built
from porter.run.device import chunks
from porter.run.footprint import MemoryBudget
from porter.run.streams.display import render

N = 700  # more than a template pays from
EVERY_KIND = """
import sys
if threadIdx % 5 == 3:
    raise ValueError(threadIdx % 2)
if threadIdx % 5 == 4:
    print("lost", file=sys.stderr)
    sys.exit(3)
print("x" * (threadIdx % 7), threadIdx % 3)
"""


@pytest.fixture
def strict(twin: LocalTwin, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Device]:
    """Return porter.run.device.cuda.Cuda, with the fake CuPy and the local twin's interpreters."""
    cupy = strict_cupy(twin._library, arrays_library(tmp_path))
    monkeypatch.setitem(sys.modules, "cupy", cupy)
    device = open_device(cuda_build(twin.built, tmp_path / "build"), "cuda")
    assert device.on_gpu and device.local
    yield device
    device.close()


def test_all_of_a_module_is_read_on_its_own_gpu(
    twin: LocalTwin, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Bounds written into another GPU's copy of the module would leave this copy's unset."""

    def fences(cupy: Any, module: Any, built: Built) -> None:
        module.get_function("gpusnek_setup")

    cupy = strict_cupy(twin._library, arrays_library(tmp_path), gpus=2)
    monkeypatch.setitem(sys.modules, "cupy", cupy)
    monkeypatch.setattr("porter.run.device.cuda.bounds_checks_of", fences)
    for number in (0, 1):
        device = open_device(cuda_build(twin.built, tmp_path / f"{number}"), "cuda", number=number)
        assert device._module.loaded_on == {number}  # type: ignore[attr-defined]
        device.close()


def shown(result: Result) -> list[list[bytes]]:
    streams = (result.stdout, result.stderr)
    return [[line.text for line in render(stream.groups, n=N)] for stream in streams]


def test_grouped_output(strict: Device, twin: LocalTwin) -> None:
    for launch in (Launch(), Launch(stdout=8), Launch(stdout=0), Launch(fork=False)):
        ours, theirs = (run(device, [EVERY_KIND], N, launch) for device in (strict, twin))
        assert shown(ours) == shown(theirs)
        assert ours.stdout[5] == theirs.stdout[5] and ours.stdout.longest == theirs.stdout.longest
        assert (ours.stdout.cut == theirs.stdout.cut).all()
        assert (ours.status == theirs.status).all() and (ours.steps == theirs.steps).all()
    which = np.arange(N) % 3
    programs = ["print(1)", "print(2)", "print(3)"]
    assert shown(run(strict, programs, N, program_of=which)) == shown(
        run(twin, programs, N, program_of=which)
    )


def test_output_as_it_comes(strict: Device) -> None:
    pieces: list[bytes] = []
    launch = Launch(
        console="ring", on_output=lambda batch: pieces.extend(text for _, _, text in batch)
    )
    assert not run(strict, ["print(threadIdx)"], 40, launch).stdout.longest
    assert sorted(pieces, key=int) == [b"%d\n" % i for i in range(40)]


VALUES = {
    "threadIdx": lambda i: i,
    "threadIdx / 2": lambda i: i / 2,
    "threadIdx % 2 == 0": lambda i: i % 2 == 0,
    "threadIdx if threadIdx % 2 else 0.5": lambda i: float(i) if i % 2 else 0.5,
    "'a' * threadIdx": lambda i: "a" * i,
    "[threadIdx, None, {1: b'x'}]": lambda i: [i, None, {1: b"x"}],
}


@pytest.mark.parametrize("expression", VALUES)
def test_values(strict: Device, expression: str) -> None:
    want: Callable[[int], object] = VALUES[expression]
    with InterpreterArray(20, device=strict) as array:
        values = array.eval(expression)
        here = values.get().tolist() if isinstance(values, Array) else values
    assert here == [want(i) for i in range(20)]
    assert list(map(type, here)) == [type(want(i)) for i in range(20)]


def test_an_array_of_interpreters(strict: Device) -> None:
    with InterpreterArray(20, device=strict, seed=1) as array:
        array.exec(array.compile("y = threadIdx * 2"))
        for value in (3, 2.5, True, "text", [*range(20)], np.arange(20, dtype=np.int16)):
            array.set("x", value)
        array.set("z", strict.array(np.arange(20, dtype=np.float32)))
        ours = strict.zeros((20, 3), np.int64)
        array.bind("ours", ours, split=True)
        array.exec("ours[1] = x + y")
        assert ours.get()[:, 1].tolist() == [3 * i for i in range(20)]
        assert array.get("z").get().tolist() == [*range(20)]
        array.unbind("ours")
        with pytest.raises(InterpreterError, match="15 of 20"):
            array.eval("[][threadIdx] if threadIdx > 4 else 1")
        assert array.exceptions[0].count == 15 and array.exceptions[0].type == "IndexError"
        with_default = array.eval("[][0] if threadIdx > 4 else 1", check=False, default=7.5)
        assert with_default.get().tolist() == [1.0] * 5 + [7.5] * 15
        array.exec(["pass", "a = 1"], which=np.arange(20) % 2)
        assert array.trim() > 0
        array.clone_from(4)
        assert set(array.eval("y").get().tolist()) == {8}


def test_kernel_after_kernel(strict: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (chunks, footprint):
        monkeypatch.setattr(module, "LEAST_CHUNK", 128)
    most = strict.figures.resting(24576, 49152)
    monkeypatch.setattr(
        strict, "memory_budget", lambda local: MemoryBudget(N * 4096 + 300 * most, 0)
    )
    firsts = []
    start = strict._start  # type: ignore[attr-defined]

    def kept(record: Any, threads: int, *stream: Any) -> Any:
        firsts.append(int(record["offset"]))
        return start(record, threads, *stream)

    monkeypatch.setattr(strict, "_start", kept)
    with InterpreterArray(N, device=strict) as array:
        array.exec("x = threadIdx + 1")
        assert max(firsts) >= 512 and not any(first % 128 for first in firsts)
        assert array.eval("x").get().tolist() == [*range(1, N + 1)]


def test_what_no_image_needs_is_given_back_where_little_is_free(
    strict: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    with InterpreterArray(N, device=strict) as array:
        array.exec("x = threadIdx")
        images = store_of(array._open_arenas())
        assert images.rows == images.most
        strict.memory_budget(0)
        assert images.rows == images.most
        monkeypatch.setattr(strict.xp.cuda.runtime, "memGetInfo", lambda: (1 << 31, 1 << 34))
        strict.memory_budget(0)
        assert images.taken <= images.rows < images.most
        assert array.eval("x").get().tolist() == [*range(N)]


def test_programs_on_cases(strict: Device, twin: LocalTwin) -> None:
    programs = ["def solve(x):\n    print('x' * x)\n    return ['y' * 30 * x, 3 // x]", "1 //", "1"]
    cases = [((k,), [("y" * 30 * k), 3]) for k in (1, 0, 9)]
    keep = ("outputs", "values", "tracebacks")
    ours, theirs = (evaluate(programs, cases, keep=keep, device=one) for one in (strict, twin))
    for name in ("status", "steps"):
        assert np.array_equal(getattr(ours, name), getattr(theirs, name))
    for name in keep:
        assert getattr(ours, name) == getattr(theirs, name)
    assert ours.values is not None and ours.values[0] == [["y" * 30, 3], None, ["y" * 270, 0]]
    assert ours.outputs is not None and ours.outputs[0] == [b"x\n", b"\n", b"xxxxxxxxx\n"]


def test_exceptions_without_room_are_told_by_stderr(strict: Device) -> None:
    with InterpreterArray(6, device=strict, heap=16384) as array:
        with pytest.raises(InterpreterError):
            array.exec("keep = []\nwhile True: keep.append(bytearray(16))")
        assert array.exceptions[0].type == "MemoryError" and array.exceptions[0].count == 6


def test_files_and_a_prompt(strict: Device) -> None:
    image = Image.empty(64 << 10)
    with InterpreterArray(4, device=strict, fs=image) as array:
        array.exec("with open('a', 'w') as f: f.write(str(threadIdx))")
        assert array.file_system(3).read("/a") == b"3"
    session = Session.open(strict, 10, files=image)
    answer = session.execute("threadIdx % 2")
    assert [(g.text, g.count) for g in answer.outputs[0].groups] == [(b"0\n", 5), (b"1\n", 5)]
    session.execute("import sys\nif threadIdx > 6: sys.exit()", kind="file")
    session.rest()
    assert len(session.execute("1").outputs[0]) == 7
    session.close()


@pytest.mark.gpu
def test_cupy_leaves_no_compiled_kernel(tmp_path: Path) -> None:
    if "PORTER_GPU_BUILD" not in os.environ:
        pytest.skip("PORTER_GPU_BUILD names no device build")
    build = os.environ["PORTER_GPU_BUILD"]
    cache = tmp_path / "kernels"
    cache.mkdir()
    script = f"""
from porter import InterpreterArray, evaluate
with InterpreterArray(1000, build={build!r}, target="cuda") as array:
    array.exec("x = threadIdx")
    array.set("y", 2.5)
    assert array.eval("x").get()[7] == 7
    assert array.eval("x % 2 == 0").get()[8] and array.eval("str(x)")[9] == "9"
    array.exec("1 // x", check=False)
    array.trim()
    array.clone_from(3)
"""
    run_it = ["-m", "porter", "run", "--build", build, "-n", "4096", "-c", "print(threadIdx % 3)"]
    for arguments in (run_it, ["-c", script]):
        environment = {**os.environ, "CUPY_CACHE_DIR": str(cache)}
        subprocess.run([sys.executable, *arguments], check=True, env=environment, timeout=300)
        assert list(cache.rglob("*")) == []
