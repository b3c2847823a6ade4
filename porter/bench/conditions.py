"""What a measurement ran on, and which references there are."""

from __future__ import annotations

import platform
from collections.abc import Sequence
from typing import Any

from porter.base import arguments
from porter.bench import native, scripts
from porter.bench.catalogue import Benchmark
from porter.bench.measure import Setting
from porter.bench.suite import ALL_CORES, CPYTHON, UPSTREAM, UPSTREAM_ALL, BenchSuite, C
from porter.bench.upstream_unix import unix_port
from porter.errors import PorterError
from porter.run import Device
from porter.run.launch.spec import SIZES


def with_references(
    setting: Setting, executable: arguments.StrPath | None
) -> tuple[BenchSuite, dict[str, str]]:
    """The suite with all references that this machine has, and what each is or why it lacks.

    `executable` is upstream's unix port, None to build it. Raises UsageError when it is not.
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
    """Those whose output does not depend on how wide floats are, if not double; other's names."""
    if device.built.config["float"] == "double":
        return list(benchmarks), []
    left_out = [benchmark.name for benchmark in benchmarks if benchmark.double]
    return [benchmark for benchmark in benchmarks if not benchmark.double], left_out


def conditions(setting: Setting, cores: int) -> dict[str, Any]:
    """For the report: counts, machine, release, configuration."""
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
    """The GPU's name, or that there is none."""
    if not device.on_gpu:
        return "host twin"
    name = device.xp.cuda.runtime.getDeviceProperties(device.xp.cuda.Device().id)["name"]
    return str(name.decode())
