"""Write a small CUDA project that uses gpusnek in its kernels, as a starting point for users."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from tempfile import TemporaryDirectory

import jinja2

from porter.base.architectures import Architectures, canonical
from porter.base.paths import templates_dir
from porter.errors import FileProblem, UsageError

MEMORY = "32 * 1024"  # bytes per interpreter, as C++
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
_FILES = {"kernel.cu.j2": "{name}.cu", "README.md.j2": "README.md", "build.sh.j2": "build.sh"}


def write_project(folder: Path, arch: str) -> tuple[Path, ...]:
    """Write a project named after `folder`, all files or none.

    Args:
        folder: The project's folder, which must not exist.
        arch: The architecture of the project's kernels.

    Returns:
        The project's files.

    Raises:
        UsageError: The name or the architecture is invalid.
        FileProblem: `folder` exists or cannot be made.
    """
    if Architectures.of(canonical(arch)).several:
        raise UsageError(f"arch: {arch}: users' kernels are compiled for one architecture")
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
    try:
        with TemporaryDirectory(prefix=f".{name}.", dir=folder.parent) as beside:
            made = Path(beside, name)
            made.mkdir()
            for template, pattern in _FILES.items():
                text = environment.get_template(template).render(
                    name=name, arch=arch, memory=MEMORY
                )
                file = made / pattern.format(name=name)
                file.write_text(text, encoding="utf-8")
                if file.suffix == ".sh":
                    file.chmod(0o755)
            made.rename(folder)
    except OSError as error:
        raise FileProblem(f"{folder}: {error.strerror or error}") from error
    return tuple(folder / pattern.format(name=name) for pattern in _FILES.values())
