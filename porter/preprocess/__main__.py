"""`python -m porter.preprocess RELEASE FOLDER`: generate and preprocess, for development."""

from __future__ import annotations

import sys
from pathlib import Path

from porter.config import BuildConfig
from porter.errors import PorterError
from porter.generate import Layout, generate
from porter.preprocess.preprocess_stage import preprocess
from porter.sync.synchronization import ensure


def main(argv: list[str]) -> int:
    """Bring FOLDER/pre up to date for RELEASE with the default configuration."""
    if len(argv) != 3:
        print(__doc__, file=sys.stderr)
        return 2
    config, folder = BuildConfig(release=argv[1]), Path(argv[2])
    layout = Layout.of(config.release, folder)
    try:
        ensure(config.release)
        done = preprocess(layout, generate(config, layout))
    except PorterError as error:
        print(f"error: {error}" + (f"\n{error.hint}" if error.hint else ""), file=sys.stderr)
        return error.exit_code
    fresh = sum(unit.fresh for unit in done)
    print(f"{len(done)} units in {layout.pre}, {fresh} of them new")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
