"""Insert bounds checks into a unit's PTX: `python step.py IN OUT ID`, a step of the device build.

ID is eight hexadecimal digits that identify the unit. Ninja runs this file by its path.
"""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path


def main(arguments: list[str]) -> int:
    """Check the accesses of IN and rename it to OUT. Returns the exit status."""
    if len(arguments) != 3 or not re.fullmatch("[0-9a-f]{8}", arguments[2]):
        print("step.py IN OUT ID: ID is eight hexadecimal digits", file=sys.stderr)
        return 2
    sys.path.insert(0, str(Path(__file__).resolve().parents[3]))
    from porter.compile.bounds_checks.assembly import UnreadPtx
    from porter.compile.bounds_checks.insertion import fence

    source, target, number = arguments
    path = Path(source)
    text = path.read_bytes().decode("utf-8", "surrogateescape")
    try:
        changed = fence(text, number)
    except UnreadPtx as error:
        print(f"{target}: {error}", file=sys.stderr)
        return 1
    path.write_bytes(changed.encode("utf-8", "surrogateescape"))
    os.replace(source, target)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
