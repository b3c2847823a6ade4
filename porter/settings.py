"""Where configuration is read from: TOML file, environment, command line, in that order."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Callable, Mapping
from pathlib import Path

from porter.base import arguments, reading
from porter.config import FIELDS, GONE, BuildConfig, merge
from porter.errors import NoNvcc, UsageError
from porter.toolchain import nvcc

ENVIRONMENT_PREFIX = "PORTER_"


def read_toml(path: arguments.StrPath) -> dict[str, object]:
    """The build table of `porter.toml` (top level) or `pyproject.toml` (`[tool.porter.build]`)."""
    path = arguments.path(path, "path")
    table: object = reading.read_toml(path, UsageError)
    if path.name == "pyproject.toml":
        for part in ("tool", "porter", "build"):
            table = table.get(part, {}) if isinstance(table, dict) else table
    if not isinstance(table, dict):
        raise UsageError(f"{path}: [tool.porter.build] is not a table")
    return table


def find_toml(start: arguments.StrPath) -> Path | None:
    """`porter.toml` of the folder `start`, or else its `pyproject.toml` if it has our table."""
    start = arguments.path(start, "start")
    own = start / "porter.toml"
    if own.is_file():
        return own
    project = start / "pyproject.toml"
    if project.is_file() and "tool.porter.build" in project.read_text("utf-8", "replace"):
        return project
    return None


def from_environment(environ: Mapping[str, str]) -> dict[str, object]:
    """PORTER_HEAP and its like, by key. Empty values count as absent."""
    names = {name: ENVIRONMENT_PREFIX + name.upper() for name in (*FIELDS, *GONE)}
    return {name: environ[var] for name, var in names.items() if environ.get(var)}


def default_target(bundled: Callable[[], bool] = lambda: False) -> str:
    """`cuda` where this machine can run on a GPU and there is or can be a build, else `host`.

    bundled: whether a build for GPUs came with porter. Starts nothing.
    """
    device = next(Path("/dev").glob("nvidia[0-9]*"), None) or Path("/dev/dxg")
    if not device.exists() or importlib.util.find_spec("cupy") is None:
        return "host"
    try:
        nvcc()
    except NoNvcc:
        return "cuda" if bundled() else "host"
    return "cuda"


def load_config(
    options: Mapping[str, object],
    *,
    config_file: arguments.StrPath | None = None,
    cwd: arguments.StrPath | None = None,
    environ: Mapping[str, str] | None = None,
    default_release: str | None = None,
) -> BuildConfig:
    """The build that defaults, TOML file, environment and `options` describe together.

    Later sources win. Without a release in any of them it is the newest that the lock knows,
    without a target the GPU where there is one.
    """
    config_file = None if config_file is None else arguments.path(config_file, "config_file")
    cwd = None if cwd is None else arguments.path(cwd, "cwd")
    path = config_file or find_toml(cwd or Path.cwd())
    layers: list[tuple[str, Mapping[str, object]]] = []
    if path is not None:
        layers.append((str(path), read_toml(path)))
    environment = from_environment(os.environ if environ is None else environ)
    layers += [(f"${ENVIRONMENT_PREFIX}{k.upper()}", {k: v}) for k, v in environment.items()]
    layers.append(("", options))
    if default_release is None:
        from porter.sync.lock import newest_release

        named = any(layer.get("release") for _, layer in layers)
        default_release = "" if named else newest_release()
    if not any(layer.get("target") for _, layer in layers):

        def bundled() -> bool:
            from porter.bundled import serving

            try:
                config = merge(("", {"target": "cuda"}), *layers, release=default_release)
            except UsageError:
                return False
            return serving(config) is not None

        layers.insert(0, ("", {"target": default_target(bundled)}))
    return merge(*layers, release=default_release)
