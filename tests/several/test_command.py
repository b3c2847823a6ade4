"""--gpus of the commands, on host twins."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from porter.pipeline import Build


CODE = "print(threadIdx % 3, numThreads)\nif threadIdx == 700: raise KeyError(1)"


def porter(built: Build, *arguments: str, text: str = "") -> subprocess.CompletedProcess[str]:
    command, *rest = arguments
    started = [sys.executable, "-m", "porter", command, "--build", str(built.folder), *rest]
    return subprocess.run(started, input=text, capture_output=True, text=True, timeout=60)


def test_a_run_prints_what_it_prints_on_one(built: Build) -> None:
    options = ("run", "-n", "1000", "--block", "50", "-c", CODE)
    alone, shared = porter(built, *options), porter(built, *options, "--gpus", "host,host")
    assert (alone.stdout, alone.stderr) == (shared.stdout, shared.stderr)
    assert alone.returncode == shared.returncode == 41


def test_a_prompt_over_two(built: Build) -> None:
    lines = "x = threadIdx\nx // 150\noutbuf[x] = 7\noutbuf[299 - x]\n"
    done = porter(built, "repl", "-n", "300", "--gpus", "host,host", text=lines)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "----- 150x -----\n0\n----- 150x -----\n1\n7\n"


def test_ctrl_c_ends_all(built: Build) -> None:
    command = [sys.executable, "-m", "porter", "run", "--build", str(built.folder), "--live"]
    command += ["-n", "8", "--block", "4", "--gpus", "host,host"]
    command += ["-c", "print('on')\nwhile True: pass"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        try:
            process.stdout.readline()
            process.send_signal(signal.SIGINT)
            assert process.wait(timeout=30) == 130
        finally:
            process.kill()


@pytest.mark.parametrize(
    "value, message",
    [
        ("tpu", "--gpus: 'tpu' is no device"),
        ("0,0", "--gpus: a GPU is named twice"),
        ("host,0", "not on both"),
        ("0", "GPU 0: "),
    ],
)
def test_wrong_lists(built: Build, value: str, message: str) -> None:
    done = porter(built, "run", "--gpus", value, "-c", "pass")
    assert done.returncode in (2, 13, 16, 31) and message in done.stderr
    assert "Traceback" not in done.stderr


def test_one_file_system_for_all_is_refused(built: Build, tmp_path: Path) -> None:
    from porter.fs import Image

    Image.empty(1 << 15).save(tmp_path / "image")
    options = ("--fs", str(tmp_path / "image"), "--fs-shared", "--gpus", "host,host", "-n", "300")
    done = porter(built, "run", *options, "-c", "pass")
    assert done.returncode == 2 and "one device's memory" in done.stderr


def test_an_evaluation_on_two(built: Build, tmp_path: Path) -> None:
    programs, cases = tmp_path / "programs.jsonl", tmp_path / "cases.jsonl"
    programs.write_text("".join(f'"def solve(x): return x * {k}"\n' for k in range(9)))
    cases.write_text("[[3], 6]\n[[0], 0]\n")
    files = ("evaluate", str(programs), str(cases))
    done = porter(built, *files, "--gpus", "host,host", "--batch", "2")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("9 programs, 18 calls, 1 solved\n        10 PASSED")
    done = porter(built, *files, "--gpus", "host,host", "--scheduler", "tcp://127.0.0.1:9")
    assert done.returncode == 2 and "workers of --scheduler use their own" in done.stderr
