"""Examine this machine for `porter doctor`: what is installed, and how to get the rest."""

from __future__ import annotations

import importlib
import importlib.metadata
import os
import platform
import shutil
import sys
from collections.abc import Callable

from attrs import frozen

from porter.base import paths
from porter.base.process import run
from porter.base.release_name import version_key
from porter.base.sizes import format_size
from porter.bundled import Bundled, bundled_builds
from porter.errors import PorterError, SyncFailed
from porter.fallback import Fallback, layers_of
from porter.fallback.pool import NAMESPACE
from porter.manifest import open_manifest
from porter.settings import load_config
from porter.sync.folder import VARIABLE, sources_releases
from porter.sync.store import inspect, synced_releases
from porter.toolchain import Tool, cuda_tool, gxx, nvcc


@frozen
class Diagnosis:
    """A line of the report. `state`: `ok`, `lacks` or `broken`. `essential`: for the host twin."""

    name: str
    state: str
    detail: str
    advice: str = ""
    essential: bool = False


def examine() -> list[Diagnosis]:
    """Return the report of `porter doctor`. Changes nothing and never raises.

    Compilers are essential unless a build for the host twin is bundled with porter.
    """
    builds = list(bundled_builds())
    makes = not any("host" in one.manifest.targets for one in builds)
    return [
        _python(),
        _libclang(makes),
        _package("numpy", essential=True),
        _package("ninja", essential=makes),
        _tool("g++", gxx, essential=makes),
        _tool("nvcc", nvcc),
        _tool("cuobjdump", lambda: cuda_tool("cuobjdump")),
        _tool("nvdisasm", lambda: cuda_tool("nvdisasm")),
        _driver(),
        _gpu(),
        _on_path("git", "sync uses the distribution's source package instead"),
        _on_path("apt-get", "sync needs git, or `porter sync --from`"),
        _folder(),
        _sources(),
        *map(_bundled, builds),
        _serving(builds),
        _builds(needed=makes),
        _patches(),
        _fallback(),
    ]


def _python() -> Diagnosis:
    version = platform.python_version()
    return Diagnosis("Python", "ok", f"{version}, {sys.executable}", essential=True)


def _libclang(essential: bool) -> Diagnosis:
    advice = "Run `python -m pip install libclang==18.1.1`."
    try:
        cindex = importlib.import_module("clang.cindex")
        cindex.Index.create()
    except ImportError:
        return Diagnosis("libclang", "lacks", "", advice, essential)
    except Exception as error:  # the wheel's library may fail to load on this machine
        return Diagnosis("libclang", "broken", _first_line(error), advice, essential)
    version = importlib.metadata.version("libclang")
    return Diagnosis("libclang", "ok", version, essential=essential)


def _package(name: str, *, essential: bool) -> Diagnosis:
    try:
        return Diagnosis(name, "ok", importlib.metadata.version(name), essential=essential)
    except importlib.metadata.PackageNotFoundError:
        return Diagnosis(name, "lacks", "", f"Run `python -m pip install {name}`.", essential)


def _tool(name: str, find: Callable[[], Tool], *, essential: bool = False) -> Diagnosis:
    try:
        tool = find()
    except PorterError as error:
        return Diagnosis(name, "lacks", error.message, error.hint or "", essential)
    return Diagnosis(name, "ok", f"{tool.version}, {tool.path} ({tool.origin})", "", essential)


def _driver() -> Diagnosis:
    advice = "Install NVIDIA's driver; without one programs run on the host twin."
    if shutil.which("nvidia-smi") is None:
        return Diagnosis("driver", "lacks", "no nvidia-smi", advice)
    try:
        query = ["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"]
        done = run(query, timeout=30.0)
    except PorterError as error:
        return Diagnosis("driver", "broken", _first_line(error), advice)
    return Diagnosis("driver", "ok", done.stdout.split("\n")[0].strip())


def _gpu() -> Diagnosis:
    try:
        cupy = importlib.import_module("cupy")
    except Exception as error:  # CuPy raises other errors than ImportError if libraries are missing
        advice = "On a machine with a GPU run `python -m pip install 'gpusnek-porter[cuda]'`."
        return Diagnosis("GPU", "lacks", f"no CuPy: {_first_line(error)}", advice)
    try:
        properties = cupy.cuda.runtime.getDeviceProperties(0)
    except Exception as error:
        return Diagnosis("GPU", "lacks", _first_line(error), "CuPy is here and finds no GPU.")
    name = properties["name"].decode()
    arch = f"sm_{properties['major']}{properties['minor']}"
    memory = format_size(properties["totalGlobalMem"])
    return Diagnosis("GPU", "ok", f"{name}, {arch}, {memory}, CuPy {cupy.__version__}")


