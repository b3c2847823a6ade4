"""`python -m porter_dev.reference RELEASE [OPTIONS] FILE.py`: run a program as plain C would."""

from __future__ import annotations

import os
import sys

from porter.base import paths
from porter.config import BuildConfig
from porter.errors import PorterError
from porter_dev.reference import build_reference


def main(argv: list[str]) -> int:
    """Build for release argv[1] if necessary, then replace this process by the executable."""
    if len(argv) < 3:
        print(__doc__, file=sys.stderr)
        return 2
    try:
        config = BuildConfig(release=argv[1])
        executable = build_reference(config, paths.build_dir() / f"reference-{config.release}")
    except PorterError as error:
        print(f"error: {error}" + (f"\n{error.hint}" if error.hint else ""), file=sys.stderr)
        return error.exit_code
    os.execv(executable, [str(executable), *argv[2:]])


if __name__ == "__main__":
    sys.exit(main(sys.argv))
