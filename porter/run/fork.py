"""Fork: one interpreter boots and compiles, the others of a launch begin as its copies.

Local arenas lie at the same address in every thread, so an image with all its pointers holds for
any other interpreter (DESIGN.md, "The arena"). Bytecode goes to memory that all read: a warp then
fetches an instruction once, where 32 private copies would take 32 times the cache.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np
from attrs import frozen

from porter.errors import LaunchFailed
from porter.run.device import Arenas, Array, Device, Record

if TYPE_CHECKING:
    from porter.run.session import Launch, Program

PAYS_FROM = 512  # interpreters; below, a second launch costs more than it saves
KEPT = 16  # templates of a device, the ones used last
KINDS = ("file", "single", "eval")


@frozen
class Template:
    """An interpreter at rest that others begin as copies of."""

    arenas: Arenas
    code: Array | None
    flags: int  # those of a launch of copies

    def pack(self, record: Record) -> None:
        """Make `record`, whose interpreters do not boot, a launch of copies."""
        record["flags"] |= self.flags
        record["fork_image"] = self.arenas.fields["images"]


_templates: WeakKeyDictionary[Device, OrderedDict[Any, Template]] = WeakKeyDictionary()


def template_of(
    device: Device,
    programs: Sequence[Program | str | bytes],
    n: int,
    launch: Launch,
    sizes: dict[str, int],
    *,
    chosen: bool,
) -> Template | None:
    """What the `n` interpreters of `launch` begin as; None where each must boot by itself.

    sizes: the launch's, in bytes. chosen: they run different programs. A program that does not
    compile gives None too, so that each reports it.
    """
    if not _applies(device, programs, n, launch, chosen):
        return None
    from porter.run.session import Program

    program = Program.of(programs[0]) if launch.execute else Program(b"")
    templates = _templates.setdefault(device, OrderedDict())
    key = _key(program, launch, sizes)
    if key in templates:
        templates.move_to_end(key)
        return templates[key]
    made = _make(device, program, launch, sizes)
    if made is not None:
        templates[key] = made
        while len(templates) > KEPT:
            templates.popitem(last=False)
    return made


def clone(device: Device, arenas: Arenas, index: int) -> None:
    """Make all interpreters that rest in `arenas` copies of interpreter `index`.

    Only where arenas are local. Each keeps its own threadIdx, blockIdx and localIdx, and gets
    random numbers of its own. Raises LaunchFailed.
    """
    from porter.run.session import Launch, run

    constants = device.built.constants
    words = arenas.fields["image_words"]
    one = device.xp.ascontiguousarray(arenas.keep.reshape(words, arenas.n)[:, index])
    alone = Arenas(1, {"images": device.address(one)}, arenas.sizes, one)
    launch = Launch(
        heap=arenas.sizes["heap"],
        pystack=arenas.sizes["pystack"],
        template=Template(alone, None, constants["GPUSNEK_FLAG_FORK"]),
        persist=arenas,
        stop=False,
        execute=False,
    )
    result = run(device, [], arenas.n, launch)
    if result.status.any():
        raise LaunchFailed(f"interpreter {index} has ended, and cannot be copied")


def _applies(
    device: Device,
    programs: Sequence[Program | str | bytes],
    n: int,
    launch: Launch,
    chosen: bool,
) -> bool:
    return (
        getattr(device, "local", False)
        and launch.fork is not False
        and (bool(launch.fork) or n >= PAYS_FROM)
        and launch.code is None
        and not launch.compiling
        and launch.compiled is None
        and not (launch.persist is not None and launch.persist.started)
        and not chosen
        and len(programs) <= 1
        and launch.kind in KINDS
        # Allocations are counted from the start; a mounted file system knows whose it is.
        and launch.fail_allocation is None
        and launch.fs is None
    )


def _key(program: Program, launch: Launch, sizes: dict[str, int]) -> tuple[Any, ...]:
    return (
        program,
        launch.kind,
        launch.execute,
        launch.gc_stress,
        launch.outbuf is not None,
        *(sizes[name] for name in ("heap", "pystack", "stack")),
    )


def _make(
    device: Device, program: Program, launch: Launch, sizes: dict[str, int]
) -> Template | None:
    from porter.run.session import Launch, run

    # Bytecode is shorter than its source but for the shortest programs.
    code = device.zeros(4096 + 2 * len(program.source), np.uint8)
    arenas = device.arenas(1, sizes["pystack"], sizes["heap"])
    alone = Launch(
        kind=launch.kind,
        heap=sizes["heap"],
        pystack=sizes["pystack"],
        stack=sizes["stack"],
        gc_stress=launch.gc_stress,
        outbuf=launch.outbuf,
        execute=launch.execute,
        cancel=launch.cancel,
        persist=arenas,
        stop=False,
        fork=False,
        code=code,
    )
    result = run(device, [program], 1, alone)
    constants = device.built.constants
    if result.status[0] != constants["GPUSNEK_OK"]:
        return None
    flags = constants["GPUSNEK_FLAG_FORK"]
    flags |= constants["GPUSNEK_FLAG_COMPILED"] if launch.execute else 0
    return Template(arenas, code, flags)
