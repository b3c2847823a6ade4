"""What a launch is made of: programs, and how they run."""

from __future__ import annotations

import codecs
from collections.abc import Callable, Mapping, Sequence
from itertools import repeat
from typing import Any, NamedTuple, Self

import attrs
import numpy as np
from attrs import field, frozen
from attrs.validators import optional

from porter.base.arguments import text, utf8
from porter.run.device.base import Arenas, Array
from porter.run.launch import checking, limits
from porter.run.launch.binding import Binding
from porter.run.launch.calls import Calls
from porter.run.launch.checking import (
    MOST_KEPT,
    WORD,
    boolean,
    clock,
    function,
    instance,
    mapping,
    seconds,
    sequence,
    size,
    string,
    whole,
)
from porter.run.launch.counting import Counting
from porter.run.launch.natives import Native
from porter.run.streams.collect import OnOutput
from porter.run.streams.feed import Feed

# What a program is: a file, an interactive statement, an expression; or a REPL's question about
# an input, whether it goes on (continue) or how a name may (complete): interp.h.
KINDS = ("file", "single", "eval", "continue", "complete")
# buffer: kept per interpreter, read after the launch. printf: stdout line by line through device
# printf, shown by CUDA when the launch ends. ring: both streams come while interpreters run.
MODES = ("buffer", "printf", "ring")
# wait: for the host to make room; drop: count what is lost.
OVERFLOWS = ("wait", "drop")
OnProgress = Callable[[int | None], None]


class _Fields(NamedTuple):
    source: bytes
    name: str


class Program(_Fields):
    """Python source (str, or bytes in UTF-8) and the name that tracebacks give it.

    A byte order mark before the source is skipped. A tuple, for launches make, compare and look up
    a million of them. Raises WrongType, UsageError.
    """

    __slots__ = ()

    def __new__(cls, source: Any, name: str = "<string>") -> Self:
        """Checked."""
        return super().__new__(cls, checking.source_of(source), text(name, "name"))

    @classmethod
    def of(cls, program: Program | str | bytes) -> Program:
        """`program` itself, or the source that it is."""
        return program if isinstance(program, Program) else cls(program)

    @staticmethod
    def is_one(value: object) -> bool:
        """Whether this is a program, or its source, though Python takes it for a sequence."""
        return isinstance(value, str | bytes | bytearray | Program)

    @classmethod
    def many(cls, sources: Sequence[bytes], name: str) -> list[Self]:
        """Programs that share a name. sources: bytes, all of them."""
        sources = [source.removeprefix(codecs.BOM_UTF8) for source in sources]
        return list(map(tuple.__new__, repeat(cls), zip(sources, repeat(text(name, "name")))))

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


# The parts of a Launch are its base classes, so that each option stands once, with what it means,
# and callers write Launch(heap=..., console=...).


@frozen(kw_only=True, slots=False)
class Sizes:
    """Bytes of each interpreter; None takes the build's."""

    heap: int | None = field(default=None, validator=optional(size))  # objects
    pystack: int | None = field(default=None, validator=optional(size))  # Python frames
    # C frames; with local arenas at most what the build has.
    stack: int | None = field(default=None, validator=optional(size))
    # Kept of what it writes; what is more is counted.
    stdout: int | None = field(default=None, validator=optional(whole(0, MOST_KEPT)))
    stderr: int | None = field(default=None, validator=optional(whole(0, MOST_KEPT)))


SIZES = tuple(field.name for field in attrs.fields(Sizes))


@frozen(kw_only=True, slots=False)
class Streams:
    """What interpreters read and write: docs/console.md."""

    # What all read (bytes, or a str in UTF-8), a sequence of one text each, or a Feed.
    stdin: bytes | Sequence[bytes] | Feed = field(default=b"", converter=checking.stdin_of)
    console: str = field(default="buffer", validator=string)  # MODES
    # Gets output while interpreters run, with console="ring".
    on_output: OnOutput | None = field(default=None, validator=optional(function))
    # What an interpreter does when the rings are full: OVERFLOWS.
    overflow: str = field(default="wait", validator=string)
    ring: int = field(default=2 << 20, validator=whole())  # bytes of all rings together
    # Bytes of device printf's buffer; 0 leaves it.
    print_room: int = field(default=0, validator=whole(0, 2**40))
    merge_stderr: bool = field(default=False, validator=boolean)  # tracebacks go to stdout


