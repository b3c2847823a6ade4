"""Run programs in restricted CPython processes: start zygotes, send jobs, and read results.

Input: jobs. Output: outcomes, in the order of the jobs. `porter.evaluation.fallback` calls
`outcomes`. A `Zygote` is a process that `runner` describes; it runs one program at a time. The
zygotes of a `Pool` work at the same time, and threads share them.

Everything that a process of a program writes is untrusted. Reads are bounded in bytes and time. A
process that exceeds a limit is killed, and it cannot make others.
"""

from __future__ import annotations

import atexit
import marshal
import os
import platform
import selectors
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from attrs import define, evolve, field, frozen

from porter.errors import FallbackUnavailable, UsageError
from porter.fallback.options import MODULES, SUBMODULES, Fallback
from porter.fallback.outcomes import MAX_FRAME, FallbackOutcome, outcome_of
from porter.fallback.seccomp import filter_of

_RUNNER = Path(__file__).with_name("runner.py")
STARTING = 60.0  # seconds after which a zygote that does not answer has failed
LOOK = 0.1  # seconds between looks at the caller's request to stop
_CHUNK = 1 << 16  # bytes of a read
_MOST_READ = 1 << 20  # bytes that one program's pipes give before others are served
_FLOOD = 1 << 20  # a call ends when its output exceeds the kept bytes by this number of bytes
FILTER, NAMESPACE = "system call filter", "network namespace"
NAMESPACES = True  # tests set False: machines may lack namespaces
_SIZE = struct.Struct("<Q")


@frozen
class Job:
    """A program to run.

    Attributes:
        source: The program.
        entry: The global function to call; empty: the program runs as a whole.
        arguments: Arguments of each call, encoded as `Cases` has them; one empty text for a whole
            program.
        stdin: The program's input.
        seed: Seed of `random`.
        deadline: Seconds of loading the program and the first call, and of each further call.
        stdout: Bytes of output that are kept of each call.
        stderr: Bytes of stderr that are kept of each call.
    """

    source: bytes = field(repr=False)
    entry: str
    arguments: tuple[bytes, ...] = field(repr=False)
    stdin: bytes = field(default=b"", repr=False)
    seed: int = 0
    deadline: float = 10.0
    stdout: int = 1 << 14
    stderr: int = 0


