"""`python -m porter_dev.fuzz.calls --build FOLDER`: fuzz with calls where builds only run.

Needs Python, numpy, attrs and cattrs, and CuPy for `--target cuda`.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from porter.errors import PorterError
from porter_dev.fuzz.calls.session import CallSession, fuzz_calls


def main(arguments: list[str]) -> int:
    """Run a campaign and return the exit code of `porter fuzz --calls`."""
    parser = argparse.ArgumentParser("python -m porter_dev.fuzz.calls", description=__doc__)
    parser.add_argument("--build", type=Path, required=True, help="folder of a finished build")
    parser.add_argument("--target", default="host", choices=("host", "host-asan", "cuda"))
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--count", type=int, default=0, help="programs, then it ends")
    parser.add_argument("--save", type=Path, help="folder for reduced findings")
    parser.add_argument("--known", type=Path, help="findings of this folder are not told again")
    parser.add_argument("--without", default="", help="no statement has what this matches")
    parser.add_argument("--sandbox", action="store_true", help="programs run in a sandbox")
    parser.add_argument("--programs", action="store_true", help="classes with side effects")
    parser.add_argument("--mutate", type=Path, action="append", help="their integers become huge")
    parser.add_argument("--batch", type=int, default=0, help="programs a launch")
    given = vars(parser.parse_args(arguments))
    minutes = given.pop("minutes")
    given["mutate"] = tuple(given["mutate"] or ())
    try:
        done = fuzz_calls(CallSession(folder=given.pop("build"), seconds=60 * minutes, **given))
    except PorterError as error:
        print(f"porter: error: {error.message}", file=sys.stderr)
        if error.hint:
            print(f"porter: hint: {error.hint}", file=sys.stderr)
        return error.exit_code
    print(done.text)
    return 53 if done.broken else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
