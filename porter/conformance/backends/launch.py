"""Run conformance programs on a build in two launches: one for setup, one for the tests."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs
import numpy as np

from porter.compiler.options import CompilerOptions
from porter.conformance.backends.isolate import RunScripts
from porter.conformance.backends.native import TestCompiler
from porter.conformance.images import BLOCK_SIZE, build_images
from porter.conformance.model import Script, ScriptOutcome, ScriptStatus
from porter.native.code import CodeOfEach
from porter.native.module import NativeModule
from porter.run import Device, Result, open_device
from porter.run import Launch as Settings
from porter.run import Program as Source
from porter.run import run as launch
from porter.run.launch.options import Phase
from porter.run.launch.plan import footprint


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
