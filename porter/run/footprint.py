"""Memory that interpreters take: the one place that reckons it.

An arena and an image are made as templates/runtime/interpreter.h says; what of them is fixed, a
build has measured of itself (Figures), the rest is a launch's choice.
"""

from __future__ import annotations

from collections.abc import Mapping

from attrs import evolve, field, fields, frozen

from porter.base.sizes import GIB, KIB, format_size
from porter.errors import NotEnoughMemory
from porter.run.built import Built

WORD = 8  # bytes
# Images at rest (templates/runtime/launch.h): bytes of a piece; images of a bundle; bytes of a row,
# which has a piece of each.
PIECE = 128
BUNDLE = 32
ROW = BUNDLE * PIECE
ENTRY = 8  # bytes that say where a piece of a bundle's images is
OWN = 12  # bytes of each image: its base and its size
# Interpreters for whose most there has to be room, so that a launch of more runs in chunks
# (device/chunks.py).
LEAST_CHUNK = 1 << 15
LOCAL_GRAIN = 512  # the driver rounds local memory per thread up to this
LOCAL_SLACK = 4 * KIB  # local arenas: C stack below what the port enforces
GLOBAL_SLACK = 8 * KIB  # global arenas: C stack beyond what the port may use, the kernel's frame
# Status, exit code, lack, allocations, steps, value; its slots and its group where outputs are
# grouped, and its share of rows on their way to the host. All of one interpreter.
LEDGER = 5 * 8 + 5 * 8


@frozen
class Gpu:
    """What of a GPU counts here: usable bytes, multiprocessors, resident threads of each."""

    name: str
    memory: int
    multiprocessors: int
    threads: int = 2048

    @property
    def resident(self) -> int:
        """The most threads that run at one time."""
        return self.multiprocessors * self.threads


H200 = Gpu("H200", memory=int(139.8 * GIB), multiprocessors=132)


