"""What CPython makes of generated programs, many in one process."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence

SECONDS = 10  # that a program may take

_RUNNER = """\
import contextlib, io, json, signal, sys
sys.setrecursionlimit(600)
class _Endless(BaseException):
    pass
def _stop(number, frame):
    raise _Endless
signal.signal(signal.SIGALRM, _stop)
found = []
for source in json.load(sys.stdin):
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        signal.alarm(%d)
        try:
            exec(compile(source, 'program', 'exec'), {'__name__': '__main__'})
        except _Endless:
            out = None
        except Exception:
            pass
        finally:
            signal.alarm(0)
    found.append(None if out is None else out.getvalue())
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
