"""Memory accounting: compute the bytes that interpreters need from a build's figures and sizes.

`templates/runtime/arena_layout.h` defines the layout of arenas and snapshots. A build
measures the fixed parts (Figures). The launch chooses the other sizes. Launch plans, `porter build`
and batch sizing use this module.
"""

from __future__ import annotations

from collections.abc import Mapping

from attrs import evolve, field, fields, frozen

from porter.base.sizes import GIB, KIB, format_size
from porter.errors import NotEnoughMemory
from porter.run.built import Built

WORD = 8  # bytes
# Snapshot storage (templates/runtime/launch.h): bytes of a page; snapshots per bundle; bytes of a
# row, which holds one page of each snapshot in a bundle.
PAGE = 128
BUNDLE = 32
ROW = BUNDLE * PAGE
ENTRY = 8  # bytes of a bundle's page table entry
OWN = 12  # bytes per snapshot: its base's address and its size
# A launch needs enough memory for the maximum snapshots of this many interpreters. A larger launch
# may run in chunks (device/chunks.py).
LEAST_CHUNK = 1 << 15
LOCAL_GRAIN = 512  # bytes; the driver rounds local memory per thread up to this
LOCAL_SLACK = 4 * KIB  # local arenas: C stack below what the port enforces
GLOBAL_SLACK = 8 * KIB  # global arenas: C stack beyond what the port may use, the kernel's frame
# Bytes per interpreter: status, exit code, lack, allocations, steps and value; its hash slots and
# group number for output grouping, and its share of rows in transfer to the host.
LEDGER = 5 * 8 + 5 * 8


@frozen
class Gpu:
    """The properties of a GPU that memory accounting needs.

    Attributes:
        name: The GPU's name.
        memory: Usable bytes.
        multiprocessors: Number of multiprocessors.
        threads: Resident threads per multiprocessor.
    """

    name: str
    memory: int
    multiprocessors: int
    threads: int = 2048

    @property
    def resident(self) -> int:
        """The maximum number of resident threads."""
        return self.multiprocessors * self.threads


H200 = Gpu("H200", memory=int(139.8 * GIB), multiprocessors=132)