@define(eq=False)
class _KeptOutput:
    """The output of a call so far: its beginning, and its length in bytes."""

    descriptor: int
    most: int
    data: bytearray = field(factory=bytearray)
    size: int = 0

    def read(self) -> bool:
        """Read what the pipe has; return whether the process can write more."""
        for _ in range(_MOST_READ // _CHUNK):
            data = _some(self.descriptor)
            if not data:
                return data is None
            self.size += len(data)
            if (space := self.most - len(self.data)) > 0:
                self.data += data[:space]
        return True

    def take(self) -> tuple[bytes, int]:
        """Return the data and the length, and begin the next call."""
        found = bytes(self.data), self.size
        self.data.clear()
        self.size = 0
        return found


@define(eq=False)
class _JobRun:
    """A job in progress on a zygote, with the descriptors to read from."""

    number: int
    job: Job
    printed: _KeptOutput
    errors: _KeptOutput
    results: int
    permits: int | None  # a byte here permits the next call
    until: float
    found: list[FallbackOutcome] = field(factory=list)
    data: bytearray = field(factory=bytearray)
    killed: str = ""
    too_large: bool = False
    status: int = 0

    @property
    def is_complete(self) -> bool:
        """Return whether each call has an outcome."""
        return len(self.found) == len(self.job.arguments)

    def permit(self) -> None:
        """Permit the next call, whose deadline begins."""
        self.until = time.monotonic() + self.job.deadline
        if self.permits is not None:
            with suppress(OSError):  # the process has closed its end, or does not read it
                os.write(self.permits, b".")

    @property
    def pipes(self) -> tuple[int, int, int]:
        """The descriptors of pipes that the process writes."""
        return self.printed.descriptor, self.errors.descriptor, self.results

    def read_output(self) -> None:
        """Read what the process has written to stdout and stderr."""
        self.printed.read()
        self.errors.read()

    def close(self) -> None:
        """Close the descriptors."""
        for one in (*self.pipes, self.permits):
            if one is not None:
                os.close(one)


@define(eq=False)
class Zygote:
    """A process that forks a restricted process for each program.

    Attributes:
        layers: The layers of isolation that are active there.
        missing: Modules that cannot be imported.
    """

    options: Fallback
    layers: tuple[str, ...] = field(default=(), init=False)
    missing: tuple[str, ...] = field(default=(), init=False)
    _process: subprocess.Popen[bytes] = field(init=False)
    _control: socket.socket = field(init=False)
    run: _JobRun | None = field(default=None, init=False)

    def start(self) -> None:
        """Start the process, and wait until it has imported its modules.

        Raises:
            FallbackUnavailable: It does not start, or the machine cannot restrict programs.
            UsageError: It cannot import a module that the options name.
        """
        code = filter_of(platform.machine()) if sys.platform == "linux" else None
        if code is None:
            machine = f"{sys.platform} on {platform.machine()}"
            raise FallbackUnavailable(
                f"the CPython fallback needs Linux on x86-64 or aarch64, not {machine}"
            )
        mine, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._control = mine
        extra = self.options.modules
        setup = {
            "modules": [*MODULES, *SUBMODULES],
            "extra": list(extra),
            "permitted": [*MODULES, *(name.partition(".")[0] for name in extra)],
            "path": sys.path if extra else [],
            "filter": code,
            "memory": self.options.memory,
            "namespaces": NAMESPACES,
        }
        with other:
            command = [sys.executable, "-S", "-P", "-X", "utf8", str(_RUNNER), str(other.fileno())]
            environment = {
                "PYTHONHASHSEED": "0",
                "OPENBLAS_NUM_THREADS": "1",
                "OMP_NUM_THREADS": "1",
            }
            try:
                self._process = subprocess.Popen(
                    command,
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    env=environment,
                    cwd="/",
                    pass_fds=[other.fileno()],
                    start_new_session=True,  # Ctrl-C in a terminal does not reach it
                )
            except OSError as error:
                mine.close()
                raise FallbackUnavailable(f"CPython does not start: {error}") from error
        try:
            mine.settimeout(STARTING)
            data = marshal.dumps(setup, 2)
            mine.send(struct.pack("<I", len(data)))
            for at in range(0, len(data), _CHUNK):
                mine.send(data[at : at + _CHUNK])
            layers, missing = marshal.loads(mine.recv(_CHUNK))
            mine.settimeout(None)
        except (OSError, EOFError, ValueError, TypeError) as error:
            self.close()
            raise FallbackUnavailable(f"CPython does not start: {error}") from error
        self.layers, self.missing = tuple(layers), tuple(missing)
        if lacking := [name for name in extra if name in self.missing]:
            self.close()
            raise UsageError(
                f"modules: CPython cannot import {', '.join(lacking)}",
                hint=f"{sys.executable} runs the programs. Install the module there.",
            )
        if FILTER not in self.layers:
            self.close()
            raise FallbackUnavailable(
                "this machine does not filter system calls, so programs in CPython could reach "
                "files and the network",
                hint="Run where seccomp is permitted. `porter doctor` lists the layers.",
            )

    def fileno(self) -> int:
        """Return the descriptor of the control socket."""
        return self._control.fileno()

    def begin(self, number: int, job: Job) -> _JobRun:
        """Send a job. Raises OSError."""
        made: list[int] = []
        try:
            data = marshal.dumps((job.source, job.entry, list(job.arguments), job.seed), 2)
            for name, content in (("job", data), ("stdin", job.stdin)):
                made.append(_file_of(name, content))
            output, printed = os.pipe()
            made += [output, printed]
            messages, errors = os.pipe()
            made += [messages, errors]
            answers, results = os.pipe()
            made += [answers, results]
            given, permits = [made[0], made[1], printed, errors, results], None
            if len(job.arguments) > 1:
                permitted, permits = os.pipe()
                made += [permitted, permits]
                given.append(permitted)
            seconds = min(int(job.deadline * len(job.arguments)) + 2, 1 << 30)
            message = b"R" + struct.pack("<I", seconds)
            socket.send_fds(self._control, [message], given)
        except BaseException:
            for one in made:
                os.close(one)
            raise
        for one in given:
            os.close(one)
        for end in (output, messages, answers, permits):
            if end is not None:
                os.set_blocking(end, False)
        self.run = _JobRun(
            number,
            job,
            _KeptOutput(output, job.stdout),
            _KeptOutput(messages, job.stderr),
            answers,
            permits,
            time.monotonic() + job.deadline,
        )
        return self.run

    def kill(self, why: str) -> None:
        """End the process of the program."""
        assert self.run is not None
        if not self.run.killed:
            self.run.killed = why
            with suppress(OSError):
                self._control.send(b"K")

    def read_status(self) -> bool:
        """Read the wait status of the program's process; return False if the zygote has ended."""
        assert self.run is not None
        try:
            message = self._control.recv(64)
        except OSError:
            return False
        if len(message) != 5:
            return False
        self.run.status = struct.unpack("<i", message[1:])[0]
        return True

    def abandon(self) -> None:
        """Close the socket of a zygote of another process."""
        self._control.close()

    def close(self) -> None:
        """End the zygote and its process."""
        if self.run is not None:
            self.run.close()
            self.run = None
        self._control.close()
        self._process.kill()
        self._process.wait()


def _file_of(name: str, content: bytes) -> int:
    """Return a file in memory with this content, at its start."""
    descriptor = os.memfd_create(name)
    try:
        view = memoryview(content)
        while view:
            view = view[os.write(descriptor, view) :]
        os.lseek(descriptor, 0, os.SEEK_SET)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


# ---- reading results ----


def _read_results(run: _JobRun) -> bool:
    """Read results, and take complete frames; return whether the process can write more."""
    for _ in range(_MOST_READ // _CHUNK):
        data = _some(run.results)
        if not data:
            return data is None
        if not run.too_large:
            run.data += data
            _take_frames(run)
    return True


def _take_frames(run: _JobRun) -> None:
    """Move complete frames to the outcomes. Frames behind an oversized frame are ignored."""
    while len(run.data) >= _SIZE.size:
        size = _SIZE.unpack_from(run.data)[0]
        run.too_large |= size > MAX_FRAME
        if run.too_large:
            return
        end = _SIZE.size + size
        if len(run.data) < end:
            return
        frame = bytes(run.data[_SIZE.size : end])
        del run.data[:end]
        if not run.is_complete:  # else the process wrote more frames than calls
            # The process wrote the call's output before the frame, and no other one since.
            run.read_output()
            run.found.append(_with_output(run, outcome_of(frame)))
            run.permit()


def _some(descriptor: int) -> bytes | None:
    """Return some bytes of a pipe; None if the pipe is empty now, b"" at its end."""
    try:
        return os.read(descriptor, _CHUNK)
    except (BlockingIOError, InterruptedError):
        return None


def _with_output(run: _JobRun, outcome: FallbackOutcome) -> FallbackOutcome:
    output, printed = run.printed.take()
    return evolve(outcome, output=output, printed=printed, stderr=run.errors.take()[0])


def _end(run: _JobRun) -> None:
    """Add the outcome of the call that the process did not finish, if there is one."""
    if run.is_complete:
        return
    status = run.status
    if run.killed:
        too_much = "the process wrote more than a result may have"
        last = FallbackOutcome(run.killed, reason=too_much if run.too_large else "")
    elif os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        try:
            name = signal.Signals(number).name
        except ValueError:
            name = f"signal {number}"
        # The filter refuses signals, so SIGKILL is the kernel's: for CPU time, or lack of memory.
        if number == signal.SIGXCPU or (number == signal.SIGKILL and _used_up(run)):
            last = FallbackOutcome("late")
        elif number == signal.SIGKILL:
            last = FallbackOutcome("exhausted", reason="the kernel killed the process")
        else:
            last = FallbackOutcome("died", reason=f"the process died of {name}")
    else:
        last = FallbackOutcome("left", code=os.WEXITSTATUS(status))
    run.found.append(_with_output(run, last))


def _used_up(run: _JobRun) -> bool:
    return time.monotonic() > run.until - run.job.deadline / 10


# ---- the pool ----


@define(eq=False)
class Pool:
    """Zygotes with the same options, which threads share."""

    options: Fallback
    _idle: list[Zygote] = field(factory=list, init=False)
    _all: set[Zygote] = field(factory=set, init=False)
    _count: int = field(default=0, init=False)  # zygotes, including starting ones
    _changed: threading.Condition = field(factory=threading.Condition, init=False)

    @property
    def size(self) -> int:
        """The number of programs that run at a time."""
        assert self.options.processes is not None
        return self.options.processes

    def take(self, *, wait: bool) -> Zygote | None:
        """Return a zygote for a job; start one if there are fewer than `size`.

        Args:
            wait: Wait up to LOOK for a zygote that others use.
        """
        with self._changed:
            if not self._idle and self._count >= self.size and wait:
                self._changed.wait(LOOK)
            if self._idle:
                return self._idle.pop()
            if self._count >= self.size:
                return None
            self._count += 1
        zygote = Zygote(self.options)
        try:
            zygote.start()
        except BaseException:
            self._forget(zygote)
            raise
        with self._changed:
            self._all.add(zygote)
        return zygote

    def give(self, zygote: Zygote) -> None:
        """Return a zygote without a job."""
        with self._changed:
            self._idle.append(zygote)
            self._changed.notify()

    def drop(self, zygote: Zygote) -> None:
        """End a zygote, with its job."""
        zygote.close()
        self._forget(zygote)

    def _forget(self, zygote: Zygote) -> None:
        with self._changed:
            self._all.discard(zygote)
            self._count -= 1
            self._changed.notify()

    def close(self) -> None:
        """End the idle zygotes."""
        with self._changed:
            idle, self._idle = self._idle, []
        for zygote in idle:
            self.drop(zygote)

    def abandon(self) -> None:
        """Close the sockets of all zygotes, which belong to the parent of this process."""
        for zygote in self._all:
            zygote.abandon()


@define(eq=False)
class _Batch:
    """The jobs of one call of `outcomes`."""

    pool: Pool
    jobs: Sequence[Job]
    stopped: Callable[[], bool]
    waiting: deque[int] = field(init=False)
    found: list[list[FallbackOutcome]] = field(init=False)
    active: set[Zygote] = field(factory=set, init=False)
    again: set[int] = field(factory=set, init=False)  # jobs whose zygote has ended
    selector: selectors.DefaultSelector = field(factory=selectors.DefaultSelector, init=False)

    def __attrs_post_init__(self) -> None:
        self.waiting = deque(range(len(self.jobs)))
        self.found = [[] for _ in self.jobs]

    def run(self) -> list[list[FallbackOutcome]]:
        try:
            while self.waiting or self.active:
                self._begin()
                self._serve()
                if self.stopped():
                    raise KeyboardInterrupt
            return self.found
        finally:
            for zygote in list(self.active):
                self._leave(zygote)
                self.pool.drop(zygote)
            self.selector.close()

    def _begin(self) -> None:
        while self.waiting:
            zygote = self.pool.take(wait=not self.active)
            if zygote is None:
                return
            number = self.waiting.popleft()
            try:
                run = zygote.begin(number, self._left_of(number))
            except BaseException:
                self.pool.drop(zygote)
                raise
            self.active.add(zygote)
            self.selector.register(zygote, selectors.EVENT_READ, zygote)
            for pipe in run.pipes:
                self.selector.register(pipe, selectors.EVENT_READ, zygote)

    def _left_of(self, number: int) -> Job:
        """Return a job with the calls that have no outcome yet."""
        job = self.jobs[number]
        return evolve(job, arguments=job.arguments[len(self.found[number]) :])

    def _serve(self) -> None:
        """Wait for events, and handle them."""
        now = time.monotonic()
        runs = [one.run for one in self.active if one.run is not None and not one.run.killed]
        soonest = min((run.until for run in runs), default=now + LOOK)
        for key, _ in self.selector.select(max(0.0, min(soonest - now, LOOK))):
            zygote: Zygote = key.data
            if zygote.run is None:  # ended by an earlier event
                continue
            if key.fileobj is zygote:
                if zygote.read_status():
                    self._finish(zygote)
                else:
                    self._lost(zygote)
            else:
                self._read(zygote, int(key.fd))
        now = time.monotonic()
        for zygote in list(self.active):
            if zygote.run is not None and zygote.run.until <= now:
                zygote.kill("late")  # at most once

    def _read(self, zygote: Zygote, descriptor: int) -> None:
        run = zygote.run
        assert run is not None
        if descriptor == run.results:
            more = _read_results(run)
        else:
            kept = run.printed if descriptor == run.printed.descriptor else run.errors
            more = kept.read()
        if run.printed.size > run.job.stdout + _FLOOD and not run.is_complete:
            zygote.kill("flooded")
        if not more:  # `select` would report the end again and again
            self.selector.unregister(descriptor)
        if run.too_large:
            zygote.kill("malformed")
        elif run.is_complete:
            zygote.kill("complete")

    def _finish(self, zygote: Zygote) -> None:
        """Take the outcomes of a process that has ended, and give its zygote the next job."""
        run = zygote.run
        assert run is not None
        _read_results(run)
        run.read_output()
        _end(run)
        self._leave(zygote)
        run.close()
        zygote.run = None
        self.pool.give(zygote)
        found = self.found[run.number]
        found += run.found
        if len(found) < len(self.jobs[run.number].arguments):
            self.waiting.appendleft(run.number)

    def _lost(self, zygote: Zygote) -> None:
        """Run the job of a zygote that has ended once more."""
        run = zygote.run
        assert run is not None
        self._leave(zygote)
        self.pool.drop(zygote)
        if run.number in self.again:
            left = len(self.jobs[run.number].arguments) - len(self.found[run.number])
            self.found[run.number] += [
                FallbackOutcome("died", reason="its parent process died")
            ] * left
        else:
            self.again.add(run.number)
            self.waiting.appendleft(run.number)

    def _leave(self, zygote: Zygote) -> None:
        self.active.discard(zygote)
        run = zygote.run
        assert run is not None
        for one in (zygote.fileno(), *run.pipes):
            with suppress(KeyError, ValueError):
                self.selector.unregister(one)


def outcomes(
    options: Fallback, jobs: Sequence[Job], stopped: Callable[[], bool] = lambda: False
) -> list[list[FallbackOutcome]]:
    """Run `jobs`, and return the outcomes of the calls of each.

    Args:
        options: The options.
        jobs: The jobs.
        stopped: Returns whether the outcomes are no longer needed. Asked every 0.1 s.

    Raises:
        FallbackUnavailable: The machine cannot restrict programs.
        KeyboardInterrupt: `stopped` returned True. No process of a program remains.
    """
    return _Batch(pool_of(options), jobs, stopped).run()


def layers_of(options: Fallback) -> tuple[str, ...]:
    """Return the layers of isolation of this machine. Raises FallbackUnavailable."""
    pool = pool_of(options)
    while (zygote := pool.take(wait=True)) is None:
        pass
    pool.give(zygote)
    return zygote.layers


_pools: dict[Fallback, Pool] = {}
_lock = threading.Lock()


def pool_of(options: Fallback) -> Pool:
    """Return the pool of these options; its zygotes end with this process."""
    cores = options.processes or len(os.sched_getaffinity(0))
    key = evolve(options, deadline=1.0, processes=cores)  # zygotes have no deadline of their own
    with _lock:
        return _pools.setdefault(key, Pool(key))


def close_all() -> None:
    """End all idle zygotes."""
    with _lock:
        pools = list(_pools.values())
    for pool in pools:
        pool.close()


def _forget() -> None:
    """Start with new pools in a forked child, which shares no zygote with its parent."""
    global _lock
    _lock = threading.Lock()
    for pool in _pools.values():
        pool.abandon()
    _pools.clear()


atexit.register(close_all)
os.register_at_fork(after_in_child=_forget)
