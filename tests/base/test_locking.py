"""The build lock: mutual exclusion, the message of a waiting process, and release at death."""

from __future__ import annotations

import fcntl
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from porter.base import locks
from porter.base.locks import holder, locked

ROOT = Path(__file__).parents[2]
PATIENT = 60.0  # seconds; every awaited event takes far less


def python(code: str, *args: str | Path, **options: object) -> subprocess.Popen[str]:
    argv = [sys.executable, "-c", code, *map(str, args)]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    pipe = subprocess.PIPE
    return subprocess.Popen(argv, env=env, stdout=pipe, stderr=pipe, text=True, **options)  # type: ignore[call-overload]


def until(true: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENT
    while not true():
        assert time.monotonic() < end, "it never happened"
        time.sleep(0.05)


def free(path: Path) -> bool:
    with path.open("a") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):  # it ended before the open, or before the read
        return False


HOLD = """
import sys, time
from pathlib import Path
from porter.base.locks import locked
with locked(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


def test_whom_one_waits_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "lock"
    monkeypatch.setattr(locks, "PATIENCE", 0.0)
    said: list[str] = []
    with python(HOLD, path, "some thing", stdin=subprocess.PIPE) as other:
        assert other.stdout is not None and other.stdin is not None
        assert other.stdout.readline() == "held\n"

        def say(text: str) -> None:
            said.append(text)
            assert other.stdin is not None
            other.stdin.close()

        with locked(path, say):
            assert str(os.getpid()) in holder(path)
    assert len(said) == 1
    assert f"process {other.pid} (" in said[0] and "some thing" in said[0]
    assert str(tmp_path) in said[0]
    with locked(path, said.append):
        pass
    assert len(said) == 1 and holder(path) == "another process"


@pytest.mark.parametrize("patience", [locks.PATIENCE, 0.0], ids=["patient", "impatient"])
def test_threads_exclude_each_other(
    tmp_path: Path, patience: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(locks, "PATIENCE", patience)
    inside, most = [0], [0]

    def work() -> None:
        for _ in range(20):
            with locked(tmp_path / "lock", lambda text: None):
                inside[0] += 1
                most[0] = max(most[0], inside[0])
                time.sleep(0.001)
                inside[0] -= 1

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == [1]


# A small model of a build: workers are forked while the lock is held, during their work.
WORKERS = """
import os, sys, time
from pathlib import Path
from porter.base.locks import locked
from porter.rewrite import rewrite_stage

def stuck(*args):
    print(os.getpid(), flush=True)
    time.sleep(600)

rewrite_stage._collect = rewrite_stage._rewrite = stuck
paths = {name: Path(sys.argv[1], name) for name in "abc"}
for path in paths.values():
    path.write_text("x")
try:
    with locked(Path(sys.argv[1], "lock")), rewrite_stage.UnitPool(paths, 3) as units:
        # More than a pipe holds, so that some of it is being written when the signal comes.
        units.rewrite(["a", "a", "a", "b", "b", "b", "c"], bytes(1 << 20))[0].result()
except KeyboardInterrupt:
    sys.exit("interrupted")
"""


@pytest.mark.parametrize("sent", [signal.SIGKILL, signal.SIGINT])
def test_a_dead_build_holds_nothing(tmp_path: Path, sent: signal.Signals) -> None:
    with python(WORKERS, tmp_path, start_new_session=True) as build:
        assert build.stdout is not None and build.stderr is not None
        worker = int(build.stdout.readline())
        assert worker != build.pid and not free(tmp_path / "lock")
        if sent is signal.SIGINT:
            os.killpg(build.pid, sent)  # as a terminal does: workers get it too
        else:
            os.kill(build.pid, sent)
        until(lambda: not alive(worker))
        build.wait(PATIENT)
        until(lambda: free(tmp_path / "lock"))  # other workers may not have run yet
        assert build.stderr.read() == ("interrupted\n" if sent is signal.SIGINT else "")


def test_a_worker_that_outlives_its_parent_holds_nothing(tmp_path: Path) -> None:
    # The child is forked by foreign code, which does not tie it to its parent's lifetime.
    code = HOLD.replace(
        "    print", "    import os\n    if not os.fork(): time.sleep(600)\n    print"
    )
    with python(code, tmp_path / "lock", stdin=subprocess.PIPE, start_new_session=True) as other:
        assert other.stdout is not None and other.stdout.readline() == "held\n"
        assert not free(tmp_path / "lock")
        other.kill()
        other.wait()
        try:  # the child releases the lock as soon as it runs
            until(lambda: free(tmp_path / "lock"))
        finally:
            os.killpg(other.pid, signal.SIGKILL)


def test_compilers_end_with_the_build(tmp_path: Path) -> None:
    # ninja, which ends its own steps when it is terminated.
    code = """
import sys
from pathlib import Path
from porter.compile.ninja import Edge, NinjaRule, run_ninja
folder = Path(sys.argv[1])
rules = [NinjaRule("slow", "echo $$$$ > pid && exec sleep 600", "slow")]
run_ninja(folder, rules, [Edge("slow", (folder / "made",), ())], what="it")
"""
    with python(code, tmp_path) as build:
        until(lambda: (tmp_path / "pid").exists() and (tmp_path / "pid").read_text() != "")
        step = int((tmp_path / "pid").read_text())
        assert alive(step)
        build.kill()
        until(lambda: not alive(step))
