"""GPU architectures of a build: a single one, several, `all` or `native`."""

from __future__ import annotations

import re
from collections.abc import Iterable

from attrs import frozen

from porter.base.process import run
from porter.errors import NoGpu, PorterError, UsageError

OLDEST = 75  # the oldest architecture that nvcc 13.0 supports

# The architectures of a build for `all`: data centre and workstation GPUs since 2020. sm_80 runs on
# every 8.x, sm_100 on 10.x, sm_120 on 12.x. For newer GPUs the driver compiles the PTX.
EVERY = "sm_80,sm_86,sm_89,sm_90,sm_100,sm_120,compute_80"

_NAME = re.compile(r"(sm|compute)_(\d{2,3})(a?)")
_HINT = "Write sm_90 or so, several with commas between them, all, or native."


@frozen
class Architectures:
    """The architectures of a device build.

    Attributes:
        machine: Architectures with SASS, such as `sm_90`, ascending; at least one.
        ptx: The architecture of the PTX for newer GPUs, such as `compute_80`; empty for none.
    """

    machine: tuple[str, ...]
    ptx: str = ""

    @classmethod
    def of(cls, text: str) -> Architectures:
        """Parse names of NVIDIA's, separated by commas. Raises UsageError."""
        names = sorted({name.strip() for name in text.split(",")}, key=_order)
        machine = tuple(name for name in names if name.startswith("sm_"))
        ptx = [name for name in names if not name.startswith("sm_")]
        if not machine:
            raise UsageError(f"arch: {text}: there is PTX alone", hint="Name an sm_ too.")
        if len(ptx) > 1 or (ptx and _number(ptx[0]) > _number(machine[0])):
            raise UsageError(
                f"arch: {text}: all native code is compiled from the oldest PTX",
                hint=f"Write one compute_, compute_{_number(machine[0])} or older.",
            )
        return cls(machine, "".join(ptx))

    @property
    def several(self) -> bool:
        """Whether a build for these is a fatbin; a build for a single architecture is a cubin."""
        return len(self.machine) > 1 or bool(self.ptx)

    @property
    def front(self) -> str:
        """The architecture of the PTX from which all SASS is made."""
        if not self.several:
            return self.machine[0]
        return self.ptx or f"compute_{_number(self.machine[0])}"

    def serve(self, asked: Architectures) -> bool:
        """Return whether a build for these contains everything that a build for `asked` would."""
        return set(asked.machine) <= set(self.machine) and asked.ptx in ("", self.ptx)

    def runs_on(self, major: int, minor: int) -> bool:
        """Return whether there is SASS for a GPU of this compute capability."""
        return any(_fits(name, major, minor) for name in self.machine)

    def __str__(self) -> str:
        return ",".join((*self.machine, *([self.ptx] if self.ptx else [])))


def canonical(text: str) -> str:
    """Return `text` sorted, with `all` and `native` replaced.

    Raises:
        UsageError: A name is wrong.
        NoGpu: `native`, and this machine has no GPU.
    """
    if text == "all":
        return EVERY
    return str(native() if text == "native" else Architectures.of(text))


def native() -> Architectures:
    """Return the architectures of this machine's GPUs, with PTX of the oldest. Raises NoGpu."""
    query = ["nvidia-smi", "--query-gpu=compute_cap", "--format=csv,noheader"]
    hint = "Name the architecture: --arch sm_90 or so, or all."
    try:
        answer = run(query, timeout=60.0).stdout
    except PorterError as error:
        raise NoGpu(f"arch: native: no GPU to ask: {error.message}", hint=hint) from error
    found = {line.strip().replace(".", "") for line in answer.splitlines() if line.strip()}
    if not found or not all(number.isdigit() for number in found):
        raise NoGpu(f"arch: native: nvidia-smi names no GPU: {answer.strip()!r}", hint=hint)
    return of_numbers(map(int, found))


def of_numbers(numbers: Iterable[int]) -> Architectures:
    """Return the architectures of compute capabilities (90 for 9.0), with PTX of the oldest."""
    ordered = sorted(numbers)
    return Architectures.of(",".join([*(f"sm_{n}" for n in ordered), f"compute_{ordered[0]}"]))


def _number(name: str) -> int:
    return _order(name)[1]


def _order(name: str) -> tuple[bool, int, str]:
    match = _NAME.fullmatch(name)
    if match is None or (match[1] == "compute" and match[3]):
        raise UsageError(f"arch: {name!r} is not a GPU architecture", hint=_HINT)
    if int(match[2]) < OLDEST:
        raise UsageError(f"arch: {name} is too old: the oldest is {match[1]}_{OLDEST}")
    return match[1] == "compute", int(match[2]), match[3]


def _fits(name: str, major: int, minor: int) -> bool:
    number, exact = _number(name), name.endswith("a")
    if exact:
        return number == 10 * major + minor
    return number // 10 == major and number % 10 <= minor
