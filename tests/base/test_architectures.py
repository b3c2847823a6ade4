"""Names of architectures: the meaning of `all` and `native`, compatibility, and refused names."""

from __future__ import annotations

from pathlib import Path

import pytest

from porter.base.architectures import EVERY, Architectures, canonical
from porter.config import BuildConfig
from porter.errors import NoGpu, UsageError


def test_all_is_written_out() -> None:
    assert canonical("all") == EVERY == str(Architectures.of(EVERY))
    found = Architectures.of(EVERY)
    assert found.machine == ("sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_120")
    assert (found.ptx, found.front, found.several) == ("compute_80", "compute_80", True)


@pytest.mark.parametrize(
    ("text", "shown", "front"),
    [
        ("sm_90", "sm_90", "sm_90"),
        ("sm_90a", "sm_90a", "sm_90a"),
        ("sm_120, sm_86,sm_86", "sm_86,sm_120", "compute_86"),
        ("compute_80,sm_90", "sm_90,compute_80", "compute_80"),
    ],
)
def test_one_spelling_for_each(text: str, shown: str, front: str) -> None:
    config = BuildConfig(release="1", arch=text)
    assert (config.arch, config.architectures.front) == (shown, front)


@pytest.mark.parametrize(
    "text",
    ["", "sm_90,", "90", "sm_70", "compute_80", "sm_80,compute_90", "sm_90,compute_80,compute_86",
     "compute_90a,sm_90", "sm_90;sm_80", "every", "all,sm_90"],
)  # fmt: skip
def test_wrong_names(text: str) -> None:
    with pytest.raises(UsageError, match="arch: "):
        canonical(text)


def test_what_runs_where() -> None:
    found = Architectures.of(EVERY)
    runs = {(8, 0), (8, 7), (8, 9), (9, 0), (10, 0), (10, 3), (12, 1)}
    assert all(found.runs_on(*gpu) for gpu in runs)
    assert not any(found.runs_on(*gpu) for gpu in ((7, 5), (11, 0), (13, 0)))
    exact = Architectures.of("sm_90a,sm_86")
    assert exact.runs_on(9, 0) and exact.runs_on(8, 9) and not exact.runs_on(8, 0)


def test_what_serves_what() -> None:
    every, one = Architectures.of(EVERY), Architectures.of("sm_90")
    assert every.serve(one) and every.serve(Architectures.of("sm_86,sm_90,compute_80"))
    assert not one.serve(every) and not every.serve(Architectures.of("sm_75"))
    assert not every.serve(Architectures.of("sm_90,compute_90"))


def smi(folder: Path, answer: str, status: int = 0) -> str:
    tool = folder / "nvidia-smi"
    tool.write_text(f"#!/bin/sh\nprintf '{answer}'\nexit {status}\n")
    tool.chmod(0o755)
    return f"{folder}:/usr/bin:/bin"


def test_native_is_what_is_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", smi(tmp_path, "9.0\\n8.6\\n9.0\\n"))
    assert canonical("native") == "sm_86,sm_90,compute_86"
    monkeypatch.setenv("PATH", smi(tmp_path, "12.0\\n"))
    assert canonical("native") == "sm_120,compute_120"


@pytest.mark.parametrize(("answer", "status"), [("", 0), ("No devices were found", 0), ("", 9)])
def test_native_without_a_gpu(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: str, status: int
) -> None:
    monkeypatch.setenv("PATH", smi(tmp_path, answer, status))
    with pytest.raises(NoGpu, match="arch: native") as caught:
        canonical("native")
    assert "--arch sm_90" in str(caught.value.hint)


def test_bounds_checks_are_for_any_architectures() -> None:
    config = BuildConfig(release="1", target="cuda", bounds_checks=True, arch="all")
    assert len(config.architectures.machine) > 1 and config.bounds_checks