@frozen
class Figures:
    """What one target of a build says of itself: gpusnek_info_t of launch.h, in bytes.

    state_size: the state struct. arena_size: an arena without heap and pystack. image_size: an
    image without the heap. grain: heap and pystack are rounded up to it. base_offset: from an
    arena's start to its state, without heap and pystack. local_top: from the state to the end of
    a thread's local memory; 0 where arenas are not in local memory.
    """

    state_size: int
    arena_size: int
    image_size: int
    grain: int
    base_offset: int
    local_top: int = 0

    @classmethod
    def of(cls, info: Mapping[str, int]) -> Figures:
        """Out of a gpusnek_info_t by its field names."""
        return cls(**{attribute.name: int(info[attribute.name]) for attribute in fields(cls)})

    def on_gpu(self, *, local: bool, stack: int) -> Figures:
        """Those of a device build, from the host twin's: parts of an arena have equal sizes.

        local: whether its arenas are in local memory. stack: its C stack, bytes.
        """
        if not local:
            return evolve(self, local_top=0)
        above = self.arena_size - self.base_offset  # the state, and the canary above it
        return evolve(self, local_top=above + round_up(stack + LOCAL_SLACK, self.grain))

    @property
    def local(self) -> bool:
        """Whether arenas are in local memory, and so rest as images."""
        return self.local_top > 0

    def arena(self, pystack: int, heap: int) -> int:
        """An arena with its canaries."""
        return self.arena_size + self._round(pystack) + self._round(heap)

    def pieces(self, heap: int) -> int:
        """Pieces of an image at most: of state and head, the collector's tables, the other heap.

        The pystack is empty between launches.
        """
        return -(-self.image_size // PIECE) + -(-self._round(heap) // PIECE) + 1

    def image(self, heap: int) -> int:
        """An image that differs from its base everywhere, with what says where its pieces are."""
        return self.pieces(heap) * PIECE + self.known(heap)

    def known(self, heap: int) -> int:
        """What says where an image's pieces are, whatever it holds."""
        return -(-self.pieces(heap) * ENTRY // BUNDLE) + OWN

    def resting(self, pystack: int, heap: int) -> int:
        """What an interpreter takes between launches at most: its image, or its arena."""
        return self.image(heap) if self.local else self.arena(pystack, heap)

    def resting_least(self, pystack: int, heap: int) -> int:
        """And at least: with an image that is its base."""
        return self.known(heap) if self.local else self.arena(pystack, heap)

    def local_memory(self, pystack: int, heap: int, stack: int) -> int:
        """Local memory that a thread needs: the arena and the C stack, or the C stack alone."""
        if not self.local:
            return stack + GLOBAL_SLACK
        return self.local_top + self.base_offset + self._round(pystack) + self._round(heap)

    def _round(self, size: int) -> int:
        return round_up(size, self.grain)


@frozen(kw_only=True)
class Footprint:
    """Bytes of one interpreter: what was chosen, and what it takes by the build's figures.

    heap, pystack, stack: its memory and C stack. stdout, stderr: kept of each stream. inputs:
    its own stdin. files: its own file system. shared: its share of memory that all share, such
    as outbuf. arena_needed: whether memory for its arena or image has still to be found. record:
    the record of the exception that ends it.
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
        """Where it lives while it runs."""
        return self.figures.arena(self.pystack, self.heap)

    @property
    def resting(self) -> int:
        """What it takes between launches at most, if it persists."""
        return self.figures.resting(self.pystack, self.heap)

    @property
    def resting_least(self) -> int:
        """What it takes between launches at least, if it persists."""
        return self.figures.resting_least(self.pystack, self.heap)

    def persisting(self, n: int) -> int:
        """Bytes that `n` interpreters that persist must find: each its least, some their most."""
        least = self.resting_least
        return n * least + min(n, LEAST_CHUNK) * (self.resting - least)

    @property
    def local(self) -> int:
        """Local memory a thread, which the driver reserves for every resident thread."""
        return self.figures.local_memory(self.pystack, self.heap, self.stack)

    @property
    def streams(self) -> int:
        """What is kept of its outputs."""
        return self.stdout + self.stderr

    @property
    def each(self) -> int:
        """Device memory that one more interpreter takes in a launch."""
        resting = self.resting if self.arena_needed else 0
        kept = self.streams + self.record + LEDGER
        return resting + kept + self.inputs + self.files + self.shared

    def reservation(self, gpu: Gpu) -> int:
        """Local memory that the driver reserves, however many interpreters there are."""
        return round_up(self.local, LOCAL_GRAIN) * gpu.resident

    def fit(self, gpu: Gpu) -> int:
        """How many interpreters fit that persist, their streams beside them, at their most."""
        taken = self.resting + self.streams + self.files
        return max(0, gpu.memory - self.reservation(gpu)) // taken

    def fit_most(self, gpu: Gpu) -> int:
        """How many fit at their least, with room for the most of some, as a launch needs it."""
        left = gpu.memory - self.reservation(gpu)
        if self.resting_least < self.resting:
            left -= LEAST_CHUNK * (self.resting - self.resting_least)
        return max(0, left) // (self.resting_least + self.streams + self.files)


def on_gpu(built: Built) -> Footprint:
    """What a GPU's interpreter of this build takes, with its sizes.

    By the figures of the device build, or by those of a host twin where nothing else was built.
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
    """Lines that `porter build` prints."""
    buffers = need.streams + need.files
    local = round_up(need.local, LOCAL_GRAIN)
    least, most = need.resting_least, need.resting
    if least < most:
        rests = f"an image of {format_size(least)} to {format_size(most)}"
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
class Room:
    """Memory that interpreters can have: free bytes, and bytes that each launch takes anyway."""

    free: int
    fixed: int

    @property
    def left(self) -> int:
        """Bytes for interpreters."""
        return max(0, self.free - self.fixed)

    def check_persisting(self, n: int, need: Footprint) -> None:
        """NotEnoughMemory unless `n` interpreters that persist fit at their least."""
        if need.persisting(n) > self.left:
            raise NotEnoughMemory(
                f"{n} interpreters do not fit: they take {format_size(need.persisting(n))} at "
                f"least, and {format_size(self.left)} are free",
                hint="Take fewer; or make heap or pystack smaller.",
            )

    def check(self, n: int, each: int, smaller: str) -> None:
        """NotEnoughMemory unless `n` interpreters of `each` bytes fit.

        smaller: the sizes that may help, for the hint.
        """
        most = self.left // each
        if n > most:
            raise NotEnoughMemory(
                f"{n} interpreters do not fit: each takes {format_size(each)}, and "
                f"{format_size(self.left)} are free",
                hint=f"At most {most} fit now; or make {smaller} smaller.",
            )


def bundles(n: int) -> int:
    """Bundles of `n` images."""
    return -(-n // BUNDLE)


def round_up(size: int, grain: int) -> int:
    """The least multiple of `grain` that is not below `size`."""
    return -(-size // grain) * grain
