"""Running source and code in an array's interpreters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, overload

import attrs
import numpy as np

from porter.array import values
from porter.array.code import Code, compile_code
from porter.array.opening import read_sizes
from porter.array.outcome import Handle, Outcome
from porter.array.runner import Runner
from porter.array.sources import Source, Which, programs_of
from porter.base.arguments import choice, flag, seconds
from porter.errors import UsageError, WrongType
from porter.run import Device, Program, Result

KINDS = ("file", "single", "eval")


def _deadline(timeout: float | None) -> float | None:
    return None if timeout is None else seconds(timeout, "timeout")


class Running:
    """What an array can run, and how it is interrupted."""

    n: int
    device: Device
    _runner: Runner

    @overload
    def exec(
        self, source: Source | Code, name: str = ..., *, wait: Literal[False], **options: Any
    ) -> Handle[Outcome]: ...
    @overload
    def exec(self, source: Source | Code, name: str = ..., **options: Any) -> Outcome: ...
    # mypy wants the parameters again in both overloads.
    def exec(  # type: ignore[misc]
        self,
        source: Source | Code,
        name: str = "<string>",
        *,
        which: Which = None,
        kind: str = "file",
        check: bool = True,
        timeout: float | None = None,
        stdin: str | bytes | Sequence[str | bytes] = b"",
        wait: bool = True,
    ) -> Outcome | Handle[Outcome]:
        """Run Python source in every interpreter; returns what that left.

        source: one for all, code that compile() made, or a sequence: interpreter i runs
        source[which[i]], or source[i] where there are n. name: what tracebacks call it. kind:
        "file", or "single", one interactive statement, whose value is printed. timeout: seconds
        until interpreters are interrupted. stdin: what all read, or a sequence of one text each; a
        str is one text, in UTF-8. wait: False returns a Handle at once; a time limit then acts
        while its result() waits.

        With check, raises InterpreterError if an interpreter ended with an exception (its
        `exceptions` say which), InterpreterTimeout if that was for the time limit. The others
        have run to their end all the same. A SystemExit counts unless its code is 0.
        """
        choice(kind, "kind", ("file", "single"))
        check, wait = flag(check, "check"), flag(wait, "wait")
        programs, program_of, changes = self._programs(source, which, name, kind)

        def finish(outcome: Outcome, result: Result) -> Outcome:
            if check:
                outcome.check()
            return outcome

        changes |= {"deadline": _deadline(timeout), "stdin": stdin}
        return self._runner.go(programs, program_of, finish, wait, **changes)

    def eval(
        self,
        expression: Source | Code,
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
        check, wait = flag(check, "check"), flag(wait, "wait")
        programs, program_of, changes = self._programs(expression, which, "<string>", "eval")

        def finish(outcome: Outcome, result: Result) -> Any:
            assert result.values is not None
            if check:
                outcome.check()
            array = values.numbers(self.device, result.values, default)
            if array is not None:
                return array
            return values.objects(self.device, result.values, self._runner.fetch, default)

        changes["deadline"] = _deadline(timeout)
        return self._runner.go(programs, program_of, finish, wait, exits=True, **changes)

    def compile(
        self,
        source: str | bytes,
        name: str = "<string>",
        *,
        kind: str = "file",
        heap: int | str | None = None,
    ) -> Code:
        """Compile once, for all interpreters of this array, and others of its build and GPU.

        kind: "file", "single" or "eval". heap: bytes of the heap to compile in; None: as large as
        this array's. Raises ProgramSyntaxError, NotEnoughMemory.
        """
        choice(kind, "kind", KINDS)
        if not isinstance(source, str | bytes):
            raise UsageError("source: one text is compiled at a time")
        (program,), _ = programs_of(source, None, name, 1)
        with self._runner.lock:
            self._runner.check_open()
            launch = self._runner.launch
            if heap is not None:
                launch = attrs.evolve(launch, heap=read_sizes({"heap": heap})["heap"])
            return compile_code(self.device, launch, program.source, name, kind)

    def run(self, code: Code, **options: Any) -> Any:
        """exec() of code, or eval() of code of kind "eval", with their options."""
        if not isinstance(code, Code):
            raise WrongType(
                f"code: {type(code).__name__} is not what compile() makes",
                hint="exec() and eval() take source.",
            )
        return self.eval(code, **options) if code.kind == "eval" else self.exec(code, **options)

    def interrupt(self) -> bool:
        """Raise KeyboardInterrupt in every interpreter that runs now; from any thread.

        Returns whether there was a launch to interrupt.
        """
        return self._runner.interrupt()

    def wait(self) -> None:
        """Wait for a launch that is under way. Raises LaunchFailed."""
        self._runner.settle()

    def _programs(
        self, source: Source | Code, which: Which, name: str, kind: str
    ) -> tuple[list[Program], np.ndarray[Any, Any] | None, dict[str, Any]]:
        """Programs, who runs which, and changes to the launch."""
        if not isinstance(source, Code):
            programs, program_of = programs_of(source, which, name, self.n)
            return programs, program_of, {"kind": kind}
        if which is not None:
            raise UsageError("which: there is one code, and nothing to choose")
        if (source.kind == "eval") != (kind == "eval"):
            raise UsageError(
                f"{source.name}: this code is of kind {source.kind!r}",
                hint='eval() takes code of kind "eval", exec() any other.',
            )
        source.check(self.device)
        self._runner.keep(source)
        return [], None, {"kind": source.kind, "compiled": source.memory}
