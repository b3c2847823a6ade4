"""Collect the conditions of a measurement and the references that are available for it."""

from __future__ import annotations

import platform
from collections.abc import Sequence
from typing import Any

from porter.base import arguments
from porter.errors import PorterError
from porter.run import Device
from porter.run.launch.options import SIZES
from porter_dev.bench import native, scripts
from porter_dev.bench.catalogue import Benchmark
from porter_dev.bench.measure import Setting
from porter_dev.bench.suite import ALL_CORES, CPYTHON, UPSTREAM, UPSTREAM_ALL, BenchSuite, C
from porter_dev.bench.upstream_unix import unix_port


def with_references(
    setting: Setting, executable: arguments.StrPath | None
) -> tuple[BenchSuite, dict[str, str]]:
    """Return the suite with all available references, and a description of each reference.

    The description of a reference that is not available says why.

    Args:
        setting: Device, counts and sizes of the measurement.
        executable: Upstream's unix port; None to build it.

    Raises:
        UsageError: `executable` is not upstream's unix port.
    """
    executable = None if executable is None else arguments.path(executable, "executable")
    about = scripts.cpython().about
    found = {
        C: native.ABOUT[setting.device.name],
        CPYTHON: f"{about}, one core",
        ALL_CORES: f"{about}, all cores",
    }
    upstream = None
    try:
        upstream = unix_port(setting.device.built.manifest["release"], executable)
        found[UPSTREAM] = f"{upstream.about}, one core"
        found[UPSTREAM_ALL] = f"{upstream.about}, all cores"
    except PorterError as error:
        if executable is not None:
            raise
        found[UPSTREAM] = f"not measured: {error.message.splitlines()[0]}"
    return BenchSuite(setting, upstream), found


def fitting(benchmarks: Sequence[Benchmark], device: Device) -> tuple[list[Benchmark], list[str]]:
    """Split programs by whether their output is right at the build's float width.

    Returns:
        The programs that the build can run, and the names of the programs left out because they
        need double precision.
    """
    if device.built.config["float"] == "double":
        return list(benchmarks), []
    left_out = [benchmark.name for benchmark in benchmarks if benchmark.double]
    return [benchmark for benchmark in benchmarks if not benchmark.double], left_out


def conditions(setting: Setting, cores: int) -> dict[str, Any]:
    """Return the conditions for the report: counts, machine, release, configuration."""
    built = setting.device.built
    need = setting.footprint
    given = {name: getattr(need, name) for name in SIZES}
    return {
        "n": setting.n,
        "repeat": setting.repeat,
        "device": device_name(setting.device),
        "machine": platform.processor() or platform.machine(),
        "cores": cores,
        "release": built.manifest["release"],
        "config": dict(built.config) | given,
    }


def device_name(device: Device) -> str:
    """Return the GPU's name, or "host twin"."""
    if not device.on_gpu:
        return "host twin"
    name = device.xp.cuda.runtime.getDeviceProperties(device.xp.cuda.Device().id)["name"]
    return str(name.decode())
