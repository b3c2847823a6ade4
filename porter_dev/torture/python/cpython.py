"""Run generated programs in CPython, a batch per process, to get the expected output."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence

SECONDS = 10  # time limit of a program

# Each program runs in a forked process. SIGALRM then ends any program, even inside a product of
# large integers, and finalisers of one program's objects cannot print during the next one.
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
    """Return each program's output until it ends or raises; None for a program that times out."""
    done = subprocess.run(
        [sys.executable, "-BSW", "ignore", "-c", _RUNNER % SECONDS],
        input=json.dumps(list(sources)),
        capture_output=True,
        text=True,
        check=True,
    )
    found: list[str | None] = json.loads(done.stdout)
    return found
