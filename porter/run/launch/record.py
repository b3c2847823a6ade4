"""Fill the launch record (gpusnek_launch_t of launch.h) and the arrays that it points to."""

from __future__ import annotations

import operator
import time
from collections.abc import Hashable, Sequence
from typing import Any

import attrs
import numpy as np

from porter.errors import UsageError
from porter.run.device.base import Array, Device, Interrupt, Record
from porter.run.device.policies import FORCED, MEASURED
from porter.run.launch.bindings import Binding, of_arrays, pack
from porter.run.launch.limits import Each, steps_limit, time_limit
from porter.run.launch.native_code import pack_natives
from porter.run.launch.options import Launch, Phase
from porter.run.launch.order import Order
from porter.run.launch.plan import LaunchPlan
from porter.run.launch.programs import Programs
from porter.run.launch.validators import per_interpreter
from porter.run.streams.feed import Feed
from porter.run.streams.rings import Rings

GRAIN = 16  # bytes; each array of a common copy begins at a multiple of it
LEAST_WARPS = 64  # of a launch that measures policies


@attrs.define
class LaunchRecord:
    """The record of a launch, filled by the functions of this module and of `outputs`.

    Attributes:
        device: The device of the launch.
        fields: The record.
        owned: Objects that must live as long as the launch.
        waiting: Arrays that `upload` copies to the device, by the field for their address.
    """

    device: Device
    fields: Record
    owned: list[object] = attrs.field(factory=list)
    waiting: dict[str, np.ndarray[Any, Any]] = attrs.field(factory=dict)

    @classmethod
    def empty(cls, device: Device) -> LaunchRecord:
        """Return a record of zeros."""
        return cls(device, np.zeros((), device.built.record))

    def put(self, field: str, values: np.ndarray[Any, Any]) -> None:
        """Copy `values` to the device, and enter the copy's address in `field`.

        On a GPU `upload` does both, for all of them at once.
        """
        if self.device.on_gpu:
            self.waiting[field] = values
        else:
            self.own(field, self.device.array(values))

    def upload(self) -> None:
        """Copy the arrays that wait, in one copy, because each takes a tenth of a millisecond."""
        if not self.waiting:
            return
        starts, size = {}, 0
        for field, values in self.waiting.items():
            starts[field] = size
            size += -(-values.nbytes // GRAIN) * GRAIN
        packed = np.zeros(size, np.uint8)
        for field, start in starts.items():
            values = np.ascontiguousarray(self.waiting[field])
            packed[start : start + values.nbytes] = values.reshape(-1).view(np.uint8)
        array = self.device.array(packed)
        self.owned.append(array)
        for field, start in starts.items():
            if self.waiting[field].size:
                self.fields[field] = self.device.address(array) + start
        self.waiting.clear()

    def own(self, field: str, array: Array) -> Array:
        """Enter the address of `array` in `field`, and keep the array alive. Returns the array."""
        self.owned.append(array)
        self.fields[field] = self.device.address(array) if array.size else 0
        return array


def pack_launch(record: LaunchRecord, plan: LaunchPlan, interrupt: Interrupt) -> None:
    """Fill in everything but programs, streams and outputs: sizes, flags, arenas, file system."""
    device, launch, phase, need = plan.device, plan.launch, plan.phase, plan.footprint
    arenas = phase.arenas
    if need.arena_needed:
        arenas = device.arenas(plan.n, need.pystack, need.heap)
    record.owned += [arenas, phase.copies]
    fields: dict[str, int] = {
        "record_size": record.fields.dtype.itemsize,
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
        record.put("fork_snapshots", phase.copies.addresses)
    if phase.code is not None:
        fields["code"] = device.address(phase.code.memory)
        record.put("code_offsets", phase.code.offsets)
    if phase.natives:
        table, owned = pack_natives(device, phase.natives)
        record.owned += owned
        record.own("natives", table)
    if launch.outbuf is not None:
        fields |= {
            "outbuf_base": device.address(launch.outbuf),
            "outbuf_size": launch.outbuf.nbytes,
        }
    for name, value in {**fields, **_file_system(device, launch, plan.n)}.items():
        record.fields[name] = value
    if launch.fail_allocation is not None:
        record.put("fail_alloc", per_interpreter(launch.fail_allocation, plan.n, "fail_allocation"))
    _limits(record, launch, plan.n)
    _policy(record, plan)


def _policy(record: LaunchRecord, plan: LaunchPlan) -> None:
    """Choose the reconvergence policy: measured for one program on many warps, else the default."""
    device, asked, program = plan.device, plan.launch.reconvergence, _only_program(plan)
    policies = device.built.policy
    record.fields["policy"] = policies[FORCED.get(asked, MEASURED)]
    if asked in FORCED or device.policies is None or program is None:
        return
    choice = device.policies.next(program)
    record.fields["policy"] = policies[choice.policy]
    for name, sums in (("policies_known", choice.known), ("policies", choice.sums)):
        if sums is not None:
            record.own(name, sums)


def _only_program(plan: LaunchPlan) -> Hashable:
    """Return a key of the program that all interpreters run, and of its size; None: not measured.

    Launches of few warps are not measured, because their times say little.
    """
    phase, programs = plan.phase, plan.programs
    if not phase.execute or plan.n < LEAST_WARPS * plan.device.warp or phase.parts is not None:
        return None
    size = plan.n.bit_length()
    if phase.compiled is not None:
        return size, plan.device.address(phase.compiled), phase.compiled.nbytes
    if len(programs.each) != 1:
        return None
    (program,) = programs.each
    return size, program.source, program.code


def _limits(record: LaunchRecord, launch: Launch, n: int) -> None:
    limits = {
        "max_steps": ("max_steps", steps_limit(launch.max_steps)),
        "deadline": ("deadline_ns", time_limit(launch.deadline)),
    }
    for option, (name, limit) in limits.items():
        if isinstance(limit, Each):
            record.put(f"{name}_each", limit.of(n, option))
        else:
            record.fields[name] = limit


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


def pack_programs(record: LaunchRecord, programs: Programs, phase: Phase) -> None:
    """Enter the programs of a launch, as bytecode or as source, and each interpreter's program."""
    if phase.compiled is not None:
        _pack_code(record, phase.compiled, phase.parts)
    elif phase.execute:
        _pack_sources(record, programs, phase.text)
    else:
        return
    if programs.which is not None:
        record.put("program_of", programs.which)


def _pack_code(record: LaunchRecord, code: Array, parts: np.ndarray[Any, Any] | None) -> None:
    """Enter bytecode as one program for all interpreters, or as several by `parts`."""
    parts = np.array([0, code.size]) if parts is None else parts
    record.own("text", code)
    record.put("text_offsets", parts.astype(np.uint64))
    record.put("names", np.zeros(1, np.uint8))  # bytecode contains its name
    record.put("name_offsets", np.zeros(len(parts) - 1, np.uint64))
    record.fields["programs"] = len(parts) - 1


def text_array(device: Device, programs: Programs) -> Array:
    """Copy the programs' texts to `device`.

    The additional word gives an empty text an address. A GPU reads bytecode in whole words.
    """
    return device.array(np.frombuffer(programs.text + bytes(8), np.uint8))


def _pack_sources(record: LaunchRecord, programs: Programs, text: Array | None) -> None:
    """Enter concatenated texts and names, and which texts are shared code."""
    names, starts = programs.joined_names
    ends = np.concatenate(([0], np.cumsum(programs.lengths)))
    record.own("text", text_array(record.device, programs) if text is None else text)
    if programs.shared.any():
        record.put("shared_code", programs.shared.astype(np.uint8))
    record.put("text_offsets", ends.astype(np.uint64))
    record.put("names", np.frombuffer(names, np.uint8))
    record.put("name_offsets", starts)
    record.fields["programs"] = len(programs.each)


def pack_order(record: LaunchRecord, order: Order, n: int) -> int:
    """Enter the interpreter of each thread. Returns the number of threads."""
    if order.threads is None:
        return n
    record.put("order", order.threads)
    record.fields["threads"] = threads = len(order.threads)
    if record.fields["state_table"]:
        record.own("state_table", record.device.zeros(threads, np.uint64))
    return threads


def pack_console(record: LaunchRecord, launch: Launch, n: int) -> Rings | None:
    """Size the printf buffer, or make rings. Returns the rings, or None."""
    if launch.console == "printf" and launch.print_buffer:
        record.device.print_room(launch.print_buffer)
    if launch.console != "ring":
        return None
    rings = Rings(record.device, n, launch.ring, drop=launch.overflow == "drop")
    record.own("rings", rings.records)
    record.fields["ring_count"] = rings.count
    return rings


def check_texts(stdin: Sequence[bytes], n: int) -> None:
    """Raise UsageError unless there is one text per interpreter."""
    if len(stdin) != n:
        raise UsageError(f"stdin: {len(stdin)} texts for {n} interpreters")


def pack_stdin(record: LaunchRecord, stdin: bytes | Sequence[bytes] | Feed, n: int) -> None:
    """Enter stdin: a feed, one text for all, or one text each."""
    if isinstance(stdin, Feed):
        shared = stdin.attach(record.device)
        record.owned.append(shared)
        record.fields["stdin_live"] = shared.address
        record.fields["stdin_room"] = stdin.room
        record.fields["stdin_base"] = shared.address + stdin.text_offset
        return
    if isinstance(stdin, bytes):
        record.put("stdin_base", np.frombuffer(stdin or b"\0", np.uint8))
        record.put("stdin_length", np.array([len(stdin)], np.uint32))
        return
    check_texts(stdin, n)
    stride = max(1, *map(len, stdin))
    record.put("stdin_base", np.array(list(stdin), f"S{stride}").view(np.uint8))
    record.put("stdin_length", np.array([len(text) for text in stdin], np.uint32))
    record.fields["stdin_stride"] = stride


def pack_bindings(record: LaunchRecord, launch: Launch, phase: Phase) -> None:
    """Enter globals that the launch defines."""
    bindings: list[Binding] = [*of_arrays(record.device, launch.bind), *phase.bindings]
    if not bindings:
        return
    table, names = pack(record.device, bindings)
    record.own("bindings", table)
    record.owned += [names, bindings]
    record.fields["binding_count"] = len(bindings)
