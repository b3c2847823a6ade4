"""Run a small grid of interpreters with global arenas under `compute-sanitizer`.

    compute-sanitizer --tool memcheck python tests/gpu/sanitize.py BUILD_FOLDER

The arenas must be global: memcheck treats local arenas as accesses outside the frame.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from porter.run import Launch, open_device, run
from porter.smoke import PROGRAMS

INTERPRETERS = 64


def main() -> int:
    """Run every smoke program, once plain and once with a collection per allocation."""
    device = open_device(Path(sys.argv[1]), "cuda")
    if device.local:
        raise SystemExit("build with --arena global: memcheck cannot watch local arenas")
    broken = 0
    for name, source in PROGRAMS.items():
        for stress in (False, True):
            launch = Launch(heap=32768, pystack=8192, gc_stress=stress)
            result = run(device, [source], INTERPRETERS, launch)
            broken += int((result.status != 0).sum())
            print(f"{name} stress={stress}: {int((result.status == 0).sum())} well", flush=True)
    return min(broken, 1)


if __name__ == "__main__":
    raise SystemExit(main())
