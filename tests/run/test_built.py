"""A finished build, opened by the runner."""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import sys
from pathlib import Path

import attrs
import numpy as np
import pytest

from porter.errors import NotBuilt
from porter.manifest import BuiltFile, DeviceOutput, SharedField, SharedStruct
from porter.run.built import device_code, dtype_of, open_build, running_files

EMPTY = BuiltFile(0, hashlib.sha256().hexdigest())
ONLY_THESE = """
import sys
class Others:
    def find_spec(self, name, path=None, target=None):
        top = name.partition(".")[0]
        if top not in {"porter", "numpy", "attr", "attrs", "cattr", "cattrs", "typing_extensions"}:
            if top not in sys.stdlib_module_names:
                raise ImportError(name)
sys.meta_path.insert(0, Others())
import porter.run
print(porter.run.open_device(sys.argv[1], "host").built.status["OK"].c_name)
"""


def test_enums(build: Path) -> None:
    built = open_build(build)
    assert built.status["STATUS_CANARY"].broken
    assert {status.c_name for status in built.status} <= set(built.constants)
    assert len(built.status) == 18
    assert (built.flag["COMPILED"], built.kind["CODE"], built.bind["FORGET"]) == (4096, 16, 10)
    assert (built.value["BYTES"], built.lack["STACK"], built.interrupt["STOP"]) == (7, 3, 2)
    assert built.constants["GPUSNEK_NO_PROGRAM"] == 2**32 - 1


@pytest.mark.parametrize(
    ("code", "ptx", "others"),
    [("gpusnek.cubin", "", ()), ("gpusnek.fatbin", "compute_80", ("cuda/ptx/a.ptx",))],
)
def test_what_runs_device_code(
    build: Path, tmp_path: Path, code: str, ptx: str, others: tuple[str, ...]
) -> None:
    built = open_build(build)
    (host,) = (out.files for name, out in built.whole.targets.items() if name == "host")
    assert running_files(built, "host") == tuple(host)
    code = f"cuda/{code}"
    (tmp_path / "cuda").mkdir()
    (tmp_path / code).touch()
    names = (code, "cuda/libgpusnek.a", "cuda/ptx/a.ptx")
    files = dict.fromkeys(names, EMPTY)
    cuda = DeviceOutput(nvcc="", flags=(), files=files, info={}, code=code, machine={}, ptx=ptx)
    whole = attrs.evolve(built.whole, targets={"cuda": cuda})
    built = attrs.evolve(built, folder=tmp_path, whole=whole)
    assert device_code(built) == tmp_path / code
    assert running_files(built, "cuda") == (code, *others)


def test_records(build: Path) -> None:
    built = open_build(build)
    record = np.zeros((), built.record)
    record["kind"] = -1
    assert record.tobytes().count(b"\xff") == 4
    assert built.ring.itemsize == 64
    assert built.structs["gpusnek_slot_t"]["text"].shape == (14,)
    assert built.structs["gpusnek_info_t"].names[1] == "state_size"  # type: ignore[index]


def test_gaps_between_fields_stay() -> None:
    fields = (SharedField("a", "uint8_t", 0, 1), SharedField("b", "int32_t", 4, 4))
    dtype = dtype_of(SharedStruct(16, fields))
    assert (dtype.itemsize, dtype.fields and dtype.fields["b"][1]) == (16, 4)


def test_an_older_build_is_built_again(build: Path, tmp_path: Path) -> None:
    older = Path(shutil.copytree(build, tmp_path / "older"))
    document = json.loads((older / "build.json").read_text())
    del document["layout"]
    document["format"] = 1
    (older / "build.json").write_text(json.dumps(document))
    with pytest.raises(NotBuilt, match="another version of porter") as caught:
        open_build(older)
    assert caught.value.hint == "Run `porter build` again."


def test_needs_few_packages(build: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", ONLY_THESE, str(build)], capture_output=True, text=True, check=False
    )
    assert (done.stdout, done.stderr) == ("GPUSNEK_OK\n", "")
