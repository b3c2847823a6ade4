"""The sanitized host twin: it loads, and it detects planted errors."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from porter.errors import ToolMissing
from porter.toolchain import children, environment

sys.path.insert(0, str(Path(__file__).parents[1]))

from fake_build import fake_build

RUN = """\
import sys
from pathlib import Path
from porter.run import open_device, run
result = run(open_device(Path(sys.argv[1]), "host-asan"), [sys.argv[2]], 2)
print(result.status.tolist())
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    try:
        environment()
    except ToolMissing as error:
        pytest.skip(error.message)
    return fake_build(tmp_path_factory.mktemp("asan"), variant="asan")


def start(folder: Path, program: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", RUN, str(folder), program],
        env={**os.environ, **environment()},
        capture_output=True,
        text=True,
        timeout=120,
    )


def test_it_runs(folder: Path) -> None:
    done = start(folder, "hg")
    assert done.returncode == 0, done.stderr
    assert done.stdout == "[0, 0]\n"


def test_a_write_past_the_arena_is_reported_where_it_happens(folder: Path) -> None:
    done = start(folder, "w")
    assert done.returncode != 0
    assert "use-after-poison" in done.stderr and "fake.cpp" in done.stderr


def test_only_children_of_a_sanitized_target_are_changed() -> None:
    before = dict(os.environ)
    with children("host-asan"):
        assert "libasan" in os.environ["LD_PRELOAD"]
    assert dict(os.environ) == before
    with children("host"):
        assert dict(os.environ) == before
