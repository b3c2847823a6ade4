"""How much memory interpreters take and how many fit: arithmetic, no GPU needed."""

from __future__ import annotations

from attrs import frozen

from porter.base.sizes import GIB, KIB, format_size
from porter.config import BuildConfig
from porter.errors import NotEnoughMemory

# An arena's layout, as templates/runtime/interpreter.h has it.
ALIGNMENT = 64  # every part of an arena starts at a multiple of this
HEAD = 64
CANARIES = 3 * 64
STATE_ALLOWANCE = 4 * KIB  # the state struct, until a build has measured its own
LOCAL_GRAIN = 512  # the driver rounds local memory per thread up to this
LOCAL_SLACK = 4 * KIB  # local arenas: C stack below what the port enforces
GLOBAL_SLACK = 8 * KIB  # global arenas: the same, and the kernel's own frame


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
class Footprint:
    """Bytes per interpreter.

    arena: where it lives while it runs: state, heap, pystack. image: what it takes in device
    memory, at rest as an image, or all the time in an arena there. buffers: stdout, stderr and
    private file system. local: local memory a thread, which the driver reserves for every
    resident thread.
    """

    arena: int
    image: int
    buffers: int
    local: int

    @property
    def each(self) -> int:
        """Device memory that one more interpreter takes."""
        return self.image + self.buffers

    def reservation(self, gpu: Gpu) -> int:
        """Local memory that the driver reserves, however many interpreters there are."""
        return self.local * gpu.resident

    def fit(self, gpu: Gpu) -> int:
        """How many interpreters fit."""
        return max(0, gpu.memory - self.reservation(gpu)) // self.each


def footprint(config: BuildConfig, state: int = STATE_ALLOWANCE) -> Footprint:
    """The memory of one interpreter of that build, whose state struct has `state` bytes."""
    parts = (state, HEAD, config.heap, config.pystack)
    arena = sum(_align(size) for size in parts) + CANARIES
    buffers = sum(_align(n) for n in (config.stdout, config.stderr, config.fs_size))
    if config.arena == "local":
        local = _align(config.stack + LOCAL_SLACK + arena, LOCAL_GRAIN)
        image = _align(state) + HEAD + _align(config.heap)
    else:
        local = _align(config.stack + GLOBAL_SLACK, LOCAL_GRAIN)
        image = arena + 8  # and an entry in the table of states
    return Footprint(arena=arena, image=image, buffers=buffers, local=local)


def check_fit(config: BuildConfig, count: int, gpu: Gpu, state: int = STATE_ALLOWANCE) -> None:
    """Raise NotEnoughMemory unless `count` interpreters of that build fit on `gpu`."""
    need = footprint(config, state)
    most = need.fit(gpu)
    if count > most:
        raise NotEnoughMemory(
            f"{count} interpreters do not fit: each takes {format_size(need.each)}, "
            f"{format_size(need.reservation(gpu))} go to local memory, and {gpu.name} has "
            f"{format_size(gpu.memory)}",
            hint=f"At most {most} fit; or make --heap smaller.",
        )


def describe(config: BuildConfig, gpu: Gpu = H200, state: int = STATE_ALLOWANCE) -> str:
    """Lines that `porter build` prints."""
    need = footprint(config, state)
    return (
        f"an interpreter takes {format_size(need.each)}: {format_size(need.image)} image "
        f"(state {format_size(state)}), {format_size(need.buffers)} buffers\n"
        f"local memory {format_size(need.local)} a thread, "
        f"{format_size(need.reservation(gpu))} reserved for {gpu.resident} resident threads\n"
        f"{need.fit(gpu)} interpreters fit on one {gpu.name}"
    )


def _align(size: int, grain: int = ALIGNMENT) -> int:
    return -(-size // grain) * grain