@frozen(kw_only=True, slots=False)
class FileSystem:
    """What interpreters find at "/": docs/files.md. filesystem.mounted fills this in."""

    fs: Array | None = None  # images, bytes on the device: a shared one, or n in a row
    fs_shared: bool = field(default=True, validator=boolean)  # all interpreters have one image
    fs_block: int = field(default=0, validator=whole(0, WORD))  # bytes of a littlefs block
    # Make an empty file system where there is none.
    fs_format: bool = field(default=False, validator=boolean)
    # Of a shared image: a uint64 on the device that is 0 at first and lives as long as the image.
    # Without it no interpreter can write.
    fs_guard: Array | None = None


@frozen(kw_only=True, slots=False)
class Faults:
    """What goes wrong on purpose, for tests."""

    gc_stress: bool = field(default=False, validator=boolean)  # collect before every allocation
    # Of each interpreter the allocation that fails, counted from 1; 0: none.
    fail_allocation: Sequence[int] | np.ndarray[Any, Any] | None = None
    fail_rest: bool = field(default=False, validator=boolean)  # every later one fails too


@frozen(kw_only=True, slots=False)
class Limits:
    """What each program may take, by itself; a sequence has one for each: docs/limits.md."""

    # Loop turns, branches and calls; None: no limit.
    max_steps: limits.Steps = field(default=None, converter=limits.steps_of)
    # Seconds from the program's start; None: no limit.
    deadline: limits.Seconds = field(default=None, converter=limits.seconds_of)


@frozen(kw_only=True, slots=False)
class Launch(Sizes, Streams, FileSystem, Limits, Faults):
    """How a launch runs. Raises WrongType and UsageError for what no launch can have."""

    kind: str = field(default="file", validator=string)  # KINDS; a question takes one program
    first: int = field(default=0, validator=whole(0, WORD))  # threadIdx of the first interpreter
    # numThreads; None: as many as the launch has.
    total: int | None = field(default=None, validator=optional(whole(0, WORD)))
    # Interpreters that share a barrier; 0: the device's choice.
    block: int = field(default=0, validator=whole())
    # Seed of random numbers, modulo 2**64. Interpreters of one launch get different numbers.
    seed: int = field(default=0, validator=whole())
    # Seconds of the whole launch until all interpreters are interrupted.
    timeout: float | None = field(default=None, validator=optional(seconds))
    # The interrupt word from the start (interp.h), seen at the first poll.
    interrupt: int = field(default=0, validator=whole(0, WORD))
    # Ends the launch early, which Result.interrupted then says.
    cancel: Cancel | None = field(default=None, validator=optional(instance(Cancel)))
    # Gets, ten times a second while the launch is waited for, how many interpreters have ended;
    # None on a GPU, which says it at the end alone.
    on_progress: OnProgress | None = field(default=None, validator=optional(function))
    # Let one interpreter of each program boot and compile, and the others begin as its copies.
    # None: in local arenas, of programs that run in numbers for which it pays (template.py).
    fork: bool | None = field(default=None, validator=optional(boolean))
    # Run several programs in the order of programs. None: unless interpreters may wait for each
    # other; True: then too, and a barrier raises RuntimeError; False: in the caller's order.
    order: bool | None = field(default=None, validator=optional(boolean))
    # In a profiling build: interpreters count what they do, which Result.counted then has.
    counting: Counting | None = field(default=None, validator=optional(instance(Counting)))
    # Programs can name no address and bring no code in: docs/robustness.md.
    sandbox: bool = field(default=False, validator=boolean)
    # Every interpreter has threadIdx `first` and numThreads `total`, is alone in its block (a
    # barrier raises RuntimeError), and draws the same random numbers.
    alike: bool = field(default=False, validator=boolean)
    # Seconds since 1970 at which the clock stands, but for what programs wait, which takes no time.
    # None: the machine's clock.
    clock: float | None = field(default=None, validator=optional(clock))
    # Arrays of the device that programs find by these names, as memoryviews of their elements.
    # They must live as long as the interpreters that use them.
    bind: Mapping[str, Array] = field(factory=dict, validator=mapping)
    # Bytes on the device that programs share as `outbuf`. Interpreters that live on must get this
    # memory in every launch.
    outbuf: Array | None = None


