"""Invalid requests are refused before a build starts: one message, and a specific exit code."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.cli.conftest import Porter


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--heap", "1K"], "heap: 1K is too small: the minimum is 2K"),
        (["--heap", "2G"], "heap: 2G is too large: the maximum is 1G"),
        (["--heap", "lots"], "--heap: 'lots' is not a size"),
        (["--heap", "-4"], "--heap: '-4' is not a size"),
        (["--heap", "12345"], "heap: 12345 is not a multiple of 16"),
        (["--stdout", "8"], "stdout: 8 is too small: the minimum is 64, or 0"),
        (["--fs-size", "1K"], "fs_size: 1K is too small"),
        (["--target", "cuda", "--heap", "512K"], "not fit into local memory: 512K per thread"),
        (["--arch", "sm_20"], "sm_20 is too old"),
        (["--release", "../x"], "is not a release's name"),
        (["-n", "0"], "at least one interpreter"),
        (["-n", "many"], "is not a valid integer"),
        (["--save"], "no image to save to"),
        (["--target", "all"], "not on all"),
        (["--float", "half"], "'half' is not one of"),
        (["--heap", "9" * 400], "is not a size"),
        (["--timeout", "nan"], "--timeout: nan is not a time from 0"),
        (["--timeout", "inf"], "--timeout: inf is not a time from 0"),
        (["--timeout", "-1"], "--timeout: -1 is not a time from 0"),
    ],
)
def test_usage(porter: Porter, args: list[str], message: str) -> None:
    done = porter("run", "-c", "1", "--target", "host", *args)
    assert (done.code, done.out) == (2, "")
    assert message in done.err
    assert "Traceback" not in done.err


def test_program_is_named_once(porter: Porter, tmp_path: Path) -> None:
    assert "give either FILE or -c CODE" in porter("run").err
    both = porter("run", "-c", "1", tmp_path / "x.py")
    assert (both.code, "give either FILE or -c CODE" in both.err) == (2, True)
    missing = porter("run", tmp_path / "none.py")
    assert missing.code == 2
    assert f"{tmp_path / 'none.py'}: No such file" in missing.err


def test_image_that_is_none(porter: Porter, tmp_path: Path) -> None:
    done = porter("run", "-c", "1", "--fs", tmp_path / "none")
    assert (done.code, "No such file" in done.err) == (6, True)


def test_unknown_release(porter: Porter, tmp_path: Path) -> None:
    done = porter("build", "--release", "0.99.9", "--target", "host", PORTER_HOME=str(tmp_path))
    assert done.code == 3
    assert "0.99.9" in done.err
    assert "porter sync 0.99.9" in done.err


def test_no_network(porter: Porter, tmp_path: Path) -> None:
    # No origin is reachable: the proxy does not exist.
    proxy = dict.fromkeys(("http_proxy", "https_proxy", "ALL_PROXY"), "http://127.0.0.1:9")
    done = porter("sync", "1.26.1", "--origin", "git", PORTER_HOME=str(tmp_path), **proxy)
    assert done.code == 4
    assert "git" in done.err
    assert not (tmp_path / "upstream" / "1.26.1").exists()


@pytest.mark.parametrize(
    ("target", "variable", "code", "name"),
    [("host", "PORTER_CXX", 11, "g++"), ("cuda", "PORTER_NVCC", 12, "nvcc")],
)
def test_no_compiler(porter: Porter, target: str, variable: str, code: int, name: str) -> None:
    done = porter("build", "--target", target, **{variable: "/nonexistent/compiler"})
    assert done.code == code
    assert f"no {name}" in done.err
    assert "hint:" in done.err


def test_configuration_file(porter: Porter, tmp_path: Path) -> None:
    file = tmp_path / "porter.toml"
    for text, message in (
        ('heap = "1K"\n', "heap: 1K is too small"),
        ('haep = "16K"\n', "haep: there is no such key"),
        ("heap = \n", "not TOML"),
    ):
        file.write_text(text)
        done = porter("run", "-c", "1", "--config", file)
        assert (done.code, done.out) == (2, "")
        assert message in done.err
        assert str(file) in done.err


@pytest.mark.parametrize("command", ["repl", "conformance", "sweep"])
@pytest.mark.parametrize("seconds", ["nan", "-inf", "-0.5", "1e400"])
def test_times_that_are_none(porter: Porter, command: str, seconds: str) -> None:
    done = porter(command, "--timeout", seconds)
    assert (done.code, done.out) == (2, "")
    assert f"--timeout: {float(seconds):g} is not a time from 0" in done.err


@pytest.mark.parametrize("other", [("--variant", "asan"), ("--bounds-checks",)])
def test_a_sweep_of_machine_code_in_builds_that_run_none(
    porter: Porter, other: tuple[str, ...]
) -> None:
    done = porter("sweep", "--compiled", *other)
    assert (done.code, done.out) == (2, "")
    assert "--compiled: neither in variants nor with --bounds-checks" in done.err


@pytest.mark.parametrize(
    "source", [b"print('\xe9')\n", b"\nx = '\xff'\n"], ids=["latin-1", "second line"]
)
def test_a_source_that_is_no_text(porter: Porter, tmp_path: Path, source: bytes) -> None:
    (tmp_path / "latin.py").write_bytes(source)
    line = source.count(b"\n")
    for args in ([tmp_path / "latin.py"], ["-c", os.fsdecode(source)]):
        done = porter("run", *args)
        assert (done.code, done.out) == (40, "")
        assert f"line {line}: byte 0x" in done.err and "is not UTF-8" in done.err


def test_an_architecture_that_is_none(porter: Porter, tmp_path: Path) -> None:
    wrong = {"foo;bar": "'foo;bar' is not a GPU architecture", "all": "for one architecture"}
    for arch, said in wrong.items():
        done = porter("new-kernel", tmp_path / "mine", "--arch", arch)
        assert (done.code, done.out) == (2, "")
        assert "porter: error: arch: " in done.err and said in done.err
    assert list(tmp_path.iterdir()) == []
