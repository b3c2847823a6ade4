"""Run conformance programs on a build: the host twin or the GPU, interpreted or as native code.

A batch of programs takes two launches: one for setup, one for the tests.

Code that a test loads at run time (an import, `exec`) stays bytecode. A test that does not compile
runs in the interpreter, which reports the error.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Protocol

import attrs
import numpy as np
from attrs import frozen

from porter.compiler.options import CompilerOptions
from porter.conformance.backends.isolated_process import Isolated, RunScripts
from porter.conformance.file_images import BLOCK_SIZE, build_images
from porter.conformance.records import Script, ScriptOutcome, ScriptStatus
from porter.conformance.skips import LIBRARY
from porter.manifest import open_manifest
from porter.native.batch import build_batch, link_batch, translate
from porter.native.code import CodeOfEach, compile_each
from porter.native.host import HostTarget
from porter.native.kernels import KernelTarget
from porter.native.module import NativeModule
from porter.run import Device, Launch, Program, Result, open_device
from porter.run import Launch as Settings
from porter.run import Program as Source
from porter.run import run as launch
from porter.run.built import Built, open_build
from porter.run.device.host import HostTwin
from porter.run.device.linked_code import LinkedCode
from porter.run.launch.options import Phase
from porter.run.launch.plan import footprint


@frozen
class TestCompiler:
    """A compiler of tests to native code.

    Attributes:
        device: Device that compiles the tests to bytecode.
        target: Target of the native compiler.
        options: Compiler options for all tests.
    """

    __test__ = False  # keeps pytest from collecting this class

    device: Device
    target: HostTarget | KernelTarget
    options: CompilerOptions

    @classmethod
    def of(cls, folder: Path, target: str, options: CompilerOptions) -> TestCompiler:
        """Open the build in `folder`. Raises UsageError if it does not support native code."""
        built = open_build(folder)
        if target == "cuda":
            return cls(_bytecode_for(built), KernelTarget.of(built), options)
        device = open_device(built, target)
        assert isinstance(device, HostTwin)
        return cls(device, HostTarget.of(device), options)

    def codes(self, programs: Sequence[Program], launch: Launch) -> list[bytes | None]:
        """Compile each program to bytecode; None for a program that does not compile."""
        return compile_each(self.device, launch, programs)[0]

    def machine(self, codes: Sequence[bytes | None]) -> tuple[Device, list[NativeModule | None]]:
        """Compile `codes` to native code; return the device to run on, and a module per program."""
        made = [
            None
            if code is None
            else translate(self.target, code, i, loops=False, options=self.options)
            for i, code in enumerate(codes)
        ]
        jobs = os.cpu_count() or 1
        with TemporaryDirectory(prefix="porter-conformance-") as name:
            folder = Path(name)
            if isinstance(self.target, HostTarget):
                return self.device, build_batch(self.target, made, folder, jobs)
            cubin, modules = link_batch(self.target, made, folder, jobs)
        # A GPU's native code is linked into the kernels, so the device opens anew.
        return open_device(self.target.built, "cuda", code=LinkedCode(cubin, {})), modules


def _bytecode_for(built: Built) -> Device:
    """Open a device that compiles for the GPU's interpreters: the host twin if the build has it."""
    return open_device(built, "host" if "host" in built.whole.targets else "cuda")


@attrs.frozen
class ScriptOpener:
    """A picklable function that opens the build in ``folder``, in the isolated process.

    Attributes:
        folder: Folder of the build.
        target: Target to run on.
        timeout: Deadline of a launch, in seconds.
        gc_stress: Whether each allocation collects garbage.
        sizes: Sizes in bytes of heap, pystack, stack and stdout that differ from the build's.
        native: Options of the native compiler, if tests run as native code.
    """

    folder: Path
    target: str
    timeout: float
    gc_stress: bool = False
    sizes: Mapping[str, Any] = attrs.field(factory=dict)
    native: CompilerOptions | None = None

    def __call__(self) -> RunScripts:
        """Open the device and return the function that runs programs."""
        settings = Settings(
            merge_stderr=True,
            gc_stress=self.gc_stress,
            timeout=self.timeout,
            fs_shared=False,
            fs_block=BLOCK_SIZE,
            # Tests diverge completely; in a block of its own, no test waits for another.
            block=1,
        )
        settings = attrs.evolve(settings, **self.sizes)
        if self.native is not None:
            return _Compiled(settings, TestCompiler.of(self.folder, self.target, self.native))
        device = open_device(self.folder, self.target)
        return lambda programs: _run(device, programs, settings)


