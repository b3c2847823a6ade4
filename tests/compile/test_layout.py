"""The layout that C and Python share: read from headers, confirmed by a compiler."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from porter.base import paths
from porter.compile.shared_layout import (
    SHARED_STRUCTS,
    measure,
    probe_text,
    read_headers,
    read_layout,
)
from porter.errors import BuildFailed, VerifyFailed
from porter.manifest import SharedField, SharedStruct

TYPES = "typedef int int32_t; typedef unsigned char uint8_t; typedef unsigned long uint64_t;\n"
STATE = "#define PORTER_DEVICE\ntypedef struct porter_state_t { char byte[24]; } porter_state_t;\n"


def one(text: str) -> tuple[dict[str, SharedStruct], dict[str, dict[str, int]]]:
    return read_headers(TYPES + text, ["a_t"])


def test_structs_and_enums_are_read() -> None:
    structs, enums = one(
        "enum sizes { FIVE = 5, SIX, NONE = -1, ROOM = FIVE * 8 / 4, BIT = 010u << 0x1 };\n"
        "typedef struct other_t { void *p; } other_t;\n"
        "typedef struct a_t { uint8_t a; int32_t b; uint64_t c[SIX / 2]; uint8_t d; } a_t;\n"
    )
    assert enums == {"sizes": {"FIVE": 5, "SIX": 6, "NONE": -1, "ROOM": 10, "BIT": 16}}
    fields = (
        SharedField("a", "uint8_t", 0, 1),
        SharedField("b", "int32_t", 4, 4),
        SharedField("c", "uint64_t", 8, 24, 3),
        SharedField("d", "uint8_t", 32, 1),
    )
    assert structs == {"a_t": SharedStruct(40, fields)}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("typedef struct a_t { long b; } a_t;", r"a_t\.b: long is no integer of fixed width"),
        ("typedef struct a_t { int32_t *b; } a_t;", r"a_t\.b: a PtrDecl is no"),
        ("typedef struct a_t { int32_t b : 3; } a_t;", r"a_t\.b: int32_t is no"),
        ("typedef struct a_t { int32_t b[2][2]; } a_t;", r"a_t\.b: an array of arrays"),
        ("typedef struct a_t { int32_t b[sizeof(int)]; } a_t;", r"a_t\.b: its value is no const"),
        ("typedef int32_t a_t;", "a_t: the headers have no such struct"),
        ("enum e { A = 1.5 };", "A: its value is no constant"),
        ("class a_t {};", "not plain C"),
    ],
)
def test_what_has_no_one_layout_is_refused(text: str, message: str) -> None:
    with pytest.raises(BuildFailed, match=message):
        one(text)


@pytest.fixture
def headers(tmp_path: Path) -> Path:
    """Copy porter's headers, and a state for them, to a folder where a test can change them."""
    templates = paths.templates_dir()
    runtime = templates / "runtime"
    for header in (runtime / "launch.h", runtime / "profile.h", templates / "port" / "interp.h"):
        (tmp_path / header.name).write_text(header.read_text())
    (tmp_path / "porter_runtime.h").write_text(STATE)
    return tmp_path


def compiled(folder: Path, text: str, *options: str) -> Path:
    command = ["g++", "-c", "-w", "-x", "c++", f"-I{folder}", *options, "-", "-o", "probe.o"]
    subprocess.run(command, input=text, text=True, cwd=folder, check=True)
    return folder / "probe.o"


def test_our_headers_are_what_the_compiler_sees(headers: Path) -> None:
    read = read_layout(headers / "launch.h", headers / "interp.h", paths.templates_dir() / "libc")
    assert set(read[0]) == set(SHARED_STRUCTS)
    for options in ((), ("-fsanitize=address,undefined", "-O1")):
        layout = measure(compiled(headers, probe_text(*read), *options), *read, "g++")
        assert layout.state_size == 24
    assert layout.constants["GPUSNEK_STATUS_CANARY"] == -4
    assert layout.constants["GPUSNEK_NO_PROGRAM"] == 2**32 - 1


@pytest.mark.parametrize(
    ("file", "old", "new", "message"),
    [
        ("launch.h", "uint32_t n; ", "uint32_t n; char x; ", r"launch_t\.first: its offset is 16 "),
        ("launch.h", "int32_t kind; ", "int64_t kind; ", r"binding_t\.kind: its size is 4 .* 8 "),
        ("interp.h", "GPUSNEK_EXIT = 2", "GPUSNEK_EXIT = 9", "GPUSNEK_EXIT: its value is 2 .* 9 "),
    ],
)
def test_another_layout_is_named(
    headers: Path, file: str, old: str, new: str, message: str
) -> None:
    read = read_layout(headers / "launch.h", headers / "interp.h", paths.templates_dir() / "libc")
    text = (headers / file).read_text()
    assert old in text
    (headers / file).write_text(text.replace(old, new))
    with pytest.raises(VerifyFailed, match=message + r".*says g\+\+"):
        measure(compiled(headers, probe_text(*read)), *read, "g++")


def test_an_object_of_other_questions_is_refused(headers: Path) -> None:
    structs, enums = one("typedef struct a_t { uint64_t b; } a_t;")
    made = compiled(headers, 'extern "C" const unsigned long porter_layout[2] = {1, 2};')
    with pytest.raises(VerifyFailed, match=r"16 bytes of porter_layout, 32 wanted"):
        measure(made, structs, enums, "g++")
    with pytest.raises(VerifyFailed, match="there is no variable porter_layout"):
        measure(compiled(headers, "int other = 1;"), structs, enums, "g++")
