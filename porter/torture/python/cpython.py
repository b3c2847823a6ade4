"""What CPython makes of generated programs, many in one process."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence

SECONDS = 10  # that a program may take

# A process for each: a signal ends what does not end, in the middle of a product of large integers
# too, and what one program leaves prints nothing while the next one runs.
_RUNNER = """\
import contextlib, io, json, os, signal, sys
sys.setrecursionlimit(600)
def run(source, send):
    signal.alarm(%d)
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.suppress(Exception, SystemExit):
        exec(compile(source, 'program', 'exec'), {'__name__': '__main__'})
    with open(send, 'w') as file:
        json.dump(out.getvalue(), file)
found = []
for source in json.load(sys.stdin):
    receive, send = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            run(source, send)
        finally:
            os._exit(0)
    os.close(send)
    with open(receive) as file:
        text = file.read()
    os.waitpid(child, 0)
    found.append(json.loads(text) if text else None)
json.dump(found, sys.stdout)
"""


def outputs(sources: Sequence[str]) -> list[str | None]:
    """What each program prints until it ends or raises; None of one that does not end."""
    done = subprocess.run(
        [sys.executable, "-BSW", "ignore", "-c", _RUNNER % SECONDS],
        input=json.dumps(list(sources)),
        capture_output=True,
        text=True,
        check=True,
    )
    found: list[str | None] = json.loads(done.stdout)
    return found
