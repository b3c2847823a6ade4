"""`InterpreterArray`: persistent Python interpreters that a Python program drives."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, Literal, overload

import attrs
import numpy as np

from porter.array import device_selection
from porter.array.bindings import check_name
from porter.array.call import Call
from porter.array.compilations import AUTO, Compilations
from porter.array.interpreters import Interpreters
from porter.array.outcome import Outcome
from porter.array.sources import Source, Which, limits_of, sources_of
from porter.base.arguments import choice, flag, whole
from porter.compiler.options import CompilerOptions
from porter.errors import UsageError, WrongType
from porter.fs import Image
from porter.native.code import Code, compile_code, program_of, with_native
from porter.run import Device, Launch, Program, Result, values
from porter.run.built import Built
from porter.run.filesystem import FileSystems, file_systems
from porter.run.launch.limits import Seconds, Steps
from porter.run.launch.options import SIZES
from porter.run.launch.plan import MAXIMUM
from porter.run.open import Devices
from porter.run.start import clone

Size = int | str | None
KINDS = ("file", "single", "eval")


class InterpreterArray(Interpreters):
    """`n` Python interpreters, on the GPU or on the host twin. A context manager.

    Interpreters keep their variables from call to call. Each call is one launch; calls from several
    threads are serialized. Interpreter i has the globals threadIdx (i) and numThreads (n).

    Args:
        n: Number of interpreters.
        heap: Bytes of each interpreter's heap (4096 or "4K"); None takes the build's size.
        pystack: Bytes of its Python stack, likewise.
        stack: Bytes of its C stack, likewise.
        stdout: Bytes kept of its stdout, likewise.
        stderr: Bytes kept of its stderr, likewise.
        target: "cuda", "host", or None: the GPU where there is one.
        release: The MicroPython release to build; None: the newest.
        build: The folder of a finished build (`porter build` prints it); None: make a build.
        device: An open device, which replaces `target`, `release`, `build` and `devices`.
        devices: Several devices that share the array: "all" GPUs, numbers of GPUs ([0, 1]), or
            "host" once for each of several host twins. Results are then NumPy arrays
            (docs/how-to/devices.md).
        block: Interpreters per block; they share a barrier.
        seed: Seed of random numbers.
        sandbox: Programs cannot use addresses, and load verified bytecode only
            (docs/explanation/sandbox.md).
        fs: A littlefs2 image. Each interpreter gets a copy at "/".
        stream: The CUDA stream for launches.

    Raises:
        UsageError: An argument has an invalid value (a ValueError).
        NotEnoughMemory: The interpreters do not fit (a MemoryError).
        WrongType: An argument has a wrong type (a TypeError).
        PorterError: Opening or making the build failed.
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
        n = device_selection.check_count(n)
        given = device_selection.read_sizes(
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
            device = device_selection.open_target(target, release, build, given, stream, devices)
        else:
            chosen = {"target": target, "release": release, "build": build}
            device = device_selection.check_device(device, devices=devices, stream=stream, **chosen)
        device_selection.check_room(device, n, launch)
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
    # mypy requires the parameters in both overloads.
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
        """Run Python source in every interpreter, and return the outcome.

        The other interpreters run to their end even if one fails.

        Args:
            source: Source for all interpreters, code from compile(), or a sequence. With a
                sequence, interpreter i runs source[which[i]], or source[i] if the sequence has n
                elements.
            name: The file name in tracebacks.
            which: The index in `source` of each interpreter's source.
            kind: "file", or "single": one interactive statement, whose value is printed.
            check: Raise an exception if an interpreter ended with one. A SystemExit counts unless
                its code is 0.
            timeout: Seconds until all interpreters are interrupted. With wait=False it acts in the
                Call's result().
            max_steps: Maximum steps of each program, or a sequence of n.
            deadline: Maximum seconds of each program, or a sequence of n.
            stdin: Text that all read, or a sequence of one text each; a str is encoded as UTF-8.
            compiled: True: run native code of one source or of code, as compile(native=True) makes
                it, compiled once per text. "auto": do so once a launch of the source took many
                steps, where native code is supported and was faster when measured. A source with
                `@micropython.native` or `@micropython.viper` is always compiled where that is
                supported.
            wait: False returns a Call without waiting.

        Raises:
            InterpreterError: An interpreter ended with an exception; `exceptions` lists all.
            InterpreterTimeout: A limit or the timeout ended an interpreter.
        """
        choice(kind, "kind", ("file", "single"))
        check, wait = flag(check, "check"), flag(wait, "wait")
        chosen = self._compilations.of(source, name, kind, compiled)
        programs, program_of, changes = self._sources(chosen, which, name, kind)

        def finish(outcome: Outcome, result: Result) -> Outcome:
            if compiled == AUTO:
                steps, seconds = int(result.steps.sum()), result.timings["device"]
                native = chosen is not source
                self._compilations.ran(source, name, kind, steps, seconds, native)
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
        """Evaluate an expression in every interpreter, and return the values.

        Raises as exec, and InterpreterError for SystemExit of any code, because it leaves no value.

        Args:
            expression: The expression, or code of kind "eval".
            which: As in exec.
            check: As in exec. Without it, interpreters that raised have the value `default`;
                `failed` marks them.
            default: The value of interpreters that raised.
            timeout: As in exec.
            max_steps: As in exec.
            deadline: As in exec.
            wait: As in exec.

        Returns:
            Numbers as one array of n on the device (NumPy for the host twin, CuPy for a GPU): bool,
            int64 if all fit, or float64; integers among floats become floats. Other values as a
            list of n equal Python objects. An object without a counterpart in CPython is a
            Repr.
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
        """Compile source once, for all arrays of the same build on the same GPU.

        Args:
            source: The source.
            name: The file name in tracebacks.
            kind: "file", "single" or "eval".
            heap: Bytes of the heap to compile in; None: this array's heap size.
            native: Make native code too, which behaves the same and runs faster. Arrays use it from
                their first run of this code on, also for functions that the code defines.

        Raises:
            ProgramSyntaxError: The source does not compile.
            NotEnoughMemory: The heap is too small to compile in.
            NoCompiler: Native code needs a C++ compiler.
            UsageError: Native code is not supported here: on a GPU that was opened without this
                program's (porter.native.open_compiled), on several devices, and in builds
                with bounds checks, of a variant, for profiles or of single precision.
        """
        choice(kind, "kind", KINDS)
        native = flag(native, "native")
        program = program_of(source, name)
        with self._lock:
            self._check_open()
            launch = self._launch
            if heap is not None:
                launch = attrs.evolve(
                    launch, heap=device_selection.read_sizes({"heap": heap})["heap"]
                )
            code = compile_code(self.device, launch, program.source, name, kind)
        return self._with_native(code) if native else code

    def run(self, code: Code, **options: Any) -> Any:
        """Run code by exec(), or by eval() if its kind is "eval". `options` are theirs."""
        if not isinstance(code, Code):
            raise WrongType(
                f"code: {type(code).__name__} is no Code from compile()",
                hint="exec() and eval() take source.",
            )
        return self.eval(code, **options) if code.kind == "eval" else self.exec(code, **options)

    def _with_native(self, code: Code, options: CompilerOptions | None = None) -> Code:
        """Return `code` with native code. Raises as compile."""
        with self._lock:
            self._check_open()
            globals_ = self._bindings.stubs()
        return with_native(code, self._launch, self.n, globals_, options)

    def _sources(
        self, source: Source | Code, which: Which, name: str, kind: str
    ) -> tuple[list[Program], np.ndarray[Any, Any] | None, dict[str, Any]]:
        """Return the programs, each interpreter's program, and further options of the launch."""
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
        """Evaluate the global `name`. `options` are those of eval()."""
        check_name(name)
        return self.eval(name, **options)

    def bind(
        self, name: str, array: object, *, split: bool = False, readonly: bool = False
    ) -> None:
        """Expose the memory of `array` as a memoryview `name` in every interpreter, without a copy.

        Programs see a one-dimensional view in C order. It takes effect with the next call. Accesses
        of different interpreters to one element are not ordered; see gpu.atomic in
        docs/reference/language.md.

        The array is kept alive while it is bound: until unbind(name), another bind or set of the
        name, or close(). Afterwards every memoryview of it is empty, including views that programs
        kept.

        Args:
            name: The global's name.
            array: On a GPU an object with `__cuda_array_interface__` or DLPack, on the host twin
                one with the buffer protocol or DLPack. Contiguous, with integers of 8 to 64 bits,
                float32 or float64.
            split: The first axis has length n, and interpreter i sees row i only.
            readonly: Programs cannot write to the array.

        Raises:
            WrongType: The array's type or device is not supported (a TypeError).
            BindingError: The name or shape is invalid (a ValueError).
        """
        split, readonly = flag(split, "split"), flag(readonly, "readonly")
        with self._lock:
            self._check_open()
            self._bindings.bind(name, array, split=split, readonly=readonly)

    def unbind(self, name: str) -> None:
        """Revoke the interpreters' access to a bound array at once.

        Raises:
            BindingError: No array is bound to this name.
        """
        with self._lock:
            self._check_open()
            self._bindings.unbind(name)
            self._apply_bindings()

    def set(self, name: str, value: object) -> None:
        """Set the global `name` to a value for all interpreters, or to one value each.

        It takes effect with the next call. Raises as bind.

        Args:
            name: The global's name.
            value: A number, str, bytes or None for all. A list, tuple or array of n values sets one
                each: numbers that NumPy converts to one array, or str, or bytes.
        """
        with self._lock:
            self._check_open()
            self._bindings.set(name, value)

    def clone_from(self, index: int) -> None:
        """Replace every interpreter by a copy of interpreter `index`, with its variables.

        Raises:
            UsageError: Interpreters cannot be copied. Copies require one GPU with local arenas,
                which have the same addresses for all interpreters.
        """
        index = device_selection.check_index(index, self.n)
        with self._lock:
            clone(self.device, self._open_arenas(), index, self._launch.block)

    def file_system(self, index: int) -> Image:
        """Return a copy of the current file system of interpreter `index`."""
        index = device_selection.check_index(index, self.n)
        with self._lock:
            self._check_open()
            if self._files is None:
                raise UsageError("these interpreters have no file system", hint="Give fs=IMAGE.")
            return self._files.image(self.device, self.n, index)

    def close(self) -> None:
        """Stop the interpreters (atexit, finalizers) and free their memory; idempotent.

        A launch in progress is waited for. Exit functions and finalizers that still run after 2 s
        get a KeyboardInterrupt, and are stopped if they catch it.
        """
        if not self.closed:
            super().close()
            self._files = None
            if self._owned and not self.forked:
                self.device.close()
