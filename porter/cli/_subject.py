"""The build that a command runs interpreters on: a new one or a finished one."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import attrs
import click
from attrs import field, frozen
from rich.console import Console

from porter.array.device_selection import check_target, open_built, ready_build
from porter.base.architectures import Architectures, canonical
from porter.base.sizes import check_bounds
from porter.cli._options import BUILD_NAMES, build_options
from porter.cli._progress import show_progress
from porter.cli._types import PathType
from porter.config import SIZE_BOUNDS, BuildConfig
from porter.errors import UsageError
from porter.run import Device, Launch, open_device, open_several
from porter.run.built import Built, open_build
from porter.run.launch.options import SIZES
from porter.run.open import Devices, check_gpus, chosen_devices

F = TypeVar("F", bound=Callable[..., Any])

# Fields that a launch can choose; a build fixes all others.
OF_LAUNCH = (*SIZES, "gc_stress")
OF_RUN = (*OF_LAUNCH, "fs_size")
LOADING = "loading the build"

folder_option = click.option(
    "--build",
    "folder",
    metavar="FOLDER",
    type=PathType(path_type=Path),
    help="Use this finished build and its sizes; options override the sizes.",
)


def devices_option(function: F) -> F:
    """Add --gpus to a command; several devices reach it in `subject`."""

    def check(ctx: click.Context, param: click.Parameter, value: str | None) -> Any:
        return None if value is None else chosen_devices(value, "--gpus")

    return click.option(
        "--gpus",
        "devices",
        metavar="LIST",
        callback=check,
        help="Use several GPUs as one: all, or numbers (0,1). host,host: two host twins.",
    )(function)


@frozen
class BuildChoice:
    """The build to run on: `config` describes a build to make, `folder` has a finished one.

    `given` are the options that the user wrote, by BuildConfig's names.
    """

    given: Mapping[str, Any]
    config: BuildConfig | None = None
    folder: Path | None = None
    devices: Devices | None = None  # several devices used as one
    seconds: dict[str, float] = field(factory=dict)  # time per stage of a new build

    def open(self, console: Console) -> Device:
        """Build if needed, with progress on `console`, and open. Raises PorterError."""
        if self.folder is not None:
            with show_progress() as progress:
                progress.now(LOADING)
                return open_finished(self.folder, self.given, devices=self.devices)
        assert self.config is not None
        if (ready := ready_build(self.config)) is not None:
            return self._loaded(ready)
        check_gpus(self.config.target, self.devices)
        # Imported late: building needs libclang and compilers, running a finished build does not.
        from porter.cli._building import build_shown

        built = build_shown(self.config, console)
        self.seconds.update(built.seconds)
        return self._loaded(built.folder)

    def _loaded(self, build: Path | Built) -> Device:
        assert self.config is not None
        with show_progress() as progress:
            progress.now(LOADING)
            if self.devices is not None:
                return open_several(build, self.devices)
            return open_device(build, self.config.target)

    def sized(self, launch: Launch) -> Launch:
        """Return `launch` with the given sizes and options that a finished build leaves open."""
        if self.folder is None:
            return launch
        chosen = {name: self.given.get(name) for name in OF_LAUNCH}
        return attrs.evolve(launch, **{k: v for k, v in chosen.items() if v is not None})

    def fs_size(self, device: Device) -> int:
        """Return the size in bytes of each interpreter's file system if no image is given."""
        asked = self.given.get("fs_size")
        return int(device.built.config["fs_size"] if asked is None else asked)


def open_finished(
    folder: Path,
    given: Mapping[str, Any],
    known: tuple[str, ...] = OF_RUN,
    devices: Devices | None = None,
) -> Device:
    """Open the finished build in `folder`.

    Args:
        folder: The build's folder.
        given: Options by BuildConfig's names; its target, or the best one the build has, is used.
        known: The options that a launch can choose.
        devices: Several devices to use as one.

    Raises:
        UsageError: Another option differs from the build.
    """
    built = open_build(folder)
    for name, value in given.items():
        if value is None or name == "target":
            continue
        if name not in known or value is False:
            check_fixed(built, name, value)
        elif name in SIZE_BOUNDS:
            check_bounds(value, SIZE_BOUNDS[name], name)
    return open_built(built, given.get("target"), devices=devices)


def check_fixed(built: Built, name: str, value: Any) -> None:
    """Raise UsageError unless the build has `value` for `name`."""
    has = built.config.get(name, False if isinstance(value, bool) else None)
    if has == value:
        return
    if name == "arch" and Architectures.of(str(has)).serve(Architectures.of(canonical(value))):
        return
    option, said = f"--{name.replace('_', '-')}", f" {value}"
    if isinstance(value, bool):
        option, said, has = (option if value else f"--no-{option[2:]}"), "", "it" if has else "none"
    raise UsageError(
        f"{option}{said}: the build in {built.folder} has {has}",
        hint=f"A finished build cannot change it: leave {option} out, or build another.",
    )


def subject_options(function: F) -> F:
    """Add the options of a build and --build to a command, which gets them as `subject`."""

    @functools.wraps(function)
    def wrapper(*args: Any, folder: Path | None, **kwargs: Any) -> Any:
        if folder is None and kwargs.get("sandbox") and kwargs.get("bounds_checks", False) is None:
            kwargs["bounds_checks"] = (
                True  # a sandbox for untrusted programs needs bounds checks, too
            )
        if (chosen := kwargs.pop("devices", None)) is not None:
            kwargs["target"] = check_target(chosen, kwargs["target"], "--gpus")
        given = {name: kwargs[name] for name in BUILD_NAMES}
        if given["target"] == "all":
            raise UsageError("target: interpreters run on host or cuda, not on all")
        if folder is None:
            return making(*args, given=given, chosen=chosen, **kwargs)
        rest = {name: value for name, value in kwargs.items() if name not in BUILD_NAMES}
        if rest.pop("config_file") is not None:
            raise UsageError("--config: --build has its own settings; give one of the two")
        return function(*args, subject=BuildChoice(given, folder=folder, devices=chosen), **rest)

    def made(
        *args: Any,
        config: BuildConfig,
        given: Mapping[str, Any],
        chosen: Devices | None,
        **kwargs: Any,
    ) -> Any:
        if config.target == "all":
            raise UsageError("target: interpreters run on host or cuda, not on all")
        return function(*args, subject=BuildChoice(given, config, devices=chosen), **kwargs)

    making: Any = build_options(made)
    parameters = list(making.__click_params__)
    decorated: Any = folder_option(wrapper)
    decorated.__click_params__ = [*parameters, *decorated.__click_params__]
    result: F = decorated
    return result