@frozen(eq=False)
class Fetch:
    """Where announced bytes go. memory: bytes; offsets: n uint64 into it, all ones for none.

    Both on the device, and large enough for what the values said.
    """

    memory: Array
    offsets: Array


@frozen(eq=False)
class CodeRoom:
    """Memory for bytecode. offsets: of each program's part, and the end of the last (uint64)."""

    memory: Array
    offsets: np.ndarray[Any, Any]


@frozen(eq=False)
class Copies:
    """What interpreters begin as copies of, instead of booting (template.py).

    images: of each program the address of its template's image; 0: who runs it boots (uint64).
    flags: those of a launch of copies. keep: what owns the images.
    """

    images: np.ndarray[Any, Any]
    flags: int
    keep: object = field(repr=False)


@frozen(kw_only=True, eq=False)
class Phase:
    """Which part of interpreters' lives a launch is: for what keeps them from launch to launch.

    By itself it is the whole life: boot, run the programs, stop. Raises WrongType.
    """

    # Interpreters live on in these; None: they end with the launch.
    arenas: Arenas | None = field(default=None, validator=optional(instance(Arenas)))
    # Exit functions and finalisers run at the end.
    stop: bool = field(default=True, validator=boolean)
    # Run the programs; else they are only booted, or asked for data.
    execute: bool = field(default=True, validator=boolean)
    # What interpreters begin as copies of.
    copies: Copies | None = field(default=None, validator=optional(instance(Copies)))
    # Memory for bytecode: the launch only compiles, and keeps its programs for later copies.
    code: CodeRoom | None = field(default=None, validator=optional(instance(CodeRoom)))
    compiling: bool = field(default=False, validator=boolean)  # only compile; the code is the value
    # Code that a launch with `compiling` left, instead of a program. It must outlive interpreters.
    compiled: Array | None = None
    # Where each of several programs' code begins in `compiled`, and the last one's end (uint64);
    # interpreters choose by `program_of`.
    parts: np.ndarray[Any, Any] | None = None
    # What each program left goes to Result.values.
    values: bool = field(default=False, validator=boolean)
    # The exception that ended each program or call goes to Result.records.
    records: bool = field(default=False, validator=boolean)
    # Where bytes go that an earlier launch of these arenas announced.
    fetch: Fetch | None = field(default=None, validator=optional(instance(Fetch)))
    # Machine code beside bytecode that interpreters execute in this launch.
    natives: Sequence[Native] = field(default=(), validator=sequence(Native))
    # Globals made before the programs run.
    bindings: Sequence[Binding] = field(default=(), validator=sequence(Binding))
    # What is called after them. Streams then have a row for each call.
    calls: Calls | None = field(default=None, validator=optional(instance(Calls)))

    @property
    def going_on(self) -> bool:
        """Whether interpreters are there already."""
        return self.arenas is not None and self.arenas.started


def device_arrays(launch: Launch, phase: Phase) -> dict[str, Array | None]:
    """The options that name memory of the device."""
    return {
        "fs": launch.fs,
        "fs_guard": launch.fs_guard,
        "outbuf": launch.outbuf,
        "code": None if phase.code is None else phase.code.memory,
        "compiled": phase.compiled,
    }
