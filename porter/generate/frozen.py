"""List the Python modules that a build freezes: porter's library, and the modules of `--freeze`.

Upstream's tools/manifestfile.py evaluates the manifests. The generate stage needs the names of the
modules; porter/freeze compiles their text to bytecode.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path

from attrs import frozen

from porter.base import paths, process
from porter.config import BuildConfig
from porter.errors import FileProblem, GenerateFailed, ToolFailed, UsageError

# Prints JSON in the last line: a list of files, or the text of the manifest's error.
_LIST_FILES = """\
import json, sys
tools, upstream, manifest = sys.argv[1:]
sys.path.insert(0, tools)
import manifestfile
library = upstream + "/lib/micropython-lib"
variables = {"MPY_DIR": upstream, "MPY_LIB_DIR": library}
found = manifestfile.ManifestFile(manifestfile.MODE_FREEZE, variables)
try:
    found.execute(manifest)
    result = [[str(f.target_path), str(f.full_path)] for f in found.files()]
except manifestfile.ManifestFileError as error:
    result = str(error)
except Exception as error:
    result = f"{type(error).__name__}: {error}"
print()
print(json.dumps(result))
"""

_UPSTREAMS = "Error in manifest file: "  # how manifestfile.py begins most of its messages


@frozen
class FrozenFile:
    """A module to freeze.

    Attributes:
        name: The name below the import root (`asyncio/core.py`).
        path: The file.
        content: The file's text.
        own: Whether it belongs to porter's library.
    """

    name: str
    path: Path
    content: bytes
    own: bool = True

    @property
    def root(self) -> str:
        """The name of the top-level module: `asyncio` for `asyncio/core.py`."""
        return self.name.partition("/")[0].removesuffix(".py")


def frozen_files(config: BuildConfig, upstream: Path) -> tuple[FrozenFile, ...]:
    """Return the modules that a build of `config` freezes, sorted by name.

    A top-level module or package of the user's manifest replaces the library's of the same name.

    Args:
        config: The build.
        upstream: The release's folder.

    Raises:
        FileProblem: A manifest or module does not exist or cannot be read.
        UsageError: The user's manifest is invalid.
        GenerateFailed: Upstream's tool does not work with the library's manifest.
    """
    library = config.library == "full"
    files = read_manifest(upstream, library_manifest()) if library else []
    if config.freeze:
        users = read_manifest(upstream, Path(config.freeze), own=False)
        replaced = {file.root for file in users}
        files = [file for file in files if file.root not in replaced] + users
    return tuple(sorted(files, key=lambda file: file.name))


def library_manifest() -> Path:
    """Return the manifest of porter's library."""
    return paths.templates_dir() / "frozen" / "manifest.py"


def read_manifest(upstream: Path, manifest: Path, *, own: bool = True) -> list[FrozenFile]:
    """Return the modules that `manifest` lists, sorted by name.

    Args:
        upstream: The release's folder.
        manifest: The manifest.
        own: Whether it is the manifest of porter's library.

    Raises:
        FileProblem: The manifest or a module does not exist or cannot be read.
        UsageError: The manifest is invalid.
        GenerateFailed: The manifest of porter's library is invalid, or upstream's tool fails.
    """
    if not manifest.is_file():
        raise FileProblem(
            f"{manifest}: there is no such manifest",
            hint="--freeze takes a file in the format of MicroPython's manifests.",
        )
    tools = upstream / "tools"
    try:
        done = process.run(
            [sys.executable, "-B", "-c", _LIST_FILES, tools, upstream, manifest], timeout=60
        )
        listed = json.loads(done.stdout.splitlines()[-1])
    except (ToolFailed, ValueError, IndexError) as error:
        raise GenerateFailed(f"{manifest}: {error}") from error
    refused = GenerateFailed if own else UsageError
    if isinstance(listed, str):
        raise refused(f"{manifest}: " + listed.removeprefix(f"{_UPSTREAMS}{manifest}: "))
    twice = [name for name, count in Counter(name for name, _ in listed).items() if count > 1]
    if twice:
        raise refused(f"{manifest}: it lists {', '.join(sorted(twice))} more than once")
    files = [_read(name, Path(path), manifest, own) for name, path in listed]
    return sorted(files, key=lambda file: file.name)


def _read(name: str, path: Path, manifest: Path, own: bool) -> FrozenFile:
    if path.suffix != ".py":
        raise UsageError(
            f"{manifest}: {path} is not Python source",
            hint="List .py files: porter compiles them for the release of the build.",
        )
    try:
        return FrozenFile(name, path, path.read_bytes(), own)
    except OSError as error:
        raise FileProblem(f"{path}: {error.strerror}", hint=f"{manifest} lists it.") from error
