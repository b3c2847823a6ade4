"""Interpreters that begin as copies of a template (launch/templates.py)."""

from __future__ import annotations

import numpy as np
from local_twin import store_of

from porter.run import Device, Launch, Program, run
from porter.run.device.snapshots import size_of
from porter.run.launch.options import Phase
from porter.run.start import clone

N = 700  # not a multiple of a block

PROGRAM = """\
import sys
def f(n):
    return [threadIdx * i for i in range(n)]
class A:
    def __init__(self, x):
        self.x = x
try:
    raise ValueError(A(threadIdx).x)
except ValueError as error:
    print(f(3), error.args[0], numThreads, localIdx < blockDim, __name__)
"""


def both(device: Device, program: str | Program, **options: object) -> None:
    """Check that copies give the results of interpreters that booted themselves."""
    results = [
        run(device, [program], N, Launch(fork=fork, seed=7, **options))  # type: ignore[arg-type]
        for fork in (False, True, True)  # the third from the kept template
    ]
    first = results[0]
    for other in results[1:]:
        assert (other.status == first.status).all()
        assert (other.exit_code == first.exit_code).all()
        for name in ("stdout", "stderr"):
            a, b = getattr(first, name), getattr(other, name)
            assert (a.lengths == b.lengths).all() and (a.words == b.words).all()


def test_output_is_the_same(device: Device) -> None:
    both(device, PROGRAM)


def test_each_has_its_own_random_numbers(device: Device) -> None:
    both(device, "import random\nprint(random.getrandbits(30), random.random())")
    result = run(device, ["import random\nprint(random.getrandbits(30))"], N, Launch(fork=True))
    assert len(result.stdout.groups) > N - 5


def test_errors_are_the_same(device: Device) -> None:
    both(device, Program(b"x = \n", "broken.py"))
    both(device, Program(b"def f():\n    return threadIdx // 0\n\nf()\n", "zero.py"))
    both(device, "import sys\nsys.exit(threadIdx % 5)")
    both(device, "x = [0] * 100000")


def test_collections_keep_what_was_copied(device: Device) -> None:
    both(device, PROGRAM, gc_stress=True)


def test_copies_persist(device: Device) -> None:
    config, sizes = device.built.config, []
    for fork in (False, True):
        arenas = device.arenas(N, config["pystack"], config["heap"])
        launch, keep = Launch(fork=fork), Phase(arenas=arenas, stop=False)
        run(device, ["def f(n):\n    return n + threadIdx\nx = [f(1)]"], N, launch, keep)
        size = size_of(arenas)
        assert size is not None
        sizes.append(size // N)
        run(device, ["x.append(f(2))"], N, launch, keep)
        result = run(device, ["print(x)"], N, launch, keep)
        assert not result.status.any()
        assert result.stdout[5] == b"[6, 7]\n"
    print("bytes at rest, booted and copied:", sizes)
    assert sizes[1] < 3000 < sizes[0] < config["heap"] // 4


def test_trimmed_images_go_on(device: Device) -> None:
    config = device.built.config
    arenas = device.arenas(N, config["pystack"], config["heap"])
    launch, keep = Launch(), Phase(arenas=arenas, stop=False)
    # Holes, and one interpreter that has far more than the others.
    run(device, ["x = [[i] * 5 for i in range(12)]\nx = x[1::2]\ny = 7"], N, launch, keep)
    images = store_of(arenas)
    assert device.trim(arenas) > 0
    assert device.trim(arenas) == 0
    more = "if threadIdx == 99:\n    x += [bytearray({})]"
    assert not run(device, [more.format(1)], N, launch, keep).status.any()
    device.trim(arenas)
    least = images.size
    assert not run(device, [more.format(4000)], N, launch, keep).status.any()
    assert images.rows == images.most
    assert device.trim(arenas) > 0 and least + 4000 < images.size < least + N * 1000
    rests = device.built.constants["GPUSNEK_NO_PROGRAM"]
    some = np.where(np.arange(N) % 2, rests, 0).astype(np.uint32)
    run(device, ["y = 8"], N, launch, keep, program_of=some)  # the other snapshots must stay
    device.trim(arenas)
    result = run(
        device, ["print(sum(a[0] * 100 + a[4] for a in x[:6]), len(x), y)"], N, launch, keep
    )
    assert not result.status.any()
    assert [result.stdout[i] for i in (0, 1, 98, 99)] == [
        b"3636 6 8\n", b"3636 6 7\n", b"3636 6 8\n", b"3636 8 7\n"
    ]  # fmt: skip


def test_an_expression_for_all(device: Device) -> None:
    result = run(device, ["threadIdx * 2"], N, Launch(kind="eval", fork=True), Phase(values=True))
    assert not result.status.any() and result.values is not None
    assert (device.host(result.values.bits).view(np.int64) == 2 * np.arange(N)).all()


def test_all_become_copies_of_one(device: Device) -> None:
    config = device.built.config
    arenas = device.arenas(N, config["pystack"], config["heap"])
    launch, keep = Launch(), Phase(arenas=arenas, stop=False)
    run(
        device, ["x = [threadIdx]\ndef f():\n    return x[0] * 1000 + threadIdx\n"], N, launch, keep
    )
    clone(device, arenas, 5)
    result = run(
        device, ["x.append(1)\nprint(f(), x, localIdx == threadIdx % blockDim)"], N, launch, keep
    )
    assert not result.status.any()
    assert [result.stdout[i] for i in (0, 5, 699)] == [
        f"{5000 + i} [5, 1] True\n".encode() for i in (0, 5, 699)
    ]
