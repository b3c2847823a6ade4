"""A machine without the GPUs that a command asks for says so before a build is made."""

from __future__ import annotations

from typing import NoReturn

import pytest

from porter import InterpreterArray
from porter.cli import _building, execute
from porter.errors import NoGpu, UsageError
from porter.run.device import cuda
from porter.run.open import check_gpus


@pytest.fixture(autouse=True)
def nothing_is_built(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> NoReturn:
        raise AssertionError("a build was made")

    monkeypatch.setattr(_building, "build_shown", refuse)
    monkeypatch.setattr("porter.pipeline.build", refuse)
    monkeypatch.setattr("porter.cli._subject.ready_build", lambda _: None)
    monkeypatch.setattr("porter.array.device_selection.ready_build", lambda _: None)


def no_gpu() -> NoReturn:
    raise NoGpu("no GPU", hint="`--target host` needs none.")


@pytest.mark.parametrize("command", [["run", "-c", "1"], ["evaluate", "programs.jsonl"]])
@pytest.mark.parametrize("asked", [["--target", "cuda"], ["--gpus", "all"], ["--gpus", "0,1"]])
def test_no_gpu(
    command: list[str],
    asked: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: object,
) -> None:
    monkeypatch.chdir(str(tmp_path))
    with open("programs.jsonl", "w") as file:
        file.write('{"source": "def solve(): return 1", "cases": [[[], 1]]}\n')
    monkeypatch.setattr(cuda, "gpu_count", no_gpu)
    assert execute([*command, *asked]) == NoGpu("").exit_code
    assert "no GPU" in capsys.readouterr().err


def test_a_number_without_a_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cuda, "gpu_count", lambda: 2)
    check_gpus("cuda", [0, 1])
    check_gpus("cuda", "all")
    check_gpus("host", [0])
    with pytest.raises(UsageError, match=r"GPU 9: there are 2 here"):
        check_gpus("cuda", [1, 9])


def test_an_array(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cuda, "gpu_count", no_gpu)
    with pytest.raises(NoGpu):
        InterpreterArray(1, target="cuda")
