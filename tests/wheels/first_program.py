"""README's first program on an installed wheel: `VENV/bin/python tests/wheels/first_program.py`.

It runs in an empty folder, with an empty home and nothing on PATH, so it can neither fetch nor
compile; and it may not write. The output must be README's. Standard library only.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import sysconfig
import tempfile
import time
from pathlib import Path

README = Path(__file__).parents[2] / "README.md"


def block(language: str) -> str:
    """Return README's first block of `language`."""
    found = re.search(rf"^```{language}\n(.*?)^```$", README.read_text("utf-8"), re.S | re.M)
    assert found is not None, f"README has no {language}"
    return found[1]


def bare(folder: Path) -> dict[str, str]:
    """Return an environment with a home in `folder`, an empty PATH and no settings of porter's."""
    (folder / "home").mkdir()
    (folder / "bin").mkdir()
    kept = {name: os.environ[name] for name in ("LANG", "PORTER_RELEASE") if name in os.environ}
    return kept | {"HOME": str(folder / "home"), "PATH": str(folder / "bin")}


def main() -> str | None:
    """Run the program; return a description of the failure, or None."""
    porter = Path(sysconfig.get_path("scripts"), "porter")
    arguments = shlex.split(block("sh"))[2:]  # behind `python3 bootstrap.py`
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        environment = bare(folder)
        (folder / "empty").mkdir()
        start = time.monotonic()
        done = subprocess.run(
            [porter, *arguments],
            cwd=folder / "empty",
            env=environment,
            capture_output=True,
            text=True,
        )
        print(f"{shlex.join(['porter', *arguments])}: {time.monotonic() - start:.1f} s")
        if done.returncode or done.stderr or done.stdout != block("text"):
            return f"exit code {done.returncode}\n{done.stdout}{done.stderr}"
        written = [path for part in ("home", "empty") for path in (folder / part).rglob("*")]
        return f"it wrote {', '.join(map(str, written))}" if written else None


if __name__ == "__main__":
    sys.exit(main())
