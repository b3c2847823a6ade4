"""Fill the launch record (gpusnek_launch_t of launch.h) and the arrays that it points to."""

from __future__ import annotations

import operator
import time
from collections.abc import Sequence
from typing import Any

import attrs
import numpy as np

from porter.errors import UsageError
from porter.run.device.base import Array, Device, Interrupt, Record
from porter.run.launch.binding import Binding, of_arrays, pack
from porter.run.launch.checking import per_interpreter
from porter.run.launch.limits import Each, steps_limit, time_limit
from porter.run.launch.natives import pack_natives
from porter.run.launch.order import Order
from porter.run.launch.plan import Plan
from porter.run.launch.programs import Programs
from porter.run.launch.spec import Launch, Phase
from porter.run.streams.feed import Feed
from porter.run.streams.ring import Rings


@attrs.define
class Packed:
    """A record being filled.

    Attributes:
        device: The device of the launch.
        record: The record.
        keep: Objects that must live as long as the launch.
    """

    device: Device
    record: Record
    keep: list[object] = attrs.field(factory=list)

    @classmethod
    def empty(cls, device: Device) -> Packed:
        """Return a record of zeros."""
        return cls(device, np.zeros((), device.built.record))

    def put(self, field: str, values: np.ndarray[Any, Any]) -> None:
        """Copy `values` to the device, and enter the copy's address in `field`."""
        self.own(field, self.device.array(values))

    def own(self, field: str, array: Array) -> Array:
        """Enter the address of `array` in `field`, and keep the array alive. Returns the array."""
        self.keep.append(array)
        self.record[field] = self.device.address(array) if array.size else 0
        return array


def pack_launch(packed: Packed, plan: Plan, interrupt: Interrupt) -> None:
    """Fill in everything but programs, streams and outputs: sizes, flags, arenas, file system."""
    device, record, launch, phase = packed.device, packed.record, plan.launch, plan.phase
    need = plan.footprint
    arenas = phase.arenas
    if need.arena_needed:
        arenas = device.arenas(plan.n, need.pystack, need.heap)
    packed.keep += [arenas, phase.copies]
    fields: dict[str, int] = {
        "record_size": record.dtype.itemsize,
        "flags": _flags(device, launch, phase),
        "n": plan.n,
        "first": launch.first,
        "total": plan.n if launch.total is None else launch.total,
        "block_size": launch.block or device.block,
        "kind": _kind(device, launch, phase),
        "heap_size": need.heap,
        "pystack_size": need.pystack,
        "stack_size": need.stack,
        "stdout_size": need.stdout,
        "stderr_size": need.stderr,
        "interrupt": interrupt.address,
        "clock_origin": time.time_ns() if launch.clock is None else int(launch.clock * 10**9),
        "seed": operator.index(launch.seed) % 2**64,
        **({} if arenas is None else arenas.fields),
    }
    if phase.copies is not None:
        packed.put("fork_images", phase.copies.images)
    if phase.code is not None:
        fields["code"] = device.address(phase.code.memory)
        packed.put("code_offsets", phase.code.offsets)
    if phase.natives:
        table, owned = pack_natives(device, phase.natives)
        packed.keep += owned
        packed.own("natives", table)
    if launch.outbuf is not None:
        fields |= {
            "outbuf_base": device.address(launch.outbuf),
            "outbuf_size": launch.outbuf.nbytes,
        }
    for name, value in {**fields, **_file_system(device, launch, plan.n)}.items():
        record[name] = value
    if launch.fail_allocation is not None:
        packed.put("fail_alloc", per_interpreter(launch.fail_allocation, plan.n, "fail_allocation"))
    _limits(packed, launch, plan.n)


def _limits(packed: Packed, launch: Launch, n: int) -> None:
    limits = {
        "max_steps": ("max_steps", steps_limit(launch.max_steps)),
        "deadline": ("deadline_ns", time_limit(launch.deadline)),
    }
    for option, (name, limit) in limits.items():
        if isinstance(limit, Each):
            packed.put(f"{name}_each", limit.of(n, option))
        else:
            packed.record[name] = limit


def _flags(device: Device, launch: Launch, phase: Phase) -> int:
    wanted = {
        "EXEC": phase.execute,
        "START": phase.copies is None and not phase.going_on,
        "STOP": phase.stop,
        "PERSIST": phase.arenas is not None,
        "COMPILE": phase.code is not None,
        "MERGE_STDERR": launch.merge_stderr,
        "GC_STRESS": launch.gc_stress,
        "FAIL_REST": launch.fail_rest,
        "PRINT": launch.console == "printf",
        "SANDBOX": launch.sandbox,
        "ALIKE": launch.alike,
        "CLOCK": launch.clock is not None,
        "RENEW": phase.calls is not None and phase.calls.renew,
        "FS_MOUNT": launch.fs is not None,
        "FS_FORMAT": launch.fs is not None and launch.fs_format,
    }
    flags = 0 if phase.copies is None else phase.copies.flags
    for name, want in wanted.items():
        flags |= device.built.flag[name] if want else 0
    return flags


