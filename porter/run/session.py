"""One launch: programs in, outputs out."""

from __future__ import annotations

import operator
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import attrs
import numpy as np
from attrs import frozen

from porter.base.arguments import choice, text, utf8, whole
from porter.errors import LaunchInterrupted, UsageError, WrongType
from porter.run.binding import Binding, of_arrays, pack
from porter.run.checking import check_arrays, check_launch, per_interpreter, source_of, stdin_of
from porter.run.console import (
    LEAST_LINE,
    MODES,
    MOST_RING,
    OVERFLOWS,
    Collector,
    OnOutput,
    flush_printed,
)
from porter.run.device import Arenas, Array, Device, Interrupt, Record, Running
from porter.run.feed import Feed
from porter.run.fork import Template, template_of
from porter.run.lacks import Lack, find
from porter.run.result import Result, Stream, Values
from porter.run.ring import Rings
from porter.run.waiting import Pump, Wait

KINDS = {
    kind: f"GPUSNEK_{kind.upper()}" for kind in ("file", "single", "eval", "continue", "complete")
}
MAXIMUM = 2**31 - 1  # interpreters of one launch


@frozen
class Program:
    """Python source (str, or bytes in UTF-8) and the name that tracebacks give it.

    A byte order mark before the source is skipped. Raises WrongType, UsageError.
    """

    source: bytes = attrs.field(converter=source_of)
    name: str = "<string>"

    def __attrs_post_init__(self) -> None:
        text(self.name, "name")

    @classmethod
    def of(cls, program: Program | str | bytes) -> Program:
        """`program` itself, or the source that it is."""
        return program if isinstance(program, Program) else cls(program)

    @property
    def encoded_name(self) -> bytes:
        """The name as C has it, its NUL included."""
        return utf8(self.name) + b"\0"


@attrs.define
class Cancel:
    """Asks a launch under way to end; may be called in a signal handler or another thread.

    Asked once, interpreters get a KeyboardInterrupt; asked twice, they are stopped hard.
    """

    asked: int = 0

    def __call__(self, *_: object) -> None:
        self.asked += 1


@frozen(kw_only=True)
class Launch:
    """How a launch runs. Sizes in bytes; None takes the build's.

    kind: file, single or eval; or a question of a REPL, continue or complete (interp.h),
    which take one program. first, total: threadIdx of the first interpreter, numThreads.
    stdin: what all read, one text each, or a Feed; a str is one text. console: what becomes of
    output (MODES of console.py); on_output gets it while interpreters run, where that is `ring`;
    overflow, ring: what an interpreter does when the rings are full, and their bytes; print_room:
    bytes of device printf's buffer, 0 as it is. deadline: seconds until interpreters are
    interrupted. interrupt: the interrupt word's value from the start (interp.h), acted on at the
    first poll. block: interpreters that share a barrier, 0: the device's choice. fail_allocation:
    per interpreter, the allocation that fails (0: none); with fail_rest every later one too. fs:
    file system memory, one image for all or one for each in one array of bytes, on the device.
    fs_guard: of one for all, a uint64 on the device that is 0 at first and lives as long; without
    it nobody can write. outbuf: bytes on the device that programs share as `outbuf`; the same in
    every launch of persisting interpreters.
    cancel: ends the launch early, which Result.interrupted then says.
    fork: let one interpreter boot and compile, and the others begin as its copies. True, False, or
    None: where all run one program in local arenas, in numbers for which it pays (run/fork.py).
    template: what they begin as, instead of booting.
    code: memory for bytecode; the launch only compiles, and keeps the program for its copies.
    persist: the arenas that interpreters go on in; None and they end with the launch.
    execute: run the programs; else interpreters are only booted, or only asked for data.
    values: what each program left goes to Result.values. fetch: bytes that an earlier launch of
    the same arenas announced. bind: arrays of the device that programs find by these names, as
    memoryviews of their elements; they must live as long as the interpreters that use them.
    bindings: other globals made before the programs run. compiling: only compile; the code is
    the value. compiled: such code, on the device, instead of a program; it must outlive the
    interpreters. Raises WrongType and UsageError for what no launch can have.
    """

    kind: str = "file"
    first: int = 0
    total: int | None = None
    heap: int | None = None
    pystack: int | None = None
    stack: int | None = None
    stdout: int | None = None
    stderr: int | None = None
    stdin: bytes | Sequence[bytes] | Feed = attrs.field(default=b"", converter=stdin_of)
    console: str = "buffer"
    on_output: OnOutput | None = None
    overflow: str = "wait"
    ring: int = 2 << 20
    print_room: int = 0
    merge_stderr: bool = False
    gc_stress: bool = False
    deadline: float | None = None
    interrupt: int = 0
    block: int = 0
    seed: int = 0
    fail_allocation: Sequence[int] | np.ndarray[Any, Any] | None = None
    fail_rest: bool = False
    fs: Array | None = None
    fs_shared: bool = True
    fs_block: int = 0
    fs_format: bool = False
    fs_guard: Array | None = None
    outbuf: Array | None = None
    cancel: Cancel | None = None
    fork: bool | None = None
    template: Template | None = None
    code: Array | None = None
    persist: Arenas | None = None
    stop: bool = True
    execute: bool = True
    values: bool = False
    fetch: Fetch | None = None
    bind: Mapping[str, Array] = attrs.field(factory=dict)
    bindings: Sequence[Binding] = ()
    compiling: bool = False
    compiled: Array | None = None

    def __attrs_post_init__(self) -> None:
        check_launch(self)


