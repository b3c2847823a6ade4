"""`InterpreterArray`: Python interpreters that stay, driven from a Python program."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, overload

import numpy as np

from porter.array import values
from porter.array.exceptions import Exceptions
from porter.array.files import file_systems
from porter.array.opening import SIZES, check_count, check_room, open_target, read_sizes
from porter.array.outcome import Handle, Outcome
from porter.array.runner import Runner
from porter.array.sources import Source, Which, programs_of
from porter.errors import UsageError
from porter.fs import Image
from porter.run import Device, Launch, Result, Stream
from porter.run.built import Built

Size = int | str | None


class InterpreterArray:
    """`n` Python interpreters, on the GPU or on the host twin. A context manager.

    They keep their variables from call to call. Each call is one launch; calls from several
    threads take turns. Interpreter i has the globals threadIdx (i) and numThreads (n).

    target: "cuda", "host", or None: the GPU where there is one. build: the folder of a finished
    build (`porter build` prints it); without it one is made, of `release` or the newest.
    device: one that is open already, instead of all these. heap, pystack, stack, stdout, stderr:
    bytes per interpreter (4096 or "4K"); None takes the build's. block: interpreters that share
    a barrier. seed: of random numbers. fs: a littlefs2 image, of which each gets a copy at "/".
    stream: the CUDA stream that launches go to.

    Raises UsageError (a ValueError), NotEnoughMemory (a MemoryError), WrongType (a TypeError),
    and what opening or making a build raises.
    """

    def __init__(
        self,
        n: int,
        *,
        heap: Size = None,
        pystack: Size = None,
        stack: Size = None,
        stdout: Size = None,
        stderr: Size = None,
        target: str | None = None,
        release: str | None = None,
        build: str | Path | Built | None = None,
        device: Device | None = None,
        block: int = 0,
        seed: int = 0,
        fs: str | Path | Image | None = None,
        stream: Any = None,
    ) -> None:
        self.n = check_count(n)
        given = read_sizes(dict(zip(SIZES, (heap, pystack, stack, stdout, stderr), strict=True)))
        self.device = device or open_target(target, release, build, stream, given)
        self._owned = device is None
        config = self.device.built.config
        size = {name: given.get(name, int(config[name])) for name in SIZES}
        check_room(self.device, self.n, size["pystack"], size["heap"], size["stack"])
        self._files = None if fs is None else file_systems(self.device, fs, self.n)
        launch = Launch(
            heap=size["heap"],
            pystack=size["pystack"],
            stack=size["stack"],
            stdout=size["stdout"],
            stderr=size["stderr"],
            block=block,
            seed=seed,
            fs=self._files.memory if self._files else None,
            fs_shared=False,
            fs_block=self._files.block_size if self._files else 0,
            persist=self.device.arenas(self.n, size["pystack"], size["heap"]),
            stop=False,
        )
        self._runner = Runner(self.device, self.n, launch)

    @overload
    def exec(
        self, source: Source, name: str = ..., *, wait: Literal[False], **options: Any
    ) -> Handle[Outcome]: ...
    @overload
    def exec(self, source: Source, name: str = ..., **options: Any) -> Outcome: ...
    # mypy wants the parameters again in both overloads.
    def exec(  # type: ignore[misc]
        self,
        source: Source,
        name: str = "<string>",
        *,
        which: Which = None,
        kind: str = "file",
        check: bool = True,
        timeout: float | None = None,
        stdin: bytes | Sequence[bytes] = b"",
        wait: bool = True,
    ) -> Outcome | Handle[Outcome]:
        """Run Python source in every interpreter; returns what that left.

        source: one for all, or a sequence: interpreter i runs source[which[i]], or source[i]
        where there are n. name: what tracebacks call it. kind: "file", or "single", one
        interactive statement, whose value is printed. timeout: seconds until interpreters are
        interrupted. stdin: what all read, or one text each. wait: False returns a Handle at once.

        With check, raises InterpreterError if an interpreter ended with an exception (its
        `exceptions` say which), InterpreterTimeout if that was for the time limit. The others
        have run to their end all the same. A SystemExit counts unless its code is 0.
        """
        if kind not in ("file", "single"):
            raise UsageError(f"kind: {kind!r} is neither 'file' nor 'single'")
        programs, program_of = programs_of(source, which, name, self.n)

        def finish(outcome: Outcome, result: Result) -> Outcome:
            if check:
                outcome.check()
            return outcome

        return self._runner.go(
            programs, program_of, finish, wait, kind=kind, deadline=timeout, stdin=stdin
        )

    def eval(
        self,
        expression: Source,
        *,
        which: Which = None,
        check: bool = True,
        default: object = None,
        timeout: float | None = None,
        wait: bool = True,
    ) -> Any:
        """The value of an expression in every interpreter.

        Numbers come as one array of n where the interpreters are (NumPy for the host twin, CuPy
        for a GPU): bool, int64 if all fit, float64, integers among floats made floats. Anything
        else comes as a list of n Python objects, exactly as they are there; an object without a
        counterpart here is a Repr.

        Raises as exec, and InterpreterError for SystemExit of any code: it leaves no value.
        Without check, interpreters that raised have the value `default`; `failed` says which
        they are. `which`, `timeout` and `wait` as in exec.
        """
        programs, program_of = programs_of(expression, which, "<string>", self.n)

        def finish(outcome: Outcome, result: Result) -> Any:
            assert result.values is not None
            if check:
                outcome.check()
            array = values.numbers(self.device, result.values, default)
            if array is not None:
                return array
            return values.objects(self.device, result.values, self._runner.fetch, default)

        return self._runner.go(
            programs, program_of, finish, wait, exits=True, kind="eval", deadline=timeout
        )

    def interrupt(self) -> bool:
        """Raise KeyboardInterrupt in every interpreter that runs now; from any thread.

        Returns whether there was a launch to interrupt.
        """
        return self._runner.interrupt()

    def wait(self) -> None:
        """Wait for a launch that is under way. Raises LaunchFailed."""
        self._runner.settle()

    def clone_from(self, index: int) -> None:
        """Make every interpreter a copy of interpreter `index`, variables and all.

        Only on a GPU with local arenas, whose addresses are the same for all interpreters;
        UsageError elsewhere.
        """
        self._check_index(index)
        clone = getattr(self.device, "clone", None)
        if clone is None:
            raise UsageError(
                "interpreters of this target cannot be copied: each has addresses of its own",
                hint="Run the same source in all of them instead.",
            )
        with self._runner.lock:
            self._runner.check_open()
            clone(self._runner.launch.persist, index)

    @property
    def outcome(self) -> Outcome:
        """All that the last exec or eval left. Waits for it; UsageError if there was none."""
        return self._runner.outcome()

    @property
    def stdout(self) -> Stream:
        """What the last call printed: `stdout[i]` of one interpreter, `stdout.groups` merged."""
        return self.outcome.stdout

    @property
    def stderr(self) -> Stream:
        """As stdout, of stderr, where tracebacks go too."""
        return self.outcome.stderr

    @property
    def exceptions(self) -> Exceptions:
        """The different exceptions of the last call, the most frequent first."""
        return self.outcome.exceptions

    @property
    def failed(self) -> np.ndarray[Any, Any]:
        """Which interpreters ended the last call with an exception (n bools, numpy)."""
        return self.outcome.failed

    def file_system(self, index: int) -> Image:
        """A copy of interpreter `index`'s file system as it is now."""
        self._check_index(index)
        with self._runner.lock:
            self._runner.check_open()
            if self._files is None:
                raise UsageError("these interpreters have no file system", hint="Give fs=IMAGE.")
            return self._files.image(self.device, self.n, index)

    def _check_index(self, index: int) -> None:
        if not 0 <= index < self.n:
            raise UsageError(f"index {index}: there are interpreters 0 to {self.n - 1}")

    @property
    def closed(self) -> bool:
        """Whether close() was called."""
        return self._runner.closed

    def close(self) -> None:
        """Stop the interpreters (atexit, finalisers) and give their memory back. May be repeated.

        A launch under way is waited for.
        """
        if self._runner.close():
            self._files = None
            if self._owned:
                self.device.close()

    def __enter__(self) -> InterpreterArray:
        with self._runner.lock:
            self._runner.check_open()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def __len__(self) -> int:
        return self.n

    def __repr__(self) -> str:
        state = "closed" if self.closed else self.device.name
        return f"<InterpreterArray of {self.n}, {state}>"
