"""A small CUDA project that uses gpusnek in its kernels, to begin with."""

from __future__ import annotations

import os
import re
import shlex
import shutil
from pathlib import Path

import jinja2

from porter.config import check_arch
from porter.errors import FileProblem, UsageError
from porter.paths import templates_dir

MEMORY = "32 * 1024"  # bytes per interpreter, as C++
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
_FILES = {"kernel.cu.j2": "{name}.cu", "README.md.j2": "README.md", "build.sh.j2": "build.sh"}


def write_project(folder: Path, arch: str) -> tuple[Path, ...]:
    """Write a project named as `folder`, which must not exist; its files, whole or not at all.

    Raises UsageError for a name or an architecture that is none, FileProblem where `folder` cannot
    be made.
    """
    check_arch(arch)
    name = folder.name
    if not _NAME.fullmatch(name):
        raise UsageError(
            f"{name!r} is not a project's name", hint="Use letters, digits, `-` and `_`."
        )
    if folder.exists():
        raise FileProblem(f"{folder} is there already", hint="Choose another name.")
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(templates_dir() / "project"),
        undefined=jinja2.StrictUndefined,
        keep_trailing_newline=True,
    )
    environment.filters["sh"] = shlex.quote
    beside = folder.with_name(f".{name}.{os.getpid()}")
    try:
        beside.mkdir()
        for template, pattern in _FILES.items():
            text = environment.get_template(template).render(name=name, arch=arch, memory=MEMORY)
            made = beside / pattern.format(name=name)
            made.write_text(text, encoding="utf-8")
            if made.suffix == ".sh":
                made.chmod(0o755)
        beside.rename(folder)
    except OSError as error:
        shutil.rmtree(beside, ignore_errors=True)
        raise FileProblem(f"{folder}: {error.strerror or error}") from error
    return tuple(folder / pattern.format(name=name) for pattern in _FILES.values())