@frozen(eq=False)
class Fetch:
    """Where announced bytes go. memory: bytes; offsets: n uint64 into it, all ones for none.

    Both on the device, and large enough for what the values said.
    """

    memory: Array
    offsets: Array


@attrs.define
class _Packed:
    """A record being filled, and the arrays that it points at."""

    device: Device
    record: Record
    keep: list[Array] = attrs.field(factory=list)

    def put(self, field: str, values: np.ndarray[Any, Any]) -> None:
        """A copy of `values` on the device, its address in `field`."""
        self.own(field, self.device.array(values))

    def own(self, field: str, array: Array) -> Array:
        """The address of `array` in `field`."""
        self.keep.append(array)
        self.record[field] = self.device.address(array) if array.size else 0
        return array


def run(
    device: Device,
    programs: Sequence[Program | str | bytes],
    n: int,
    launch: Launch | None = None,
    *,
    program_of: np.ndarray[Any, Any] | None = None,
) -> Result:
    """Run `n` interpreters on `device` and wait for them.

    All run programs[0], or interpreter i runs programs[program_of[i]]; where that is
    GPUSNEK_NO_PROGRAM it rests. Raises NotEnoughMemory before anything starts, LaunchFailed,
    UsageError; LaunchInterrupted with what there is, after Ctrl-C.
    """
    return start(device, programs, n, launch, program_of=program_of).wait()