@attrs.frozen
class _Compiled:
    """A runner of native code; programs that do not compile run as source."""

    settings: Settings
    compiler: TestCompiler

    def __call__(self, programs: Sequence[Script]) -> list[ScriptOutcome]:
        """Compile and run the programs."""
        codes = self.compiler.codes(_sources(programs), self.settings)
        device, modules = self.compiler.machine(codes)
        try:
            return self._run(device, programs, codes, modules)
        finally:
            if device is not self.compiler.device:
                device.close()

    def _run(
        self,
        device: Device,
        programs: Sequence[Script],
        codes: Sequence[bytes | None],
        modules: Sequence[NativeModule | None],
    ) -> list[ScriptOutcome]:
        whole = {i: code for i, code in enumerate(codes) if code is not None}
        rest = [i for i in range(len(programs)) if i not in whole]
        found: dict[int, ScriptOutcome] = {}
        if whole:
            each = CodeOfEach.of(device, list(whole.values()))
            own = [modules[i] for i in whole]

            def make(phase: Phase) -> Phase:
                return each.phase(own, arenas=phase.arenas, stop=phase.stop)

            some = _run(device, [programs[i] for i in whole], self.settings, make)
            found |= dict(zip(whole, some, strict=True))
        if rest:
            some = _run(device, [programs[i] for i in rest], self.settings)
            found |= dict(zip(rest, some, strict=True))
        return [found[i] for i in range(len(programs))]


def _sources(programs: Sequence[Script]) -> list[Source]:
    return [Source(program.source, program.name) for program in programs]


def _run(
    device: Device,
    programs: Sequence[Script],
    settings: Settings,
    compiled: Callable[[Phase], Phase] | None = None,
) -> list[ScriptOutcome]:
    need = footprint(device, settings)
    images = np.frombuffer(b"".join(build_images(programs)), np.uint8)
    settings = attrs.evolve(
        settings,
        fs=device.array(images),
    )
    arenas = device.arenas(len(programs), need.pystack, need.heap)
    setups = [Source(program.setup, "<setup>") for program in programs]
    sources, phase = _sources(programs), Phase(arenas=arenas)
    if compiled is not None:
        # Unlike a module's source, compiled code does not set __file__.
        setups = [
            Source(one.source + f"__file__ = {program.name!r}\n".encode(), one.name)
            for one, program in zip(setups, programs, strict=True)
        ]
        sources, phase = [], compiled(phase)
    ready = _launch(device, setups, settings, Phase(arenas=arenas, stop=False))
    done = _launch(device, sources, settings, phase)
    return [
        _outcome(device, done, i)
        if ready.status[i] == device.built.status["OK"]
        else attrs.evolve(
            _outcome(device, ready, i), status=ScriptStatus.CRASH, note="setting up failed"
        )
        for i in range(len(programs))
    ]


def _launch(device: Device, sources: list[Source], settings: Settings, phase: Phase) -> Result:
    assert phase.arenas is not None
    n = phase.arenas.n
    return launch(device, sources, n, settings, phase, program_of=np.arange(n, dtype=np.uint32))


def _outcome(device: Device, result: Result, i: int) -> ScriptOutcome:
    output = result.stdout[i]
    status, note = _status(device, int(result.status[i]), int(result.exit_code[i]))
    if result.interrupted and (
        status is ScriptStatus.CRASH or b"KeyboardInterrupt" in output[-200:]
    ):
        status, note = ScriptStatus.TIMEOUT, f"no end after {result.seconds:.0f} s"
    return ScriptOutcome(output, status, bool(result.stdout.cut[i]), note=note)


