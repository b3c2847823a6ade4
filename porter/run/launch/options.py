"""The options of a launch: programs, and how interpreters execute them.

Callers construct `Program`, `Launch` and, to keep interpreters between launches, `Phase`.
`validators` checks each option by itself. `plan` checks options against the device and the number
of interpreters.
"""

from __future__ import annotations

import codecs
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple, Self, overload

import attrs
import numpy as np
from attrs import field, frozen
from attrs.validators import optional

from porter.base.arguments import text, utf8
from porter.base.deprecated import renamed_fields
from porter.run.device.base import Arenas, Array
from porter.run.device.policies import FORCED
from porter.run.launch import limits, validators
from porter.run.launch.bindings import Binding
from porter.run.launch.calls import Calls
from porter.run.launch.counters import Counting
from porter.run.launch.native_code import Native
from porter.run.launch.validators import (
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
from porter.run.streams.feed import Feed
from porter.run.streams.rings import OnOutput

# How a program is compiled: as a file, an interactive statement or an expression. For a REPL: does
# the input continue (continue), which names complete it (complete); interp.h.
KINDS = ("file", "single", "eval", "continue", "complete")
# buffer: output is kept per interpreter and read after the launch. printf: stdout goes line by line
# through device printf, and CUDA shows it when the launch ends. ring: both streams arrive while
# interpreters run.
MODES = ("buffer", "printf", "ring")
# wait: until the host frees a slot; drop: discard output, and count its bytes.
OVERFLOWS = ("wait", "drop")
POLICIES = ("measured", *FORCED)  # of reconvergence: device/policies.py
OnProgress = Callable[[int | None], None]


class _Fields(NamedTuple):
    source: bytes
    name: str
    code: bytes


class Program(_Fields):
    """Python source (str, or bytes in UTF-8) and the name that tracebacks show.

    A byte order mark before the source is dropped. The class is a tuple because launches make,
    compare and look up a million of them. The constructor raises WrongType and UsageError.

    `code` is the source's shared code, which interpreters load instead of compiling
    (shared_code.py); empty: they compile the source. They trust it, so it must come from there.
    """

    __slots__ = ()

    def __new__(cls, source: Any, name: str = "<string>", code: bytes = b"") -> Self:
        """Validate the source and the name."""
        return super().__new__(cls, validators.source_of(source), text(name, "name"), code)

    @classmethod
    def of(cls, program: Program | str | bytes) -> Program:
        """Return `program` itself, or make a program of source."""
        return program if isinstance(program, Program) else cls(program)

    @staticmethod
    def is_one(value: object) -> bool:
        """Return whether `value` is one program or source, which Python counts as a sequence."""
        return isinstance(value, str | bytes | bytearray | Program)

    @staticmethod
    def many(
        sources: Sequence[bytes], name: str, codes: Sequence[bytes] | None = None
    ) -> ProgramColumns:
        """Make programs that share a name, without validating sources, which must be bytes.

        Args:
            sources: The sources.
            name: The name that tracebacks show.
            codes: The shared code of each source, b"" for a source without; None: none has.
        """
        columns = ProgramColumns(sources, text(name, "name"), codes)
        if codecs.BOM_UTF8 not in columns.joined:
            return columns
        plain = [source.removeprefix(codecs.BOM_UTF8) for source in sources]
        return ProgramColumns(plain, columns.name, codes)

    @property
    def encoded_name(self) -> bytes:
        """The NUL-terminated name in UTF-8."""
        return utf8(self.name) + b"\0"


@frozen(eq=False, slots=False)
class ProgramColumns(Sequence[Program]):
    """Programs that share a name, as columns, because a million objects take longer than a launch.

    Attributes:
        sources: The sources.
        name: The name.
        codes: The shared code of each source; None: no source has any.
    """

    sources: Sequence[bytes]
    name: str
    codes: Sequence[bytes] | None = None

    def __len__(self) -> int:
        return len(self.sources)

    @overload
    def __getitem__(self, index: int) -> Program: ...

    @overload
    def __getitem__(self, index: slice) -> ProgramColumns: ...

    def __getitem__(self, index: int | slice) -> Program | ProgramColumns:
        if isinstance(index, slice):
            codes = None if self.codes is None else self.codes[index]
            return ProgramColumns(self.sources[index], self.name, codes)
        code = b"" if self.codes is None else self.codes[index]
        return tuple.__new__(Program, (self.sources[index], self.name, code))

    def chosen(self, indices: Sequence[int]) -> ProgramColumns:
        """Select programs."""
        codes = None if self.codes is None else [self.codes[i] for i in indices]
        return ProgramColumns([self.sources[i] for i in indices], self.name, codes)

    def with_codes(self, codes: Sequence[bytes]) -> ProgramColumns:
        """Return the programs with shared code, b"" for a program without."""
        columns = ProgramColumns(self.sources, self.name, codes)
        if "joined" in self.__dict__:
            columns.__dict__["joined"] = self.joined  # the cached property's value
        return columns

    def are_distinct(self) -> None:
        """Record that no two programs have the same source."""
        self.__dict__["distinct"] = True

    @cached_property
    def joined(self) -> bytes:
        """The joined sources, for searches: one search takes less time than a million."""
        return b"".join(self.sources)

    @cached_property
    def distinct(self) -> bool:
        """True if no two programs have the same source."""
        return len(set(self.sources)) == len(self.sources)


@attrs.define
class Cancel:
    """A request to end a launch in progress; call it from any thread or a signal handler.

    The first call raises KeyboardInterrupt in interpreters. The second stops them hard.

    Attributes:
        asked: Number of calls.
        outer: A request that ends this launch and others.
    """

    asked: int = 0
    outer: Cancel | None = None

    def __call__(self, *_: object) -> None:
        self.asked += 1

    @property
    def requests(self) -> int:
        """Number of calls of this object and of the outer one."""
        return self.asked + (0 if self.outer is None else self.outer.requests)


# The parts of a Launch are its base classes. Each option is declared and documented once, and
# callers write Launch(heap=..., console=...).


@frozen(kw_only=True, slots=False)
class Sizes:
    """Bytes per interpreter; None takes the build's size."""

    heap: int | None = field(default=None, validator=optional(size))  # objects
    pystack: int | None = field(default=None, validator=optional(size))  # Python frames
    # C frames; with local arenas at most the build's size.
    stack: int | None = field(default=None, validator=optional(size))
    # Bytes kept of each output stream; further bytes are counted only.
    stdout: int | None = field(default=None, validator=optional(whole(0, MOST_KEPT)))
    stderr: int | None = field(default=None, validator=optional(whole(0, MOST_KEPT)))


SIZES = tuple(field.name for field in attrs.fields(Sizes))


@frozen(kw_only=True, slots=False)
class Streams:
    """Input and output of interpreters: docs/reference/console.md."""

    # A text for all (bytes, or a str in UTF-8), a sequence with one text each, or a Feed.
    stdin: bytes | Sequence[bytes] | Feed = field(default=b"", converter=validators.stdin_of)
    console: str = field(default="buffer", validator=string)  # MODES
    # Receives output while interpreters run, with console="ring".
    on_output: OnOutput | None = field(default=None, validator=optional(function))
    # The action of an interpreter when the rings are full: OVERFLOWS.
    overflow: str = field(default="wait", validator=string)
    ring: int = field(default=2 << 20, validator=whole())  # bytes of all rings together
    # Bytes of device printf's buffer; 0 leaves it unchanged.
    print_buffer: int = field(default=0, validator=whole(0, 2**40))
    merge_stderr: bool = field(default=False, validator=boolean)  # tracebacks go to stdout


@frozen(kw_only=True, slots=False)
class FileSystem:
    """The file system at "/": docs/how-to/files.md. filesystem.mounted sets these options."""

    fs: Array | None = None  # images as bytes on the device: a shared one, or n consecutive ones
    fs_shared: bool = field(default=True, validator=boolean)  # all interpreters mount one image
    fs_block: int = field(default=0, validator=whole(0, WORD))  # bytes of a littlefs block
    # Make an empty file system if none exists.
    fs_format: bool = field(default=False, validator=boolean)
    # The lock of a shared image: a uint64 on the device, initially 0, with the image's lifetime.
    # Without it the image is read-only.
    fs_guard: Array | None = None


@frozen(kw_only=True, slots=False)
class Faults:
    """Fault injection for tests."""

    # run the garbage collector before every allocation
    gc_stress: bool = field(default=False, validator=boolean)
    # For each interpreter the number of the allocation that fails, from 1; 0: none.
    fail_allocation: Sequence[int] | np.ndarray[Any, Any] | None = None
    fail_rest: bool = field(default=False, validator=boolean)  # every later allocation fails too


@frozen(kw_only=True, slots=False)
class Limits:
    """Limits of each program; a sequence has a value per interpreter: docs/reference/limits.md."""

    # Loop iterations, branches and calls; None: no limit.
    max_steps: limits.Steps = field(default=None, converter=limits.steps_of)
    # Seconds from the program's start; None: no limit.
    deadline: limits.Seconds = field(default=None, converter=limits.seconds_of)


@renamed_fields(print_room="print_buffer")
@frozen(kw_only=True, slots=False)
class Launch(Sizes, Streams, FileSystem, Limits, Faults):
    """The options of a launch. Raises WrongType and UsageError for invalid values."""

    # KINDS; continue and complete take one program
    kind: str = field(default="file", validator=string)
    first: int = field(default=0, validator=whole(0, WORD))  # threadIdx of the first interpreter
    # numThreads; None: the number of interpreters in the launch.
    total: int | None = field(default=None, validator=optional(whole(0, WORD)))
    # Interpreters per block (they share a barrier); 0: the device's default.
    block: int = field(default=0, validator=whole())
    # Seed of random numbers, modulo 2**64. Interpreters of one launch draw different numbers.
    seed: int = field(default=0, validator=whole())
    # Seconds from the launch's start until all interpreters are interrupted.
    timeout: float | None = field(default=None, validator=optional(seconds))
    # Initial value of the interrupt word (interp.h), read at the first poll.
    interrupt: int = field(default=0, validator=whole(0, WORD))
    # Ends the launch early; Result.interrupted is then True.
    cancel: Cancel | None = field(default=None, validator=optional(instance(Cancel)))
    # Called ten times a second while the launch is waited for, with the number of interpreters that
    # have ended; with None on a GPU, which reports it only at the end.
    on_progress: OnProgress | None = field(default=None, validator=optional(function))
    # Boot and compile in one interpreter per program, and start the others as its copies. None:
    # with local arenas, for programs with enough interpreters to be profitable (templates.py).
    fork: bool | None = field(default=None, validator=optional(boolean))
    # Sort several programs' interpreters by program. None: unless interpreters may wait for each
    # other; True: always, and a barrier raises RuntimeError; False: keep the caller's order.
    order: bool | None = field(default=None, validator=optional(boolean))
    # Which diverged lanes of a warp run first on a GPU (POLICIES). It never changes a result.
    # "measured": the best policy of the program's earlier launches.
    reconvergence: str = field(default="measured", validator=string)
    # Profiling builds only: interpreters count their instructions; Result.counted has the counters.
    counting: Counting | None = field(default=None, validator=optional(instance(Counting)))
    # Programs cannot use addresses, and load verified bytecode only: docs/explanation/sandbox.md.
    sandbox: bool = field(default=False, validator=boolean)
    # Every interpreter has threadIdx `first` and numThreads `total`, is alone in its block (a
    # barrier raises RuntimeError), and draws the same random numbers.
    alike: bool = field(default=False, validator=boolean)
    # The fixed time of the clock in seconds since 1970. Only a program's own sleeps advance it, and
    # they take no real time. None: the machine's clock.
    clock: float | None = field(default=None, validator=optional(clock))
    # Arrays of the device that programs see under these names, as memoryviews of their elements.
    # They must live as long as the interpreters that use them.
    bind: Mapping[str, Array] = field(factory=dict, validator=mapping)
    # Bytes on the device that programs share as `outbuf`. Persistent interpreters must get the same
    # memory in every launch.
    outbuf: Array | None = None


@frozen(eq=False)
class Fetch:
    """Destination of bytes that interpreters announced in an earlier launch.

    The arrays are on the device.

    Attributes:
        memory: The bytes.
        offsets: Each interpreter's offset in `memory`; all bits set: none (n uint64).
        sizes: Bytes at each offset; longer data is not written (n uint64). None: the memory is
            large enough for the sizes that an earlier launch announced.
    """

    memory: Array
    offsets: Array
    sizes: Array | None = None


@frozen(eq=False)
class CodeBuffer:
    """Memory for bytecode.

    Attributes:
        memory: Bytes on the device.
        offsets: Offset of each program's part, and the end of the last (uint64).
    """

    memory: Array
    offsets: np.ndarray[Any, Any]


@frozen(eq=False)
class Copies:
    """Snapshots that interpreters start as copies of, instead of booting (templates.py).

    Attributes:
        addresses: The address of each program's snapshot; 0: its interpreters boot (uint64).
        flags: Flags of a launch that starts copies.
        owner: The owner of the snapshots.
    """

    addresses: np.ndarray[Any, Any]
    flags: int
    owner: object = field(repr=False)


@frozen(kw_only=True, eq=False)
class Phase:
    """The part of interpreters' lives that a launch covers, for persistent interpreters.

    The default is the whole life: boot, run the programs, stop. Raises WrongType.
    """

    # Interpreters persist in these; None: they end with the launch.
    arenas: Arenas | None = field(default=None, validator=optional(instance(Arenas)))
    # Run exit functions and finalizers at the end.
    stop: bool = field(default=True, validator=boolean)
    # Run the programs; otherwise only boot interpreters, or fetch data from them.
    execute: bool = field(default=True, validator=boolean)
    # Snapshots that interpreters start as copies of.
    copies: Copies | None = field(default=None, validator=optional(instance(Copies)))
    # Memory for bytecode. The launch then only compiles, and keeps its programs as templates.
    code: CodeBuffer | None = field(default=None, validator=optional(instance(CodeBuffer)))
    # The programs' texts (Programs.text) on the device, which outlive the launch; None: they are
    # copied for the launch.
    text: Array | None = None
    # only compile; the bytecode is the return value
    compiling: bool = field(default=False, validator=boolean)
    # Bytecode of a launch with `compiling`, to run instead of a program. It must outlive the
    # interpreters.
    compiled: Array | None = None
    # Offsets of several programs in `compiled`, and the end of the last (uint64); `program_of`
    # assigns interpreters to them.
    parts: np.ndarray[Any, Any] | None = None
    # Programs' return values go to Result.values.
    values: bool = field(default=False, validator=boolean)
    # The exception that ended each program or call goes to Result.records.
    records: bool = field(default=False, validator=boolean)
    # Destination of bytes that an earlier launch of these arenas announced.
    fetch: Fetch | None = field(default=None, validator=optional(instance(Fetch)))
    # Native code of bytecode that interpreters execute in this launch.
    natives: Sequence[Native] = field(default=(), validator=sequence(Native))
    # Globals that are defined before the programs run.
    bindings: Sequence[Binding] = field(default=(), validator=sequence(Binding))
    # Calls after the programs. Streams then have a row per call.
    calls: Calls | None = field(default=None, validator=optional(instance(Calls)))
    # Blocks of the launch start before those of launches in progress. A short launch then does not
    # wait for the end of a long one.
    urgent: bool = field(default=False, validator=boolean)

    @property
    def going_on(self) -> bool:
        """Whether the interpreters have started in an earlier launch."""
        return self.arenas is not None and self.arenas.started


def device_arrays(launch: Launch, phase: Phase) -> dict[str, Array | None]:
    """Return the options that name device memory."""
    return {
        "fs": launch.fs,
        "fs_guard": launch.fs_guard,
        "outbuf": launch.outbuf,
        "code": None if phase.code is None else phase.code.memory,
        "compiled": phase.compiled,
        "text": phase.text,
    }
