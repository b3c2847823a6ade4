#!/usr/bin/env python3
"""Runs README's first command as a newcomer does, and compares what it prints with README.

    python3 .ci/first_command.py            # run it; exit code 1 when its output is another
    python3 .ci/first_command.py --second   # only print README's second command

The command is the first `sh` block of README.md, its output the first `text` block. Before it
nothing of ours may be there: no venv, no release, no build. Standard library only, for nothing is
installed yet.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LEFT_BEHIND = (".venv", "build", "upstream/[0-9]*/py/mpconfig.h")


def blocks(text: str, language: str) -> list[str]:
    """The fenced blocks of `language`, in order."""
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)


def main(arguments: list[str]) -> str | None:
    """Return what is wrong, or None."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    first, second = blocks(readme, "sh")[:2]
    if arguments == ["--second"]:
        print(second, end="")
        return None
    if arguments:
        return f"no such arguments: {' '.join(arguments)}"
    if there := [str(path) for name in LEFT_BEHIND for path in ROOT.glob(name)]:
        return f"not a newcomer's clone: {', '.join(there)}"
    print(first, end="", flush=True)
    done = subprocess.run(["sh", "-e", "-c", first], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    print(done.stdout, end="", flush=True)
    if done.returncode != 0:
        return f"README's first command ended with exit code {done.returncode}"
    if done.stdout != (shown := blocks(readme, "text")[0]):
        return f"README's first command prints something else than README shows:\n{shown}"
    return None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
