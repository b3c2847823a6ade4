"""The container file and the systemd unit: the options that they name exist."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from porter.cli.bundle import command as bundle
from porter.cli.serve import command as serve

DEPLOY = Path(__file__).resolve().parents[2] / "deploy"
UNIT = (DEPLOY / "porter.service").read_text("utf-8")
IMAGE = (DEPLOY / "Containerfile").read_text("utf-8")


def options_of(command: object) -> set[str]:
    return {option for one in command.params for option in one.opts}  # type: ignore[attr-defined]


def test_options_exist() -> None:
    started = re.findall(r"^ExecStart=.*|^ENTRYPOINT .*", UNIT + IMAGE, re.MULTILINE)
    assert len(started) == 2
    named = re.findall(r"--[a-z-]+", " ".join(started) + re.findall(r"# of Load.*", UNIT)[0])
    assert set(named) >= {"--host", "--port", "--target", "--token-file"}
    assert set(named) <= options_of(serve)
    (made,) = re.findall(r"porter bundle (.*?) /bundle", IMAGE)
    assert set(re.findall(r"--[a-z-]+", made)) <= options_of(bundle)


def test_no_root() -> None:
    assert "USER 10001" in IMAGE.split("FROM")[-1] and "DynamicUser=yes" in UNIT
    for line in ("NoNewPrivileges=yes", "CapabilityBoundingSet=", "ProtectSystem=strict"):
        assert f"\n{line}\n" in UNIT


def test_the_stop_timeout_is_longer_than_a_request() -> None:
    (timeout,) = re.findall(r"TimeoutStopSec=(\d+)", UNIT)
    assert int(timeout) > 120


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="no systemd-analyze")
def test_the_unit_by_systemd(tmp_path: Path) -> None:
    unit = tmp_path / "porter.service"
    unit.write_text(UNIT.replace("/opt/porter/bin/porter", "/bin/true"))
    done = subprocess.run(
        ["systemd-analyze", "verify", str(unit)], capture_output=True, text=True, check=False
    )
    if "Failed to" in done.stderr and "unit" not in done.stderr:
        pytest.skip(f"systemd-analyze does not work here: {done.stderr}")
    assert done.returncode == 0 and not done.stderr, done.stderr
