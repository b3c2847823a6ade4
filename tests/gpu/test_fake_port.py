"""The device runtime with the fake interpreter: heaps chosen at launch, arenas, canaries."""

from __future__ import annotations

import attrs
import numpy as np
import pytest

from porter.compile import compile_build
from porter.config import BuildConfig
from porter.errors import NotEnoughMemory, UsageError
from porter.run import Device, Launch, open_device, run
from porter.run.launch.options import Phase
from tests.fake_build import fake_build

pytestmark = pytest.mark.gpu


@pytest.fixture(scope="module", params=["local", "global"])
def device(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Device:
    folder = tmp_path_factory.mktemp("fake")
    fake_build(folder)
    config = BuildConfig(release="0.0.0", target="cuda")
    built = compile_build(attrs.evolve(config, arena=request.param), folder)
    return open_device(built.folder, "cuda")


@pytest.mark.parametrize(("heap", "pystack"), [(12288, 1024), (65536, 4096), (4096, 512)])
def test_sizes_are_chosen_at_launch(device: Device, heap: int, pystack: int) -> None:
    sizes = Launch(heap=heap, pystack=pystack)
    for program, text in (("+c+c", b"101102"), ("hg", b"79"), ("f", b"Y")):
        result = run(device, [program], 3000, sizes)
        assert not result.status.any()
        assert [(g.text, g.count) for g in result.stdout.groups] == [(text, 3000)]
    arenas = device.arenas(1000, pystack, heap)
    run(device, ["++h"], 1000, sizes, Phase(arenas=arenas, stop=False))
    assert run(device, ["cg"], 1000, sizes, Phase(arenas=arenas)).stdout.groups[0].text == b"10279"


def test_write_past_the_heap_is_noticed(device: Device) -> None:
    result = run(device, ["w", "hg"], 4, program_of=np.array([0, 1, 0, 1], np.uint32))
    canary = device.built.constants["GPUSNEK_STATUS_CANARY"]
    assert result.status.tolist() == [canary, 0, canary, 0]
    assert result.stdout[1] == result.stdout[3] == b"79"


def test_what_local_memory_cannot_hold(device: Device) -> None:
    if device.built.config["arena"] != "local":
        assert not run(device, ["c"], 4, Launch(heap=600 * 1024, stack=16384)).status.any()
        return
    with pytest.raises(NotEnoughMemory):
        run(device, ["c"], 4, Launch(heap=600 * 1024))
    built = device.built.config["stack"]
    with pytest.raises(UsageError, match=f"the device build has {built}"):
        run(device, ["c"], 4, Launch(stack=2 * built))


def test_a_million(device: Device) -> None:
    result = run(device, ["_"], 1 << 20)
    assert [(g.text, g.count) for g in result.stdout.groups] == [(b"_", 1 << 20)]