def _on_path(name: str, advice: str) -> Diagnosis:
    path = shutil.which(name)
    if path is None:
        return Diagnosis(name, "lacks", "not on PATH", advice[0].upper() + advice[1:] + ".")
    return Diagnosis(name, "ok", path)


def _sources() -> Diagnosis:
    found = [inspect(release) for release in synced_releases()]
    if not found:
        return Diagnosis("sources", "lacks", "none", "Run `porter sync`.")
    detail = ", ".join(f"{one.release} ({one.state})" for one in found)
    modified = [one.release for one in found if one.state == "modified"]
    if modified:
        return Diagnosis("sources", "broken", detail, f"Run `porter sync {modified[0]} --force`.")
    return Diagnosis("sources", "ok", detail)


def _folder() -> Diagnosis:
    try:
        found = sources_releases()
    except SyncFailed as error:
        state = "broken" if os.environ.get(VARIABLE) else "ok"
        advice = f"Set {VARIABLE} to a folder of tarballs or trees." if state == "broken" else ""
        return Diagnosis(VARIABLE, state, error.message if advice else "not set", advice)
    if not found:
        return Diagnosis(VARIABLE, "lacks", f"no release in {os.environ[VARIABLE]}", "")
    return Diagnosis(VARIABLE, "ok", ", ".join(sorted(found, key=version_key)))


def _bundled(build: Bundled) -> Diagnosis:
    """Report whether a bundled build is complete."""
    if damaged := build.damaged():
        advice = "Install porter again: `python -m pip install --force-reinstall gpusnek-porter`."
        return Diagnosis("bundled", "broken", f"damaged: {', '.join(damaged)}", advice, True)
    names = sorted(build.manifest.targets, reverse=True)
    codes = [f"cuda for {_listed(build)}" if name == "cuda" else name for name in names]
    return Diagnosis("bundled", "ok", f"{build.manifest.release}: {'; '.join(codes)}")


def _listed(build: Bundled) -> str:
    return str(build.manifest.inputs.config["arch"]).replace(",", ", ")


def _serving(builds: list[Bundled]) -> Diagnosis:
    """Report which build is used by default, and why."""
    try:
        config = load_config({})
    except PorterError as error:
        return Diagnosis("serves", "broken", error.message, error.hint or "")
    asked = f"{config.release} on {config.target}"
    for one in builds:
        if not one.lacks(config):
            return Diagnosis("serves", "ok", f"{asked}: the bundled build, {one.folder}")
    where = f"{asked}: made when it is first used, in {paths.build_dir()}"
    reasons = "; ".join(f"the bundled build: {', '.join(one.lacks(config))}" for one in builds)
    return Diagnosis("serves", "ok", f"{where} ({reasons})" if reasons else where)


def _builds(needed: bool) -> Diagnosis:
    root = paths.build_dir()
    count = len(list(root.glob("*/*/build.json")))
    if count == 0 and needed:
        return Diagnosis("builds", "lacks", f"none in {root}", "Run `porter build`.")
    return Diagnosis("builds", "ok", f"{count} in {root}")


def _patches() -> Diagnosis:
    """Report the patches that builds lack because they do not apply to the release."""
    lacks: dict[str, dict[str, str]] = {}
    for path in paths.build_dir().glob("*/*/build.json"):
        try:
            manifest = open_manifest(path.parent)
        except PorterError:
            continue  # written by another version of porter
        found = lacks.setdefault(manifest.release, {})
        found |= {one.name: one.without for one in manifest.patches.skipped if not one.asked}
        found |= {one.function: one.without for one in manifest.patches.kept}
    lacks = {release: found for release, found in lacks.items() if found}
    if not lacks:
        return Diagnosis("patches", "ok", "no build does without one that it wants")
    detail = "; ".join(
        f"{release}: {', '.join(f'{name} ({without})' for name, without in sorted(of.items()))}"
        for release, of in sorted(lacks.items(), key=lambda item: version_key(item[0]))
    )
    advice = "Upstream changed there; `porter patch check` says where (docs/how-to/upstream.md)."
    return Diagnosis("patches", "lacks", f"skipped in {detail}", advice)


def _fallback() -> Diagnosis:
    """Report the layers that restrict programs of `porter evaluate --fallback cpython`."""
    try:
        layers = layers_of(Fallback())
    except PorterError as error:
        return Diagnosis("fallback", "lacks", _first_line(error), error.hint or "")
    state = "ok" if NAMESPACE in layers else "lacks"
    advice = "" if state == "ok" else "Without namespaces one layer less restricts programs."
    return Diagnosis("fallback", state, ", ".join(layers), advice)


def _first_line(error: BaseException) -> str:
    return (str(error) or type(error).__name__).strip().splitlines()[0]
