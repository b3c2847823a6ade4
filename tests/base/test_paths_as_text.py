"""Check that every public function with a path parameter accepts a str as well as a Path.

A walk finds these functions in the exports of porter's packages, in the imports of the documents,
and in the functions and classes of MODULES. A new function with a parameter that accepts only a
Path fails here.
"""

from __future__ import annotations

import importlib
import inspect
import os
import pkgutil
import re
import sys
import types
import typing
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import porter
from porter.base import arguments
from porter.conformance import discovery, skips
from porter.errors import PorterError, WrongType
from porter.fs import Image
from porter.fs.folder import image_of, pull, push
from porter.generate import Layout, read_units
from porter.patches import load_series
from porter.pipeline import build
from porter.repl.picture import save_png
from porter.run import open_device
from porter.run.built import open_build
from porter.run.launch import validators
from porter.settings import find_toml, load_config
from porter.sync.synchronization import sync

ROOT = Path(__file__).parents[2]
MODULES = (
    "porter.pipeline",
    "porter.settings",
    "porter.sync.synchronization",
    "porter.fs.folder",
    "porter.repl.picture",
    "porter.repl.terminal",
    "porter.run.built",
    "porter.conformance.backends",
    "porter.conformance.discovery",
    "porter.conformance.file_images",
    "porter.conformance.conformance_report",
    "porter.conformance.skips",
    "porter_dev.bench.guard",
    "porter_dev.bench.instruction_counts",
    "porter_dev.bench.lanes",
    "porter_dev.bench.suite",
    "porter_dev.bench.upstream_unix",
    "porter_dev.allocation_failure.subjects",
    "porter_dev.fuzz.coverage_fuzzer",
    "porter_dev.fuzz.coverage_fuzzer",
)
# Classes of results: porter makes them, and a user reads their paths.
RESULTS = {"Build", "RewrittenSources", "Built", "CoverageCampaign", "Synced", "Test"}
CONVERTERS = {**vars(validators), **vars(arguments)}
IMPORT = re.compile(r"^\s*from (porter[\w.]*) import ([\w, ]+)$", re.MULTILINE)


def exported() -> Iterator[tuple[str, str]]:
    """Yield (module, name) of all functions and classes to examine."""
    packages = [module.name for module in pkgutil.iter_modules(porter.__path__) if module.ispkg]
    for name in ("porter", *(f"porter.{package}" for package in packages if package != "cli")):
        for public in getattr(importlib.import_module(name), "__all__", ()):
            yield name, public
    for document in (ROOT / "README.md", *(ROOT / "docs").rglob("*.md")):
        for name, names in IMPORT.findall(document.read_text(encoding="utf-8")):
            for public in names.split(","):
                yield name, public.split(" as ")[0].strip()
    for name in MODULES:
        for public, value in vars(importlib.import_module(name)).items():
            if not public.startswith("_") and getattr(value, "__module__", "") == name:
                yield name, public


def functions() -> Iterator[tuple[str, Callable[..., Any]]]:
    """Yield the exported functions, constructors and methods, each with a name for messages."""
    for module, name in dict.fromkeys(exported()):
        value = getattr(importlib.import_module(module), name)
        if inspect.isclass(value):
            for method, function in inspect.getmembers(value, inspect.isroutine):
                own = method == "__init__" and name not in RESULTS
                if own or not method.startswith("_"):
                    yield f"{module}.{name}.{method}", function
        elif callable(value) and not isinstance(value, types.GenericAlias):
            yield f"{module}.{name}", value


def mentioned(hint: Any) -> set[Any]:
    """Return the types that an annotation names."""
    if isinstance(hint, list):  # the arguments of a Callable
        return set().union(*map(mentioned, hint))
    parts = typing.get_args(hint)
    return {hint, typing.get_origin(hint)}.union(*map(mentioned, parts)) if parts else {hint}


def names_of(function: Callable[..., Any]) -> dict[str, Any]:
    """Return the names defined in the modules of a constructor's class and of its bases."""
    owner = getattr(sys.modules[function.__module__], function.__qualname__.split(".")[0], None)
    bases = reversed(owner.__mro__) if inspect.isclass(owner) else ()
    modules = [sys.modules[base.__module__] for base in bases]
    return {name: value for module in modules for name, value in vars(module).items()}


def path_parameters() -> Iterator[tuple[str, set[Any]]]:
    for name, function in functions():
        if inspect.isbuiltin(function) or not hasattr(function, "__annotations__"):
            continue
        # An attrs class has the annotations of its converters and bases, whose names belong to
        # their modules.
        hints = typing.get_type_hints(function, localns={**CONVERTERS, **names_of(function)})
        for parameter, hint in hints.items():
            named = mentioned(hint)
            if parameter != "return" and named & {Path, os.PathLike}:
                yield f"{name}({parameter})", named


def test_whoever_takes_a_path_takes_text() -> None:
    found = dict(path_parameters())
    alone = [name for name, named in found.items() if not {str, os.PathLike} <= named]
    assert not alone, f"annotate with porter.base.arguments.StrPath, and convert: {alone}"
    # Check that the walk finds exports, attrs' fields, imports of docs, and modules.
    for name in (
        "porter.InterpreterArray.__init__(build)",
        "porter.run.open_device(folder)",
        "porter.generate.Layout.__init__(build)",
        "porter.repl.picture.save_png(path)",
        "porter.fs.Image.load(path)",
        "porter.conformance.discovery.discover(root)",
    ):
        assert name in found


def test_the_walk_would_notice() -> None:
    def takes_a_path(folder: Path | None) -> None: ...

    assert str not in mentioned(typing.get_type_hints(takes_a_path)["folder"])


CALLS: dict[str, Callable[[Any], object]] = {
    "open_build": open_build,
    "open_device": lambda path: open_device(path, "host"),
    "array": lambda path: porter.InterpreterArray(1, build=path),
    "load": Image.load,
    "image_of": image_of,
    "push": lambda path: push(Image.empty(1 << 16), path, "/a"),
    "pull": lambda path: pull(_image(), "/a", path),
    "save_png": lambda path: save_png(np.zeros((2, 2, 3), np.uint8), path),
    "discover": discovery.discover,
    "skips": lambda path: skips.load("host", path),
    "units": read_units,
    "layout": lambda path: Layout.of("1.26.1", path),
    "series": load_series,
    "config": lambda path: load_config({}, config_file=path),
    "find": find_toml,
    "sync": lambda path: sync(source=path),
}


def _image() -> Image:
    image = Image.empty(1 << 16)
    image.write("/a", b"text")
    return image


@pytest.mark.parametrize("name", CALLS)
def test_text_does_what_a_path_does(name: str, tmp_path: Path) -> None:
    """Check results for existing paths and errors for missing paths: both must be equal."""

    def outcome(path: Any) -> object:
        try:
            result = CALLS[name](path)
        except (PorterError, OSError) as error:
            return type(error), str(error)
        return result if isinstance(result, int | Path | tuple | Layout) else type(result)

    for where in (tmp_path / "nothing", tmp_path):
        assert outcome(str(where)) == outcome(where)
        (tmp_path / "nothing").unlink(missing_ok=True)


@pytest.mark.parametrize("name", [*CALLS, "build"])
@pytest.mark.parametrize("wrong", [3, 2.5, [], object()])
def test_what_is_no_path_is_a_wrong_type(name: str, wrong: object) -> None:
    calls = {**CALLS, "build": lambda path: build(load_config({"release": "1.26.1"}), folder=path)}
    with pytest.raises(WrongType):
        calls[name](wrong)
