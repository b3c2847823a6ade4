"""Loading a fatbin on a GPU, and linking of the fatbin's PTX by the driver.

$PORTER_GPU_FATBIN names the folder of a build with `--arch all`.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from porter.errors import LaunchFailed
from porter.run import Program, open_device, run
from porter.run.built import Built, device_output, open_build
from porter.run.device import linked_code
from porter.run.launch.options import Launch

pytestmark = pytest.mark.gpu

N = 2048
# Exceptions, regular expressions, collections while objects live: tests of calls and registers.
PROGRAM = Program(
    b"""
import gc, re
found = []
for i in range(40):
    try:
        found.append([str(i * threadIdx), {}[i]])
    except KeyError as error:
        found.append((re.match("[0-9]+", str(error)), error.args))
        gc.collect()
words = sorted(map(str, range(30)), key=lambda word: -int(word))
print(len(found), found[-1][1][0], words[0])
print(sum(i * i for i in range(threadIdx % 7)))
""",
    "fatbin",
)


@pytest.fixture
def fat(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Built:
    if "PORTER_GPU_FATBIN" not in os.environ:
        pytest.skip("PORTER_GPU_FATBIN names no build for several architectures")
    monkeypatch.setenv("PORTER_HOME", str(tmp_path))
    return open_build(Path(os.environ["PORTER_GPU_FATBIN"]))


def outputs(built: Built, gc_stress: bool = False) -> list[tuple[bytes, int]]:
    device = open_device(built, "cuda")
    result = run(device, [PROGRAM], N, Launch(gc_stress=gc_stress))
    device.close()
    assert not result.status.any()
    return sorted((group.text, group.count) for group in result.stdout.groups)


def test_it_runs_as_the_host_twin(fat: Built, tmp_path: Path) -> None:
    device = open_device(fat, "host")
    result = run(device, [PROGRAM], N)
    host = sorted((group.text, group.count) for group in result.stdout.groups)
    assert len(host) == 6 and outputs(fat) == outputs(fat, gc_stress=True) == host
    assert not list(tmp_path.iterdir())  # the fatbin's own SASS ran


def test_what_the_driver_links_runs_as_the_fatbin(fat: Built, tmp_path: Path) -> None:
    assert device_output(fat).ptx
    stranger = fat.with_choices({"arch": "sm_121,compute_80"})  # as if it had no SASS for this GPU
    expected = outputs(fat)
    assert outputs(stranger) == outputs(stranger, gc_stress=True) == expected
    (kept,) = tmp_path.glob("linked/sm_*.cubin")
    stamp = kept.stat().st_mtime_ns
    assert outputs(stranger) == expected and kept.stat().st_mtime_ns == stamp


def test_ptx_that_the_driver_refuses(tmp_path: Path) -> None:
    cupy = pytest.importorskip("cupy")
    cupy.cuda.runtime.free(0)
    unit = tmp_path / "wrong.ptx"
    unit.write_text(".version 8.0\n.target sm_80\n.address_size 64\nnonsense\n")
    with pytest.raises(LaunchFailed, match=r"PTX of wrong\.ptx: "):
        linked_code.link([unit], 64)
