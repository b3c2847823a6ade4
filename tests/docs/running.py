"""Run a document's blocks in a fresh copy of the checkout."""

from __future__ import annotations

import contextlib
import io
import os
import re
import shutil
import subprocess
import sys
from doctest import ELLIPSIS, OutputChecker
from math import isqrt
from pathlib import Path
from typing import Any

from porter.config import merge
from porter.repl.statements import exchanges
from porter.settings import read_toml

from .blocks import ROOT, Block

ON_HOST = 1024  # interpreters that replace a transcript's million without a GPU
BANNER = re.compile(r"----- (\d+)x -----")
VARIABLES = "$PORTER_DOCS_HOME/variables"
SHELL = f"""set -eo pipefail
if [ -f "{VARIABLES}" ]; then . "{VARIABLES}"; fi
trap 'export -p > "{VARIABLES}"' EXIT
set -a
"""


def copy(target: Path) -> None:
    """Copy the content of a clone: the tracked files, and new files that git does not ignore."""
    listed = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    if (ROOT / ".git").exists() and shutil.which("git"):
        done = subprocess.run(listed, cwd=ROOT, capture_output=True, text=True, check=True)
        names = done.stdout.split("\0")
    else:  # a machine for GPU tests may have the files without git
        kept = ("*.md", "docs/**/*", "examples/*", "templates/**/*", "tests/gpu/*")
        names = [str(file.relative_to(ROOT)) for rule in kept for file in ROOT.glob(rule)]
    for name in names:
        if (ROOT / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, target / name)


class Reader:
    """A reader of a document, who executes its blocks.

    `porter` and `python` are this checkout's, so builds and releases are shared with the other
    tests, and made if they are missing. `folder` is the working directory of commands.
    """

    def __init__(self, folder: Path, home: Path, gpu: bool) -> None:
        self.folder, self.gpu = folder, gpu
        self.names: dict[str, Any] = {"__name__": "__main__"}
        programs = home / "bin"
        programs.mkdir(parents=True)
        for name, options in (("porter", "-P -m porter"), ("python", ""), ("python3", "")):
            (programs / name).write_text(f'#!/bin/sh\nexec "{sys.executable}" {options} "$@"\n')
            (programs / name).chmod(0o755)
        self.environment = {
            **os.environ,
            "PATH": f"{programs}:{os.environ['PATH']}",
            "PORTER_DOCS_HOME": str(home),
            # Scripts of the copy use the copy's porter, which would make its own builds.
            "PORTER_HOME": os.environ.get("PORTER_HOME", str(ROOT)),
            "PYTHONPATH": os.pathsep.join(
                [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
            ),
            "XDG_STATE_HOME": str(home / "state"),
            "COLUMNS": "100",
        }
        if gpu:  # a machine for GPU tests has finished builds, and compiles none
            self.environment["BUILD"] = str(ROOT / os.environ["PORTER_GPU_BUILD"])

    def run(self, block: Block) -> None:
        """Run a block; AssertionError where it fails or prints something else than is shown."""
        if name := block.marks.get("file"):
            (self.folder / name).write_text(block.source)
        if block.language == "toml":
            file = self.folder / (name or "shown.toml")
            file.write_text(block.source)
            merge((str(block), read_toml(file)), release="0.0.0")
        elif name:
            return
        elif block.language == "pycon":
            self._transcript(block)
        else:
            run = self._shell if block.language == "sh" else self._python
            printed = run(block)
            wanted = block.output
            if wanted is not None and not OutputChecker().check_output(wanted, printed, ELLIPSIS):
                raise AssertionError(f"{block} prints\n{printed}and not\n{wanted}")

    def _shell(self, block: Block, stdin: str = "") -> str:
        done = subprocess.run(
            ["bash", "-c", SHELL + block.source],
            cwd=self.folder,
            env=self.environment,
            input=stdin,
            capture_output=True,
            text=True,
            timeout=900,
            check=False,
        )
        said = f"{block} ends with {done.returncode}:\n{done.stdout[-2000:]}{done.stderr[-3000:]}"
        assert done.returncode == 0, said
        return done.stdout

    def _python(self, block: Block) -> str:
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            exec(compile(block.source, str(block), "exec"), self.names)
        return printed.getvalue()

    def _transcript(self, block: Block) -> None:
        asked = list(exchanges(block.source))
        shown = "".join(exchange.printed for exchange in asked)
        many = interpreters(shown)
        n = many if self.gpu else min(many, ON_HOST)
        inputs = scaled("".join(_whole(exchange.source) for exchange in asked), many, n)
        command = Block(block.document, block.line, "sh", f"porter repl -n {n}")
        printed = self._shell(command, inputs)
        wanted = scaled(shown, many, n)
        assert _plain(printed) == _plain(wanted), f"{block} prints\n{printed}and not\n{wanted}"
        for got, count in zip(BANNER.findall(printed), BANNER.findall(shown), strict=True):
            assert abs(int(got) - int(count) * n / many) < 1, f"{block}: {got} of {n} interpreters"


def _whole(source: str) -> str:
    """Return an input as it is typed: an empty line ends a statement of several lines."""
    return source if source.count("\n") == 1 else source + "\n"


def _plain(text: str) -> str:
    return BANNER.sub("----- x -----", text)


def interpreters(shown: str) -> int:
    """Return a transcript's number of interpreters.

    It is the first sum of its banners' counts that is a power of 4, or ON_HOST.
    """
    counts = [int(count) for count in BANNER.findall(shown)]
    total = 0
    for count in counts:
        total += count
        if isqrt(total) ** 2 == total and total & (total - 1) == 0:
            return total
    return ON_HOST


def scaled(text: str, many: int, n: int) -> str:
    """Return the transcript for `n` interpreters: their number, and the side of their picture."""
    side = f"{isqrt(many)}x{isqrt(many)}"
    text = text.replace(side, f"{isqrt(n)}x{isqrt(n)}")
    return re.sub(rf"(?<!\d){many}(?![\dx])", str(n), text)
