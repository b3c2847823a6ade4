"""Reading `build.json`: errors name the place of missing, unknown and outdated values."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from porter.errors import NotBuilt
from porter.manifest import FORMAT, DeviceOutput, HostOutput, Manifest, manifest_of, read_document

FILES = {"a": {"size": 1, "sha256": "00"}}
FIELD = {"name": "n", "type": "uint32_t", "offset": 0, "size": 4, "count": None}


def document() -> dict[str, Any]:
    host = {"compiler": "12.2", "flags": ["-O2"], "files": FILES, "info": {}}
    resources: dict[str, Any] = {"functions": 1, "spill_stores": 0, "spill_loads": 0}
    resources |= {"largest_frames": {"f": 8}, "kernels": {"k": {"registers": 64, "stack": 8}}}
    flush = {"reader": "nvdisasm", "saved_registers": 53}
    cuda = {"nvcc": "13.0", "flags": [], "files": FILES, "info": {"state_size": 64}}
    code = {"gc_flush": flush, "resources": resources, "constants": {"size": 64, "info": 8}}
    cuda |= {"code": "cuda/a.cubin", "machine": {"sm_90": code}}
    structs = {"gpusnek_info_t": {"size": 4, "fields": [FIELD]}}
    return {
        "format": FORMAT,
        "release": "1.2",
        "inputs": {"porter": "0", "config": {"heap": 1, "arch": "sm_90"}, "sources": {}},
        "targets": {"host": host, "cuda": cuda},
        "layout": {"structs": structs, "enums": {"e": {"A": -1}}, "state_size": 64},
    }


def read(values: dict[str, Any]) -> Manifest:
    return manifest_of(json.loads(json.dumps(values)), Path("build.json"))


def test_a_whole_one() -> None:
    manifest = read(document())
    assert isinstance(manifest.targets["host"], HostOutput)
    assert isinstance(manifest.targets["cuda"], DeviceOutput)
    assert manifest.targets["host"].flags == ("-O2",)
    assert manifest.layout.constants == {"A": -1}
    assert manifest.layout.structs["gpusnek_info_t"].fields[0].count is None


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        (("new",), 1, "unknown new"),
        (("layout", "new"), 1, "unknown new layout"),
        (("targets", "host", "speed"), 1, "unknown speed targets host"),
        (("layout", "state_size"), "64", "'64' layout state_size"),
        (("layout", "structs", "gpusnek_info_t"), {"size": 4}, "fields structs gpusnek_info_t"),
        (("layout",), [], "layout"),
        (("targets", "host"), 7, "targets host"),
    ],
)
def test_what_does_not_belong(path: tuple[str, ...], value: Any, words: str) -> None:
    values = document()
    at = values
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = value
    with pytest.raises(NotBuilt, match=r"^build\.json: ") as caught:
        read(values)
    assert [word for word in words.split() if word not in caught.value.message] == []


def test_an_older_one_is_to_be_built_again(tmp_path: Path) -> None:
    older = {**document(), "format": 1}
    del older["layout"]
    with pytest.raises(NotBuilt, match="another version of porter") as caught:
        read(older)
    assert caught.value.hint == "Run `porter build` again."


def test_no_manifest(tmp_path: Path) -> None:
    with pytest.raises(NotBuilt, match="there is no finished build"):
        read_document(tmp_path)
    for text, said in (("{", "not a manifest: "), ("[]", "not a manifest"), ("{}", "not a mani")):
        (tmp_path / "build.json").write_text(text)
        with pytest.raises(NotBuilt, match=said):
            read_document(tmp_path)
