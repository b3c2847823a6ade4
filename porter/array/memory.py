"""Zero-copy access to other libraries' arrays: buffer protocol, DLPack, CUDA array interface."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from attrs import field, frozen

from porter.errors import BindingError, WrongType
from porter.run import Device

# Typecodes of Python's array and memoryview, by numpy's kind and element size.
TYPECODES = {
    "i1": "b", "u1": "B", "i2": "h", "u2": "H", "i4": "i", "u4": "I", "i8": "q", "u8": "Q",
    "f4": "f", "f8": "d",
}  # fmt: skip
_CPU, _CUDA, _PINNED, _MANAGED = 1, 2, 3, 13  # DLPack device types


@frozen(eq=False)
class Memory:
    """The memory of a contiguous array.

    Attributes:
        address: The address.
        shape: The shape.
        dtype: The element type.
        writable: Whether the owner allows writing.
        probe: Returns the array's current address and bytes.
        keep: The owner.
    """

    address: int
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    writable: bool
    probe: Callable[[], tuple[int, int]] = field(repr=False)
    keep: object = field(repr=False)

    @property
    def count(self) -> int:
        """Number of elements."""
        return int(np.prod(self.shape, dtype=np.int64))

    @property
    def size(self) -> int:
        """Bytes."""
        return self.count * self.dtype.itemsize

    @property
    def moved(self) -> bool:
        """Whether the array's address or size has changed."""
        return self.size > 0 and self.probe() != (self.address, self.size)

    def overlaps(self, other: Memory) -> bool:
        """Return whether both have bytes in common."""
        ends = (self.address + self.size, other.address + other.size)
        return self.address < ends[1] and other.address < ends[0]

    @property
    def typecode(self) -> str:
        """Python's typecode for the element type. Raises WrongType without one."""
        code = TYPECODES.get(f"{self.dtype.kind}{self.dtype.itemsize}")
        if code is None:
            raise WrongType(
                f"elements of {self.dtype} have no counterpart in interpreters",
                hint="They can have integers of 8 to 64 bits, float32 and float64.",
            )
        if not self.dtype.isnative:
            raise WrongType(
                f"elements of {self.dtype.str} are byte-swapped",
                hint='Convert them: array.astype(array.dtype.newbyteorder("=")).',
            )
        return code


def memory_of(array: object, device: Device) -> Memory:
    """Return the memory of `array` on `device`, without a copy. Raises WrongType, BindingError."""
    if device.members and hasattr(array, "__cuda_array_interface__"):
        raise WrongType(
            f"{type(array).__name__}: interpreters on several devices share arrays of the host",
            hint="Copy it (cupy.asnumpy), and bind the copy.",
        )
    return _on_gpu(array, device) if device.on_gpu else _on_host(array)


def _on_host(array: object) -> Memory:
    kind = type(array).__name__
    if isinstance(array, np.ndarray):
        return of_numpy(array, array)
    if hasattr(array, "__cuda_array_interface__"):
        raise WrongType(
            f"{kind}: this array is on a GPU, and the interpreters are not",
            hint='Copy it (cupy.asnumpy), or make the interpreters with target="cuda".',
        )
    try:
        view = memoryview(array)  # type: ignore[arg-type]
    except TypeError:
        return _by_dlpack(array)
    except ValueError as error:
        raise BindingError(f"{kind}: {error}") from error
    try:
        return of_numpy(np.asarray(view), view)
    except (ValueError, NotImplementedError) as error:
        raise WrongType(f"{kind}: elements of format {view.format!r}: {error}") from error


def _by_dlpack(array: object) -> Memory:
    kind = type(array).__name__
    place = getattr(array, "__dlpack_device__", None)
    if place is None:
        raise WrongType(
            f"{kind}: this has no memory that interpreters could share",
            hint="Make an array of it (numpy.array), or give values with set().",
        )
    if place()[0] not in (_CPU, _PINNED):
        raise WrongType(
            f"{kind}: this array is on another device than the interpreters",
            hint="Copy it to the host first.",
        )
    try:
        shared: np.ndarray[Any, Any] = np.from_dlpack(array)  # type: ignore[arg-type]
    except (TypeError, RuntimeError, BufferError, ValueError) as error:
        raise WrongType(f"{kind}: {error}") from error
    return of_numpy(shared, array)


def of_numpy(array: np.ndarray[Any, Any], owner: object) -> Memory:
    """Return the memory of a NumPy array.

    Raises:
        BindingError: It is not contiguous, or not aligned.
    """
    if not array.flags.c_contiguous:
        raise _not_contiguous(array.shape, array.strides, "numpy")
    if not array.flags.aligned:
        raise BindingError("the array's elements are not aligned", hint="Copy it: array.copy().")
    return Memory(
        array.ctypes.data,
        array.shape,
        array.dtype,
        array.flags.writeable,
        # Probe the array itself, because a view would not follow a reallocation.
        lambda: (int(array.ctypes.data), array.nbytes),
        (array, owner),
    )


def _on_gpu(array: object, device: Device) -> Memory:
    kind, cupy = type(array).__name__, device.xp
    if not hasattr(array, "__cuda_array_interface__"):
        place = getattr(array, "__dlpack_device__", None)
        if place is None or place()[0] not in (_CUDA, _MANAGED):
            raise WrongType(
                f"{kind}: this is not an array on a GPU, where the interpreters are",
                hint="Copy it there: cupy.asarray(array).",
            )
        array = cupy.from_dlpack(array)
    memory = of_interface(array)
    interface: dict[str, Any] = array.__cuda_array_interface__  # type: ignore[attr-defined]
    stream = interface.get("stream")
    if stream is not None:
        # wait until pending writes to the array have finished
        cupy.cuda.runtime.streamSynchronize(int(stream))
    if memory.size:
        attributes = cupy.cuda.runtime.pointerGetAttributes(memory.address)
        here = int(cupy.cuda.Device().id)
        # Type 0: the driver does not know the memory, or it was freed.
        if attributes.type == 0:
            raise BindingError(f"{kind}: the array's memory was freed, or is not the GPU's")
        if attributes.type == 2 and attributes.device != here:
            raise WrongType(f"{kind}: the array is on GPU {attributes.device}, not on {here}")
    return memory


def of_interface(array: Any) -> Memory:
    """Return the memory that `array.__cuda_array_interface__` describes. Raises as memory_of."""

    def probe() -> tuple[int, int]:
        interface = array.__cuda_array_interface__
        size = np.dtype(interface["typestr"]).itemsize * int(np.prod(interface["shape"], dtype=int))
        return int(interface["data"][0] or 0), size

    interface = array.__cuda_array_interface__
    if interface.get("mask") is not None:
        raise WrongType("masked arrays cannot be bound")
    shape = tuple(int(size) for size in interface["shape"])
    dtype = np.dtype(interface["typestr"])
    strides = interface.get("strides")
    if strides is not None and 0 not in shape:
        packed = [dtype.itemsize * int(np.prod(shape[k + 1 :])) for k in range(len(shape))]
        if any(a != b and n > 1 for a, b, n in zip(strides, packed, shape, strict=True)):
            raise _not_contiguous(shape, strides, "cupy")
    writable = not interface["data"][1]
    return Memory(probe()[0], shape, dtype, writable, probe, array)


def _not_contiguous(shape: tuple[int, ...], strides: tuple[int, ...], module: str) -> BindingError:
    return BindingError(
        f"the array is not contiguous: shape {shape}, strides {tuple(strides)}",
        hint=f"Copy it: {module}.ascontiguousarray(array).",
    )