def start(
    device: Device,
    programs: Sequence[Program | str | bytes],
    n: int,
    launch: Launch | None = None,
    *,
    program_of: np.ndarray[Any, Any] | None = None,
) -> Started:
    """As run, without waiting."""
    launch = Launch() if launch is None else launch
    _check_types(device, programs, launch)
    n = whole(n, "n", 1, MAXIMUM)
    begun = time.monotonic()
    sizes = _sizes(device, launch)
    _check(device, launch, n, sizes)
    if launch.persist is not None:
        device.grow(launch.persist)
    template = launch.template or template_of(
        device, programs, n, launch, sizes, chosen=program_of is not None
    )
    forking = time.monotonic() - begun
    interrupt = device.interrupt(launch.interrupt)
    packed = _Packed(device, np.zeros((), device.built.record))
    _pack_launch(packed, launch, n, sizes, interrupt, boot=template is None)
    if template is not None:
        template.pack(packed.record)
        packed.keep.append(template)
    if launch.compiled is not None:
        _pack_code(packed, launch.compiled)
    elif launch.execute:
        _pack_programs(packed, [Program.of(program) for program in programs], program_of, n)
    _pack_stdin(packed, launch.stdin, n)
    _pack_bindings(packed, [*of_arrays(device, launch.bind), *launch.bindings])
    outputs = {
        name: (
            packed.own(f"{name}_base", device.zeros((n, sizes[name] // 8), np.uint64)),
            packed.own(f"{name}_length", device.zeros(n, np.uint32)),
        )
        for name in ("stdout", "stderr")
    }
    not_run = device.built.constants["GPUSNEK_STATUS_NOT_RUN"]
    status = packed.own("status", device.array(np.full(n, not_run, np.int32)))
    exit_code = packed.own("exit_code", device.zeros(n, np.int32))
    lack = packed.own("lack", device.zeros(n, np.uint64))
    allocations = packed.own("allocations", device.zeros(n, np.uint32))
    values = None
    if launch.values:
        values = Values(
            packed.own("value_kind", device.zeros(n, np.uint8)),
            packed.own("value", device.zeros(n, np.uint64)),
        )
    if launch.fetch is not None:
        packed.own("data_base", launch.fetch.memory)
        packed.own("data_offsets", launch.fetch.offsets)
    rings = _pack_console(packed, launch, n)
    lost = None if rings is None else packed.own("lost", device.zeros(n, np.uint32))
    packing = time.monotonic() - begun - forking
    started = time.monotonic()
    running = device.launch(packed.record, n)

    def result(interrupted: bool) -> Result:
        seconds = time.monotonic() - started
        if launch.persist is not None:
            launch.persist.started = not launch.stop
        if launch.console == "printf":
            flush_printed()
        ends = device.host(status)
        known = device.built.constants
        failed = (ends != known["GPUSNEK_OK"]) & (ends != known["GPUSNEK_EXIT"])
        lacks: tuple[Lack, ...] = ()
        if failed.any():
            lacks = find(device.host(lack), failed, sizes, known, local=_is_local(device))
        return Result(
            Stream(device, *outputs["stdout"], sizes["stdout"]),
            Stream(device, *outputs["stderr"], sizes["stderr"]),
            ends,
            device.host(exit_code),
            device.host(allocations),
            seconds,
            interrupted,
            {"fork": forking, "prepare": packing, "launch": seconds, "device": running.seconds},
            values,
            None if lost is None else device.host(lost),
            lacks,
        )

    end = None if launch.deadline is None else started + launch.deadline
    pump = None
    if rings is not None and launch.on_output is not None:
        pump = Collector(rings, launch.on_output)
    feed = launch.stdin if isinstance(launch.stdin, Feed) else None
    return Started(packed, running, interrupt, end, launch.cancel or Cancel(), result, pump, feed)


@attrs.define
class Started:
    """A launch under way. Keep it until wait() has returned: it owns what interpreters use."""

    _packed: _Packed
    _running: Running
    _interrupt: Interrupt
    _end: float | None  # time.monotonic() of the deadline
    _cancel: Cancel
    _result: Callable[[bool], Result]
    _pump: Pump | None = None
    _feed: Feed | None = None

    def done(self) -> bool:
        """Whether all interpreters have ended. Raises LaunchFailed."""
        return self._running.wait(0)

    def interrupt(self, value: int = 1) -> None:
        """Write the interrupt word, from any thread (values: interp.h)."""
        self._interrupt.write(value)

    def wait(self) -> Result:
        """Wait for the end, once. Ctrl-C, the deadline or `cancel` interrupts them.

        Raises LaunchInterrupted with the result after Ctrl-C.
        """
        values = self._packed.device.built.constants
        try:
            ended = Wait(
                self._running, self._interrupt, self._end, self._cancel, values, self._pump
            ).run()
        finally:
            if self._feed is not None:
                self._feed.close()
        result = self._result(ended.interrupted)
        if ended.keyboard:
            raise LaunchInterrupted(result)
        return result


def _check_types(device: Device, programs: Sequence[Program | str | bytes], launch: Launch) -> None:
    if not hasattr(device, "launch"):
        raise WrongType(
            f"device: {type(device).__name__} is not an open device",
            hint="porter.run.open_device(FOLDER, TARGET) opens one.",
        )
    if isinstance(programs, str | bytes | Program) or not isinstance(programs, Sequence):
        raise WrongType(
            f"programs: {type(programs).__name__} is not a list of programs",
            hint="Give [program], which all run.",
        )
    if not isinstance(launch, Launch):
        raise WrongType(f"launch: {type(launch).__name__} is not a Launch")
    for name, kind in (("template", Template), ("fetch", Fetch), ("persist", Arenas)):
        if (value := getattr(launch, name)) is not None and not isinstance(value, kind):
            raise WrongType(f"{name}: {type(value).__name__} is not {kind.__name__}")
    bindings: object = launch.bindings
    if not isinstance(bindings, Sequence) or not all(isinstance(b, Binding) for b in bindings):
        raise WrongType("bindings: a sequence of Binding is wanted")
    check_arrays(launch, device)


def _sizes(device: Device, launch: Launch) -> dict[str, int]:
    config = device.built.config
    sizes: dict[str, int] = {}
    for name in ("heap", "pystack", "stack", "stdout", "stderr"):
        asked = getattr(launch, name)
        sizes[name] = int(config[name] if asked is None else asked)
    for name in ("stdout", "stderr"):
        if launch.console != "buffer":
            sizes[name] = max(sizes[name], LEAST_LINE)  # where lines are collected
        sizes[name] = -(-sizes[name] // 8) * 8  # rows are grouped by 8-byte words
    if _is_local(device) and sizes["stack"] > config["stack"]:
        raise UsageError(
            f"stack: {sizes['stack']} bytes, but the device build has {config['stack']}",
            hint=f"Build with --stack {sizes['stack']}, or with --arena global.",
        )
    return sizes


def _is_local(device: Device) -> bool:
    return device.name == "cuda" and device.built.config["arena"] == "local"


def _check(device: Device, launch: Launch, n: int, sizes: dict[str, int]) -> None:
    choice(launch.kind, "kind", tuple(KINDS))
    if not 0 <= launch.block <= device.most_block:
        raise UsageError(
            f"block: {launch.block} interpreters, but a block has 1 to {device.most_block} here",
            hint="On a GPU the interpreter's registers are the limit, whatever the program needs.",
        )
    for name, known in (("console", MODES), ("overflow", OVERFLOWS)):
        choice(getattr(launch, name), name, known)
    if not 1 <= launch.ring <= MOST_RING:
        raise UsageError(f"ring: {launch.ring} bytes: from 1 to {MOST_RING}")
    if (launch.console == "ring") != (launch.on_output is not None):
        raise UsageError(f"console: {launch.console!r} and on_output: one needs the other")
    if launch.persist is not None and launch.persist.n != n:
        raise UsageError(f"{n} interpreters cannot go on in the arenas of {launch.persist.n}")
    if launch.persist is not None:
        for name, size in launch.persist.sizes.items():
            if sizes[name] != size:
                raise UsageError(f"{name}: {sizes[name]} bytes, but these arenas have {size}")
    arena = 0
    if launch.persist is None:
        arena = device.bytes_each(sizes["pystack"], sizes["heap"], False)
    # Grouping needs a hash, a sort index and the group of every row beside the streams.
    each = arena + sizes["stdout"] + sizes["stderr"] + 4 * 8 + 5 * 8
    if not isinstance(launch.stdin, bytes | Feed):
        each += max(map(len, launch.stdin), default=0)
    room = device.room(sizes["pystack"], sizes["heap"], sizes["stack"])
    room.check(n, each, "--stdout, --stderr or --heap")


def _pack_launch(
    packed: _Packed,
    launch: Launch,
    n: int,
    sizes: dict[str, int],
    interrupt: Interrupt,
    *,
    boot: bool,
) -> None:
    device, record = packed.device, packed.record
    values = device.built.constants
    flags = 0
    started = launch.persist is not None and launch.persist.started
    wanted = {
        "EXEC": launch.execute,
        "START": boot and not started,
        "STOP": launch.stop,
        "PERSIST": launch.persist is not None,
        "MERGE_STDERR": launch.merge_stderr,
        "GC_STRESS": launch.gc_stress,
        "FAIL_REST": launch.fail_rest,
        "PRINT": launch.console == "printf",
        "FS_MOUNT": launch.fs is not None,
        "FS_FORMAT": launch.fs is not None and launch.fs_format,
    }
    for name, want in wanted.items():
        flags |= values[f"GPUSNEK_FLAG_{name}"] if want else 0
    arenas = launch.persist
    if arenas is None and device.name == "cuda" and device.built.config["arena"] == "global":
        arenas = device.arenas(n, sizes["pystack"], sizes["heap"])
    packed.keep.append(arenas)
    fields: dict[str, int] = {
        "record_size": record.dtype.itemsize,
        "flags": flags,
        "n": n,
        "first": launch.first,
        "total": n if launch.total is None else launch.total,
        "block_size": launch.block or device.block,
        "kind": _kind(launch, values),
        "heap_size": sizes["heap"],
        "pystack_size": sizes["pystack"],
        "stack_size": sizes["stack"],
        "stdout_size": sizes["stdout"],
        "stderr_size": sizes["stderr"],
        "interrupt": interrupt.address,
        "clock_origin": time.time_ns(),
        "seed": operator.index(launch.seed) % 2**64,
        **(arenas.fields if arenas is not None else {}),
    }
    for name, value in fields.items():
        record[name] = value
    if launch.fs is not None:
        total = int(launch.fs.nbytes)
        record["fs_base"] = device.address(launch.fs)
        record["fs_size"] = total if launch.fs_shared else total // n
        record["fs_stride"] = 0 if launch.fs_shared else total // n
        record["fs_block"] = launch.fs_block
        if launch.fs_guard is not None:
            record["fs_guard"] = device.address(launch.fs_guard)
    if launch.code is not None:
        record["flags"] |= values["GPUSNEK_FLAG_COMPILE"]
        record["code"] = device.address(launch.code)
        record["code_size"] = launch.code.nbytes
    if launch.outbuf is not None:
        record["outbuf_base"] = device.address(launch.outbuf)
        record["outbuf_size"] = launch.outbuf.nbytes
    if launch.fail_allocation is not None:
        packed.put("fail_alloc", per_interpreter(launch.fail_allocation, n, "fail_allocation"))


def _kind(launch: Launch, values: Mapping[str, int]) -> int:
    kind = values[KINDS[launch.kind]]
    kind |= values["GPUSNEK_COMPILE"] if launch.compiling else 0
    return kind | (values["GPUSNEK_CODE"] if launch.compiled is not None else 0)


def _pack_code(packed: _Packed, code: Array) -> None:
    packed.own("text", code)
    packed.put("text_offsets", np.array([0, code.size], np.uint64))
    packed.put("names", np.zeros(1, np.uint8))  # code has its name in it
    packed.put("name_offsets", np.zeros(1, np.uint64))
    packed.record["programs"] = 1


def _pack_programs(
    packed: _Packed, programs: list[Program], program_of: np.ndarray[Any, Any] | None, n: int
) -> None:
    if not programs:
        raise UsageError("there is no program to run")
    text = b"".join(program.source for program in programs)
    names = b"".join(program.encoded_name for program in programs)
    ends = np.cumsum([0, *(len(program.source) for program in programs)])
    starts = np.cumsum([0, *(len(program.encoded_name) for program in programs)])
    # A byte behind the text, so that an empty program has an address too.
    packed.put("text", np.frombuffer(text + b"\0", np.uint8))
    packed.put("text_offsets", ends.astype(np.uint64))
    packed.put("names", np.frombuffer(names, np.uint8))
    packed.put("name_offsets", starts[:-1].astype(np.uint64))
    packed.record["programs"] = len(programs)
    if program_of is not None:
        chosen = per_interpreter(program_of, n, "program_of")
        running = chosen[chosen != packed.device.built.constants["GPUSNEK_NO_PROGRAM"]]
        if running.size and int(running.max()) >= len(programs):
            raise UsageError(f"program_of: {int(running.max())}, but there are {len(programs)}")
        packed.put("program_of", chosen)


def _pack_console(packed: _Packed, launch: Launch, n: int) -> Rings | None:
    if launch.console == "printf" and launch.print_room:
        packed.device.print_room(launch.print_room)
    if launch.console != "ring":
        return None
    rings = Rings(packed.device, n, launch.ring, drop=launch.overflow == "drop")
    packed.own("rings", rings.records)
    packed.record["ring_count"] = rings.count
    return rings


def _pack_stdin(packed: _Packed, stdin: bytes | Sequence[bytes] | Feed, n: int) -> None:
    if isinstance(stdin, Feed):
        shared = stdin.attach(packed.device)
        packed.keep.append(shared)
        packed.record["stdin_live"] = shared.address
        packed.record["stdin_base"] = shared.address + stdin.text_offset
        return
    if isinstance(stdin, bytes):
        packed.put("stdin_base", np.frombuffer(stdin or b"\0", np.uint8))
        packed.put("stdin_length", np.array([len(stdin)], np.uint32))
        return
    if len(stdin) != n:
        raise UsageError(f"stdin: {len(stdin)} texts for {n} interpreters")
    stride = max(1, *map(len, stdin))
    packed.put("stdin_base", np.array(list(stdin), f"S{stride}").view(np.uint8))
    packed.put("stdin_length", np.array([len(text) for text in stdin], np.uint32))
    packed.record["stdin_stride"] = stride


def _pack_bindings(packed: _Packed, bindings: Sequence[Binding]) -> None:
    if not bindings:
        return
    table, names = pack(packed.device, bindings)
    packed.own("bindings", table)
    packed.keep += [names, bindings]
    packed.record["binding_count"] = len(bindings)
