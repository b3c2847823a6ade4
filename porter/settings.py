"""Load a build's configuration from a TOML file, the environment and the command line."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Callable, Mapping
from pathlib import Path

from porter.base import arguments, documents
from porter.base.deprecated import RENAMED_SETTINGS, both_names
from porter.config import FIELDS, GONE, BuildConfig, merge
from porter.errors import NoNvcc, UsageError, WrongType
from porter.toolchain import nvcc

ENVIRONMENT_PREFIX = "PORTER_"


def read_toml(path: arguments.StrPath) -> dict[str, object]:
    """Return the build table: the top level of `porter.toml`, or pyproject's `tool.porter.build`.

    Raises:
        UsageError: The file cannot be read, or has no valid table.
    """
    path = arguments.path(path, "path")
    table: object = documents.read_toml(path, UsageError)
    if path.name == "pyproject.toml":
        for part in ("tool", "porter", "build"):
            table = table.get(part, {}) if isinstance(table, dict) else table
    if not isinstance(table, dict):
        raise UsageError(f"{path}: [tool.porter.build] is not a table")
    return table


def find_toml(start: arguments.StrPath) -> Path | None:
    """Return `porter.toml` in the folder `start`, else its `pyproject.toml` if it has a table."""
    start = arguments.path(start, "start")
    own = start / "porter.toml"
    if own.is_file():
        return own
    project = start / "pyproject.toml"
    if project.is_file() and "tool.porter.build" in project.read_text("utf-8", "replace"):
        return project
    return None


def _beside(path: Path, table: Mapping[str, object]) -> Mapping[str, object]:
    """Return `table`, the content of the file `path`, with `freeze` relative to the file."""
    manifest = table.get("freeze")
    if not isinstance(manifest, str) or not manifest:
        return table
    return {**table, "freeze": str(path.parent / manifest)}


def from_environment(environ: Mapping[str, str]) -> dict[str, object]:
    """Return the values of PORTER_HEAP and similar variables, by key, without empty ones."""
    keys = (*FIELDS, *GONE, *RENAMED_SETTINGS)
    names = {name: ENVIRONMENT_PREFIX + name.upper() for name in keys}
    return {name: environ[var] for name, var in names.items() if environ.get(var)}


def _variable(key: str) -> str:
    """Return the variable of a key, as messages show it: $PORTER_HEAP."""
    return f"${ENVIRONMENT_PREFIX}{key.upper()}"


def default_target(bundled: Callable[[], bool] = lambda: False) -> str:
    """Return `cuda` if this machine has a GPU and a build for it, or can make one; else `host`.

    Starts no process.

    Args:
        bundled: Returns whether a build for GPUs is bundled with porter.
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
    """Merge defaults, TOML file, environment and `options` to a build; later sources win.

    The default release is the newest one in the lock. The default target is the GPU if there is
    one.

    Args:
        options: Values by BuildConfig's names; None counts as absent.
        config_file: The TOML file; None to search `cwd`.
        cwd: The folder to search; None for the current one.
        environ: The environment; None for this process's.
        default_release: The release if no source names one; None for the newest in the lock.

    Raises:
        UsageError: A value is invalid, a key unknown, or a source has an old and a new name of it.
    """
    for name, values in (("options", options), ("environ", {} if environ is None else environ)):
        if not isinstance(values, Mapping):
            raise WrongType(f"{name}: {type(values).__name__} is no mapping of names to values")
    for name in ("release", "target"):
        if options.get(name) is not None:
            arguments.text(options[name], name)
    config_file = None if config_file is None else arguments.path(config_file, "config_file")
    cwd = None if cwd is None else arguments.path(cwd, "cwd")
    path = config_file or find_toml(cwd or Path.cwd())
    layers: list[tuple[str, Mapping[str, object]]] = []
    if path is not None:
        layers.append((str(path), _beside(path, read_toml(path))))
    environment = from_environment(os.environ if environ is None else environ)
    for key, value in environment.items():
        if (new := RENAMED_SETTINGS.get(key)) in environment:
            raise UsageError(both_names(_variable(key), _variable(str(new))))
        layers.append((_variable(key), {key: value}))
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