def _status(device: Device, status: int, exit_code: int) -> tuple[ScriptStatus, str]:
    try:
        ended = device.built.status(status)
    except ValueError:
        return ScriptStatus.CRASH, f"status {status}"
    if ended.exited and exit_code:
        return ScriptStatus.EXIT, f"exit status {exit_code}"
    if not ended.failed:
        return ScriptStatus.OK, ""
    if ended.raised:
        return ScriptStatus.EXCEPTION, ""
    if ended.stopped:
        return ScriptStatus.TIMEOUT, "stopped"
    return ScriptStatus.CRASH, ended.c_name


# Seconds beyond twice a launch's own deadline, for setup, output and the hard stop.
MARGIN = 60.0
COMPILING = 900.0  # the same if g++ compiles native code first


class ScriptLaunches(Protocol):
    """An interface for running one launch after the other; `Isolated`, or a fake in tests."""

    def run(self, programs: Sequence[Script]) -> list[ScriptOutcome]:
        """Run one launch."""
        ...

    def close(self) -> None:
        """End the process; a later launch starts a new one."""
        ...


@attrs.frozen
class BuildRunner:
    """A runner with launches of up to ``chunk`` programs, of which ``parallel`` run at once.

    The deadline of a launch may stop a program that only waited for a thread. The program then
    runs again, in a launch of at most ``parallel`` programs.
    """

    target: str
    launches: ScriptLaunches
    chunk: int
    parallel: int
    skipped: frozenset[str] = frozenset()  # patches that the build lacks, LIBRARY among them

    @staticmethod
    def open(
        folder: Path,
        target: str,
        timeout: float,
        *,
        gc_stress: bool = False,
        sizes: Mapping[str, int] | None = None,
        native: CompilerOptions | None = None,
    ) -> BuildRunner:
        """Create a runner for the finished build in ``folder``.

        Args:
            folder: Folder of the build.
            target: Target to run on.
            timeout: Seconds per launch.
            gc_stress: Whether each allocation collects garbage.
            sizes: Sizes in bytes of heap, pystack, stack or stdout that differ from the build's.
            native: Options of the native compiler, if programs run as native code.
        """

        opener = ScriptOpener(folder, target, timeout, gc_stress, sizes or {}, native)
        margin = MARGIN if native is None else COMPILING
        isolated = Isolated(opener, 2 * timeout + margin)
        manifest = open_manifest(folder)
        skipped = frozenset(one.name for one in manifest.patches.skipped)
        if manifest.inputs.config.get("library") == "none":
            skipped |= {LIBRARY}
        if target == "cuda":
            return BuildRunner(target, isolated, chunk=4096, parallel=4096, skipped=skipped)
        threads = os.cpu_count() or 1
        return BuildRunner(target, isolated, chunk=32 * threads, parallel=threads, skipped=skipped)

    def run(
        self,
        programs: Sequence[Script],
        done: Callable[[int, ScriptOutcome], None] | None = None,
    ) -> list[ScriptOutcome]:
        """Run all programs; see ``ScriptRunner.run``."""
        outcomes: dict[int, ScriptOutcome] = {}
        waiting = self._pass(programs, range(len(programs)), self.chunk, outcomes, done)
        self._pass(programs, waiting, self.parallel, outcomes, done)
        self.launches.close()
        return [outcomes[index] for index in range(len(programs))]

    def _pass(
        self,
        programs: Sequence[Script],
        indices: Sequence[int],
        size: int,
        outcomes: dict[int, ScriptOutcome],
        done: Callable[[int, ScriptOutcome], None] | None,
    ) -> list[int]:
        """Run ``indices`` in launches of ``size``; return the indices that must run again."""
        again: list[int] = []
        for start in range(0, len(indices), size):
            part = indices[start : start + size]
            answers = self.launches.run([programs[index] for index in part])
            for index, outcome in zip(part, answers, strict=True):
                if outcome.status is ScriptStatus.TIMEOUT and len(part) > self.parallel:
                    again.append(index)
                    continue
                outcomes[index] = outcome
                if done is not None:
                    done(index, outcome)
        return again