@frozen
class Figures:
    """Sizes that one target of a build reports: gpusnek_info_t of launch.h, in bytes.

    Attributes:
        state_size: The state struct.
        arena_size: An arena without heap and pystack.
        snapshot_size: A snapshot without the heap.
        grain: Heap and pystack are rounded up to a multiple of this.
        base_offset: Distance from an arena's start to its state, without heap and pystack.
        local_top: Distance from the state to the end of a thread's local memory; 0 where arenas are
            not in local memory.
    """

    state_size: int
    arena_size: int
    snapshot_size: int
    grain: int
    base_offset: int
    local_top: int = 0

    @classmethod
    def of(cls, info: Mapping[str, int]) -> Figures:
        """Select the figures from the fields of a gpusnek_info_t."""
        return cls(**{attribute.name: int(info[attribute.name]) for attribute in fields(cls)})

    def on_gpu(self, *, local: bool, stack: int) -> Figures:
        """Derive a device build's figures from the host twin's.

        Both targets have equal sizes of an arena's parts.

        Args:
            local: Whether the device build's arenas are in local memory.
            stack: Bytes of the device build's C stack.
        """
        if not local:
            return evolve(self, local_top=0)
        above = self.arena_size - self.base_offset  # the state, and the canary above it
        return evolve(self, local_top=above + round_up(stack + LOCAL_SLACK, self.grain))

    @property
    def local(self) -> bool:
        """Whether arenas are in local memory; idle interpreters are then stored as snapshots."""
        return self.local_top > 0

    def arena(self, pystack: int, heap: int) -> int:
        """Return the bytes of an arena with its canaries."""
        return self.arena_size + self._round(pystack) + self._round(heap)

    def pages(self, heap: int) -> int:
        """Return the maximum number of pages of a snapshot.

        It covers the state and head, the collector's tables and the rest of the heap. The pystack
        is empty between launches.
        """
        return -(-self.snapshot_size // PAGE) + -(-self._round(heap) // PAGE) + 1

    def snapshot(self, heap: int) -> int:
        """Return the maximum bytes of a snapshot: all pages differ from its base.

        The size includes the snapshot's share of the page table.
        """
        return self.pages(heap) * PAGE + self.known(heap)

    def known(self, heap: int) -> int:
        """Return the bytes of a snapshot's share of the page table, whatever its content."""
        return -(-self.pages(heap) * ENTRY // BUNDLE) + OWN

    def resting(self, pystack: int, heap: int) -> int:
        """Return the maximum bytes of an idle interpreter: its snapshot or its arena."""
        return self.snapshot(heap) if self.local else self.arena(pystack, heap)

    def resting_least(self, pystack: int, heap: int) -> int:
        """Return the minimum bytes of an idle interpreter: a snapshot without own pages."""
        return self.known(heap) if self.local else self.arena(pystack, heap)

    def local_memory(self, pystack: int, heap: int, stack: int) -> int:
        """Return the bytes of local memory that a thread needs.

        With local arenas this is the arena and the C stack, otherwise the C stack alone.
        """
        if not self.local:
            return stack + GLOBAL_SLACK
        return self.local_top + self.base_offset + self._round(pystack) + self._round(heap)

    def _round(self, size: int) -> int:
        return round_up(size, self.grain)


@frozen(kw_only=True)
class Footprint:
    """Memory of one interpreter in bytes: chosen sizes, and sizes derived from the build's figures.

    Attributes:
        figures: The figures of the build.
        heap: The heap.
        pystack: The Python stack.
        stack: The C stack.
        stdout: Bytes kept of stdout.
        stderr: Bytes kept of stderr.
        inputs: The interpreter's own stdin.
        files: The interpreter's own file system.
        shared: Its share of memory that all interpreters use, such as outbuf.
        arena_needed: Whether its arena or snapshot is not allocated yet.
        record: The record of the exception that ends it.
    """

    figures: Figures = field(repr=False)
    heap: int
    pystack: int
    stack: int
    stdout: int = 0
    stderr: int = 0
    inputs: int = 0
    files: int = 0
    shared: int = 0
    arena_needed: bool = False
    record: int = 0

    @property
    def arena(self) -> int:
        """Bytes of the arena while the interpreter runs."""
        return self.figures.arena(self.pystack, self.heap)

    @property
    def resting(self) -> int:
        """Maximum bytes of a persistent interpreter between launches."""
        return self.figures.resting(self.pystack, self.heap)

    @property
    def resting_least(self) -> int:
        """Minimum bytes of a persistent interpreter between launches."""
        return self.figures.resting_least(self.pystack, self.heap)

    def persisting(self, n: int) -> int:
        """Return the free bytes that a launch of `n` persistent interpreters requires.

        Each interpreter needs its minimum, and up to LEAST_CHUNK of them need their maximum.
        """
        least = self.resting_least
        return n * least + min(n, LEAST_CHUNK) * (self.resting - least)

    @property
    def local(self) -> int:
        """Bytes of local memory per thread. The driver reserves them for every resident thread."""
        return self.figures.local_memory(self.pystack, self.heap, self.stack)

    @property
    def streams(self) -> int:
        """Bytes kept of both output streams."""
        return self.stdout + self.stderr

    @property
    def each(self) -> int:
        """Bytes of device memory that one more interpreter takes in a launch."""
        resting = self.resting if self.arena_needed else 0
        kept = self.streams + self.record + LEDGER
        return resting + kept + self.inputs + self.files + self.shared

    def reservation(self, gpu: Gpu) -> int:
        """Return the bytes of local memory that the driver reserves; independent of the launch."""
        return round_up(self.local, LOCAL_GRAIN) * gpu.resident

    def fit(self, gpu: Gpu) -> int:
        """Return how many persistent interpreters with their streams fit at maximum size."""
        taken = self.resting + self.streams + self.files
        return max(0, gpu.memory - self.reservation(gpu)) // taken

    def fit_most(self, gpu: Gpu) -> int:
        """Return how many persistent interpreters fit at minimum size.

        As a launch requires, LEAST_CHUNK interpreters have memory for their maximum.
        """
        left = gpu.memory - self.reservation(gpu)
        if self.resting_least < self.resting:
            left -= LEAST_CHUNK * (self.resting - self.resting_least)
        return max(0, left) // (self.resting_least + self.streams + self.files)


def on_gpu(built: Built) -> Footprint:
    """Return the footprint of a GPU's interpreter with this build's default sizes.

    The figures are the device build's. Without a device build they are derived from a host twin.
    """
    config, targets = built.config, built.whole.targets
    if "cuda" in targets:
        figures = Figures.of(targets["cuda"].info)
    else:
        host = Figures.of(next(iter(targets.values())).info)
        figures = host.on_gpu(local=config["arena"] == "local", stack=config["stack"])
    return Footprint(
        figures=figures,
        heap=int(config["heap"]),
        pystack=int(config["pystack"]),
        stack=int(config["stack"]),
        stdout=int(config["stdout"]),
        stderr=int(config["stderr"]),
        files=int(config["fs_size"]),
    )


def describe(need: Footprint, gpu: Gpu = H200) -> str:
    """Return the memory summary that `porter build` prints."""
    buffers = need.streams + need.files
    local = round_up(need.local, LOCAL_GRAIN)
    least, most = need.resting_least, need.resting
    if least < most:
        rests = f"a snapshot of {format_size(least)} to {format_size(most)}"
        fit = f"{need.fit(gpu)} to {need.fit_most(gpu)} interpreters that persist fit"
    else:
        rests, fit = f"{format_size(most)} arena", f"{need.fit(gpu)} interpreters fit"
    return (
        f"an interpreter takes {rests} (state {format_size(need.figures.state_size)}), "
        f"{format_size(buffers)} buffers\n"
        f"local memory {format_size(local)} a thread, "
        f"{format_size(need.reservation(gpu))} reserved for {gpu.resident} resident threads\n"
        f"{fit} on one {gpu.name}"
    )


@frozen
class MemoryBudget:
    """Memory available to interpreters.

    Attributes:
        free: Free bytes.
        fixed: Bytes that each launch takes whatever its number of interpreters.
    """

    free: int
    fixed: int

    @property
    def left(self) -> int:
        """Bytes that remain for interpreters."""
        return max(0, self.free - self.fixed)

    def check_persisting(self, n: int, need: Footprint) -> None:
        """Check that `n` persistent interpreters fit at minimum size.

        Raises:
            NotEnoughMemory: They do not fit.
        """
        if need.persisting(n) > self.left:
            raise NotEnoughMemory(
                f"{n} interpreters do not fit: they take {format_size(need.persisting(n))} at "
                f"least, and {format_size(self.left)} are free",
                hint="Take fewer; or make heap or pystack smaller.",
            )

    def check(self, n: int, each: int, smaller: str) -> None:
        """Check that `n` interpreters of `each` bytes fit.

        Args:
            n: Number of interpreters.
            each: Bytes per interpreter.
            smaller: The options to reduce, for the hint.

        Raises:
            NotEnoughMemory: They do not fit.
        """
        most = self.left // each
        if n > most and self.fixed >= self.free:
            raise NotEnoughMemory(
                f"{n} interpreters do not fit: local memory of the GPU's resident threads takes "
                f"{format_size(self.fixed)} whatever their number, and {format_size(self.free)} "
                "are free",
                hint="Make heap or pystack smaller, build with --arena global, or run on the host.",
            )
        if n > most:
            raise NotEnoughMemory(
                f"{n} interpreters do not fit: each takes {format_size(each)}, and "
                f"{format_size(self.left)} are free",
                hint=f"At most {most} fit now; or make {smaller} smaller.",
            )


def bundles(n: int) -> int:
    """Return the number of bundles that hold `n` snapshots."""
    return -(-n // BUNDLE)


def round_up(size: int, grain: int) -> int:
    """Return `size` rounded up to a multiple of `grain`."""
    return -(-size // grain) * grain
