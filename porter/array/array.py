"""`InterpreterArray`: Python interpreters that stay, driven from a Python program."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, Literal, overload

import attrs
import numpy as np

from porter.array import opening, values
from porter.array.bindings import check_name
from porter.array.call import Call
from porter.array.code import Code, compile_code, with_native
from porter.array.compilations import AUTO, Compilations
from porter.array.files import FileSystems, file_systems
from porter.array.globals import BoundGlobals
from porter.array.outcome import Outcome
from porter.array.sources import Source, Which, limits_of, program_of, sources_of
from porter.base.arguments import choice, flag, whole
from porter.compiler.options import CompilerOptions
from porter.errors import UsageError, WrongType
from porter.fs import Image
from porter.run import Device, Launch, Program, Result
from porter.run.built import Built
from porter.run.launch.limits import Seconds, Steps
from porter.run.launch.plan import MAXIMUM
from porter.run.launch.spec import SIZES
from porter.run.launch.start import clone
from porter.run.open_several import Devices

Size = int | str | None
KINDS = ("file", "single", "eval")


class InterpreterArray(BoundGlobals):
    """`n` Python interpreters, on the GPU or on the host twin. A context manager.

    They keep their variables from call to call. Each call is one launch; calls from several
    threads take turns. Interpreter i has the globals threadIdx (i) and numThreads (n).

    target: "cuda", "host", or None: the GPU where there is one. build: the folder of a finished
    build (`porter build` prints it); without it one is made, of `release` or the newest.
    devices: several to share them: "all" GPUs, numbers of GPUs ([0, 1]), or "host" for each of
    several host twins; then results are NumPy arrays (docs/devices.md).
    device: one that is open already, instead of all these. heap, pystack, stack, stdout, stderr:
    bytes per interpreter (4096 or "4K"); None takes the build's. block: interpreters that share
    a barrier. seed: of random numbers. sandbox: programs name no address and bring no code in
    (docs/robustness.md). fs: a littlefs2 image, of which each gets a copy at "/". stream: the CUDA
    stream that launches go to.

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
        build: str | os.PathLike[str] | Built | None = None,
        device: Device | None = None,
        devices: Devices | None = None,
        block: int = 0,
        seed: int = 0,
        sandbox: bool = False,
        fs: str | os.PathLike[str] | Image | None = None,
        stream: Any = None,
    ) -> None:
        n = opening.check_count(n)
        given = opening.read_sizes(
            dict(zip(SIZES, (heap, pystack, stack, stdout, stderr), strict=True))
        )
        launch = Launch(
            block=whole(block, "block", 0, MAXIMUM),
            seed=whole(seed, "seed", -(2**63), 2**64 - 1),
            sandbox=flag(sandbox, "sandbox"),
            **given,
        )
        self._owned = device is None
        if device is None:
            device = opening.open_target(target, release, build, given, stream, devices)
        else:
            chosen = {"target": target, "release": release, "build": build}
            device = opening.check_device(device, devices=devices, stream=stream, **chosen)
        opening.check_room(device, n, launch)
        self._files: FileSystems | None = None
        if fs is not None:
            self._files = file_systems(device, fs, n)
            launch = self._files.mounted(launch)
        super().__init__(device, n, launch)
        self._compilations = Compilations(self.compile, self._with_native)

    @overload
    def exec(
        self, source: Source | Code, name: str = ..., *, wait: Literal[False], **options: Any
    ) -> Call[Outcome]: ...
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
        max_steps: Steps = None,
        deadline: Seconds = None,
        stdin: str | bytes | Sequence[str | bytes] = b"",
        compiled: bool | Literal["auto"] = False,
        wait: bool = True,
    ) -> Outcome | Call[Outcome]:
        """Run Python source in every interpreter; returns what that left.

        source: one for all, code that compile() made, or a sequence: interpreter i runs
        source[which[i]], or source[i] where there are n. name: what tracebacks call it. kind:
        "file", or "single", one interactive statement, whose value is printed. timeout: seconds
        until interpreters are interrupted. max_steps, deadline: steps and seconds that each
        program may take, or a sequence of n. stdin: what all read, or a sequence of one text each;
        a str is one text, in UTF-8. compiled: run machine code of one source or of code, as
        compile(native=True) makes it, once for each text; "auto": once a launch of it took many
        steps, and where there is a way to, as for a source that has `@micropython.native` or
        `@micropython.viper`. wait: False returns a Call; `timeout` acts in its
        result().

        With check, raises InterpreterError if an interpreter ended with an exception (its
        `exceptions` say which), InterpreterTimeout if that was for a limit. The others
        have run to their end all the same. A SystemExit counts unless its code is 0.
        """
        choice(kind, "kind", ("file", "single"))
        check, wait = flag(check, "check"), flag(wait, "wait")
        chosen = self._compilations.of(source, name, kind, compiled)
        programs, program_of, changes = self._sources(chosen, which, name, kind)

        def finish(outcome: Outcome, result: Result) -> Outcome:
            if compiled == AUTO:
                self._compilations.ran(source, name, kind, outcome)
            if check:
                outcome.check()
            return outcome

        changes |= limits_of(timeout, max_steps, deadline)
        call = self._go(programs, program_of, finish, stdin=stdin, **changes)
        return call.result() if wait else call

    def eval(
        self,
        expression: Source | Code,
        *,
        which: Which = None,
        check: bool = True,
        default: object = None,
        timeout: float | None = None,
        max_steps: Steps = None,
        deadline: Seconds = None,
        wait: bool = True,
    ) -> Any:
        """The value of an expression in every interpreter.

        Numbers come as one array of n where the interpreters are (NumPy for the host twin, CuPy
        for a GPU): bool, int64 if all fit, float64, integers among floats made floats. Anything
        else comes as a list of n Python objects, exactly as they are there; an object without a
        counterpart here is a Repr.

        Raises as exec, and InterpreterError for SystemExit of any code: it leaves no value.
        Without check, interpreters that raised have the value `default`; `failed` says which
        they are. `which`, `timeout`, `max_steps`, `deadline` and `wait` as in exec.
        """
        check, wait = flag(check, "check"), flag(wait, "wait")
        programs, program_of, changes = self._sources(expression, which, "<string>", "eval")

        def finish(outcome: Outcome, result: Result) -> Any:
            assert result.values is not None
            if check:
                outcome.check()
            array = values.numbers(self.device, result.values, default)
            if array is not None:
                return array
            return values.objects(self.device, result.values, self._fetch, default)

        changes |= limits_of(timeout, max_steps, deadline)
        call = self._go(programs, program_of, finish, exits=True, **changes)
        return call.result() if wait else call

    def compile(
        self,
        source: str | bytes,
        name: str = "<string>",
        *,
        kind: str = "file",
        heap: int | str | None = None,
        native: bool = False,
    ) -> Code:
        """Compile once, for all interpreters of this array, and others of its build and GPU.

        kind: "file", "single" or "eval". heap: bytes of the heap to compile in; None: as large as
        this array's. native: make machine code of it too, which does the same, faster; arrays have
        it from their first run of this code on, for functions that it defines as well. Raises
        ProgramSyntaxError, NotEnoughMemory; for native NoCompiler, and UsageError for what a GPU
        was not opened with (porter.array.kernels.open_compiled), on several devices and in builds
        with fences, of a variant, for profiles or of single precision.
        """
        choice(kind, "kind", KINDS)
        native = flag(native, "native")
        program = program_of(source, name)
        with self._lock:
            self._check_open()
            launch = self._launch
            if heap is not None:
                launch = attrs.evolve(launch, heap=opening.read_sizes({"heap": heap})["heap"])
            code = compile_code(self.device, launch, program.source, name, kind)
        return self._with_native(code) if native else code

    def run(self, code: Code, **options: Any) -> Any:
        """exec() of code, or eval() of code of kind "eval", with their options."""
        if not isinstance(code, Code):
            raise WrongType(
                f"code: {type(code).__name__} is not what compile() makes",
                hint="exec() and eval() take source.",
            )
        return self.eval(code, **options) if code.kind == "eval" else self.exec(code, **options)

    def _with_native(self, code: Code, options: CompilerOptions | None = None) -> Code:
        """`code` with machine code. Raises as compile."""
        with self._lock:
            self._check_open()
            globals_ = self._bindings.stand_ins()
        return with_native(code, self._launch, self.n, globals_, options)

    def _sources(
        self, source: Source | Code, which: Which, name: str, kind: str
    ) -> tuple[list[Program], np.ndarray[Any, Any] | None, dict[str, Any]]:
        """Programs, who runs which, and what the launch has for them."""
        if isinstance(source, Code):
            source = self._compilations.improved(source, self._natives)
        made = sources_of(source, which, name, kind, self.device, self.n)
        if isinstance(source, Code):
            self._keep(source)
            if source.native is not None:
                self._natives.add(source.native, source.memory)
            if source.barrier:
                self._keep_together(f"{source.name} names syncthreads")
        return made

    def get(self, name: str, **options: Any) -> Any:
        """eval() of the global `name`, with its options."""
        check_name(name)
        return self.eval(name, **options)

    def clone_from(self, index: int) -> None:
        """Make every interpreter a copy of interpreter `index`, variables and all.

        Only on one GPU with local arenas, whose addresses are the same for all interpreters;
        UsageError elsewhere.
        """
        index = opening.check_index(index, self.n)
        with self._lock:
            clone(self.device, self._open_arenas(), index, self._launch.block)

    def file_system(self, index: int) -> Image:
        """A copy of interpreter `index`'s file system as it is now."""
        index = opening.check_index(index, self.n)
        with self._lock:
            self._check_open()
            if self._files is None:
                raise UsageError("these interpreters have no file system", hint="Give fs=IMAGE.")
            return self._files.image(self.device, self.n, index)

    def close(self) -> None:
        """Stop the interpreters (atexit, finalisers) and give their memory back. May be repeated.

        A launch under way is waited for. Exit functions and finalisers that still run after 2 s
        get a KeyboardInterrupt, and are stopped if they catch it.
        """
        if not self.closed:
            super().close()
            self._files = None
            if self._owned and not self.forked:
                self.device.close()
