#!/usr/bin/env python3
"""porter on a fresh machine: `python3 bootstrap.py ARGS` is `porter ARGS` in a venv of its own.

The first call makes `.venv` and installs porter and its dependencies into it (with CuPy and nvcc
where an NVIDIA driver is); later calls start at once. Two commands are not porter's:

    python3 bootstrap.py test ARGS       the default test tier; ARGS are pytest's
    python3 bootstrap.py campaign ARGS   the campaigns: `list`, `run NAME ...`, `ci --seconds N`

Both install what tests need, nvcc from the registry where the machine has none, and fetch the
newest release. `test` makes the builds that tests share before pytest starts.
docs/how-to/testing.md explains both.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent
VENV = Path(os.environ.get("PORTER_VENV", ROOT / ".venv"))
PYTHON = VENV / "bin" / "python"
EVERY = 2.0  # seconds between signs of life
TESTS = ["-m", "pytest", "-q", "-m", "not gpu", "-n", "auto", "--dist", "loadgroup"]


def install(extras: list[str]) -> None:
    """Make the venv and install porter into it, unless that was done for this pyproject.toml."""
    wanted = hashlib.sha256((ROOT / "pyproject.toml").read_bytes()).hexdigest()
    stamp = VENV / "porter-installed"
    have = stamp.read_text().split() if stamp.is_file() else []
    if have[:1] == [wanted] and set(extras) <= set(have[1:]):
        return
    if not PYTHON.exists():
        run([sys.executable, "-m", "venv", str(VENV)], "Debian and Ubuntu: install python3-venv.")
    what = f"{ROOT}[{','.join(extras)}]" if extras else str(ROOT)
    command = [str(PYTHON), "-m", "pip", "install", "--quiet", "--editable", what]
    run(command, "pip needs a package registry.")
    stamp.write_text(" ".join([wanted, *sorted({*extras, *have[1:]})]))


def run(command: list[str], hint: str) -> None:
    """Run `command`, saying every few seconds that it goes on; when it fails, say what to do."""
    print("bootstrap:", " ".join(command), file=sys.stderr, flush=True)
    began = time.monotonic()
    with subprocess.Popen(command) as running:
        while True:
            try:
                code = running.wait(EVERY)
                break
            except subprocess.TimeoutExpired:
                seconds = time.monotonic() - began
                print(f"bootstrap: {seconds:.0f} s, it goes on", file=sys.stderr, flush=True)
    if code != 0:
        sys.exit(f"bootstrap: that failed. {hint}")


def main(args: list[str]) -> None:
    """Install what `args` need and become porter, pytest or the runner of campaigns."""
    if sys.version_info < (3, 11):  # noqa: UP036 (this file runs on whatever is there)
        sys.exit("bootstrap: porter needs Python 3.11 or newer")
    extras = ["cuda"] if shutil.which("nvidia-smi") else []
    if args[:1] in (["test"], ["campaign"]):
        prepare(extras)
        if args[0] == "campaign":
            os.execv(PYTHON, [str(PYTHON), "-m", "porter_dev.campaigns", *args[1:]])
        if subprocess.run([str(PYTHON), "-m", "porter_dev.builds"]).returncode != 0:
            sys.exit("bootstrap: the builds that tests share cannot be made")
        os.execv(PYTHON, [str(PYTHON), *TESTS, *args[1:]])
    install(extras)
    os.execv(PYTHON, [str(PYTHON), "-m", "porter", *args])


def prepare(extras: list[str]) -> None:
    """Install what tests need and fetch the newest release; go to the checkout's root."""
    install([*extras, "test"])
    os.chdir(ROOT)
    if not extras and shutil.which("nvcc") is None:
        try:
            install(["nvcc", "test"])
        except SystemExit as error:
            print(error, "The tests that compile for a GPU are skipped.", file=sys.stderr)
    if subprocess.run([str(PYTHON), "-m", "porter", "sync", "--quiet"]).returncode != 0:
        print("bootstrap: no release: the tests that need one are skipped", file=sys.stderr)


if __name__ == "__main__":
    main(sys.argv[1:])