def _kind(device: Device, launch: Launch, phase: Phase) -> int:
    kinds = device.built.kind
    kind = int(kinds[launch.kind.upper()])
    kind |= kinds["COMPILE"] if phase.compiling else 0
    return kind | (kinds["CODE"] if phase.compiled is not None else 0)


def _file_system(device: Device, launch: Launch, n: int) -> dict[str, int]:
    if launch.fs is None:
        return {}
    total = int(launch.fs.nbytes)
    return {
        "fs_base": device.address(launch.fs),
        "fs_size": total if launch.fs_shared else total // n,
        "fs_stride": 0 if launch.fs_shared else total // n,
        "fs_block": launch.fs_block,
        "fs_guard": 0 if launch.fs_guard is None else device.address(launch.fs_guard),
    }


def pack_code(packed: Packed, code: Array, phase: Phase, programs: Programs) -> None:
    """Enter compiled code as one program for all interpreters, or as several by `phase.parts`."""
    parts = np.array([0, code.size]) if phase.parts is None else phase.parts
    packed.own("text", code)
    packed.put("text_offsets", parts.astype(np.uint64))
    packed.put("names", np.zeros(1, np.uint8))  # bytecode contains its name
    packed.put("name_offsets", np.zeros(len(parts) - 1, np.uint64))
    packed.record["programs"] = len(parts) - 1
    if programs.which is not None:
        packed.put("program_of", programs.which)


def pack_programs(packed: Packed, programs: Programs) -> None:
    """Enter concatenated sources and names, and each interpreter's program."""
    names = b"".join(programs.names)
    ends = np.concatenate(([0], np.cumsum(programs.lengths)))
    starts = np.cumsum([0, *map(len, programs.names)])
    # The additional byte gives an empty text an address.
    packed.put("text", np.frombuffer(programs.text + b"\0", np.uint8))
    packed.put("text_offsets", ends.astype(np.uint64))
    packed.put("names", np.frombuffer(names, np.uint8))
    packed.put("name_offsets", starts[:-1].astype(np.uint64))
    packed.record["programs"] = len(programs.each)
    if programs.which is not None:
        packed.put("program_of", programs.which)


def pack_order(packed: Packed, order: Order, n: int) -> int:
    """Enter the interpreter of each thread. Returns the number of threads."""
    if order.threads is None:
        return n
    packed.put("order", order.threads)
    packed.record["threads"] = threads = len(order.threads)
    if packed.record["state_table"]:
        packed.own("state_table", packed.device.zeros(threads, np.uint64))
    return threads


def pack_console(packed: Packed, launch: Launch, n: int) -> Rings | None:
    """Size the printf buffer, or make rings. Returns the rings, or None."""
    if launch.console == "printf" and launch.print_room:
        packed.device.print_room(launch.print_room)
    if launch.console != "ring":
        return None
    rings = Rings(packed.device, n, launch.ring, drop=launch.overflow == "drop")
    packed.own("rings", rings.records)
    packed.record["ring_count"] = rings.count
    return rings


def check_texts(stdin: Sequence[bytes], n: int) -> None:
    """Raise UsageError unless there is one text per interpreter."""
    if len(stdin) != n:
        raise UsageError(f"stdin: {len(stdin)} texts for {n} interpreters")


def pack_stdin(packed: Packed, stdin: bytes | Sequence[bytes] | Feed, n: int) -> None:
    """Enter stdin: a feed, one text for all, or one text each."""
    if isinstance(stdin, Feed):
        shared = stdin.attach(packed.device)
        packed.keep.append(shared)
        packed.record["stdin_live"] = shared.address
        packed.record["stdin_room"] = stdin.room
        packed.record["stdin_base"] = shared.address + stdin.text_offset
        return
    if isinstance(stdin, bytes):
        packed.put("stdin_base", np.frombuffer(stdin or b"\0", np.uint8))
        packed.put("stdin_length", np.array([len(stdin)], np.uint32))
        return
    check_texts(stdin, n)
    stride = max(1, *map(len, stdin))
    packed.put("stdin_base", np.array(list(stdin), f"S{stride}").view(np.uint8))
    packed.put("stdin_length", np.array([len(text) for text in stdin], np.uint32))
    packed.record["stdin_stride"] = stride


def pack_bindings(packed: Packed, launch: Launch, phase: Phase) -> None:
    """Enter globals that the launch defines."""
    bindings: list[Binding] = [*of_arrays(packed.device, launch.bind), *phase.bindings]
    if not bindings:
        return
    table, names = pack(packed.device, bindings)
    packed.own("bindings", table)
    packed.keep += [names, bindings]
    packed.record["binding_count"] = len(bindings)
